//! Starting the window, and what it shows while no map is open.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use egui::{RichText, Ui};

use super::app::App;
use super::file_dialogs::NativeDialogs;
use super::shell::UiAction;
use super::theme::{self, Theme};
use crate::editor::log::{self, LogHandle};
use crate::editor::settings::{Settings, SettingsError};
use crate::editor::storage::{RealStorage, Storage};
use crate::editor::{Action, Editor, EditorConfig, JobMode, Message, NewMap, crash, paths};

/// Packages that a Debian or Ubuntu desktop needs for a window.
const WINDOW_PACKAGES: &str = "libx11-6 libx11-xcb1 libxcursor1 libxi6 libxkbcommon-x11-0 libwayland-client0";
/// Packages with a driver for any graphics card, and for none.
const DRIVER_PACKAGES: &str = "libvulkan1 mesa-vulkan-drivers libegl1 libgl1-mesa-dri";

/// Size of the first window, in points.
const WINDOW_SIZE: [f32; 2] = [1440.0, 900.0];
/// Smallest window, in points.
const MIN_WINDOW_SIZE: [f32; 2] = [800.0, 500.0];

/// Opens the window on the files, or on the starter map, and stays until it is closed.
///
/// # Errors
/// If no window can be made; the message names the packages that are probably missing.
pub fn run(files: Vec<PathBuf>) -> anyhow::Result<()> {
    let named = |variable| std::env::var_os(variable).is_some_and(|value| !value.is_empty());
    if cfg!(target_os = "linux") && !named("DISPLAY") && !named("WAYLAND_DISPLAY") {
        anyhow::bail!("there is no desktop to open a window on: neither DISPLAY nor WAYLAND_DISPLAY is set");
    }
    let log = log::start();
    let storage: Arc<dyn Storage> = Arc::new(RealStorage);
    let settings_file = paths::settings_file();
    let (settings, trouble) = settings_file.as_deref().map_or_else(|| (Settings::default(), None), |file| Settings::load(&*storage, file));
    let size = settings.window_size.unwrap_or(WINDOW_SIZE);
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_title("Spadework")
            .with_app_id("spadework")
            .with_inner_size(size)
            .with_min_inner_size(MIN_WINDOW_SIZE)
            // A window from a larger screen must not hang over the edges of this one.
            .with_clamp_size_to_monitor_size(true),
        ..Default::default()
    };
    // A missing libxkbcommon-x11 panics deep inside the windowing library: it becomes the same message,
    // and until the window stands, nobody else reports a panic.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let stood = Arc::new(AtomicBool::new(false));
    let stands = stood.clone();
    let started = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let create = move |cc: &eframe::CreationContext<'_>| {
            std::panic::set_hook(hook);
            crash::install(paths::reports_dir(), |text| tracing::error!("{text}"));
            stands.store(true, Ordering::Release);
            Ok::<Box<dyn eframe::App>, _>(Box::new(make(&cc.egui_ctx, log, storage, settings_file, settings, trouble, files)))
        };
        eframe::run_native("spadework", options, Box::new(create))
    }));
    let failure = match started {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) => Some(error),
        Err(_) => None,
    };
    anyhow::bail!("{}", failed(stood.load(Ordering::Acquire), failure.as_ref()))
}

/// What to say of a window that failed: whether it stood, and why, where that is known.
fn failed(stood: bool, error: Option<&eframe::Error>) -> String {
    let text = error.map(ToString::to_string).unwrap_or_default();
    let reason = without_place(&text);
    match error {
        _ if stood => {
            let reports = paths::reports_dir().unwrap_or_default();
            let because = match error {
                None => format!(", or by an internal error, which is then described in {}", reports.display()),
                Some(_) if reason.is_empty() => String::new(),
                Some(_) => format!(" ({reason})"),
            };
            format!(
                "the window was lost, most likely because the desktop that it was on has ended{because}; \
                 the steps of your maps are kept and come back at the next start"
            )
        }
        Some(eframe::Error::Wgpu(_)) => format!(
            "cannot open a window: no graphics driver was found, neither for Vulkan nor for OpenGL; \
             on Debian or Ubuntu: apt-get install {DRIVER_PACKAGES}"
        ),
        Some(_) if ["X server", "is set"].iter().any(|words| reason.contains(words)) => format!(
            "cannot open a window: {reason}; is a desktop running, and do DISPLAY or WAYLAND_DISPLAY name it? \
             Without one, the commands work: spadework --help"
        ),
        Some(_) => format!("cannot open a window: {reason}; on Debian or Ubuntu: apt-get install {WINDOW_PACKAGES}"),
        None => format!("cannot open a window; on Debian or Ubuntu: apt-get install {WINDOW_PACKAGES} {DRIVER_PACKAGES}"),
    }
}

/// What went wrong; the windowing library says first where in its source.
fn without_place(text: &str) -> &str {
    text.rsplit_once(".rs:").and_then(|(_, place)| place.split_once(": ")).map_or(text, |(_, reason)| reason)
}

fn make(
    ctx: &egui::Context,
    log: Option<LogHandle>,
    storage: Arc<dyn Storage>,
    settings_file: Option<PathBuf>,
    settings: Settings,
    trouble: Option<SettingsError>,
    files: Vec<PathBuf>,
) -> App {
    let waking = ctx.clone();
    let waker = Arc::new(move || waking.request_repaint());
    let (journal_folder, versions_folder) = (paths::journal_dir(), paths::versions_dir());
    // Settings are kept from the first end of the program on.
    let is_first = trouble.is_none() && settings_file.as_ref().is_some_and(|file| matches!(storage.exists(file), Ok(false)));
    let mut editor =
        Editor::new(EditorConfig { storage, jobs: JobMode::Threads, waker, journal_folder, versions_folder, settings_file, settings });
    if let Some(trouble) = trouble {
        editor.tell(Message::warning(trouble.to_string()));
    }
    editor.adapters = || Some(crate::render::adapters());
    editor.find_leftovers();
    if files.is_empty() {
        editor.act(Action::New(NewMap::starter()));
    }
    for file in files {
        // Relative paths are relative to where the program was started, also later.
        let path = std::path::absolute(&file).unwrap_or(file);
        editor.act(Action::Dropped(path));
    }
    let mut app = App::new(ctx, editor, Box::new(NativeDialogs::default()));
    app.shell.log = log;
    app.shell.asks_keymap = is_first;
    app
}

/// What to do when nothing is open.
pub fn empty_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, out: &mut Vec<UiAction>) {
    let rect = ui.max_rect();
    ui.painter().rect_filled(rect, 0, theme.back);
    if let Some(job) = editor.shown_jobs().next() {
        let place = egui::Rect::from_center_size(rect.center(), egui::vec2(260.0, 40.0));
        ui.scope_builder(egui::UiBuilder::new().max_rect(place), |ui| {
            ui.label(RichText::new(&job.name).color(theme.text_dim));
            ui.add(egui::ProgressBar::new(job.progress.share()).desired_height(6.0));
        });
        return;
    }
    let content = egui::Rect::from_center_size(rect.center(), egui::vec2(420.0, 320.0).min(rect.size()));
    ui.scope_builder(egui::UiBuilder::new().max_rect(content), |ui| {
        ui.label(RichText::new("Spadework").size(22.0).color(theme.text));
        ui.label(RichText::new("Drop a map here, or start with one of these").color(theme.text_faint));
        ui.add_space(12.0);
        ui.horizontal(|ui| {
            for (label, action) in [
                ("New map…", UiAction::Invoke("new")),
                ("Open…", UiAction::Invoke("open")),
                ("Starter island", UiAction::Do(Action::New(NewMap::starter()))),
            ] {
                if ui.add(egui::Button::new(label).min_size(egui::vec2(110.0, 30.0))).clicked() {
                    out.push(action);
                }
            }
        });
        ui.add_space(12.0);
        for path in editor.settings.recent_files.iter().take(8) {
            let path = &path.0;
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let folder = path.parent().map(|parent| parent.display().to_string()).unwrap_or_default();
            ui.horizontal(|ui| {
                if ui.link(name).clicked() {
                    out.push(UiAction::Do(Action::Open(path.clone())));
                }
                ui.label(RichText::new(folder).size(theme::SMALL).color(theme.text_faint));
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_in_a_librarys_source_is_not_told() {
        let text = "winit EventLoopError: os error at /a/registry/winit-0.30/src/linux/mod.rs:788: Failed to open connection to X server";
        assert_eq!(without_place(text), "Failed to open connection to X server");
        assert_eq!(without_place("no window: why"), "no window: why");
    }

    #[test]
    fn a_desktop_that_ends_is_no_missing_package() {
        for reason in ["Failed to open connection to X server", "neither WAYLAND_DISPLAY nor WAYLAND_SOCKET nor DISPLAY is set."] {
            let told = failed(false, Some(&eframe::Error::AppCreation(format!("a/b.rs:7: {reason}").into())));
            assert!(told.contains(reason) && told.contains("is a desktop running") && !told.contains("apt-get"), "{told}");
        }
        let error = eframe::Error::AppCreation("a/b.rs:7: connection reset".into());
        for error in [None, Some(&error)] {
            let (before, after) = (failed(false, error), failed(true, error));
            assert!(before.starts_with("cannot open a window") && before.contains("apt-get install"), "{before}");
            assert!(after.contains("come back at the next start") && !after.contains("apt-get"), "{after}");
            assert_eq!(
                (after.contains("connection reset"), after.contains("internal error")),
                (error.is_some(), error.is_none()),
                "{after}"
            );
        }
    }
}
