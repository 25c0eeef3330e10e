//! What gestures do to small maps drawn as text, and what holds for every tool.
//!
//! A map is drawn from above, rows divided by `/`: `.` is the bare floor, a digit that many voxels of ground on it.
//! Letters are the same heights under the tool's colour: `a` a painted floor, `b` one voxel, `c` two.

mod boxes;
mod gestures;
mod making;
mod painting;
mod select;
mod tips;

use std::collections::BTreeSet;

use glam::{IVec3, Vec3};

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
}

impl Session {
    pub(super) fn new(id: &str, settings: ToolSettings, document: Document) -> Self {
        let tool = (tool(id).unwrap().make)();
        Self { document, history: History::new(), tool, settings, picked: vec![], commands: vec![], last: None, status: None }
    }

    fn pointer(&mut self, phase: Phase, ray_in_world: Ray, modifiers: Modifiers) {
        // A pointer that jumps while it is released changes what was shown.
        let still = self.last.replace((ray_in_world, modifiers)) == Some((ray_in_world, modifiers));
        let shown = if still { self.tool.preview() } else { Preview::default() };
        let input = PointerInput { ray_in_world, phase, modifiers, voxels_per_pixel: 0.001 };
        let response = self.tool.pointer(&ToolContext { document: &self.document, settings: &self.settings }, &input);
        // What later frames do.
        while self.tool.is_behind() {
            self.tool.go_on();
        }
        self.take(response, &shown);
    }

    fn cancel(&mut self) {
        self.tool.cancel();
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

fn region(team: Team, area: [[i32; 2]; 2]) -> Object {
    Object::SpawnRegion { team, area: ColumnRect::from(area), z: 0 }
}

fn base(team: Team, x: i32, y: i32) -> Object {
    Object::Base { team, at: Anchor { x, y, z: None } }
}

#[track_caller]
fn check_objects(new: NewObject, gesture: &str, before: &[Object], expected: &[Object]) {
    let mut document = map(&vec![".".repeat(20); 20].join("/"));
    let mut objects = (*document.objects).clone();
    before.iter().for_each(|object| {
        objects.push(object.clone());
    });
    document.objects = objects.into();
    let mut session = Session::new("objects", ToolSettings { new_object: new, ..ToolSettings::default() }, document);
    session.play(gesture);
    let found: Vec<_> = session.document.objects.iter().map(|(_, object)| object.clone()).collect();
    assert_eq!(found, expected, "{gesture}");
}

const NOTHING: NewObject = NewObject { kind: None, team: None };

#[test]
fn spawn_regions_are_dragged_out_moved_and_resized() {
    let new = NewObject { kind: Some(ObjectKind::SpawnRegion), team: Some(Team::Green) };
    check_objects(new, "down 2,3; move 5,8; up", &[], &[region(Team::Green, [[2, 3], [6, 9]])]);
    check_objects(new, "down 5,8; move 2,3; up", &[], &[region(Team::Green, [[2, 3], [6, 9]])]);
    check_objects(new, "down 15,15; move 99,99; up", &[], &[region(Team::Green, [[15, 15], [20, 20]])]);
    check_objects(new, "down 2,3; up", &[], &[]);
    check_objects(new, "down 2,3; move 5,8; esc; up", &[], &[]);
    check_objects(NOTHING, "down 2,3; move 5,8; up", &[], &[]);
    let old = region(Team::Blue, [[2, 2], [12, 12]]);
    let check = |gesture, area| check_objects(new, gesture, std::slice::from_ref(&old), &[region(Team::Blue, area)]);
    check("down 6,6; move 8,5; up", [[4, 1], [14, 11]]);
    check("down 6,6; move 99,6; up", [[10, 2], [20, 12]]);
    check("down 2,6; move 5,9; up", [[5, 2], [12, 12]]);
    check("down 11,11; move 14,15; up", [[2, 2], [15, 16]]);
    check("down 2,2; move 19,19; up", [[11, 11], [12, 12]]);
    check("down 6,6; up", [[2, 2], [12, 12]]);
    check("down 6,6; move 9,9; esc; up", [[2, 2], [12, 12]]);
}

#[test]
fn bases_are_placed_by_a_click_and_each_team_has_one() {
    let new = |kind| NewObject { kind: Some(kind), team: Some(Team::Blue) };
    check_objects(new(ObjectKind::Base), "down 4,4; up", &[], &[base(Team::Blue, 4, 4)]);
    check_objects(new(ObjectKind::Base), "down 4,4; move 6,4; up", &[], &[base(Team::Blue, 6, 4)]);
    check_objects(
        new(ObjectKind::Base),
        "down 14,14; up",
        &[base(Team::Blue, 4, 4), base(Team::Green, 8, 8)],
        &[base(Team::Blue, 14, 14), base(Team::Green, 8, 8)],
    );
    check_objects(NOTHING, "down 4,4; move 9,9; up", &[base(Team::Blue, 4, 4)], &[base(Team::Blue, 9, 9)]);
    check_objects(NOTHING, "down 4,4; move 99,9; up", &[base(Team::Blue, 4, 4)], &[base(Team::Blue, 4, 4)]);
    let point = |x, y| Object::SpawnPoint { team: Team::Blue, at: VoxelPos::new(x, y, DEPTH - 1) };
    check_objects(new(ObjectKind::SpawnPoint), "down 4,4; up; down 10,10; up", &[], &[point(4, 4), point(10, 10)]);
    let neutral = NewObject { kind: Some(ObjectKind::Territory), team: None };
    let territory = Object::Territory { owner: None, at: Anchor { x: 4, y: 4, z: None } };
    check_objects(neutral, "down 4,4; up", &[], &[territory]);
}

#[test]
fn objects_are_highlighted_selected_and_shown_while_they_move() {
    let mut document = map(&vec![".".repeat(20); 20].join("/"));
    let mut objects = (*document.objects).clone();
    let big = objects.push(region(Team::Blue, [[0, 0], [18, 18]]));
    let small = objects.push(region(Team::Green, [[4, 4], [14, 14]]));
    document.objects = objects.into();
    let mut session = Session::new("objects", ToolSettings::default(), document);
    session.play("hover 8,8");
    assert_eq!((session.tool.preview().hovered_object, session.tool.preview().selected), (Some(small), None));
    session.play("down 8,8; move 9,8");
    let preview = session.tool.preview();
    let moved = region(Team::Green, [[5, 4], [15, 14]]);
    assert_eq!(preview.pending_object, Some(PendingObject { id: Some(small), object: moved }));
    assert_eq!((preview.selected, preview.outlines.len(), preview.size.as_deref()), (Some(small), 1, Some("10×10")));
    session.play("esc; up 9,8; down 1,1; up");
    assert_eq!(session.tool.preview().selected, Some(big));
    session.play("down 19,19; up; leave");
    assert_eq!((session.tool.preview().hovered_object, session.tool.preview().selected), (None, None));
    session.tool.select_object(Some(ObjectId(77)));
    session.play("hover 19,19");
    assert_eq!(session.tool.preview().selected, None, "an object that is gone is not selected");
    session.play("down 19,15; move 18,19; up");
    assert_eq!(session.tool.preview().selected, Some(ObjectId(3)), "what was made is selected");
}

#[test]
fn ids_and_keys_are_unique_and_every_tool_says_what_it_does() {
    let ids: BTreeSet<_> = TOOLS.iter().map(|spec| spec.id).collect();
    let keys: BTreeSet<_> = TOOLS.iter().map(|spec| spec.key).collect();
    assert_eq!((ids.len(), keys.len()), (TOOLS.len(), TOOLS.len()));
    for spec in TOOLS {
        assert!(spec.key.is_ascii_uppercase(), "{}", spec.id);
        for text in [spec.label, spec.icon, spec.help, spec.hint] {
            assert!(!text.is_empty() && text.trim() == text && !text.ends_with('.'), "{}: {text:?}", spec.id);
        }
        assert!(spec.hint.chars().count() < 120, "{} has a long hint", spec.id);
        assert!(tool(spec.id).is_some_and(|found| found.label == spec.label), "{}", spec.id);
    }
}

/// Numbers that look random and are the same on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The low bits of one roll tell those of the next.
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % sides
    }

    fn ray(&mut self) -> Ray {
        let mut near = |reach: u64| self.roll(reach * 4) as f32 / 4.0 - 4.0;
        let target = Vec3::new(near(22), near(18), near(18));
        match self.roll(4) {
            0 => down_at(target.x.floor(), target.y.floor()),
            1 => Ray::new(target, Vec3::new(0.3, -0.2, -0.9)),
            2 => Ray::new(Vec3::new(40.0, 6.5, 6.5), target - Vec3::new(40.0, 6.5, 6.5)),
            _ => Ray::new(Vec3::new(5.0, 40.0, -20.0), target - Vec3::new(5.0, 40.0, -20.0)),
        }
    }

    fn event(&mut self) -> (Phase, Ray, Modifiers) {
        let phase =
            [Phase::Hover, Phase::Press, Phase::Drag, Phase::Drag, Phase::Drag, Phase::Release, Phase::Leave][self.roll(7) as usize];
        let modifiers = Modifiers { ctrl: self.roll(4) == 0, shift: self.roll(4) == 0, alt: self.roll(12) == 0 };
        (phase, self.ray(), modifiers)
    }
}

#[test]
fn every_tool_cancels_cleanly_at_every_step_of_any_gesture() {
    for (index, spec) in TOOLS.iter().enumerate() {
        let mut executed = 0;
        for round in 0..100_u64 {
            let mut dice = Dice(0x9e37_79b9 + round * 7919 + index as u64 * 104_729);
            let mut lots = Dice(77 + round);
            let mut document = map("1234543210../12345432.1.2/..33..44..11/............/666666666666/5.5.5.5.5.5.");
            document.selection =
                (round % 3 > 0).then(|| Region::new(IVec3::new(2, 1, 2), IVec3::new(6, 4, 8))).and_then(Selection::of_region);
            let mut objects = (*document.objects).clone();
            objects.push(region(Team::Blue, [[1, 1], [6, 4]]));
            objects.push(base(Team::Green, 9, 2));
            objects.push(Object::SpawnPoint { team: Team::Blue, at: VoxelPos::new(i32::MAX, i32::MIN, 3) });
            objects.push(region(Team::Green, [[i32::MIN, -5], [i32::MAX, i32::MAX]]));
            document.objects = objects.into();
            let size = dice.roll(6) as u32 + 1;
            let mode = Mode::TOOL[dice.roll(3) as usize];
            let kind = ObjectKind::ALL[dice.roll(6) as usize];
            let new_object = NewObject { kind: Some(kind), team: None };
            let settings = making_things(&mut lots, ToolSettings { new_object, ..with(mode, size) });
            let settings = select::any_way(&mut lots, settings);
            let mut session = Session::new(spec.id, settings, document);
            for _ in 0..90 {
                let (phase, ray, modifiers) = dice.event();
                session.pointer(phase, ray, modifiers);
                if lots.roll(5) == 0 {
                    session.confirm();
                }
                if dice.roll(10) == 0 {
                    let done = session.commands.len();
                    session.cancel();
                    assert!(!session.tool.cancel(), "{}: nothing is left to cancel", spec.id);
                    session.confirm();
                    // Enter may show what the tool would do: that is dropped, too.
                    session.cancel();
                    for phase in [Phase::Drag, Phase::Hover, Phase::Release, Phase::Hover, Phase::Leave] {
                        session.pointer(phase, dice.ray(), Modifiers::default());
                    }
                    session.confirm();
                    assert_eq!(session.commands.len(), done, "{}: no command after a cancel", spec.id);
                }
            }
            executed += session.commands.len();
        }
        assert!(executed > 5 || ["pick", "ruler"].contains(&spec.id), "{}: only {executed} gestures came to an end", spec.id);
    }
}

/// The settings with paths, land and stamps of any kind.
fn making_things(dice: &mut Dice, settings: ToolSettings) -> ToolSettings {
    let path = PathSettings::of(PathKind::ALL[dice.roll(5) as usize]);
    let path = PathSettings { width: dice.roll(4) as u32 + 1, shoulder: dice.roll(3) as u32, edge_color: Some(GROUND), ..path };
    let generator = TERRAINS[dice.roll(TERRAINS.len() as u64) as usize];
    let terrain = TerrainSettings { generator, seed: dice.roll(99), fade: dice.roll(4) as u32, ..TerrainSettings::default() };
    let (scatter, random_turn, snap) = (dice.roll(2) == 0, dice.roll(2) == 0, dice.roll(2) == 0);
    let stamp =
        StampSettings { stamp: Some(making::stamp()), scatter, random_turn, snap, density: 300, slope: 90, ..StampSettings::default() };
    let stamp = StampSettings { tint: dice.roll(2) as u32 * 10, on_surface: dice.roll(2) == 0, ..stamp };
    ToolSettings { path, terrain, stamp, ..settings }
}

/// Generators that the terrain tool is tried with.
const TERRAINS: [&str; 5] = ["hills", "valley", "river", "trees", "flat"];

/// Half voxels: between the columns, and through the middle of one.
const CENTERS: [[i32; 2]; 2] = [[12, 6], [11, 7]];

fn symmetric(kind: SymmetryKind, center: [i32; 2], before: &str) -> Document {
    let mut document = map(before);
    document.symmetry = Symmetry { kind, center, swap_teams: true, ..Symmetry::default() }.into();
    document
}

#[test]
fn every_tool_obeys_every_mask_and_symmetry() {
    let masks = [
        Masks::default(),
        Masks { selection: true, ..Masks::default() },
        Masks { surface: true, ..Masks::default() },
        Masks { z: Some([3, 5]), ..Masks::default() },
        Masks { slope: Some([0, 20]), ..Masks::default() },
        Masks { colors: vec![GROUND], tolerance: 3, ..Masks::default() },
        Masks { matter: Some(Matter::Air), ..Masks::default() },
        Masks { matter: Some(Matter::Solid), surface: true, ..Masks::default() },
        Masks { spawns: true, ..Masks::default() },
    ];
    for (index, spec) in TOOLS.iter().enumerate() {
        let mut executed = 0;
        for (number, masks) in masks.iter().enumerate() {
            for (turn, kind) in SymmetryKind::ALL.into_iter().enumerate() {
                let seed = 1 + index + 31 * number + 977 * turn;
                let mut dice = Dice(0x9e37_79b9 + seed as u64 * 104_729);
                let mut lots = Dice(77 + seed as u64);
                let mut document =
                    symmetric(kind, CENTERS[seed % 2], "1234543210../12345432.1.2/..33..44..11/............/666666666666/5.5.5.5.5.5.");
                document.masks = masks.clone().into();
                document.selection = Selection::of_region(Region::new(IVec3::new(2, 1, 2), IVec3::new(6, 4, 8)));
                let mut objects = (*document.objects).clone();
                objects.push(region(Team::Blue, [[1, 1], [6, 4]]));
                objects.push(base(Team::Green, 9, 2));
                document.objects = objects.into();
                let (size, mode) = (dice.roll(6) as u32 + 1, Mode::TOOL[dice.roll(3) as usize]);
                let new_object = NewObject { kind: Some(ObjectKind::ALL[dice.roll(6) as usize]), team: Some(Team::Blue) };
                let action = SculptAction::ALL[dice.roll(9) as usize];
                let paint = PaintSettings {
                    kind: PaintKind::ALL[dice.roll(10) as usize],
                    depth: dice.roll(3) as u32 + 1,
                    decal: Some(ColorImage::new([2, 1], vec![Rgb::new(200, 0, 0), Rgb::new(0, 0, 200)]).unwrap()),
                    decal_width: 5,
                    along: Along::ALL[dice.roll(4) as usize],
                    ..PaintSettings::default()
                };
                let brush = Brush {
                    strength: [100, 100, 40][dice.roll(3) as usize],
                    spacing: Spacing::Voxels(dice.roll(3) as u32 + 1),
                    jitter: dice.roll(2) as u32,
                    color_jitter: dice.roll(2) as u8 * 20,
                    ..Brush::new(BrushShape::ALL[dice.roll(5) as usize], size)
                };
                let shape = ToolSettings { solid: SolidKind::ALL[dice.roll(7) as usize], shell: dice.roll(3) as u32, ..with(mode, size) };
                let shape = ToolSettings { brush, on_surface: dice.roll(2) == 0, paint, ..shape };
                let sculpt_form = [SculptForm::Column, SculptForm::Volume][dice.roll(2) as usize];
                let fill_reach = FillReach::ALL[dice.roll(5) as usize];
                let fill_kind = PaintKind::ALL[lots.roll(10) as usize];
                let shape = ToolSettings { fill_kind, sculpt_action: action, strength: 3, sculpt_form, fill_reach, ..shape };
                let settings = ToolSettings { new_object, from_center: dice.roll(2) == 0, ..shape };
                let settings = making_things(&mut lots, settings);
                let settings = select::any_way(&mut lots, settings);
                let mut session = Session::new(spec.id, settings, document);
                for _ in 0..90 {
                    let (phase, ray, modifiers) = dice.event();
                    session.pointer(phase, ray, modifiers);
                    if lots.roll(12) == 0 {
                        session.confirm();
                    }
                }
                executed += session.commands.len();
            }
        }
        assert!(executed > 5 || ["pick", "ruler"].contains(&spec.id), "{}: only {executed} gestures came to an end", spec.id);
    }
}

#[track_caller]
fn check_symmetric(
    id: &str,
    settings: ToolSettings,
    (kind, center): (SymmetryKind, [i32; 2]),
    gesture: &str,
    before: &str,
    expected: &str,
) {
    let color = settings.color;
    let mut session = Session::new(id, settings, symmetric(kind, center, before));
    session.play(gesture);
    assert_eq!(drawn(&session.document, color), expected, "{kind:?} {gesture}");
    session.history.undo(&mut session.document);
    assert_eq!(drawn(&session.document, color), before, "one step");
}

#[test]
fn what_is_drawn_happens_at_every_image() {
    let check = |size, symmetry, gesture, expected| {
        check_symmetric("brush", with(Mode::Add, size), symmetry, gesture, "....../....../....../....../....../......", expected);
    };
    check(1, (SymmetryKind::MirrorX, [6, 6]), "down 1,1; up", "....../.b..b./....../....../....../......");
    check(1, (SymmetryKind::MirrorX, [5, 6]), "down 1,1; up", "....../.b.b../....../....../....../......");
    check(1, (SymmetryKind::MirrorY, [6, 6]), "down 1,0; move 2,0; up", ".bb.../....../....../....../....../.bb...");
    check(1, (SymmetryKind::Turn180, [6, 6]), "down 1,0; move 2,0; up", ".bb.../....../....../....../....../...bb.");
    check(1, (SymmetryKind::MirrorBoth, [6, 6]), "down 1,0; up", ".b..b./....../....../....../....../.b..b.");
    check(1, (SymmetryKind::Turn90, [6, 6]), "down 1,0; up", ".b..../.....b/....../....../b...../....b.");
    // A tip of even size leans to one side; its image leans to the other.
    check(2, (SymmetryKind::MirrorX, [6, 6]), "down 1,1; up", "cc..cc/cc..cc/....../....../....../......");
}

#[test]
fn each_side_is_edited_by_what_stands_there() {
    let x = (SymmetryKind::MirrorX, [6, 2]);
    check_symmetric("fill", with(Mode::Paint, 1), x, "down 0,0; up", "11..11", "bb..bb");
    check_symmetric(
        "sculpt",
        ToolSettings { sculpt_action: SculptAction::Raise, ..with(Mode::Add, 1) },
        x,
        "down 0,0; up",
        "11..22",
        "21..23",
    );
    check_symmetric("brush", with(Mode::Paint, 1), x, "down 0,0; up", "11..22", "b1..22");
    check_symmetric("box", with(Mode::Add, 1), x, "shift down 1,0; shift move 1,0; up", "11...2", "1c..c2");
}

#[test]
fn masks_hold_whatever_is_drawn() {
    let check = |masks: Masks, mode, gesture, before, expected| {
        let mut document = map(before);
        document.masks = masks.into();
        let mut session = Session::new("brush", with(mode, 1), document);
        session.play(gesture);
        assert_eq!(drawn(&session.document, session.settings.color), expected, "{gesture}");
    };
    let heights = Masks { z: Some([5, 5]), ..Masks::default() };
    check(heights.clone(), Mode::Add, "down 0,0; move 4,0; up", "01210", ".c2c.");
    check(heights, Mode::Remove, "down 0,0; move 4,0; up", "12321", "11311");
    let gentle = Masks { slope: Some([0, 5]), ..Masks::default() };
    check(gentle, Mode::Paint, "down 0,0; move 9,0; up", "1111114444", "bbbb1144ee");
    let painted = Masks { colors: vec![Rgb::new(1, 2, 3)], ..Masks::default() };
    check(painted, Mode::Paint, "down 0,0; move 3,0; up", "1111", "1111");
}

#[test]
fn an_object_is_placed_for_the_other_team_as_well() {
    let mut document = symmetric(SymmetryKind::Turn180, [20, 20], &vec![".".repeat(20); 20].join("/"));
    let mut objects = (*document.objects).clone();
    objects.push(base(Team::Green, 8, 8));
    document.objects = objects.into();
    let new_object = NewObject { kind: Some(ObjectKind::Base), team: Some(Team::Blue) };
    let mut session = Session::new("objects", ToolSettings { new_object, ..ToolSettings::default() }, document);
    session.play("down 4,4; up");
    let found = |session: &Session| session.document.objects.iter().map(|(_, object)| object.clone()).collect::<Vec<_>>();
    assert_eq!(found(&session), [base(Team::Green, 15, 15), base(Team::Blue, 4, 4)]);
    session.play("down 4,4; move 6,5; up");
    assert_eq!(found(&session), [base(Team::Green, 13, 14), base(Team::Blue, 6, 5)]);
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
