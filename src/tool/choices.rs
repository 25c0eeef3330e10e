//! The values that options may have, by name: for those who type rather than point.

use super::{ObjectKind, PaintKind, SelectKind, ToolOption, ToolSettings};
use crate::document::{Combine, Team};
use crate::edit::ops::{FillReach, SculptAction, SculptForm};
use crate::edit::{BrushShape, Mode};
use crate::geom::SolidKind;

/// A value of an option.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Option and value, such as `Form: Cone` or `Size 12`.
    pub label: String,
    /// The settings with that value.
    pub settings: ToolSettings,
}

impl ToolOption {
    /// The values that it may have besides the one it has; a number that was typed is one of them where it fits.
    pub fn choices(self, settings: &ToolSettings, number: Option<u32>) -> Vec<Choice> {
        let with = |label: String, change: &dyn Fn(&mut ToolSettings)| {
            let mut settings = settings.clone();
            change(&mut settings);
            Choice { label, settings }
        };
        fn each<T: Copy>(
            all: &[T],
            name: impl Fn(T) -> String,
            set: impl Fn(&mut ToolSettings, T),
            settings: &ToolSettings,
        ) -> Vec<Choice> {
            let one = |value: &T| {
                let mut settings = settings.clone();
                set(&mut settings, *value);
                Choice { label: name(*value), settings }
            };
            all.iter().map(one).collect()
        }
        let switch = |name: &str, is_on: bool, set: &dyn Fn(&mut ToolSettings, bool)| {
            vec![with(format!("{name}: {}", if is_on { "off" } else { "on" }), &|settings| set(settings, !is_on))]
        };
        let numbered = |name: &str, range: std::ops::RangeInclusive<u32>, set: &dyn Fn(&mut ToolSettings, u32)| {
            let fitting = number.filter(|number| range.contains(number));
            fitting.map(|number| with(format!("{name} {number}"), &|settings| set(settings, number))).into_iter().collect()
        };
        let mut choices: Vec<Choice> = match self {
            Self::Mode => each(&Mode::TOOL, |mode| mode.label().into(), |settings, mode| settings.mode = mode, settings),
            Self::BrushShape => {
                let shapes: Vec<BrushShape> = BrushShape::ALL.into_iter().filter(|shape| *shape != BrushShape::Picture).collect();
                each(&shapes, |shape| format!("Tip: {}", shape.label()), |settings, shape| settings.brush.shape = shape, settings)
            }
            Self::BrushSize => numbered("Size", 1..=64, &|settings, size| settings.brush.size = size),
            Self::Solid => {
                each(&SolidKind::ALL, |kind| format!("Form: {}", kind.label()), |settings, kind| settings.solid = kind, settings)
            }
            Self::Shell => numbered("Shell", 0..=64, &|settings, shell| settings.shell = shell),
            Self::FromCenter => switch("Center", settings.from_center, &|settings, on| settings.from_center = on),
            Self::SculptAction => {
                let name = |action: SculptAction| format!("Way: {}", action.label());
                each(&SculptAction::ALL, name, |settings, action| settings.sculpt_action = action, settings)
            }
            Self::Strength => numbered("Strength", 1..=32, &|settings, strength| settings.strength = strength),
            Self::Tolerance | Self::SelectTolerance => {
                // Within the range.
                numbered("Tolerance", 0..=255, &|settings, number| settings.tolerance = u8::try_from(number).unwrap_or(u8::MAX))
            }
            Self::FillSteps => switch("Steps", settings.fill_steps, &|settings, on| settings.fill_steps = on),
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
                let is_volume = settings.sculpt_form == SculptForm::Volume;
                let form = |on| if on { SculptForm::Volume } else { SculptForm::Column };
                switch("Volume", is_volume, &|settings, on| settings.sculpt_form = form(on))
            }
            Self::FillReach => {
                let name = |reach: FillReach| format!("Takes: {}", reach.label());
                each(&FillReach::ALL, name, |settings, reach| settings.fill_reach = reach, settings)
            }
            Self::SelectKind => {
                let name = |kind: SelectKind| format!("Select: {}", kind.label());
                each(&SelectKind::ALL, name, |settings, kind| settings.select_kind = kind, settings)
            }
            Self::Combine => {
                let name = |combine: Combine| format!("Join: {}", combine.label());
                each(&Combine::ALL, name, |settings, combine| settings.combine = combine, settings)
            }
            Self::SelectEdges => switch("Climb steps", settings.select_edges, &|settings, on| settings.select_edges = on),
            Self::SelectUpward => switch("From here up", settings.select_upward, &|settings, on| settings.select_upward = on),
            Self::SelectTall => switch("All heights", settings.select_tall, &|settings, on| settings.select_tall = on),
            Self::LassoColumns => switch("Whole columns", settings.lasso_columns, &|settings, on| settings.lasso_columns = on),
            // What takes more than a name stays in its panel.
            _ => vec![],
        };
        choices.retain(|choice| choice.settings != *settings);
        choices
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::tool::TOOLS;

    #[test]
    fn every_choice_of_every_tool_has_a_name_of_its_own_and_changes_something() {
        let settings = ToolSettings::default();
        let mut count = 0;
        for tool in TOOLS {
            let choices: Vec<Choice> = tool.options.iter().flat_map(|option| option.choices(&settings, Some(7))).collect();
            let names: BTreeSet<&str> = choices.iter().map(|choice| choice.label.as_str()).collect();
            assert_eq!(names.len(), choices.len(), "{}: {names:?}", tool.id);
            assert!(choices.iter().all(|choice| choice.settings != settings));
            count += choices.len();
        }
        assert!(count > 60, "{count}");
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
