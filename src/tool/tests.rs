//! What gestures do to small maps drawn as text, and what holds for every tool.
//!
//! A map is drawn from above, rows divided by `/`: `.` is the bare floor, a digit that many voxels of ground on it.
//! Letters are the same heights under the tool's colour: `a` a painted floor, `b` one voxel, `c` two.

mod boxes;
mod gestures;
mod gizmo;
mod making;
mod objects;
mod painting;
mod registry;
mod select;
mod tips;

use std::collections::BTreeSet;

use glam::{IVec3, Vec3};

use self::objects::{base, region};
use self::registry::{Dice, making_things};
use super::*;
use crate::document::{Anchor, Document, GameProfile, Object, ObjectId, Progress, Team};
use crate::document::{Masks, Matter, Selection, Symmetry, SymmetryKind};
use crate::edit::ops::{FillReach, PathKind, SculptAction, SculptForm};
use crate::edit::tests::model::Model;
use crate::edit::{Along, Brush, BrushShape, ColorImage, EditError, History, MaskFilter, Mode, Spacing, plan};
use crate::geom::{ColumnRect, Ray, Region, SolidKind, VoxelPos};
use crate::voxel::{Store, StoreEdit, Voxel};

pub(super) const GROUND: Rgb = Rgb::new(20, 120, 30);
pub(super) const DEPTH: i32 = 8;

pub(super) fn map(drawn: &str) -> Document {
    let rows: Vec<&str> = drawn.split('/').collect();
    let mut store = Store::new(Region::of_size(IVec3::new(rows[0].len() as i32, rows.len() as i32, DEPTH)));
    let mut edit = StoreEdit::new(&store);
    for (y, row) in rows.iter().enumerate() {
        for (x, height) in row.chars().map(|c| c.to_digit(10).unwrap_or(0) as i32).enumerate() {
            for z in DEPTH - 1 - height..DEPTH {
                edit.set(IVec3::new(x as i32, y as i32, z), Some(Voxel::new(GROUND)));
            }
        }
    }
    let changes = edit.finish();
    store.apply(&changes);
    Document::new(store, &GameProfile::ACE_OF_SPADES)
}

pub(super) fn drawn(document: &Document, color: Rgb) -> String {
    let (store, size) = (document.store(), document.bounds().size());
    let cell = |x, y| {
        let Some(z) = store.ground(x, y, 0) else { return '?' };
        let height = (DEPTH - 1 - z) as u8;
        match store.paint(IVec3::new(x, y, z)) {
            Some(paint) if paint.rgb == color => (b'a' + height) as char,
            _ if height == 0 => '.',
            _ => (b'0' + height) as char,
        }
    };
    (0..size.y).map(|y| (0..size.x).map(|x| cell(x, y)).collect::<String>()).collect::<Vec<_>>().join("/")
}

fn down_at(x: f32, y: f32) -> Ray {
    Ray::new(Vec3::new(x + 0.5, y + 0.5, -20.0), Vec3::Z)
}

/// A document with a tool at work.
pub(super) struct Session {
    pub(super) document: Document,
    history: History,
    pub(super) tool: Box<dyn Tool>,
    pub(super) settings: ToolSettings,
    picked: Vec<Rgb>,
    commands: Vec<Command>,
    /// Where the pointer was last.
    last: Option<(Ray, Modifiers)>,
    /// What the tool said last.
    status: Option<String>,
    /// Height of a pixel in voxels at one voxel of distance.
    pixel: f32,
    /// Whether the rays are those of a parallel view.
    is_parallel: bool,
}

impl Session {
    pub(super) fn new(id: &str, settings: ToolSettings, document: Document) -> Self {
        let tool = (tool(id).unwrap().make)();
        Self {
            document,
            history: History::new(),
            tool,
            settings,
            picked: vec![],
            commands: vec![],
            last: None,
            status: None,
            pixel: 0.001,
            is_parallel: false,
        }
    }

    fn pointer(&mut self, phase: Phase, ray_in_world: Ray, modifiers: Modifiers) {
        // A pointer that jumps while it is released changes what was shown.
        let still = self.last.replace((ray_in_world, modifiers)) == Some((ray_in_world, modifiers));
        let shown = if still { self.tool.preview() } else { Preview::default() };
        let input = PointerInput { ray_in_world, phase, modifiers, voxels_per_pixel: self.pixel, is_parallel: self.is_parallel };
        let response = self.tool.pointer(&ToolContext { document: &self.document, settings: &self.settings }, &input);
        self.settings.sculpt_level = response.picked_level.or(self.settings.sculpt_level);
        // What later frames do.
        while self.tool.is_behind() {
            self.tool.go_on();
        }
        self.take(response, &shown);
    }

    fn cancel(&mut self) {
        let was_pending = self.tool.is_pending();
        assert!(self.tool.cancel() == was_pending && !self.tool.is_pending());
        self.settings.transform = Default::default();
    }

    /// One press of Esc; answers whether there was a step to take back.
    fn step_back(&mut self) -> bool {
        let response = self.tool.step_back(&ToolContext { document: &self.document, settings: &self.settings });
        let any = response.is_some();
        self.take(response.unwrap_or_default(), &Preview::default());
        any
    }

    fn confirm(&mut self) {
        let shown = self.tool.preview();
        let response = self.tool.confirm(&ToolContext { document: &self.document, settings: &self.settings });
        self.take(response, &shown);
    }

    /// Executes the commands; what was shown before must be what they do.
    fn take(&mut self, response: ToolResponse, shown: &Preview) {
        assert!(response.commands.len() <= 1, "one gesture, one command");
        self.picked.extend(response.picked);
        self.status = response.status;
        if let Some(transform) = response.transform {
            self.settings.transform = transform;
        }
        for command in response.commands {
            let (before, filter) = (self.document.store().clone(), MaskFilter::new(&self.document));
            let expected = Model::of(&self.document).after(&command);
            let change = match plan(&self.document, &command, &Progress::new()) {
                Ok(change) => change,
                // The status bar says so.
                Err(EditError::NotEnclosed) => continue,
                Err(error) => panic!("{command:?}: {error}"),
            };
            self.history.commit(&mut self.document, change);
            if let Some(expected) = expected {
                let found = Model::of(&self.document);
                let differs = found.bounds.positions().find(|pos| found.get(*pos) != expected.get(*pos));
                assert_eq!(differs, None, "{command:?}, {:?}, {:?}", self.document.masks, self.document.symmetry);
                assert_eq!((&found.selection, &found.objects), (&expected.selection, &expected.objects), "{command:?}");
            }
            for pos in filter.iter().flat_map(|_| before.bounds().positions()) {
                let changed = before.bounds() == self.document.bounds() && before.is_solid(pos) != self.document.store().is_solid(pos);
                let is_free = filter.as_ref().is_none_or(|filter| filter.allows(pos));
                assert!(!changed || is_free, "{command:?} at {pos} in spite of {:?}", self.document.masks);
            }
            for mode in [Mode::Add, Mode::Remove, Mode::Paint, Mode::Set] {
                let parts = shown.ghosts.iter().filter(|ghost| ghost.mode == mode);
                let voxels: Vec<_> = parts.flat_map(|ghost| ghost.voxels.iter().copied()).collect();
                if shown.ghosts.iter().any(|ghost| ghost.mode == mode) {
                    check_ghost(&Ghost { voxels: voxels.into(), mode }, &before, self.document.store());
                }
            }
            if let Some(store) = &shown.store {
                assert!(store.same_voxels(self.document.store()), "{command:?} does what the preview showed");
            }
            self.commands.push(command);
        }
        // What the editor does beside the main thread.
        if let Some(turn) = self.tool.clip_to_turn() {
            let turned = turn.run(&Progress::new());
            self.tool.take_turned(&ToolContext { document: &self.document, settings: &self.settings }, turned);
        }
        if let Some(command) = self.tool.wanted() {
            match planned(&self.document, &command, &Progress::new()) {
                Ok(planned) => self.tool.take_planned(planned),
                Err(trouble) => {
                    self.tool.take_planned(None);
                    self.tool.take_trouble(&trouble);
                }
            }
        }
    }

    /// Plays `shift down 1,2; move 3,2; up; hover 4,4; esc; enter; leave`, looking straight down.
    pub(super) fn play(&mut self, gesture: &str) {
        let mut at = down_at(0.0, 0.0);
        for step in gesture.split(';').map(str::trim).filter(|step| !step.is_empty()) {
            let mut modifiers = Modifiers::default();
            let mut phase = None;
            for word in step.split_whitespace() {
                match word {
                    "shift" => modifiers.shift = true,
                    "ctrl" => modifiers.ctrl = true,
                    "alt" => modifiers.alt = true,
                    "down" => phase = Some(Phase::Press),
                    "move" => phase = Some(Phase::Drag),
                    "up" => phase = Some(Phase::Release),
                    "hover" => phase = Some(Phase::Hover),
                    "leave" => phase = Some(Phase::Leave),
                    "esc" => _ = self.step_back(),
                    "enter" => self.confirm(),
                    place => {
                        let (x, y) = place.split_once(',').unwrap();
                        at = down_at(x.parse().unwrap(), y.parse().unwrap());
                    }
                }
            }
            if let Some(phase) = phase {
                self.pointer(phase, at, modifiers);
            }
        }
    }
}

/// A ghost shows each voxel that changes once, and no other.
#[track_caller]
fn check_ghost(ghost: &Ghost, before: &Store, after: &Store) {
    let shown: BTreeSet<_> = ghost.voxels.iter().map(|pos| pos.to_array()).collect();
    assert_eq!(shown.len(), ghost.voxels.len(), "each once");
    for pos in before.bounds().positions() {
        let shown = shown.contains(&pos.to_array());
        let changed = match ghost.mode {
            Mode::Paint => before.is_solid(pos) && before.paint(pos) != after.paint(pos),
            Mode::Add => !before.is_solid(pos) && after.is_solid(pos),
            Mode::Remove => before.is_solid(pos) && !after.is_solid(pos),
            Mode::Set => before.is_solid(pos) != after.is_solid(pos),
        };
        // Painting what has the colour already changes nothing.
        assert!(shown == changed || (shown && ghost.mode == Mode::Paint), "{pos} {:?}: shown {shown}, changed {changed}", ghost.mode);
    }
}

#[track_caller]
pub(super) fn check_tool(id: &str, settings: ToolSettings, gesture: &str, before: &str, expected: &str) {
    let color = settings.color;
    let mut session = Session::new(id, settings, map(before));
    session.play(gesture);
    assert_eq!(drawn(&session.document, color), expected, "{gesture}");
}

pub(super) fn with(mode: Mode, size: u32) -> ToolSettings {
    ToolSettings { mode, brush: Brush::new(BrushShape::Cube, size), ..ToolSettings::default() }
}

fn symmetric(kind: SymmetryKind, center: [i32; 2], before: &str) -> Document {
    let mut document = map(before);
    document.symmetry = Symmetry { kind, center, swap_teams: true, ..Symmetry::default() }.into();
    document
}

#[test]
fn the_brush_adds_removes_and_paints_along_the_way() {
    let check = |mode, size, gesture, before, expected| check_tool("brush", with(mode, size), gesture, before, expected);
    check(Mode::Add, 1, "down 1,1; move 4,1; up", "....../....../......", "....../.bbbb./......");
    check(Mode::Add, 1, "down 1,1; up", "....../.22.../......", "....../.d2.../......");
    check(Mode::Add, 1, "down 1,1; move 2,1; move 1,1; move 2,1; up", "..../..../....", "..../.bb./....");
    check(Mode::Add, 3, "down 2,1; up", "....../....../......", ".ccc../.ccc../.ccc..");
    check(Mode::Remove, 1, "down 1,0; move 3,0; up", "33333", "32223");
    check(Mode::Remove, 1, "down 1,0; move 3,0; up", ".....", ".....");
    check(Mode::Paint, 1, "down 1,0; move 3,0; up", ".12..", ".bca.");
    check(Mode::Add, 1, "ctrl down 1,0; ctrl move 2,0; up", "2222", "2112");
    check(Mode::Remove, 1, "ctrl down 1,0; ctrl move 2,0; up", "2222", "2dd2");
    check(Mode::Paint, 1, "ctrl down 1,0; up", "2222", "2c22");
}

#[test]
fn a_stroke_follows_the_ground_as_it_was_when_pressed() {
    let check = |mode, gesture, before, expected| check_tool("brush", with(mode, 1), gesture, before, expected);
    check(Mode::Add, "down 0,0; move 5,0; up", "123321", "cdeedc");
    check(Mode::Remove, "down 0,0; move 5,0; move 0,0; move 5,0; up", "123321", ".12210".replace('0', ".").as_str());
}

#[test]
fn a_stroke_that_leaves_the_map_goes_on_in_its_plane_and_is_clipped() {
    let check = |gesture, before, expected| check_tool("brush", with(Mode::Add, 1), gesture, before, expected);
    check("down 2,0; move 9,0; up 9,0", "..../....", "..bb/....");
    check("down 2,1; move 9,1; move 9,-5; move 1,-5; move 1,0; up", "..../....", ".b../..bb");
    check("down 9,9; move 1,1; up", "..../....", "..../....");
}

#[test]
fn shift_draws_a_straight_line_from_the_last_stroke() {
    let check = |gesture, expected| check_tool("brush", with(Mode::Add, 1), gesture, "......./......./.......", expected);
    check("down 0,0; up; shift hover 3,0; shift down 6,0; up", "bbbbbbb/......./.......");
    check("down 0,0; up; shift down 6,2; shift move 4,0; up", "bbbbb../......./.......");
    check("shift down 1,1; shift move 3,2; shift move 5,1; up", "......./.bbbbb./.......");
    check("down 0,2; up; shift down 6,2; esc; up", "......./......./b......");
}

#[test]
fn lines_run_from_end_to_end_and_shift_keeps_them_on_an_axis() {
    let check = |mode, gesture, before, expected| check_tool("line", with(mode, 1), gesture, before, expected);
    check(Mode::Add, "down 0,0; move 2,2; move 4,0; up", "...../...../.....", "bbbbb/...../.....");
    check(Mode::Add, "down 0,0; move 2,2; up", ".../.../...", "b../.b./..b");
    check(Mode::Add, "shift down 0,0; shift move 4,1; shift up", "...../...../.....", "bbbbb/...../.....");
    check(Mode::Remove, "down 0,0; move 2,0; up", "1111", "...1");
    check(Mode::Paint, "down 0,0; move 9,0; up", "1111", "bbbb");
}

#[test]
fn a_box_is_dragged_pulled_up_and_clicked() {
    let check = |mode, gesture, before, expected| check_tool("box", with(mode, 1), gesture, before, expected);
    let empty = "...../...../...../...../.....";
    // Looking straight down, up the picture is up.
    check(Mode::Add, "down 1,3; move 3,4; up; hover 3,2; down 3,2; up", empty, "...../...../...../.ddd./.ddd.");
    check(Mode::Add, "down 1,3; move 3,4; up; down 3,4; up", empty, "...../...../...../.bbb./.bbb.");
    check(Mode::Add, "down 1,3; move 3,4; up; hover 3,3; enter", empty, "...../...../...../.ccc./.ccc.");
    check(Mode::Add, "shift down 3,4; shift move 1,3; up", empty, "...../...../...../.bbb./.bbb.");
    check(Mode::Add, "down 3,3; move 99,99; up; down 99,99", empty, "...../...../...../...bb/...bb");
    check(Mode::Add, "down 1,3; move 3,4; up; hover 3,2; esc; down 3,2; up; esc", empty, empty);
    check(Mode::Add, "down 1,3; enter; move 3,4; esc; up; down 1,1; esc", empty, empty);
    check(Mode::Remove, "shift down 1,0; shift move 2,1; up", "3333/3333", "3223/3223");
    check(Mode::Remove, "down 1,1; move 2,1; up; hover 2,3; down 2,3; up", "3333/3333", "3333/3..3");
    check(Mode::Paint, "shift down 1,0; shift move 2,1; up", "3333/3313", "3dd3/3d13");
    check(Mode::Remove, "down 1,0; move 1,0; up; hover 1,-90; down 1,-90; up", "333", "323");
}

#[test]
fn a_box_is_pulled_up_by_eye_when_looking_from_the_side() {
    let mut session = Session::new("box", with(Mode::Add, 1), map("......../......../......../........"));
    let from = |x: f32, y: f32, z: f32| Ray::new(Vec3::new(4.0, 30.0, -10.0), Vec3::new(x, y, z) - Vec3::new(4.0, 30.0, -10.0));
    session.pointer(Phase::Press, from(2.5, 1.5, 7.0), Modifiers::default());
    session.pointer(Phase::Drag, from(4.5, 2.5, 7.0), Modifiers::default());
    session.pointer(Phase::Release, from(4.5, 2.5, 7.0), Modifiers::default());
    session.pointer(Phase::Hover, from(4.5, 2.5, 3.0), Modifiers::default());
    assert_eq!(session.tool.preview().size.as_deref(), Some("3×2×5"));
    session.pointer(Phase::Press, from(4.5, 2.5, 3.0), Modifiers::default());
    session.pointer(Phase::Release, from(4.5, 2.5, 3.0), Modifiers::default());
    assert_eq!(drawn(&session.document, session.settings.color), "......../..fff.../..fff.../........");
}

#[test]
fn fill_shows_what_it_will_edit_before_the_click() {
    let check = |mode, gesture, expected: Option<usize>| {
        let mut session = Session::new("fill", with(mode, 1), map("11.11/11.11"));
        session.play(gesture);
        let shown = session.tool.preview().ghosts;
        assert_eq!(shown.first().map(|ghost| (ghost.mode, ghost.voxels.len())), expected.map(|count| (mode, count)), "{gesture}");
        session.play("down 0,0; up");
    };
    check(Mode::Paint, "hover 0,0", Some(4));
    check(Mode::Add, "hover 0,0; hover 1,1", Some(4));
    check(Mode::Remove, "hover 0,0; hover 9,9; hover 4,1", Some(4));
    check(Mode::Paint, "hover 0,0; hover 9,9", None);
    check(Mode::Paint, "hover 0,0; leave", None);
}

#[test]
fn sculpting_shows_what_comes_and_what_goes() {
    let check = |action, expected: &[Mode]| {
        let settings = ToolSettings { sculpt_action: action, strength: 4, ..with(Mode::Add, 5) };
        let mut session = Session::new("sculpt", settings, map("55511/55511/55511"));
        session.play("down 2,1");
        assert_eq!(session.tool.preview().ghosts.iter().map(|ghost| ghost.mode).collect::<Vec<_>>(), expected);
        session.play("up");
        assert_eq!(session.commands.len(), 1);
    };
    check(SculptAction::Raise, &[Mode::Add]);
    check(SculptAction::Lower, &[Mode::Remove]);
    check(SculptAction::Smooth, &[Mode::Add, Mode::Remove]);
}

#[test]
fn fill_takes_what_is_connected_and_of_one_color() {
    let check = |mode, gesture, before, expected| check_tool("fill", with(mode, 1), gesture, before, expected);
    check(Mode::Paint, "down 0,0; up", "11.11/11.11", "bb.11/bb.11");
    check(Mode::Remove, "down 4,1; up", "11.11/11.11", "11.../11...");
    check(Mode::Add, "down 0,0; up", "11.11/11.11", "cc.11/cc.11");
    check_tool("fill", ToolSettings { fill_steps: true, ..with(Mode::Paint, 1) }, "down 0,0; up", "11.11", "bbabb");
    check(Mode::Paint, "down 0,0; esc; up", "11.11", "11.11");
    check(Mode::Paint, "down 9,9; up", "11.11", "11.11");
}

#[test]
fn alt_picks_the_color_with_every_voxel_tool_and_changes_nothing() {
    for spec in TOOLS.iter().filter(|spec| spec.id != "objects") {
        let mut session = Session::new(spec.id, ToolSettings::default(), map("11"));
        session.play("alt hover 0,0; alt down 0,0; alt move 1,0; alt up");
        assert!(session.picked.contains(&GROUND), "{}", spec.id);
        assert!(session.commands.is_empty(), "{}", spec.id);
        session.play("alt down 9,9; up");
        assert!(session.commands.is_empty(), "{}", spec.id);
    }
}

#[test]
fn the_eyedropper_picks_while_it_is_held_down() {
    let mut session = Session::new("pick", ToolSettings::default(), map("11"));
    session.play("hover 0,0");
    assert_eq!(session.picked, []);
    session.play("down 0,0; move 1,0; up");
    assert_eq!(session.picked, [GROUND, GROUND]);
}

#[test]
fn sculpting_moves_the_ground_under_the_pointer() {
    let check = |action, gesture, before, expected| {
        let settings = ToolSettings { sculpt_action: action, ..with(Mode::Add, 1) };
        check_tool("sculpt", settings, gesture, before, expected);
    };
    check(SculptAction::Raise, "down 1,0; move 3,0; up", "22222", "23332");
    check(SculptAction::Lower, "down 1,0; move 3,0; up", "22222", "21112");
    check(SculptAction::Raise, "ctrl down 1,0; ctrl up", "22222", "21222");
    check(SculptAction::Lower, "ctrl down 1,0; ctrl up", "22222", "23222");
    check(SculptAction::Raise, "down 1,0; move 3,0; esc; up", "22222", "22222");
    check(SculptAction::Raise, "down 9,9; move 1,0; up", "22222", "22222");
}

#[test]
fn a_shape_is_dragged_pulled_up_and_clicked() {
    let check = |solid, shell, from_center, gesture, expected| {
        let settings = ToolSettings { solid, shell, from_center, ..with(Mode::Add, 1) };
        check_tool("shape", settings, gesture, "...../...../...../...../.....", expected);
    };
    let pulled = "down 0,0; move 4,4; up; hover 4,2; down 4,2; up";
    check(SolidKind::Cylinder, 0, false, pulled, ".ddd./ddddd/ddddd/ddddd/.ddd.");
    check(SolidKind::Cylinder, 0, false, "shift down 0,0; shift move 4,4; up", ".bbb./bbbbb/bbbbb/bbbbb/.bbb.");
    check(SolidKind::Pyramid, 0, false, pulled, "bbbbb/bcccb/bcdcb/bcccb/bbbbb");
    check(SolidKind::Ramp, 0, false, "down 0,0; move 2,0; up; hover 2,-2; down 2,-2; up", "bcd../...../...../...../.....");
    check(SolidKind::Box, 0, true, "shift down 2,2; shift move 3,3; up", "...../.bbb./.bbb./.bbb./.....");
    check(SolidKind::Wall, 1, false, "shift down 0,0; shift move 4,2; up", "b..../.bb../...bb/...../.....");
    check(SolidKind::Ball, 0, false, "down 0,0; move 4,4; esc; up", "...../...../...../...../.....");
}

#[test]
fn connected_faces_of_one_plane_and_color_are_pulled_out_or_pushed_in() {
    let check = |gesture, before, expected| check_tool("extrude", ToolSettings::default(), gesture, before, expected);
    // Looking straight down, up the picture is up.
    check("down 0,2; move 0,0; up", "22.../22.../22.22", "44.../44.../44.22");
    check("down 0,0; move 0,1; up", "22.../22.../22.22", "11.../11.../11.22");
    check("down 0,0; move 0,1; move 0,0; up", "22.../22.../22.22", "22.../22.../22.22");
    check("down 0,2; move 0,0; esc; up", "22.../22.../22.22", "22.../22.../22.22");
    check("down 4,0; move 4,2; up", "...11/...11", "...../.....");
}
