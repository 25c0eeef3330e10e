//! Makes the pictures of README and documentation: the whole window, on maps of our own generators.
//!
//! Run by `./dev pictures`; the argument is the folder that they are written to.

// A picture that cannot be made stops the run.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::{Path, PathBuf};

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use spadework::edit::{Clip, Command, ops};
use spadework::editor::settings::{Settings, Theme};
use spadework::editor::{Action, NewMap};
use spadework::geom::Region;
use spadework::tool::{Stamp, TOOLS, ToolSettings};
use spadework_gui_tests::{Window, tools_page};

const SIZE: [f32; 2] = [1120.0, 700.0];
/// Of the pictures of tools, which leave the right column out.
const TOOL_SIZE: [f32; 2] = [960.0, 460.0];
/// The largest file that a page should load.
const MAX_BYTES: u64 = 700_000;

fn main() {
    let folder = PathBuf::from(std::env::args_os().nth(1).expect("usage: pictures FOLDER"));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, picture) in
        [("window", start as fn(&mut Window)), ("paint", paint), ("spawn-regions", spawn_regions), ("new-map", new_map), ("light", light)]
    {
        let theme = if name == "light" { Theme::Light } else { Theme::Dark };
        let settings = Settings { theme, ..Settings::default() };
        let Some(mut window) = Window::of_size(SIZE, settings) else { std::process::exit(1) };
        window.act(Action::New(NewMap::starter()));
        picture(&mut window);
        write(&mut window, &folder.join(format!("{name}.png")), None);
    }
    for spec in TOOLS {
        let Some(mut window) = Window::of_size(TOOL_SIZE, Settings::default()) else { std::process::exit(1) };
        window.act(Action::New(NewMap::starter()));
        near(&mut window);
        window.act(Action::SelectTool(spec.id));
        at_work(&mut window, spec.id);
        let width = window.get(egui::accesskit::Role::Image, "Map viewport").rect().max.x;
        write(&mut window, &folder.join(format!("tool-{}.png", spec.id)), Some(width as u32));
    }
    let page = folder.parent().unwrap().join("tools.md");
    std::fs::write(&page, tools_page("images")).unwrap();
    println!("{}", page.display());
}

/// A gesture of a tool, as far as it is worth seeing.
fn at_work(window: &mut Window, id: &str) {
    const A: [f32; 2] = [0.36, 0.5];
    const B: [f32; 2] = [0.52, 0.62];
    let grow = |window: &mut Window, times: usize| (0..times).for_each(|_| window.press("]"));
    match id {
        "brush" | "line" | "sculpt" | "paint" => {
            grow(window, 7);
            window.press_at(A);
            window.hover([0.44, 0.58]);
            window.hover(B);
        }
        "box" | "shape" => {
            window.drag(&[A, B]);
            window.hover([0.52, 0.5]);
        }
        "terrain" => {
            window.click_at(A);
            window.hover([0.4, 0.45]);
        }
        "extrude" | "fill" => {
            let settings = ToolSettings { tolerance: 60, face_tolerance: 60, ..window.app().editor.tool.settings.clone() };
            window.act(Action::SetTools(Box::new(settings)));
            window.hover([0.45, 0.7]);
            if id == "extrude" {
                window.press_at([0.45, 0.7]);
                window.hover([0.45, 0.6]);
            }
        }
        "select" | "objects" => {
            window.press_at(A);
            window.hover(B);
        }
        "move" => {
            let region = Some(Region::new(glam::IVec3::new(230, 270, 20), glam::IVec3::new(262, 300, 62)));
            window.act(Action::Edit(Command::Select(ops::Select { region, ..Default::default() })));
            let transform = ops::TransformSelection { by: glam::IVec3::new(40, 0, -4), ..Default::default() };
            let settings = ToolSettings { transform, ..window.app().editor.tool.settings.clone() };
            window.act(Action::SetTools(Box::new(settings)));
            window.hover(A);
        }
        "path" => {
            for place in [[0.3, 0.45], [0.45, 0.6], [0.62, 0.5]] {
                window.click_at(place);
            }
            window.hover([0.7, 0.7]);
        }
        "stamp" => {
            let region = Region::new(glam::IVec3::new(230, 270, 20), glam::IVec3::new(262, 300, 62));
            let clip = Clip::cut(window.map().document(), region).unwrap();
            let mut settings = window.app().editor.tool.settings.clone();
            settings.stamp.stamp = Some(Stamp { name: "rocks".into(), clip: clip.into() });
            window.act(Action::SetTools(Box::new(settings)));
            window.hover(B);
        }
        "ruler" => {
            window.click_at(A);
            window.hover(B);
        }
        _ => window.hover(B),
    }
    window.settle();
}

fn start(window: &mut Window) {
    window.leave();
}

fn paint(window: &mut Window) {
    near(window);
    window.press("G");
    for _ in 0..6 {
        window.press("]");
    }
    window.click("#b4523a");
    window.press_at([0.38, 0.55]);
    for step in 0..24_u8 {
        let along = f32::from(step) / 24.0;
        window.hover([0.38 + 0.26 * along, 0.55 + 0.08 * (along * std::f32::consts::TAU).sin()]);
    }
    window.release_at([0.64, 0.55]);
    window.hover([0.45, 0.72]);
}

fn spawn_regions(window: &mut Window) {
    window.click("Add blue spawn region");
    window.press("O");
    window.click_last(egui::accesskit::Role::RadioButton, "Green");
    window.press_at([0.66, 0.36]);
    window.hover([0.75, 0.42]);
    window.hover([0.82, 0.5]);
    window.release_at([0.82, 0.5]);
}

fn new_map(window: &mut Window) {
    window.press("Ctrl+N");
    window.leave();
}

fn light(window: &mut Window) {
    near(window);
    window.press("H");
    window.hover([0.5, 0.5]);
}

/// Comes nearer to the middle of the map.
fn near(window: &mut Window) {
    let open = window.map();
    let (id, bounds) = (open.id(), open.document().bounds());
    let middle = ((bounds.min() + bounds.max()) / 2).with_z(bounds.max().z).as_vec3();
    let app = window.app_mut();
    app.viewport.camera(&app.editor, id).camera.dolly(middle, 0.3);
    window.settle();
}

fn write(window: &mut Window, path: &Path, width: Option<u32>) {
    let file = std::fs::File::create(path).unwrap();
    let encoder = PngEncoder::new_with_quality(std::io::BufWriter::new(file), CompressionType::Best, FilterType::Adaptive);
    // Without the alpha channel, which is full everywhere, and without the lowest bits, which nobody sees.
    let mut picture = image::DynamicImage::ImageRgba8(window.picture()).to_rgb8();
    if let Some(width) = width {
        picture = image::imageops::crop_imm(&picture, 0, 0, width.min(picture.width()), picture.height()).to_image();
    }
    let kept = if width.is_some() { 0xf8 } else { 0xfc };
    picture.iter_mut().for_each(|value| *value = *value & kept | *value >> 6 & !kept);
    picture.write_with_encoder(encoder).unwrap();
    let bytes = std::fs::metadata(path).unwrap().len();
    println!("{} ({} kB)", path.display(), bytes / 1000);
    assert!(bytes <= MAX_BYTES, "{} is too large for a page", path.display());
}
