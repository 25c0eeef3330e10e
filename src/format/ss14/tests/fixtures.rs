//! Small maps of each format, made here.

use base64::Engine as _;

use crate::format::ss14::chunk::Width;

/// A chunk of side 16: number, flags, variant and turn of each tile, by a rule from its place (y north).
pub(super) fn payload(width: Width, rule: impl Fn(i32, i32) -> (u32, u8, u8, u8)) -> String {
    let mut bytes = vec![];
    for (y, x) in (0..16).flat_map(|y| (0..16).map(move |x| (y, x))) {
        let (id, flags, variant, turn) = rule(x, y);
        let id = id.to_le_bytes();
        bytes.extend(if width == Width::Four { &id[..2] } else { &id[..] });
        bytes.extend([flags, variant]);
        bytes.extend((width == Width::Seven).then_some(turn));
    }
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// Steel with a border of plating in the west and one hole at 5,3; a variant everywhere.
fn floor(x: i32, y: i32) -> (u32, u8, u8, u8) {
    if (x, y) == (5, 3) { (0, 0, 0, 0) } else { (if x == 0 { 1 } else { 2 }, 0, ((x + y) % 4) as u8, ((x * y) % 8) as u8) }
}

/// One plating at 15,15, the rest empty.
fn corner(x: i32, y: i32) -> (u32, u8, u8, u8) {
    (u32::from((x, y) == (15, 15)), 0, 0, 0)
}

const TILEMAP: &str = "tilemap:\n  0: Space\n  1: Plating\n  2: FloorSteel\n  9: MyOwnTile\n";

/// A map of a format with one grid of two chunks, a wall, two spawn points and a box that holds a thing.
pub(in crate::format::ss14) fn map(format: u32) -> String {
    match format {
        2 => format_2(),
        3 => flat(3),
        4..=7 => grouped(format),
        _ => panic!("format {format}"),
    }
}

fn format_2() -> String {
    let (floor, corner) = (payload(Width::Four, floor), payload(Width::Four, corner));
    format!(
        "meta:\n  format: 2\n  name: Small station\n  author: Somebody\n  postmapinit: false\n{TILEMAP}grids:\n- settings:\n    chunksize: 16\n    \
         tilesize: 1\n  chunks:\n  - ind: \"-1,-1\"\n    tiles: {corner}\n  - ind: \"0,0\"\n    tiles: {floor}\nentities:\n- uid: 0\n  type: WallSolid\n  \
         components:\n  - pos: 0.5,0.5\n    parent: 4\n    type: Transform\n- uid: 4\n  components:\n  - name: Main\n    type: MetaData\n  - parent: null\n    \
         type: Transform\n  - index: 0\n    type: MapGrid\n- uid: 5\n  type: SpawnPointLatejoin\n  components:\n  - pos: 2.25,3.5\n    rot: 1.57 rad\n    \
         parent: 4\n    type: Transform\n- uid: 6\n  type: SpawnPointCaptain\n  components:\n  - parent: 4\n    type: Transform\n- uid: 7\n  type: Crate\n  \
         components:\n  - parent: 4\n    pos: -0.5,-0.25\n    type: Transform\n  - containers:\n      box: !type:Container\n        ents:\n        - 8\n    \
         type: ContainerContainer\n- uid: 8\n  type: Pen\n  components:\n  - parent: 7\n    type: Transform\n...\n"
    )
}

/// Format 3: chunks in the entity, entities not grouped.
fn flat(format: u32) -> String {
    let (floor, corner) = (payload(Width::Four, floor), payload(Width::Four, corner));
    format!(
        "meta:\n  format: {format}\n  name: Small station\n  author: Somebody\n  postmapinit: false\n{TILEMAP}entities:\n- uid: 4\n  components:\n  \
         - name: Main\n    type: MetaData\n  - parent: invalid\n    type: Transform\n  - chunks:\n      -1,-1:\n        ind: -1,-1\n        \
         tiles: {corner}\n      0,0:\n        ind: 0,0\n        tiles: {floor}\n    type: MapGrid\n- uid: 0\n  type: WallSolid\n  components:\n  - pos: \
         0.5,0.5\n    parent: 4\n    type: Transform\n- uid: 5\n  type: SpawnPointLatejoin\n  components:\n  - pos: 2.25,3.5\n    parent: 4\n    type: \
         Transform\n- uid: 6\n  type: SpawnPointCaptain\n  components:\n  - parent: 4\n    type: Transform\n- uid: 7\n  type: Crate\n  components:\n  - \
         parent: 4\n    pos: -0.5,-0.25\n    type: Transform\n  - containers:\n      box: !type:Container\n        ents:\n        - 8\n    type: \
         ContainerContainer\n- uid: 8\n  type: Pen\n  components:\n  - parent: 7\n    type: Transform\n...\n"
    )
}

/// Formats 4 to 7: entities grouped by prototype.
fn grouped(format: u32) -> String {
    let width = Width::of_format(format);
    let (floor, corner) = (payload(width, floor), payload(width, corner));
    let version = width.version().map_or(String::new(), |version| format!("          version: {version}\n"));
    let head = match format {
        4 => "  name: Small station\n  author: Somebody\n  postmapinit: false\n".to_owned(),
        5 | 6 => "  postmapinit: false\n".to_owned(),
        _ => "  category: Grid\n  engineVersion: 268.0.0\n  forkId: \"\"\n  forkVersion: \"\"\n  time: 12/27/2025 23:30:45\n  entityCount: 6\nmaps: \
              []\ngrids:\n- 4\norphans:\n- 4\nnullspace: []\n"
            .to_owned(),
    };
    // Before format 6 the type of a component stands last.
    let component = |kind: &str, keys: &[&str]| {
        let kind = format!("type: {kind}");
        let mut keys: Vec<&str> = keys.to_vec();
        keys.insert(if format < 6 { keys.len() } else { 0 }, &kind);
        keys.iter().zip(["- ", "  ", "  ", "  "]).map(|(key, dash)| format!("    {dash}{key}\n")).collect::<String>()
    };
    let entity = |uid: u32, components: &[String]| format!("  - uid: {uid}\n    components:\n{}", components.concat());
    let chunks = format!(
        "chunks:\n        -1,-1:\n          ind: -1,-1\n          tiles: {corner}\n{version}        0,0:\n          ind: 0,0\n          tiles: {floor}\n{}",
        version.trim_end_matches('\n')
    );
    let grid =
        [component("MetaData", &["name: Main"]), component("Transform", &["parent: invalid"]), component("MapGrid", &[chunks.trim_end()])];
    let container = component("ContainerContainer", &["containers:\n        box: !type:Container\n          ents:\n          - 8"]);
    let crate_place = component("Transform", &["pos: -0.5,-0.25", "parent: 4"]);
    [
        format!("meta:\n  format: {format}\n{head}{TILEMAP}entities:\n- proto: \"\"\n  entities:\n"),
        entity(4, &grid),
        "- proto: Crate\n  entities:\n".into(),
        entity(7, &[crate_place, container]),
        "- proto: Pen\n  entities:\n".into(),
        entity(8, &[component("Transform", &["parent: 7"])]),
        "- proto: SpawnPointCaptain\n  entities:\n".into(),
        entity(6, &[component("Transform", &["parent: 4"])]),
        "- proto: SpawnPointLatejoin\n  entities:\n".into(),
        entity(5, &[component("Transform", &["rot: 1.5707963267948966 rad", "pos: 2.25,3.5", "parent: 4"])]),
        "- proto: WallSolid\n  entities:\n".into(),
        entity(0, &[component("Transform", &["pos: 0.5,0.5", "parent: 4"])]),
        "...\n".into(),
    ]
    .concat()
}

/// The same text as editors on other systems leave it.
pub(super) fn variants(text: &str) -> [Vec<u8>; 4] {
    let crlf = text.replace('\n', "\r\n");
    [
        text.as_bytes().to_vec(),
        crlf.as_bytes().to_vec(),
        [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        crlf.trim_end_matches("...\r\n").trim_end().as_bytes().to_vec(),
    ]
}
