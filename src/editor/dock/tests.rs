//! Layouts stay whole, whatever is done to them and whatever the settings say.

use proptest::prelude::*;
use serde_yaml::Value;

use super::*;

/// What lies where: `/` between parts below each other, `|` beside, `+` between tabs, `*` at the front one,
/// brackets around what is folded.
fn shown(dock: &Dock) -> String {
    let side = |side: Side| dock.area(side).root.as_ref().map_or("-".to_owned(), shown_node);
    Side::ALL.map(side).join("  ")
}

fn shown_node(node: &Node) -> String {
    match node {
        Node::Group(group) => {
            let mark = |panel: &Panel| if group.panels.len() > 1 && *panel == group.front { "*" } else { "" };
            let tabs: Vec<String> = group.panels.iter().map(|panel| format!("{}{}", panel.id(), mark(panel))).collect();
            if group.folded { format!("[{}]", tabs.join("+")) } else { tabs.join("+") }
        }
        Node::Split(split) => {
            let mark = if split.direction == Direction::Row { "|" } else { "/" };
            format!("({})", split.parts.iter().map(|part| shown_node(&part.node)).collect::<Vec<_>>().join(mark))
        }
    }
}

const AT_FIRST: &str = "-  (color/objects*+map/history)  -";

/// Does the orders to the first layout and compares what lies where then.
#[track_caller]
fn check(orders: &[Order], expected: &str) {
    let mut dock = Dock::default();
    assert_eq!(shown(&dock), AT_FIRST);
    orders.iter().for_each(|order| dock.carry_out(order));
    assert_eq!(shown(&dock), expected);
    check_whole(&dock);
}

/// The invariants that the types do not hold by themselves.
#[track_caller]
fn check_whole(dock: &Dock) {
    fn walk(node: &Node, around: Option<Direction>, depth: usize, seen: &mut Vec<Panel>) {
        assert!(depth <= MOST_DEPTH);
        match node {
            Node::Group(group) => {
                assert!(group.panels.contains(&group.front));
                for panel in &group.panels {
                    assert!(!seen.contains(panel), "{panel} lies in two places");
                    seen.push(*panel);
                }
            }
            Node::Split(split) => {
                assert!(split.parts.len() >= 2 && around != Some(split.direction), "nested for nothing");
                for part in &split.parts {
                    assert!((SHARES.0..=SHARES.1).contains(&part.share));
                    walk(&part.node, Some(split.direction), depth + 1, seen);
                }
            }
        }
    }
    let mut seen = vec![];
    for side in Side::ALL {
        let area = dock.area(side);
        assert!((side.sizes().0..=side.sizes().1).contains(&area.size));
        area.root.iter().for_each(|root| walk(root, None, 0, &mut seen));
    }
}

/// The layout that a text gives, and whether all of it could be read.
#[track_caller]
fn check_text(text: &str, expected: &str, is_whole: bool) {
    let layout: Layout = serde_yaml::from_str(text).unwrap();
    assert_eq!((shown(&layout.panels).as_str(), layout.is_whole), (expected, is_whole), "{text}");
    check_whole(&layout.panels);
    // What is not there can be opened.
    for panel in Panel::ALL {
        let mut dock = layout.panels.clone();
        dock.carry_out(&Order::Show(panel));
        assert!(dock.is_shown(panel), "{text}: {panel}");
        check_whole(&dock);
    }
    // What is written down then is whole, and says the same.
    let again: Layout = serde_yaml::from_str(&serde_yaml::to_string(&layout).unwrap()).unwrap();
    assert_eq!(again, Layout { is_whole: true, ..layout });
}

#[test]
fn panels_fold_close_and_come_back_where_they_belong() {
    use Panel::*;
    check(&[Order::Fold(Color)], "-  ([color]/objects*+map/history)  -");
    check(&[Order::Fold(Color), Order::Fold(Color)], AT_FIRST);
    check(&[Order::Fold(Map)], "-  (color/objects+map*/history)  -");
    check(&[Order::Fold(Map), Order::Fold(Map), Order::Fold(Objects)], AT_FIRST);
    check(&[Order::Close(Objects)], "-  (color/map/history)  -");
    check(&[Order::Close(Color), Order::Toggle(Color)], AT_FIRST);
    check(&[Order::Close(History), Order::Toggle(History)], AT_FIRST);
    check(&[Order::Close(Map), Order::Toggle(Map)], "-  (color/objects+map*/history)  -");
    check(&[Order::Fold(History), Order::Show(History)], AT_FIRST);
    let none = Panel::ALL.map(Order::Close);
    check(&none, "-  -  -");
    check(&[&none[..], &[Order::Toggle(History)]].concat(), "-  history  -");
    check(&[&none[..], &[Order::Toggle(History), Order::Toggle(Color)]].concat(), "-  (color/history)  -");
    check(&[&none[..], &[Order::Reset]].concat(), AT_FIRST);
}

#[test]
fn panels_are_put_to_every_side_and_every_spot() {
    use Panel::*;
    let put = |panel, target| Order::Put(panel, target);
    check(&[put(History, Target::Side(Side::Left))], "history  (color/objects*+map)  -");
    check(&[put(History, Target::Side(Side::Below)), put(Map, Target::Side(Side::Below))], "-  (color/objects)  (history|map)");
    check(&[put(History, Target::Side(Side::Right))], AT_FIRST);
    check(&[put(Color, Target::Side(Side::Right))], "-  (objects*+map/history/color)  -");
    check(&[put(History, Target::Group(Color, Spot::Tabs))], "-  (color+history*/objects*+map)  -");
    check(&[put(History, Target::Group(Color, Spot::Above))], "-  (history/color/objects*+map)  -");
    check(&[put(History, Target::Group(Color, Spot::Below))], "-  (color/history/objects*+map)  -");
    check(&[put(History, Target::Group(Color, Spot::Left))], "-  ((history|color)/objects*+map)  -");
    check(&[put(History, Target::Group(Color, Spot::Right))], "-  ((color|history)/objects*+map)  -");
    // A tab leaves its group; what stands alone stays beside itself.
    check(&[put(Map, Target::Group(Map, Spot::Above))], "-  (color/map/objects/history)  -");
    check(&[put(Color, Target::Group(Color, Spot::Left))], AT_FIRST);
    check(&[put(Map, Target::Group(Map, Spot::Tabs))], AT_FIRST);
    check(&[Order::Close(Map), put(Color, Target::Group(Map, Spot::Tabs))], "-  (color/objects/history)  -");
    check(&[Order::Swap(Color, true)], "-  (objects*+map/color/history)  -");
    check(&[Order::Swap(History, false), Order::Swap(Color, false)], "-  (color/history/objects*+map)  -");
}

#[test]
fn parts_grow_within_bounds() {
    let mut dock = Dock::default();
    for _ in 0..100 {
        dock.carry_out(&Order::Grow(Panel::History, 20));
        dock.carry_out(&Order::Grow(Panel::Color, -20));
        dock.carry_out(&Order::Resize(Side::Right, 9000));
        check_whole(&dock);
    }
    assert_eq!(dock.area(Side::Right).size, WIDTHS.1);
    let Some(Node::Split(split)) = &dock.area(Side::Right).root else { panic!() };
    assert_eq!(split.parts.iter().map(|part| part.share).collect::<Vec<_>>(), [SHARES.0, 250, SHARES.1]);
    let mut alone = Dock::default();
    alone.carry_out(&Order::Put(Panel::History, Target::Side(Side::Left)));
    alone.carry_out(&Order::Grow(Panel::History, 20));
    assert_eq!(alone.area(Side::Left).size, 360);
}

#[test]
fn layouts_of_the_first_versions_are_read() {
    check_text("{}", AT_FIRST, true);
    check_text("color: true\nobjects: true\nmap: false\nhistory: true\nsectors: true", AT_FIRST, true);
    check_text("color: false\nobjects: false\nmap: true\nhistory: false", "-  ([color]/objects+map*/[history])  -", true);
    check_text("objects: false\nmap: false", "-  (color/[objects*+map]/history)  -", true);
    let layout: Layout = serde_yaml::from_str("sectors: true\nwater: false").unwrap();
    assert!(layout.sectors && !layout.water && layout.markers);
}

#[test]
fn a_layout_is_small_and_readable() {
    let mut dock = Dock::default();
    dock.carry_out(&Order::Put(Panel::Map, Target::Side(Side::Left)));
    dock.carry_out(&Order::Fold(Panel::History));
    let text = "\
left:
  size: 300
  tabs:
  - map
right:
  size: 300
  column:
  - share: 350
    tabs:
    - color
  - share: 250
    tabs:
    - objects
  - share: 110
    tabs:
    - history
    folded: true
";
    assert_eq!(serde_yaml::to_string(&dock).unwrap(), text);
}

#[test]
fn hostile_layouts_are_whole_and_told() {
    for (text, expected, is_whole) in [
        ("panels: {}", "-  -  -", true),
        ("panels:", AT_FIRST, true),
        ("panels: 7", AT_FIRST, false),
        ("panels: [1, 2]", AT_FIRST, false),
        ("[1]", AT_FIRST, false),
        ("sectors: maybe", AT_FIRST, false),
        // Panels and keys of newer versions.
        ("panels: {right: {tabs: [color, weather], glow: 3}, above: {tabs: [map]}}", "-  color  -", true),
        ("panels: {right: {tabs: [weather]}}", "-  -  -", true),
        // A panel in two places.
        ("panels: {left: {tabs: [map, map]}, right: {column: [{tabs: [map]}, {tabs: [color]}]}}", "map  color  -", false),
        // Numbers that are none.
        ("panels: {right: {size: .nan, tabs: [map]}}", "-  map  -", false),
        ("panels: {right: {size: -3, column: [{share: -1, tabs: [map]}, {share: .inf, tabs: [color]}]}}", "-  (map/color)  -", false),
        (
            "panels: {right: {size: 1.0e+300, column: [{share: 0.1, tabs: [map]}, {share: many, tabs: [color]}]}}",
            "-  (map/color)  -",
            false,
        ),
        // Other things than parts.
        ("panels: {right: 5, left: {tabs: [color]}}", "color  (objects*+map/history)  -", false),
        ("panels: {right: {tabs: 5}}", "-  -  -", false),
        ("panels: {right: {tabs: [[color], 5, map]}}", "-  map  -", false),
        ("panels: {right: {row: {tabs: [color]}}}", "-  -  -", false),
        ("panels: {right: {column: [5, {tabs: [map], front: color, folded: 5}]}}", "-  map  -", false),
        ("panels: {right: {column: [{column: [{column: [{tabs: [map]}]}, {tabs: []}]}]}}", "-  map  -", true),
    ] {
        check_text(text, expected, is_whole);
    }
}

#[test]
fn a_layout_of_a_thousand_levels_is_whole() {
    let mut value: Value = serde_yaml::from_str("tabs: [map]").unwrap();
    for level in 0..1000 {
        let mut fields = serde_yaml::Mapping::new();
        fields.insert(if level % 2 == 0 { "row" } else { "column" }.into(), vec![value].into());
        value = fields.into();
    }
    let mut sides = serde_yaml::Mapping::new();
    sides.insert("right".into(), value);
    let (dock, is_whole) = Dock::read(&sides.into());
    assert_eq!((shown(&dock).as_str(), is_whole), ("-  -  -", false));
}

fn panel() -> impl Strategy<Value = Panel> {
    (0..Panel::ALL.len()).prop_map(|at| Panel::ALL[at])
}

fn order() -> impl Strategy<Value = Order> {
    let side = || (0..3_usize).prop_map(|at| Side::ALL[at]);
    let spot = (0..5_usize).prop_map(|at| [Spot::Tabs, Spot::Above, Spot::Below, Spot::Left, Spot::Right][at]);
    prop_oneof![
        panel().prop_map(Order::Toggle),
        panel().prop_map(Order::Show),
        panel().prop_map(Order::Fold),
        (panel(), side()).prop_map(|(panel, side)| Order::Put(panel, Target::Side(side))),
        (panel(), panel(), spot).prop_map(|(panel, other, spot)| Order::Put(panel, Target::Group(other, spot))),
        (panel(), any::<bool>()).prop_map(|(panel, forward)| Order::Swap(panel, forward)),
        (panel(), any::<i32>()).prop_map(|(panel, percent)| Order::Grow(panel, percent)),
        (side(), any::<u32>()).prop_map(|(side, size)| Order::Resize(side, size)),
        (side(), prop::collection::vec(0..4_usize, 0..3), prop::collection::vec(any::<u32>(), 0..5))
            .prop_map(|(side, path, shares)| Order::Share(side, path, shares)),
    ]
}

/// Any value that a settings file may hold, with the words of layouts in it.
fn junk() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        (0..Panel::ALL.len()).prop_map(|at| Panel::ALL[at].id().into()),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| prop::collection::vec(inner, 0..4).prop_map(Value::from))
}

/// Something that looks like a layout: panels in several places, numbers that are none, junk in between.
fn sides() -> impl Strategy<Value = Value> {
    fn fields(all: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
        all.into_iter().map(|(key, value)| (key.into(), value)).collect::<serde_yaml::Mapping>().into()
    }
    let id = || prop_oneof![4 => (0..Panel::ALL.len()).prop_map(|at| Panel::ALL[at].id().into()), 1 => junk()];
    let tabs = (prop::collection::vec(id(), 0..4), junk(), junk(), any::<f64>()).prop_map(|(tabs, front, folded, share)| {
        fields([("tabs", tabs.into()), ("front", front), ("folded", folded), ("share", share.into())])
    });
    let part = prop_oneof![5 => tabs, 1 => junk()].prop_recursive(12, 30, 4, |inner| {
        (any::<bool>(), prop::collection::vec(inner, 0..4), junk())
            .prop_map(|(is_row, parts, share)| fields([(if is_row { "row" } else { "column" }, parts.into()), ("share", share)]))
    });
    (part.clone(), part.clone(), part).prop_map(|(left, right, below)| fields([("left", left), ("right", right), ("below", below)]))
}

proptest! {
    #[test]
    fn whatever_is_done_the_dock_stays_whole_and_reads_back(orders in prop::collection::vec(order(), 0..30)) {
        let mut dock = Dock::default();
        for order in &orders {
            let before = dock.clone();
            dock.carry_out(order);
            check_whole(&dock);
            // Only closing loses a panel.
            if !matches!(order, Order::Toggle(_)) {
                for panel in Panel::ALL {
                    prop_assert!(dock.is_open(panel) || !before.is_open(panel), "{order:?} lost {panel}");
                }
            }
            let text = serde_yaml::to_string(&dock).unwrap();
            let (again, is_whole) = Dock::read(&serde_yaml::from_str(&text).unwrap());
            prop_assert!(is_whole, "{}", text);
            prop_assert_eq!(&again, &dock, "{}", text);
        }
    }

    #[test]
    fn whatever_the_settings_say_the_dock_is_whole(value in prop_oneof![9 => sides(), 1 => junk()]) {
        let (dock, _) = Dock::read(&value);
        check_whole(&dock);
        let (again, is_whole) = Dock::read(&dock.write());
        prop_assert!(is_whole);
        prop_assert_eq!(again, dock);
    }
}
