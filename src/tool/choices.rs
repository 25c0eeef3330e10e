//! The values that options may have, by name: for those who type rather than point.

use std::ops::RangeInclusive;

use super::{ObjectKind, PaintKind, SelectKind, ToolOption, ToolSettings, ToolSpec};
use crate::document::{Combine, Team};
use crate::edit::ops::{FillReach, PathKind, SculptAction, SculptForm, StampAnchor, Thousandths};
use crate::edit::{Brush, BrushShape, Mode, PaintStyle, Spacing};
use crate::geom::{Face, SolidKind};
use crate::terrain::{GENERATORS, Generator, Kind, Value, generator};

/// A value of an option.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Option and value, such as `Form: Cone` or `Size 12`.
    pub label: String,
    /// Other words for it, which people of other editors use; empty where there are none.
    pub also: &'static str,
    /// The settings with that value.
    pub settings: ToolSettings,
}

impl ToolSpec {
    /// The settings with the next way that the tool works in: another form, another kind of selection. `None` where it has
    /// but one.
    pub fn next_way(&self, settings: &ToolSettings) -> Option<ToolSettings> {
        let ways = self.options.iter().find(|option| option.is_way())?.kinds(settings);
        let now = ways.iter().position(|way| way.settings == *settings)?;
        ways.get((now + 1) % ways.len()).map(|way| way.settings.clone())
    }
}

impl ToolOption {
    /// Whether its values are the ways that a tool works in.
    fn is_way(self) -> bool {
        matches!(self, Self::Solid | Self::SculptAction | Self::PaintStyle | Self::FillReach | Self::SelectKind)
    }

    /// The values that it may have, with the one that it has; a number that was typed is one of them where it fits.
    pub fn choices(self, settings: &ToolSettings, number: Option<i64>) -> Vec<Choice> {
        let mut choices = self.kinds(settings);
        choices.extend(self.numbers(settings).into_iter().filter_map(|option| {
            let number = number.filter(|number| option.range.contains(number))?;
            let mut settings = settings.clone();
            (option.set)(&mut settings, number);
            Some(Choice { label: format!("{} {number}", option.name), also: option.also, settings })
        }));
        choices
    }

    /// The numbers that it has, by name and other words for it: what a number is to be typed behind.
    pub fn number_names(self, settings: &ToolSettings) -> Vec<(String, &'static str)> {
        self.numbers(settings).into_iter().map(|number| (number.name, number.also)).collect()
    }

    /// Whether it says what kind of thing the tool makes: to be found while another tool is in the hand.
    pub fn is_kind(self) -> bool {
        matches!(
            self,
            Self::Solid
                | Self::SculptAction
                | Self::NewObject
                | Self::PaintStyle
                | Self::FillReach
                | Self::Path
                | Self::Terrain
                | Self::SelectKind
        )
    }

    fn kinds(self, settings: &ToolSettings) -> Vec<Choice> {
        fn each<T: Copy>(
            all: &[T],
            name: impl Fn(T) -> String,
            set: impl Fn(&mut ToolSettings, T),
            settings: &ToolSettings,
        ) -> Vec<Choice> {
            let one = |value: &T| {
                let mut settings = settings.clone();
                set(&mut settings, *value);
                Choice { label: name(*value), also: "", settings }
            };
            all.iter().map(one).collect()
        }
        let switch = |name: &str, set: &dyn Fn(&mut ToolSettings, bool)| {
            each(&[true, false], |on| format!("{name}: {}", if on { "on" } else { "off" }), set, settings)
        };
        match self {
            Self::Mode => each(&Mode::TOOL, |mode| mode.label().into(), |settings, mode| settings.mode = mode, settings),
            Self::BrushShape => {
                // Without a picture one is chosen first.
                let is_there = |shape: &BrushShape| *shape != BrushShape::Picture || settings.brush.picture.is_some();
                let shapes: Vec<BrushShape> = BrushShape::ALL.into_iter().filter(is_there).collect();
                each(&shapes, |shape| format!("Tip: {}", shape.label()), |settings, shape| settings.brush.shape = shape, settings)
            }
            Self::BrushDetails => {
                let set = |settings: &mut ToolSettings, on_surface| {
                    settings.on_surface = on_surface;
                    settings.brush.up = Face::MinusZ;
                };
                each(&[false, true], |on| format!("Stands: {}", if on { "On the surface" } else { "Upright" }), set, settings)
            }
            Self::Solid => {
                each(&SolidKind::ALL, |kind| format!("Form: {}", kind.label()), |settings, kind| settings.solid = kind, settings)
            }
            Self::FromCenter => switch("Center", &|settings, on| settings.from_center = on),
            Self::SculptAction => {
                let name = |action: SculptAction| format!("Way: {}", action.label());
                each(&SculptAction::ALL, name, |settings, action| settings.sculpt_action = action, settings)
            }
            Self::FillSteps => switch("Steps", &|settings, on| settings.fill_steps = on),
            Self::NewObject => {
                let name = |kind: ObjectKind| format!("New: {}", kind.label());
                each(&ObjectKind::ALL, name, |settings, kind| settings.new_object.kind = Some(kind), settings)
            }
            Self::Team => {
                let teams = [Some(Team::Blue), Some(Team::Green), None];
                let name = |team: Option<Team>| format!("Team: {}", team.map_or("Neutral", Team::label));
                each(&teams, name, |settings, team| settings.new_object.team = team, settings)
            }
            Self::PaintStyle => {
                each(&PaintKind::ALL, |kind| format!("Style: {}", kind.label()), |settings, kind| settings.paint.kind = kind, settings)
            }
            Self::FillStyle => {
                each(&PaintKind::ALL, |kind| format!("Style: {}", kind.label()), |settings, kind| settings.fill_kind = kind, settings)
            }
            Self::SculptForm => {
                let form = |on| if on { SculptForm::Volume } else { SculptForm::Column };
                switch("Volume", &|settings, on| settings.sculpt_form = form(on))
            }
            Self::FillReach => {
                let name = |reach: FillReach| format!("Takes: {}", reach.label());
                each(&FillReach::ALL, name, |settings, reach| settings.fill_reach = reach, settings)
            }
            Self::Path => {
                let set = |settings: &mut ToolSettings, kind| settings.path = settings.path.switched(kind);
                let mut choices = each(&PathKind::ALL, |kind| format!("Make: {}", kind.label()), set, settings);
                if settings.path.kind == PathKind::Tunnel {
                    choices.extend(switch("Arched", &|settings, on| settings.path.arched = on));
                }
                choices
            }
            Self::Terrain => {
                let set = |settings: &mut ToolSettings, generator: &'static dyn Generator| {
                    settings.terrain = settings.terrain.switched(generator.id());
                };
                each(GENERATORS, |generator| format!("Make: {}", generator.label()), set, settings)
            }
            Self::Stamp => {
                let mut choices = switch("Scatter", &|settings, on| settings.stamp.scatter = on);
                choices.extend(switch("On the ground", &|settings, on| settings.stamp.snap = on));
                choices.extend(switch("On the surface", &|settings, on| settings.stamp.on_surface = on));
                choices.extend(switch("Any turn", &|settings, on| settings.stamp.random_turn = on));
                let name = |anchor: StampAnchor| format!("Anchor: {}", anchor.label());
                choices.extend(each(&StampAnchor::ALL, name, |settings, anchor| settings.stamp.anchor = anchor, settings));
                choices
            }
            Self::SelectKind => {
                let name = |kind: SelectKind| format!("Select: {}", kind.label());
                let mut choices = each(&SelectKind::ALL, name, |settings, kind| settings.select_kind = kind, settings);
                for choice in &mut choices {
                    choice.also = match choice.settings.select_kind {
                        SelectKind::Box => "rectangle region",
                        SelectKind::Wand => "magic fuzzy connected color",
                        SelectKind::Structure => "connected solid building",
                        _ => "",
                    };
                }
                choices
            }
            Self::Combine => {
                let name = |combine: Combine| format!("Join: {}", combine.label());
                each(&Combine::ALL, name, |settings, combine| settings.combine = combine, settings)
            }
            Self::SelectEdges => switch("Climb steps", &|settings, on| settings.select_edges = on),
            Self::SelectUpward => switch("From here up", &|settings, on| settings.select_upward = on),
            Self::SelectTall => switch("All heights", &|settings, on| settings.select_tall = on),
            Self::LassoColumns => switch("Whole columns", &|settings, on| settings.lasso_columns = on),
            _ => vec![],
        }
    }

    fn numbers(self, settings: &ToolSettings) -> Vec<NumberOption> {
        let one = NumberOption::new;
        match self {
            Self::BrushSize => vec![one("Size", "diameter width radius", 1..=64, |settings, size| settings.brush.size = size)],
            Self::BrushDetails => vec![
                one("Covers", "strength percent opacity", 1..=100, |settings, share| settings.brush.strength = narrow(share)),
                one("Spacing", "", 1..=i64::from(Spacing::MAX), |settings, voxels| settings.brush.spacing = Spacing::Voxels(voxels)),
                one("Jitter", "", 0..=i64::from(Brush::MAX_SIZE), |settings, jitter| settings.brush.jitter = jitter),
                one("Color jitter", "", 0..=100, |settings, jitter| settings.brush.color_jitter = narrow(jitter)),
            ],
            Self::Shell => vec![one("Shell", "hollow thickness", 0..=64, |settings, shell| settings.shell = shell)],
            Self::Strength => vec![one("Strength", "", 1..=32, |settings, strength| settings.strength = strength)],
            Self::SculptDetails => vec![
                one("Step", "terrace", 2..=64, |settings, step| settings.sculpt_step = step),
                one("Grain", "noise width", 1..=64, |settings, grain| settings.sculpt_grain = grain),
            ],
            Self::Tolerance | Self::SelectTolerance => {
                vec![one("Tolerance", "", 0..=255, |settings, tolerance| settings.tolerance = narrow(tolerance))]
            }
            Self::FaceTolerance => {
                vec![one("Tolerance", "color", 0..=255, |settings, tolerance| settings.face_tolerance = narrow(tolerance))]
            }
            Self::Path => {
                let (height, spacing) = settings.path.number_names();
                let mut numbers = vec![
                    one("Width", "", 1..=64, |settings, width| settings.path.width = width),
                    one(height, "height", 0..=64, |settings, height| settings.path.height = height),
                ];
                numbers.extend(spacing.map(|name| one(name, "spacing", 0..=256, |settings, spacing| settings.path.spacing = spacing)));
                if matches!(settings.path.kind, PathKind::Road | PathKind::River) {
                    numbers.push(one("Shoulder", "bank", 0..=64, |settings, shoulder| settings.path.shoulder = shoulder));
                }
                numbers
            }
            Self::Terrain => {
                let mut numbers = vec![
                    one("Seed", "", 0..=i64::from(u32::MAX), |settings, seed| settings.terrain.seed = u64::from(seed)),
                    one("Fade", "", 0..=256, |settings, fade| settings.terrain.fade = fade),
                ];
                for setting in generator(settings.terrain.generator).map_or(&[][..], |generator| generator.settings()) {
                    if let Kind::Number { min, max, .. } = setting.kind {
                        let set = move |settings: &mut ToolSettings, number: i64| {
                            let number = i32::try_from(number).unwrap_or(max);
                            settings.terrain.values.insert(setting.id.to_owned(), Value::Number(number));
                        };
                        let range = i64::from(min)..=i64::from(max);
                        numbers.push(NumberOption { name: setting.label.into(), also: "", range, set: Box::new(set) });
                    }
                }
                numbers
            }
            Self::Stamp => vec![
                one("Tint", "", 0..=100, |settings, tint| settings.stamp.tint = tint),
                one("Density", "scatter", 1..=1000, |settings, density| settings.stamp.density = density),
                one("Distance", "scatter", 0..=256, |settings, distance| settings.stamp.distance = distance),
                one("Slope", "scatter", 0..=90, |settings, slope| settings.stamp.slope = narrow(slope)),
                one("Seed", "scatter", 0..=i64::from(u32::MAX), |settings, seed| settings.stamp.seed = u64::from(seed)),
            ],
            Self::PaintStyle => {
                let mut numbers = style_numbers(settings.paint.kind);
                numbers.push(one("Depth", "deep", 1..=i64::from(PaintStyle::MAX_DEPTH), |settings, depth| settings.paint.depth = depth));
                numbers
            }
            Self::FillStyle => style_numbers(settings.fill_kind),
            Self::TransformAngle => {
                let set = |settings: &mut ToolSettings, degrees: i64| {
                    settings.transform.angle = Thousandths(i32::try_from(degrees * 1000).unwrap_or(0));
                };
                vec![NumberOption { name: "Angle".into(), also: "turn rotate", range: -360..=360, set: Box::new(set) }]
            }
            Self::TransformScale => {
                let set = |settings: &mut ToolSettings, factor| {
                    settings.transform.scale = [Thousandths(i32::try_from(factor * 1000).unwrap_or(1000)); 3];
                };
                vec![NumberOption { name: "Scale".into(), also: "size", range: 1..=64, set: Box::new(set) }]
            }
            Self::TransformCopies => vec![one("Copies", "stack", 0..=4096, |settings, copies| settings.transform.copies = copies)],
            _ => vec![],
        }
    }
}

/// The numbers of a way of painting.
fn style_numbers(kind: PaintKind) -> Vec<NumberOption> {
    let one = NumberOption::new;
    let mut numbers = vec![];
    if kind.has_strength() {
        numbers.push(one("Strength", "percent", 1..=100, |settings, share| settings.paint.strength = narrow(share)));
    }
    match kind {
        PaintKind::Noise => numbers.push(one("Grain", "noise width", 1..=64, |settings, grain| settings.paint.grain = grain)),
        PaintKind::Blur => {
            numbers.push(one("Radius", "blur", 1..=i64::from(PaintStyle::MAX_RADIUS), |settings, radius| settings.paint.radius = radius));
        }
        PaintKind::Decal => numbers.push(one("Width", "picture", 1..=512, |settings, width| settings.paint.decal_width = width)),
        _ => {}
    }
    numbers
}

/// A number of an option, as it is typed.
struct NumberOption {
    name: String,
    also: &'static str,
    range: RangeInclusive<i64>,
    set: Set,
}

/// Gives an option a number of its range.
type Set = Box<dyn Fn(&mut ToolSettings, i64)>;

impl NumberOption {
    fn new(name: &str, also: &'static str, range: RangeInclusive<i64>, set: fn(&mut ToolSettings, u32)) -> Self {
        // Within the range, which is that of the option.
        let set = move |settings: &mut ToolSettings, number: i64| set(settings, u32::try_from(number).unwrap_or_default());
        Self { name: name.into(), also, range, set: Box::new(set) }
    }
}

/// A number whose range fits.
fn narrow(number: u32) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::tool::TOOLS;

    #[test]
    fn the_ways_of_a_tool_come_around() {
        let mut cycling = vec![];
        for tool in TOOLS {
            let (start, mut ways) = (ToolSettings::default(), vec![]);
            let mut settings = start.clone();
            while let Some(next) = tool.next_way(&settings).filter(|_| ways.len() < 20) {
                ways.push(next.clone());
                settings = next;
                if settings == start {
                    break;
                }
            }
            assert!(ways.is_empty() || (settings == start && ways.len() > 2), "{}: {}", tool.id, ways.len());
            cycling.extend((!ways.is_empty()).then_some(tool.id));
        }
        assert_eq!(cycling, ["shape", "fill", "select", "sculpt", "paint"]);
    }

    #[test]
    fn every_choice_of_every_tool_has_a_name_of_its_own_and_stays_chosen() {
        let settings = ToolSettings::default();
        let mut count = 0;
        for tool in TOOLS {
            let choices: Vec<Choice> = tool.options.iter().flat_map(|option| option.choices(&settings, Some(7))).collect();
            let names: BTreeSet<&str> = choices.iter().map(|choice| choice.label.as_str()).collect();
            assert_eq!(names.len(), choices.len(), "{}: {names:?}", tool.id);
            for choice in &choices {
                let again: Vec<Choice> = tool.options.iter().flat_map(|option| option.choices(&choice.settings, Some(7))).collect();
                let again = again.iter().find(|other| other.label == choice.label).unwrap_or_else(|| panic!("{}", choice.label));
                assert_eq!(again.settings, choice.settings, "{}: {}", tool.id, choice.label);
            }
            let changing = choices.iter().filter(|choice| choice.settings != settings).count();
            assert!(changing * 2 >= choices.len(), "{}: {changing} of {}", tool.id, choices.len());
            count += changing;
        }
        assert!(count > 90, "{count}");
    }

    #[test]
    fn every_tool_with_options_has_choices_to_find() {
        let settings = ToolSettings::default();
        for tool in TOOLS.iter().filter(|tool| !tool.options.is_empty()) {
            let choices = tool.options.iter().map(|option| option.choices(&settings, None).len() + option.number_names(&settings).len());
            assert!(choices.sum::<usize>() > 0, "{}", tool.id);
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_not_offered() {
        let settings = ToolSettings::default();
        let labels = |number| -> Vec<String> {
            [ToolOption::BrushSize, ToolOption::Shell]
                .into_iter()
                .flat_map(|option| option.choices(&settings, number))
                .map(|choice| choice.label)
                .collect()
        };
        assert_eq!(labels(Some(12)), ["Size 12", "Shell 12"]);
        assert_eq!(labels(Some(65)), Vec::<String>::new());
        assert_eq!(labels(None), Vec::<String>::new());
        assert_eq!(ToolOption::BrushSize.choices(&settings, Some(12))[0].settings.brush.size, 12);
    }
}
