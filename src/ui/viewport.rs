//! The map: an offscreen picture shown as an egui image, and the pointer on it.
//!
//! A picture is drawn only when something in it changed; [`Viewport::renders`] counts them.

use std::collections::BTreeMap;
use std::sync::Arc;

use egui::{Align2, Color32, FontId, PointerButton, Rect, Sense, Ui, Vec2};

use super::camera_control::{self, CameraControl, aspect, ndc};
use super::dock;
use super::handles;
use super::map_cursor::{CursorKey, MapCursor};
use super::overlay::{self, Label};
use super::pointer_way::{PointerStep, pointer_steps};
use super::shell::Shell;
use super::symmetry_handle;
use super::theme::{self, Theme};
use super::widget;
use crate::document::ObjectId;
use crate::editor::{Compared, DocumentId, Editor, Message};
use crate::geom::{Camera, CameraView, Ray, Region};
use crate::mesh::ShellQuad;
use crate::render::{Frame, Look, Renderer, Target};
use crate::tool::{Modifiers, Phase, PointerInput, Preview, ToolSettings, View};
use crate::voxel::raycast;

/// Samples a pixel, where a graphics card draws.
const SAMPLES: u32 = 4;

/// Share of the framing distance that a new map is looked at from: its sea may leave the picture.
const FIRST_LOOK: f32 = 0.72;
/// Voxels that the eye stays over the ground where a view is chosen by name.
const EYE_OVER_GROUND: i32 = 3;

struct Shown {
    target: Target,
    texture: egui::TextureId,
}

/// What a picture depends on; it is drawn again when this changes.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    document: DocumentId,
    version: u64,
    camera: Camera,
    size: [u32; 2],
    dark: bool,
    selected: Option<ObjectId>,
    toggles: [bool; 3],
    /// Which list of mismatches is shown.
    mismatches: Vec<usize>,
    /// Which hull of the selection is shown.
    hull: usize,
    pending: Option<crate::edit::Command>,
    preview: PreviewKey,
}

#[derive(Clone, Debug, PartialEq)]
struct PreviewKey {
    hovered: Option<(glam::IVec3, crate::geom::Face)>,
    ghosts: Vec<(usize, crate::edit::Mode)>,
    outlines: Vec<crate::tool::Outline>,
    hovered_object: Option<ObjectId>,
    pending_object: Option<crate::tool::PendingObject>,
    measures: Vec<crate::tool::Measure>,
    loop_line: usize,
    open_line: Vec<glam::Vec3>,
}

impl PreviewKey {
    fn of(preview: &Preview) -> Self {
        Self {
            hovered: preview.hovered,
            ghosts: preview.ghosts.iter().map(|ghost| (Arc::as_ptr(&ghost.voxels).addr(), ghost.mode)).collect(),
            outlines: preview.outlines.clone(),
            hovered_object: preview.hovered_object,
            pending_object: preview.pending_object.clone(),
            measures: preview.measures.clone(),
            // It only grows.
            loop_line: preview.loop_line.len(),
            open_line: preview.open_line.clone(),
        }
    }
}

/// What the tool was told last; it is told again when this changes.
#[derive(Clone, Debug, PartialEq)]
struct LastInput {
    at: egui::Pos2,
    camera: Camera,
    modifiers: Modifiers,
    tool: &'static str,
    settings: ToolSettings,
    shown: Option<(DocumentId, u64)>,
}

impl LastInput {
    fn of(at: egui::Pos2, camera: Camera, modifiers: Modifiers, editor: &Editor) -> Self {
        let shown = editor.active().map(|open| (open.id(), open.version()));
        Self { at, camera, modifiers, tool: editor.tool.spec().id, settings: editor.tool.settings.clone(), shown }
    }
}

/// The viewport with its camera for each document.
pub struct Viewport {
    /// Each with the bounds that it framed.
    cameras: BTreeMap<DocumentId, (CameraControl, Region)>,
    renderer: Option<Renderer>,
    /// Chunks that could not be drawn, and whether that was told.
    failed: usize,
    failure_told: bool,
    /// Chunks that there is no memory to draw for, and whether that was told.
    left_out: usize,
    left_out_told: bool,
    shown: Option<Shown>,
    key: Option<Key>,
    labels: Vec<Label>,
    /// Voxels that differ from their images, where they are shown.
    mismatches: Vec<Arc<Vec<ShellQuad>>>,
    /// The hull of the selection, where it is no box.
    hull: Option<Arc<Vec<ShellQuad>>>,
    /// Keeps the ghosts alive whose addresses are in the key.
    ghosts: Vec<Arc<Vec<glam::IVec3>>>,
    pressed: bool,
    /// The cross hair that keys move.
    pub cursor: MapCursor,
    last_input: Option<LastInput>,
    id: Option<egui::Id>,
    /// Pictures drawn so far.
    pub renders: u64,
    /// Width ÷ height of the last picture.
    aspect: f32,
}

impl Default for Viewport {
    fn default() -> Self {
        Self {
            cameras: BTreeMap::new(),
            renderer: None,
            failed: 0,
            failure_told: false,
            left_out: 0,
            left_out_told: false,
            shown: None,
            key: None,
            labels: vec![],
            mismatches: vec![],
            hull: None,
            ghosts: vec![],
            pressed: false,
            cursor: MapCursor::default(),
            last_input: None,
            id: None,
            renders: 0,
            aspect: 1.5,
        }
    }
}

/// Whether bounds differ so much that a camera set for the one would lose the other. A grid that grows by a tile does not.
fn is_another_size(framed: &Region, bounds: &Region) -> bool {
    let (old, new) = (framed.size().as_vec3(), bounds.size().as_vec3());
    (old.x * old.y).max(new.x * new.y) > 1.5 * (old.x * old.y).min(new.x * new.y)
}

impl Viewport {
    /// The widget that has the focus while keys go to the map.
    pub fn id(&self) -> Option<egui::Id> {
        self.id
    }

    /// Whether the button is down that the tool was pressed with.
    pub fn is_pressed(&self) -> bool {
        self.pressed
    }

    /// The camera of a document; a new one frames the map, as does one whose map was cropped or resized.
    pub fn camera(&mut self, editor: &Editor, id: DocumentId) -> &mut CameraControl {
        let bounds = editor.document(id).map_or(Region::EMPTY, |open| open.document().bounds());
        let aspect = self.aspect;
        let (control, framed) = self.cameras.entry(id).or_insert_with(|| {
            let (yaw, pitch) = CameraView::Iso.angles();
            let mut control = CameraControl::default();
            (control.camera.yaw, control.camera.pitch) = (yaw, pitch);
            control.camera.frame(&bounds, aspect);
            let middle = (bounds.min().as_vec3() + bounds.max().as_vec3()) * 0.5;
            control.camera.dolly(middle.with_z(bounds.max().z as f32), FIRST_LOOK);
            (control, bounds)
        });
        if is_another_size(framed, &bounds) {
            control.camera.frame(&bounds, aspect);
            *framed = bounds;
        }
        control
    }

    /// Looks from a named side at what is in the middle of the picture, from as far away; from there already, at the whole map.
    pub fn look_from(&mut self, editor: &Editor, view: CameraView) {
        let Some(open) = editor.active() else { return };
        let (bounds, store, aspect) = (open.document().bounds(), open.document().store().clone(), self.aspect);
        let camera = &mut self.camera(editor, open.id()).camera;
        if (camera.yaw, camera.pitch) == view.angles() {
            return camera.frame(&bounds, aspect);
        }
        let target = camera_control::point_under(&camera.ray(glam::Vec2::ZERO, aspect), &store);
        let far = target.distance(camera.eye);
        (camera.yaw, camera.pitch) = view.angles();
        camera.eye = target - camera.forward() * far;
        // From a side the way may end within a hill; parallel rays begin far behind it.
        let (column, top) = (camera.eye.floor().as_ivec3(), bounds.min().z);
        if camera.ortho_height.is_none()
            && let Some(ground) = store.ground(column.x, column.y, top).filter(|ground| column.z >= ground - EYE_OVER_GROUND)
        {
            camera.eye.z = (ground - EYE_OVER_GROUND) as f32;
        }
    }

    /// Comes as near to a region as shows all of it.
    pub fn frame(&mut self, editor: &Editor, region: &Region) {
        let Some(open) = editor.active() else { return };
        let aspect = self.aspect;
        self.camera(editor, open.id()).camera.frame(region, aspect);
    }

    /// Switches between perspective and parallel.
    pub fn toggle_orthographic(&mut self, editor: &Editor) {
        let Some(open) = editor.active() else { return };
        let (store, aspect) = (open.document().store().clone(), self.aspect);
        let camera = &mut self.camera(editor, open.id()).camera;
        // What stands in the middle of the picture keeps its size.
        let target = camera_control::point_under(&camera.ray(glam::Vec2::ZERO, aspect), &store);
        match camera.ortho_height.take() {
            Some(height) => camera.eye = target - camera.forward() * (height * 0.5 / (camera.fov_y * 0.5).tan()),
            None => camera.ortho_height = Some(camera.view_height_at(target).max(4.0)),
        }
    }

    /// Draws the map into the rest of the window and hands the pointer to camera and tool.
    pub fn ui(&mut self, ui: &mut Ui, theme: &Theme, editor: &mut Editor, shell: &mut Shell, gpu: Option<&eframe::egui_wgpu::RenderState>) {
        let (rect, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, "Map viewport"));
        self.aspect = aspect(rect);
        self.let_go_others(ui.ctx(), editor.active().map(|open| open.id()));
        let Some(id) = editor.active().map(|open| open.id()) else {
            ui.painter().rect_filled(rect, 0, theme.back);
            return;
        };
        self.id = Some(response.id);
        let types = editor.tool.entry().is_some();
        // Whoever is in a field or a dialog comes back to the number that is half typed.
        let is_elsewhere = shell.dialog.is_some() || ui.memory(|memory| memory.focused().is_some_and(|focused| focused != response.id));
        if response.clicked() || response.drag_started() || (types && !is_elsewhere) {
            response.request_focus();
        }
        if response.has_focus() {
            // Arrows and Esc belong to the map; Tab goes on to the next number that is typed, else to the next part of the window.
            let filter = egui::EventFilter { tab: types, horizontal_arrows: true, vertical_arrows: true, escape: true };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
        }
        let store = editor.active().map(|open| open.document().store().clone());
        if let Some(store) = &store {
            self.camera(editor, id).update(ui, &response, rect, store, &shell.keymap.mouse);
        }
        let moves = |event: &egui::Event| matches!(event, egui::Event::PointerMoved(_) | egui::Event::PointerButton { .. });
        let is_mouse = response.contains_pointer() && ui.input(|input| input.events.iter().any(moves));
        if shell.map_cursor && is_mouse {
            self.toggle_cursor(ui.ctx(), shell);
        }
        if shell.map_cursor || !self.cursor.keys.is_empty() {
            self.cursor_ui(ui, rect, editor, shell, id);
        } else {
            self.pointer(ui, &response, rect, editor, shell, id);
        }
        shell.compared = if shell.mismatches { editor.mismatches() } else { Compared::default() };
        self.mismatches = shell.compared.found().map_or_else(Vec::new, |found| {
            let colors = shell.mismatched_colors.then(|| found.colors.faces.clone());
            std::iter::once(found.shape.faces.clone()).chain(colors).collect()
        });
        self.hull = editor.selection_hull();
        self.picture(ui, theme, rect, editor, shell, gpu, id);
        if std::mem::take(&mut self.failed) > 0 && !std::mem::replace(&mut self.failure_told, true) {
            let message = Message::error("A part of the map cannot be drawn: an internal error");
            editor.tell(message.with_detail(
                "It is shown as it was before, or not at all. Editing and saving go on as ever. Help › Report a problem has what happened.",
            ));
        }
        if self.left_out > 0 && !std::mem::replace(&mut self.left_out_told, true) {
            let allowed = editor.settings.memory.mesh_megabytes;
            let message =
                Message::warning(format!("The faces of this map take more than {allowed} MB: what is farthest away is not drawn"));
            editor.tell(message.with_detail(
                "Nothing is missing in the map, and going nearer shows it. memory: mesh_megabytes in the settings allows more.",
            ));
        }
        let camera = self.camera(editor, id).camera;
        symmetry_handle::handle_ui(ui, theme, rect, &camera, editor, shell);
        self.compass(ui, theme, rect, editor, id);
        if shell.map_cursor {
            self.cursor.paint(ui, theme, rect);
        }
    }

    /// Gives the map to the cross hair that keys move, or back to the mouse.
    pub fn toggle_cursor(&mut self, ctx: &egui::Context, shell: &mut Shell) {
        shell.map_cursor = !shell.map_cursor;
        if shell.map_cursor {
            // Letters and arrows go to the map at once.
            if let Some(id) = self.id {
                ctx.memory_mut(|memory| memory.request_focus(id));
            }
        } else {
            self.cursor.let_go();
        }
    }

    /// Hands what keys did to the cross hair to camera and tool, in order.
    fn cursor_ui(&mut self, ui: &Ui, rect: Rect, editor: &mut Editor, shell: &mut Shell, id: DocumentId) {
        let Some(store) = editor.active().map(|open| open.document().store().clone()) else { return };
        let (aspect, keys) = (aspect(rect), std::mem::take(&mut self.cursor.keys));
        let held = ui.input(|input| input.modifiers);
        let held = Modifiers { ctrl: held.command, shift: held.shift, alt: held.alt };
        let keys = keys.into_iter().map(|(key, modifiers)| (Some(key), modifiers)).chain([(None, held)]);
        for (key, held) in keys {
            let modifiers = shell.keymap.mouse.held(editor.tool.spec(), held);
            let Some((CameraControl { camera, .. }, _)) = self.cameras.get_mut(&id) else { return };
            match key {
                Some(CursorKey::Move(by)) => self.cursor.go(by, camera, rect, &store),
                Some(CursorKey::Turn(by)) => self.cursor.turn(by, camera, rect, &store),
                Some(CursorKey::Closer(by)) => self.cursor.closer(by, camera, rect, &store),
                Some(CursorKey::Press | CursorKey::Release) | None => {}
            }
            let (at, camera) = (self.cursor.at(rect), *camera);
            let now = LastInput::of(at, camera, modifiers, editor);
            let moved = self.last_input.as_ref() != Some(&now);
            let phase = match key {
                Some(CursorKey::Press) if !self.cursor.is_down => Phase::Press,
                Some(CursorKey::Release) if self.cursor.is_down => Phase::Release,
                _ if !moved => continue,
                _ if self.cursor.is_down => Phase::Drag,
                _ => Phase::Hover,
            };
            self.last_input = Some(now);
            let ray_in_world = camera.ray(ndc(rect, at), aspect);
            shell.status = editor.pointer(&input(&camera, rect, ray_in_world, phase, modifiers));
            match phase {
                Phase::Press => self.cursor.is_down = true,
                Phase::Release => {
                    self.cursor.is_down = false;
                    note_color(editor, shell);
                }
                _ => {}
            }
            shell.under_pointer = editor.active().and_then(|open| raycast(open.document().store(), &ray_in_world));
        }
    }

    /// Frees the pointer from every camera but that of the map in front; from that, too, where the window has no focus.
    pub fn let_go_others(&mut self, ctx: &egui::Context, active: Option<DocumentId>) {
        let focused = ctx.input(|input| input.focused);
        for (id, (control, _)) in &mut self.cameras {
            if !focused || Some(*id) != active {
                control.let_go(ctx);
            }
        }
    }

    fn pointer(&mut self, ui: &Ui, response: &egui::Response, rect: Rect, editor: &mut Editor, shell: &mut Shell, id: DocumentId) {
        let camera = self.camera(editor, id).camera;
        let moving = self.camera(editor, id).is_moving();
        let (latest, down, keys) =
            ui.input(|input| (input.pointer.latest_pos(), input.pointer.button_down(PointerButton::Primary), input.modifiers));
        let modifiers = Modifiers { ctrl: keys.command, shift: keys.shift, alt: keys.alt };
        let modifiers = shell.keymap.mouse.held(editor.tool.spec(), modifiers);
        let Some(at) = latest else {
            // Out of the window there is nothing to click on, so nothing to show.
            if !self.pressed
                && let Some(last) = self.last_input.take()
            {
                let ray_in_world = camera.ray(ndc(rect, last.at), aspect(rect));
                editor.pointer(&input(&camera, rect, ray_in_world, Phase::Leave, modifiers));
                (shell.status, shell.under_pointer) = (None, None);
            }
            return;
        };
        // What lies over the map takes the pointer from the tool.
        let is_covered = [symmetry_handle::id(), compass_id()].into_iter().chain(dock::lines(ui.ctx())).any(|id| {
            let over = ui.ctx().read_response(id);
            over.is_some_and(|over| over.contains_pointer() || over.is_pointer_button_down_on() || over.dragged())
        });
        let hovered = response.contains_pointer() && rect.contains(at) && !is_covered;
        let ray = camera.ray(ndc(rect, at), aspect(rect));
        let send_at = |editor: &mut Editor, shell: &mut Shell, phase: Phase, ray_in_world: Ray| {
            shell.status = editor.pointer(&input(&camera, rect, ray_in_world, phase, modifiers));
        };
        let now = LastInput::of(at, camera, modifiers, editor);
        let moved = self.last_input.as_ref() != Some(&now);
        self.last_input = Some(now);
        let told = shell.status.clone();
        let steps = ui.input(|input| pointer_steps(&input.events, self.pressed));
        // A click beside a menu or a list only closes it.
        let is_choosing = egui::Popup::is_any_open(ui.ctx()) && !widget::are_settings_open(ui.ctx());
        let on_map = response.contains_pointer() && !is_covered && !is_choosing;
        let (mut any, mut last) = (false, None);
        for (index, step) in steps.iter().enumerate() {
            let (phase, pos) = match *step {
                PointerStep::Press(pos) if !self.pressed && on_map && rect.contains(pos) => (Phase::Press, pos),
                PointerStep::Drag(pos) if self.pressed => (Phase::Drag, pos),
                PointerStep::Release(pos) if self.pressed => (Phase::Release, pos),
                _ => continue,
            };
            (any, last) = (true, Some(pos));
            // Other tools mind where the pointer stands alone, and not how it came there.
            let is_passed = phase == Phase::Drag && matches!(steps.get(index + 1), Some(PointerStep::Drag(_)));
            if is_passed && !editor.tool.follows_way() {
                continue;
            }
            self.pressed = phase != Phase::Release;
            send_at(editor, shell, phase, camera.ray(ndc(rect, pos), aspect(rect)));
            if phase == Phase::Release {
                note_color(editor, shell);
            }
        }
        // The window may never be told that the button went up; the map may have moved below the pointer.
        if self.pressed && !down {
            self.pressed = false;
            send_at(editor, shell, Phase::Release, ray);
            note_color(editor, shell);
        } else if self.pressed && moved && last != Some(at) {
            send_at(editor, shell, Phase::Drag, ray);
        } else if !self.pressed && !any && moved && !moving {
            send_at(editor, shell, if hovered { Phase::Hover } else { Phase::Leave }, ray);
        }
        editor.tool.go_on();
        if moved {
            let before = (shell.under_pointer, told);
            shell.under_pointer = editor.active().filter(|_| hovered && !moving).and_then(|open| raycast(open.document().store(), &ray));
            if (shell.under_pointer, &shell.status) != (before.0, &before.1) {
                // The status bar was drawn before: after an undo nothing else would have it drawn again.
                ui.ctx().request_repaint();
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one frame's whole context")]
    fn picture(
        &mut self,
        ui: &Ui,
        theme: &Theme,
        rect: Rect,
        editor: &Editor,
        shell: &Shell,
        gpu: Option<&eframe::egui_wgpu::RenderState>,
        id: DocumentId,
    ) {
        let Some(gpu) = gpu else {
            ui.painter().rect_filled(rect, 0, theme.back);
            ui.painter().text(rect.center(), Align2::CENTER_CENTER, "No graphics adapter", FontId::proportional(theme::BODY), theme.error);
            return;
        };
        let Some(open) = editor.active() else { return };
        let scale = ui.ctx().pixels_per_point();
        let size = [(rect.width() * scale).round() as u32, (rect.height() * scale).round() as u32];
        if size.contains(&0) {
            return;
        }
        self.ensure_target(gpu, size);
        let camera = self.camera(editor, id).camera;
        let renderer = self.renderer.get_or_insert_with(|| {
            let ctx = ui.ctx().clone();
            let workers = std::thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1).clamp(1, 4));
            Renderer::new(&gpu.device, samples(gpu), workers, Some(Arc::new(move || ctx.request_repaint())))
        });
        renderer.limit_memory(editor.settings.memory.mesh_bytes());
        let mut preview = editor.tool.preview();
        preview.ghosts.extend_from_slice(open.waiting_ghosts());
        let store = preview.store.as_ref().or(open.waiting_store()).unwrap_or(open.document().store());
        if self.key.as_ref().is_some_and(|key| key.document != id) {
            renderer.forget();
            (self.failure_told, self.left_out_told) = (false, false);
        }
        let changed = renderer.update(&gpu.device, &gpu.queue, store, camera.eye);
        self.failed += renderer.take_failed();
        self.left_out = renderer.left_out();
        if renderer.pending() > 0 {
            ui.ctx().request_repaint();
        }
        let key = Key {
            document: id,
            version: open.version(),
            camera,
            size,
            dark: theme.dark,
            selected: preview.selected,
            toggles: [shell.sectors, shell.water, shell.objects],
            mismatches: self.mismatches.iter().map(|faces| Arc::as_ptr(faces).addr()).collect(),
            hull: self.hull.as_ref().map_or(0, |faces| Arc::as_ptr(faces).addr()),
            pending: shell.pending.clone(),
            preview: PreviewKey::of(&preview),
        };
        let Some(shown) = &self.shown else { return };
        if changed || self.key.as_ref() != Some(&key) {
            let mut frame = Frame::new(camera);
            frame.look = match (shell.metadata(open.document()).fog, theme.dark) {
                (Some(fog), _) => Look::daylight(fog),
                (None, true) => Look::DARK,
                (None, false) => Look::LIGHT,
            };
            frame.pixels_per_point = scale;
            self.labels = overlay::fill_frame(&mut frame, theme, open.document(), &preview, shell);
            frame.hulls.extend(self.hull.clone().map(|faces| overlay::selected(theme, faces)));
            frame.hulls.extend(self.mismatches.iter().map(|faces| overlay::mismatches(theme, faces.clone())));
            renderer.draw(&gpu.device, &gpu.queue, &shown.target, &frame);
            self.ghosts = preview.ghosts.into_iter().map(|ghost| ghost.voxels).collect();
            self.key = Some(key);
            self.renders += 1;
        }
        let uv = Rect::from_min_max(egui::Pos2::ZERO, egui::pos2(1.0, 1.0));
        ui.painter().image(shown.texture, rect, uv, Color32::WHITE);
        handles::paint(ui, theme, rect, &camera, (&preview.open_line, &preview.handles));
        if let Some(gizmo) = editor.tool.gizmo(open.document()) {
            // Where the rays of the pointer come from: of a parallel view far behind the eye.
            let middle = camera.ray(glam::Vec2::ZERO, aspect(rect));
            let view = View::of_ray(&middle, voxels_per_pixel(&camera, rect), camera.ortho_height.is_some());
            handles::paint_gizmo(ui, theme, rect, &camera, (&gizmo, &view));
        }
        self.paint_labels(ui, theme, rect, &camera);
    }

    fn ensure_target(&mut self, gpu: &eframe::egui_wgpu::RenderState, size: [u32; 2]) {
        if self.shown.as_ref().is_some_and(|shown| shown.target.size() == size) {
            return;
        }
        let target = Target::new(&gpu.device, size, samples(gpu));
        let mut egui_renderer = gpu.renderer.write();
        let filter = eframe::wgpu::FilterMode::Nearest;
        let texture = match self.shown.take() {
            Some(old) => {
                egui_renderer.update_egui_texture_from_wgpu_texture(&gpu.device, target.color_view(), filter, old.texture);
                old.texture
            }
            None => egui_renderer.register_native_texture(&gpu.device, target.color_view(), filter),
        };
        self.shown = Some(Shown { target, texture });
        self.key = None;
    }

    fn paint_labels(&self, ui: &Ui, theme: &Theme, rect: Rect, camera: &Camera) {
        let painter = ui.painter().with_clip_rect(rect);
        for label in &self.labels {
            let Some(at) = camera.project(label.at, aspect(rect)) else { continue };
            let pos = rect.min + Vec2::new((at.x + 1.0) * 0.5 * rect.width(), (1.0 - at.y) * 0.5 * rect.height());
            let text = painter.layout_no_wrap(label.text.clone(), FontId::proportional(theme::SMALL), label.color);
            let place = Align2::CENTER_BOTTOM.anchor_size(pos, text.size());
            painter.rect_filled(place.expand2(Vec2::new(4.0, 1.0)), theme::RADIUS, theme.panel.gamma_multiply(0.85));
            painter.galley(place.min, text, label.color);
        }
    }

    /// Where north is; a click looks from the top.
    fn compass(&mut self, ui: &mut Ui, theme: &Theme, rect: Rect, editor: &Editor, id: DocumentId) {
        let radius = 22.0;
        let center = rect.right_top() + Vec2::new(-radius - 12.0, radius + 12.0);
        let place = Rect::from_center_size(center, Vec2::splat(radius * 2.0));
        let response = ui.interact(place, compass_id(), Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, "Compass: look from the top"));
        let yaw = self.camera(editor, id).camera.yaw;
        let painter = ui.painter();
        painter.circle_filled(center, radius, theme.panel.gamma_multiply(if response.hovered() { 0.95 } else { 0.7 }));
        let toward = |angle: f32, length: f32| center + Vec2::new(angle.sin(), -angle.cos()) * length;
        for (index, name) in ["N", "E", "S", "W"].into_iter().enumerate() {
            let angle = index as f32 * std::f32::consts::FRAC_PI_2 - yaw;
            let color = if index == 0 { theme.remove } else { theme.text_faint };
            painter.text(toward(angle, radius - 8.0), Align2::CENTER_CENTER, name, FontId::proportional(theme::SMALL), color);
        }
        painter.line_segment([center, toward(-yaw, radius - 15.0)], egui::Stroke::new(2.0, theme.remove));
        let clicked = response.on_hover_ui(|ui| super::widget::tooltip(ui, theme, "Top view", "7", None)).clicked();
        if clicked {
            self.look_from(editor, CameraView::Top);
        }
    }
}

/// The compass among the widgets.
fn compass_id() -> egui::Id {
    egui::Id::unique("compass")
}

/// What a tool is told of the pointer.
fn input(camera: &Camera, rect: Rect, ray_in_world: Ray, phase: Phase, modifiers: Modifiers) -> PointerInput {
    let is_parallel = camera.ortho_height.is_some();
    PointerInput { ray_in_world, phase, modifiers, voxels_per_pixel: voxels_per_pixel(camera, rect), is_parallel }
}

/// Size of a pixel at one voxel of distance from the ray's origin, as tools want it.
fn voxels_per_pixel(camera: &Camera, rect: Rect) -> f32 {
    match camera.ortho_height {
        None => camera.view_height_at(camera.eye + camera.forward()) / rect.height().max(1.0),
        // Parallel rays begin far behind the eye, and a pixel is as large everywhere.
        Some(height) => height / rect.height().max(1.0) / camera.ray(glam::Vec2::ZERO, 1.0).origin.distance(camera.eye).max(1.0),
    }
}

/// A software rasteriser pays for every sample: there one must do.
fn samples(gpu: &eframe::egui_wgpu::RenderState) -> u32 {
    if gpu.adapter.get_info().device_type == eframe::wgpu::DeviceType::Cpu { 1 } else { SAMPLES }
}
/// Notes that the color in hand was drawn with, where the tool draws with it.
pub fn note_color(editor: &Editor, shell: &mut Shell) {
    let settings = &editor.tool.settings;
    if settings.draws_with_color(editor.tool.spec()) {
        shell.use_color(settings.color);
    }
}
