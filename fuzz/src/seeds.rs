//! What the targets start from: small files of every kind, made by our own generator and writers.

use spadework::document::{Document, OptionValue, Progress, Snapshot};
use spadework::format::{Report, export, map_format, sidecar};

use crate::edits::{BESIDE_VMF, BESIDE_VXL, SERVER, SPADESX, VOXELS, edited};
use crate::{island, small_map};

/// Every target with its seeds.
pub fn all() -> Vec<(&'static str, Vec<Vec<u8>>)> {
    vec![
        ("vxl", vxl()),
        ("vmf", vmf()),
        ("ss14", ss14()),
        ("imports", imports()),
        ("txt", sidecars("piqueserver-txt", SERVER, TXT)),
        ("spadesx_toml", sidecars("spadesx-toml", SPADESX, TOML)),
        ("spadesx_json", sidecars("spadesx-json", SPADESX, JSON)),
        ("project", [sidecars("project-vmf", BESIDE_VMF, YAML), sidecars("project-vxl", BESIDE_VXL, &[])].concat()),
        ("commands", commands()),
        ("journal", journal()),
        ("settings", SETTINGS.iter().map(|text| text.as_bytes().to_vec()).collect()),
        ("keymap", KEYMAPS.iter().map(|text| text.as_bytes().to_vec()).collect()),
    ]
}

fn written(format: &str, map: &Snapshot, options: &[(&str, &str)]) -> Vec<u8> {
    let options = options.iter().map(|(name, value)| ((*name).into(), OptionValue::Text((*value).into()))).collect();
    let mut bytes = vec![];
    let format = map_format(format).expect("the format is in the registry");
    format.write(map, &mut bytes, &options, &Progress::new(), &mut Report::new()).expect("the format holds the map");
    bytes
}

/// The first byte chooses the size, with 8 for the lenient mode; the second one an edit.
fn vxl() -> Vec<Vec<u8>> {
    let sizes =
        [(0, [1, 1], "1x1"), (1, [2, 2], "2x2"), (3, [3, 2], "3x2"), (4, [4, 4], "4x4"), (5, [8, 8], "8x8"), (6, [16, 16], "16x16")];
    let mut seeds = vec![];
    for (choice, [x, y], size) in sizes {
        let file = written("vxl", &caves(&island([x, y, 64])), &[("size", size)]);
        for choice in [choice, choice | 8] {
            seeds.push([&[choice, seeds.len() as u8 % 7], &file[..]].concat());
        }
    }
    let file = written("vxl", &island([8, 8, 64]), &[("size", "8x8")]);
    seeds.push([&[7, 1], &file[..], b"more"].concat());
    seeds.push([&[13, 1], &file[..file.len() / 2]].concat());
    // Columns without a floor, with two runs that touch, with a colour list that is cut, and full ones.
    for odd in [&[0, 5, 9, 0, 1, 2, 3, 4, 1, 2, 3, 4][..], &[2, 3, 3, 0, 9, 9, 9, 9, 0, 5, 4, 4], &[0, 9, 60, 0], &[0, 0, 63, 0]] {
        seeds.push([&[8, 3], odd].concat());
    }
    seeds
}

/// A map with overhangs, hidden voxels and a column that reaches the sky.
fn caves(map: &Document) -> Document {
    edited(
        map,
        &[
            r##"{"fill":{"box":[[0,0,0],[1,1,20]],"color":"#ff8000"}}"##,
            r##"{"fill":{"box":[[0,0,50],[6,6,54]],"color":"#123456"}}"##,
            r#"{"fill":{"box":[[1,1,56],[5,5,60]],"mode":"remove"}}"#,
        ],
        7,
    )
}

/// The first byte chooses an edit, with 0x80 for a protected floor.
fn vmf() -> Vec<Vec<u8>> {
    let bare = |size| written("vmf", &caves(&island(size)), &[]);
    let mut map = island([3, 2, 8]);
    map = edited(&map, SERVER, 0x7f);
    let mut odd = bare([2, 2, 4]);
    // Light, kind, indestructible and reserved bytes of some voxels, and an air voxel that is not all zero.
    odd.iter_mut().skip(91).step_by(5).for_each(|byte| *byte = byte.wrapping_add(3));
    let mut long = bare([1, 1, 4]);
    long.splice(91..91, [0; 16]);
    let named = written("vmf", &map, &[]);
    [(1, bare([1, 1, 1])), (2, bare([2, 2, 16])), (0x80, bare([4, 4, 8])), (0x83, named), (4, odd), (5, long)]
        .map(|(choice, file)| [&[choice][..], &file].concat())
        .into()
}

/// The first byte chooses the import, with 0x80 for other options than the usual ones.
fn imports() -> Vec<Vec<u8>> {
    let exported = |id: &str, map: &Snapshot| {
        let (mut bytes, to) = (vec![], export(id).expect("the export is in the registry"));
        to.write(map, &mut bytes, &Default::default(), &Progress::new(), &mut Report::new()).expect("the export holds the map");
        bytes
    };
    // Two columns of two voxels in all; KVX ends with a palette of 256 colors of six bits.
    let kv6 = b"Kvxl\x02\0\0\0\x02\0\0\0\x04\0\0\0\0\0\x80\x3f\0\0\0\x3f\0\0\x60\x40\x03\0\0\0\x01\x02\x03\x80\0\0\x1f\0\x09\x02\x03\x80\
        \x03\0\x2f\0\x01\x09\x03\x80\x02\0\x3f\0\x02\0\0\0\x01\0\0\0\x02\0\0\0\0\0\x01\0";
    let kvx =
        b"\x3c\0\0\0\x02\0\0\0\x02\0\0\0\x04\0\0\0\0\x01\0\0\x80\0\0\0\x84\x03\0\0\x18\0\0\0\x20\0\0\0\x24\0\0\0\0\0\x08\0\x08\0\0\0\x04\0\
        \0\x01\x1f\0\x03\x01\x2f\x02\x02\x01\x3f\x01";
    let palette: Vec<u8> = (0..768).map(|at| (at % 64) as u8).collect();
    let small = island([12, 9, 64]);
    let palettes: [&[u8]; 3] =
        [b"GIMP Palette\nName: a\n#\n 58  42  28\tEarth\n", b"JASC-PAL\r\n0100\r\n1\r\n1 2 3\r\n", b"#0a0b0c\nff0010\n"];
    let files = [exported("vox", &edited(&small, VOXELS, 7)), kv6.to_vec(), [&kvx[..], &palette].concat(), exported("height", &small)];
    let models = files.iter().zip(0..).flat_map(|(file, choice)| [choice, choice | 0x80].map(|choice| [&[choice], &file[..]].concat()));
    models.chain(palettes.map(|palette| [&[0], palette].concat())).collect()
}

/// Two bytes choose the edits; the rest is a file, empty or as our own writer makes it.
fn sidecars(id: &str, edits: &[&str], texts: &[&str]) -> Vec<Vec<u8>> {
    let plugin = sidecar(id).expect("the sidecar is in the registry");
    let mut files: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    for choice in [0x1fff, 0x0555, 0x0a0a] {
        let map = edited(&small_map(), edits, choice);
        files.extend(plugin.write(&map, None, &mut Report::new()).ok().flatten());
    }
    let choices = [[0xff, 0x1f], [0, 0], [0x55, 0x05], [0x80, 0x0f]];
    files.into_iter().zip(choices.iter().cycle()).map(|(file, choice)| [&choice[..], &file].concat()).collect()
}

/// The examples of the script format, in pieces and as a whole.
fn commands() -> Vec<Vec<u8>> {
    let lines: Vec<&str> = include_str!("../../docs/script.md").lines().filter(|line| line.starts_with("{\"")).collect();
    // The examples are for a map of 512×512: on a smaller one, most places lie outside.
    let near: Vec<String> = lines.iter().map(|line| line.replace("256", "12").replace("100", "4").replace("200", "6")).collect();
    let mut seeds: Vec<Vec<u8>> = near.chunks(6).map(|lines| lines.join("\n").into_bytes()).collect();
    seeds.extend(lines.chunks(12).map(|lines| lines.join("\n").into_bytes()));
    seeds.push(COMMANDS.into());
    seeds
}

fn journal() -> Vec<Vec<u8>> {
    let mut steps = vec![];
    for (at, line) in COMMANDS.lines().enumerate() {
        steps.push(format!(r#"{{"do":{{"command":{line},"at":{at}}}}}"#));
        if at % 3 == 2 {
            steps.extend(["\"undo\"", "\"undo\"", "\"redo\"", r#"{"jump":{"to":1}}"#, r#"{"saving":{"number":1}}"#].map(String::from));
        }
    }
    steps.push(r#"{"saved":{"number":1,"map":"a.vxl","format":"vmf","stamps":[]}}"#.into());
    let framed = crate::script::framed(
        &[&[r#"{"version":1,"app":"0","map":null,"format":"vxl","options":{},"base":[],"stamps":[],"at":1}"#.into()], &steps[..]].concat(),
    );
    vec![steps.join("\n").into_bytes(), steps[..4].join("\n").into_bytes(), framed]
}

const COMMANDS: &str = r##"{"set":{"at":[3,4,40],"color":"#8a5a2b"}}
{"select":{"box":[[2,2,30],[14,12,63]]}}
{"copy_selection":{"by":[0,6,-3]}}
{"move_selection":{"by":[3,-2,-2]}}
{"fill":{"box":[[1,1,50],[9,9,60]],"color":"#808080"}}
{"stroke":{"brush":{"shape":"ball","size":5},"mode":"paint","color":"#3c7a2a","path":[[4,4,50],[6,4,50]]}}
{"fill_connected":{"at":[4,4,50],"color":"#3c7a2a","tolerance":8,"edges":true}}
{"sculpt":{"action":"raise","path":[[12,12,58],[14,14,58]],"size":9,"strength":3}}
{"paste":{"clip":"U1dDAQIAAQACAGNh0o7qakDGAA==","at":[5,5,40]}}
{"shift":{"by":[5,0,-2],"wrap":true}}
{"add_object":{"marker":{"label":"x","at":{"x":4,"y":5}}}}
{"resize":{"box":[[-4,0,0],[30,20,64]]}}
{"delete_selection":{}}
{"crop":{}}"##;

const TXT: &[&str] = &[
    "name = 'Old map'\nversion = '1.0'\nauthor = \"me\"\ndescription = ('a '\n 'b')\nfog = (128, 232, 255)\nprotected = ['A1', 'B2']\n",
    "# comment\r\nname = u'x'\r\nextensions = {\r\n    'water_damage': 5,\r\n    'cap_limit': 3\r\n}\r\n",
    "def get_entity_location(team, entity_id):\n    if entity_id == BLUE_BASE:\n        return (5, 6, 7)\n    elif entity_id == GREEN_FLAG:\n        return 8, 9, 10\n",
    "from pyspades.constants import *\nimport random\n\ndef get_spawn_location(connection):\n    if connection.team is connection.protocol.blue_team:\n        return (1, 2, 3)\n    elif connection.team is connection.protocol.green_team:\n        x = random.randint(3, 9)\n        y = random.randint(4, 12)\n        return x, y, connection.protocol.map.get_z(x, y)\n",
    "spawn_locations_blue = [(1, 2, 3), (4, 5, 6)]\nspawn_locations_green = [(7, 8, 9)]\n\ndef get_spawn_location(connection):\n    if connection.team is connection.protocol.blue_team:\n        return random.choice(spawn_locations_blue)\n    return random.choice(spawn_locations_green)\n",
    "This is a map by me. It has a river.\nHave fun!\n",
    "name = '''a\\\nb\\x41\\u00e9\\N{BULLET}''' ; version = 0x10\n",
];

const TOML: &[&str] = &[
    "[map]\nauthor = \"a\" # who\nmap_size = [512, 512, 64]\nfog_color = [1, 2, 3]\ncapture_limit = 5\n\n[spawnpoints]\nteam1.start = [1, 2, 3]\nteam1.end = [9, 8, 7]\n",
    "map = { author = 'x', description = \"\"\"\nlong\\u00e9\"\"\" }\r\nspawnpoints = { team2 = { start = [9, 9], end = [1, 1] } }\r\n",
    "[map]\n[spawnpoints.team1]\nstart = [1, 2, 0]\nend = [5, 6, 0]\n[spawnpoints.team2]\nstart = [10, 2, 0]\nend = [15, 6, 0]\n[other]\nx = 1979-05-27T07:32:00Z\n",
];

const JSON: &[&str] = &[
    r#"{"team1_start": [1, 2], "team1_end": [9, 8], "team2_start": [14, 2], "team2_end": [10, 8], "author": "a", "description": "b\u00e9", "fog_color": [1, 2, 3], "tags": ["ctf"]}"#,
    "\u{feff}{\n\"author\": null, \"fog_color\": [1, 2], \"team1_start\": [-1e3, 99999999999]}",
];

const YAML: &[&str] = &[
    "spadework: 1\nmetadata:\n  description: text\n  fog: '#010203'\n  game_mode: tc\n  protected: [A1]\nobjects:\n- marker:\n    label: bridge\n    at: {x: 1, y: 2}\n- spawn_region:\n    team: blue\n    area: [[1, 2], [3, 4]]\n    z: 0\nmine: {a: [1, ~, 'x']}\n",
    "spadework: 2\nobjects:\n- marker: {label: gate, at: {x: 5, y: 6, deep: {a: 7}}, colour: [red, !x 1], 7: seven}\n- base: {team: blue, at: {x: 1, y: 1, z: null}, flag: !f {}}\n",
    "spadework: 9\nmetadata: &a {description: x}\nobjects: [*a, {base: {team: green, at: {x: 1, y: 1}}}]\n",
];

const KEYMAPS: &[&str] = &[
    "preset: goxel\nkeys:\n  save: [Ctrl+S, Ctrl+Shift+Alt+F12]\n  tool-brush: []\n  mode-add: [T, Nothing]\n  nothing: [A]\n",
    "keys: {nudge-up: [PageUp], confirm: [Enter]}\n",
    "Ctrl+Shift+[",
    "",
];

const SETTINGS: &[&str] = &[
    "recent_files:\n- a/b.vxl\nlast_folder: /tmp\ntheme: light\nui_scale: 1.5\nlayout: {color: false, sectors: true}\nwindow_size: [800, 600]\nversions: {count: 3, days: 9}\nexport_options:\n  vxl: {size: 512x512, lenient: true, n: 3}\nfuture: [1, {a: b}]\n",
    "theme: system\nwindow_size: [.nan, .inf]\nui_scale: -.inf\n",
    "",
];

/// Maps of every format that is taken apart, with a grid of two chunks, a wall, a spawn point and a crate.
fn ss14() -> Vec<Vec<u8>> {
    let texts = (2..=7).map(station);
    let mut seeds: Vec<Vec<u8>> = texts.map(|text| [b"\x04", text.as_bytes()].concat()).collect();
    seeds.push([b"\x01\xef\xbb\xbf", station(6).replace('\n', "\r\n").as_bytes()].concat());
    if map_format("ss14").is_some() {
        seeds.push([b"\x02", &written("ss14", &small_map(), &[("style", "grid")])[..]].concat());
        seeds.push([b"\x03", &written("ss14", &small_map(), &[("style", "blueprint")])[..]].concat());
    }
    seeds
}

fn station(format: u32) -> String {
    let width = if format < 6 {
        4
    } else if format == 6 {
        6
    } else {
        7
    };
    let tile = |number: u8| -> Vec<u8> { [number, 0, 0, 0, 0, 1, 2][..width].to_vec() };
    // The number of a tile takes two bytes where a tile takes four.
    let tile = |number| if width == 4 { vec![number, 0, 0, 1] } else { tile(number) };
    let tiles = base64(&(0..256).flat_map(|at| tile([2, 1, 0, 9][at % 4])).collect::<Vec<u8>>());
    let head =
        format!("meta:\n  format: {format}\n  postmapinit: false\ntilemap:\n  0: Space\n  1: Plating\n  2: FloorSteel\n  9: MyOwnTile\n");
    if format == 2 {
        return format!(
            "{head}grids:\n- settings:\n    chunksize: 16\n    tilesize: 1\n  chunks:\n  - ind: \"-1,0\"\n    tiles: {tiles}\nentities:\n- uid: 0\n  type: WallSolid\n  \
             components:\n  - pos: 0.5,0.5\n    parent: 4\n    type: Transform\n- uid: 4\n  components:\n  - parent: null\n    type: Transform\n  - index: 0\n    \
             type: MapGrid\n- uid: 5\n  type: SpawnPointLatejoin\n  components:\n  - pos: 2.25,3.5\n    rot: 1.57 rad\n    parent: 4\n    type: Transform\n...\n"
        );
    }
    let version = [(6, 6), (7, 7)]
        .iter()
        .find(|(of, _)| *of == format)
        .map_or(String::new(), |(_, version)| format!("          version: {version}\n"));
    if format == 3 {
        return format!(
            "{head}entities:\n- uid: 4\n  components:\n  - name: Main\n    type: MetaData\n  - parent: invalid\n    type: Transform\n  - chunks:\n      -1,-1:\n        \
             ind: -1,-1\n        tiles: {tiles}\n    type: MapGrid\n- uid: 0\n  type: WallSolid\n  components:\n  - pos: 0.5,0.5\n    parent: 4\n    type: Transform\n...\n"
        );
    }
    format!(
        "{head}entities:\n- proto: \"\"\n  entities:\n  - uid: 4\n    components:\n    - type: MetaData\n      name: Main\n    - type: Transform\n      parent: invalid\n    - \
         type: MapGrid\n      chunks:\n        -1,-1:\n          ind: -1,-1\n          tiles: {tiles}\n{version}- proto: WallSolid\n  entities:\n  - uid: 0\n    \
         components:\n    - type: Transform\n      pos: 0.5,0.5\n      parent: 4\n- proto: SpawnPointLatejoin\n  entities:\n  - uid: 5\n    components:\n    - type: \
         Transform\n      rot: 1.5707963267948966 rad\n      pos: 2.25,3.5\n      parent: 4\n...\n"
    )
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let word = group.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        let digits = (0..4).map(|at| if at <= group.len() { char::from(DIGITS[(word >> (18 - 6 * at) & 63) as usize]) } else { '=' });
        text.extend(digits);
    }
    text
}
