//! The page of the tools, `docs/tools.md`: what the registry says of each tool, what it does besides, and a picture.

use spadework::tool::TOOLS;

/// What a mapper should know beyond the hint, by the id of the tool.
const NOTES: &[(&str, &str)] = &[
    (
        "brush",
        "Six tips: ball, cube, cylinder, cone, disc, and a picture of one's own (*Choose a picture…*): white covers, \
         black and clear do not. *Tip* holds strength, \
         spacing, jitter of place and color, and whether the tip stands upright or on the surface.",
    ),
    ("line", "From end to end with the brush's tip."),
    (
        "box",
        "Footprint first, then the height; solid, or hollow with a *Shell* of some voxels; from a corner or from the center. *Style* \
         colors it in one of the ways of painting.",
    ),
    (
        "shape",
        "Box, ball, cylinder, cone, pyramid, ramp or wall, solid or hollow, from a corner or from the center; in the *Style* of any way of painting.",
    ),
    ("extrude", "What goes along are the connected faces of one plane; a tolerance limits it to alike colors."),
    (
        "fill",
        "Takes connected colors, a surface, a solid, a color everywhere, or enclosed air, which it fills; in the *Style* of any way of painting.",
    ),
    ("pick", "A color that nobody knows is taken from above, as the game shows it."),
    (
        "select",
        "Box, wand, structure, surface, lasso, and by color, height or slope. Shift adds, Ctrl takes away, both keep what is in both. \
         The sides of a selected box are pulled by the squares on them. \
         The Select menu inverts, grows, shrinks and flips.",
    ),
    (
        "move",
        "Moves, turns by quarters or degrees, flips, scales and stacks the selection. Arrows push it along an axis, sides scale it \
         (Shift: in proportion), the ring turns it (Shift: by 15°). All is shown live, worked out from the original, and done with \
         Enter.",
    ),
    (
        "sculpt",
        "Nine ways: raise, lower, smooth, flatten, slope, erode, melt, noise and terrace; of columns, or of a volume with its caves and \
         overhangs. Ground is flattened to the height of the press, or to a fixed level that Alt+click picks.",
    ),
    ("objects", "Spawn regions are dragged like a rectangle; one that symmetry is on for gets its twin."),
    (
        "paint",
        "Ten ways: replace, tint, lighten, darken, mix, noise, gradient, height ramp, blur and picture; on the surface or some voxels deep.",
    ),
    (
        "path",
        "Road, river, bridge, tunnel or fence. The points can be moved until Enter makes it. A press on the curve between two points \
         inserts one and drags it on; Esc takes the last point back.",
    ),
    ("terrain", "Hills, valley, river, trees and rocks, erosion; into the selection or the whole map, by a seed."),
    (
        "stamp",
        "The library is a folder of `.kv6`, `.kvx` and `.vox` models and of saved selections, listed with their pictures; behind them stand \
         sixteen that come with Spadework, from an oak to a bunker. A drag scatters them by density, distance and slope. *Settings* has \
         the anchor, and whether they stand upright or on the surface: out of walls, down from ceilings.",
    ),
    ("ruler", "Distance, its parts along the axes, slope, color and open faces stand in the status bar."),
];

/// The whole page. `images` is the folder of the pictures, as the page names it.
pub fn tools_page(images: &str) -> String {
    let mut page = String::from(
        "# Tools\n\nEvery tool obeys the same masks (selection, surface, heights, slopes, colors, air or solid, spawn regions) and the same\n\
         symmetry, which stand at the right of its options. What a click would do is shown before it. This page is made by\n\
         `./dev pictures` of what the program says of its tools.\n",
    );
    for spec in TOOLS {
        let note = NOTES.iter().find(|(id, _)| *id == spec.id).map_or("", |(_, note)| note);
        let keys: Vec<&str> = spec.hint.split(" · ").collect();
        page += &format!(
            "\n## {} ({})\n\n{}. {note}\n\n{}\n\n![{}]({images}/tool-{}.png)\n",
            spec.label,
            spec.key,
            spec.help,
            keys.iter().map(|key| format!("- {key}")).collect::<Vec<_>>().join("\n"),
            spec.label,
            spec.id
        );
    }
    page
}

/// Tools without a note, and notes without a tool.
pub fn unknown_notes() -> Vec<&'static str> {
    let ids: Vec<&str> = TOOLS.iter().map(|spec| spec.id).collect();
    let noted: Vec<&str> = NOTES.iter().map(|(id, _)| *id).collect();
    let without = ids.iter().filter(|id| !noted.contains(id));
    without.chain(noted.iter().filter(|id| !ids.contains(id))).copied().collect()
}
