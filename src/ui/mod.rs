//! The egui shell: reads `&Editor`, returns actions. It holds no rule about maps.
//!
//! [`App`] is the window. Each frame: answers of jobs are taken in, keys become actions, then the parts
//! below are drawn from top to bottom; each reads the editor and pushes [`UiAction`]s, which are carried
//! out at the end of the frame. Colours and spacing come from `theme` alone.
//!
//! | file | part |
//! |---|---|
//! | `menu`, `menu_keys` | menu bar and tabs, and the keys that open them |
//! | `tool_bar`, `making` | tool strip and option row |
//! | `viewport`, `camera_control`, `overlay`, `handles`, `symmetry_handle`, `map_cursor` | the map |
//! | `dock/` | where map and panels lie, titles, drags |
//! | `panel/`, `color_picker`, `color_field`, `curve_graph`, `harmony` | what stands in the panels |
//! | `status`, `notices` | status bar and the notices above it |
//! | `dialog/` | everything that must be answered |
//! | `keys`, `pacing`, `popup_focus` | key names and shortcuts, what belongs to one frame, where the keys go after a list |

mod app;
mod beside;
mod brush_details;
mod camera_control;
mod color_field;
mod color_picker;
mod curve_graph;
mod dialog;
mod dock;
mod file_dialogs;
mod focus_ring;
mod handles;
mod harmony;
mod icon;
mod keys;
mod making;
mod map_cursor;
mod menu;
mod menu_keys;
mod notices;
mod overlay;
mod pacing;
mod paint_options;
mod panel;
mod pointer_way;
mod popup_focus;
mod scope;
mod shell;
mod start;
mod status;
mod symmetry_handle;
mod theme;
mod tool_bar;
mod viewport;
mod widget;

pub use app::App;
pub use dialog::Dialog;
pub use file_dialogs::{FileAnswer, FileDialogs, FileQuestion, NativeDialogs};
pub use shell::{Shell, UiAction};
pub use start::run;
