//! The menu bar by the keyboard: F10 and Alt with a first letter open it, Left and Right go to the neighbour.
//!
//! Up, Down, Enter, Esc and the way into menus within menus are the library's.

use egui::{Context, Id, Key, Modifiers, Popup};

use crate::editor::Menu;

/// What the bar's widgets were in the last frame, and which of its menus is wanted.
#[derive(Clone, Debug, Default)]
pub struct MenuKeys {
    /// The buttons of the bar, in order.
    pub buttons: Vec<Id>,
    /// Entries that open a menu of their own.
    pub submenus: Vec<Id>,
    /// Entries of those.
    pub within: Vec<Id>,
    wanted: Option<usize>,
}

fn place() -> Id {
    Id::unique("menu keys")
}

impl MenuKeys {
    /// Opens a menu, or closes it where it is open, if its keys were pressed; eats them.
    pub fn press(ctx: &Context) {
        let pressed = ctx.input_mut(|input| {
            let first = |menu: Menu| menu.label().get(..1).and_then(Key::from_name);
            let is_pressed = |menu: &Menu| first(*menu).is_some_and(|key| input.consume_key(Modifiers::ALT, key));
            let menu = Menu::ALL.iter().position(is_pressed);
            if menu.is_some() {
                // The letter is not typed.
                input.events.retain(|event| !matches!(event, egui::Event::Text(_)));
            }
            // With Shift it opens the menu of what has the focus.
            let alone = |event: &egui::Event| matches!(event, egui::Event::Key { key: Key::F10, pressed: true, modifiers, .. } if modifiers.is_none());
            let is_bar = input.events.iter().any(alone) && input.consume_key(Modifiers::NONE, Key::F10);
            menu.or_else(|| is_bar.then_some(0))
        });
        let Some(menu) = pressed else { return };
        let is_open = Self::of(ctx).open(ctx).is_some();
        if is_open {
            Popup::close_all(ctx);
        } else {
            Self::change(ctx, |keys| keys.wanted = Some(menu));
        }
    }

    fn of(ctx: &Context) -> Self {
        ctx.data(|data| data.get_temp(place())).unwrap_or_default()
    }

    fn change(ctx: &Context, change: impl FnOnce(&mut Self)) {
        let mut keys = Self::of(ctx);
        change(&mut keys);
        ctx.data_mut(|data| data.insert_temp(place(), keys));
        ctx.request_repaint();
    }

    /// Which menu is open.
    fn open(&self, ctx: &Context) -> Option<usize> {
        self.buttons.iter().position(|button| Popup::is_id_open(ctx, button.with("popup")))
    }

    /// Opens what is wanted, before the bar is drawn; answers an empty list for the ids of this frame.
    pub fn begin(ctx: &Context) -> Self {
        let keys = Self::of(ctx);
        let focused = ctx.memory(|memory| memory.focused());
        let is = |ids: &[Id]| focused.is_some_and(|focused| ids.contains(&focused));
        let (left, right) = ctx.input(|input| (input.key_pressed(Key::ArrowLeft), input.key_pressed(Key::ArrowRight)));
        let count = keys.buttons.len();
        let neighbour = keys.open(ctx).and_then(|open| {
            let to_left = left && !is(&keys.within);
            let to_right = right && !is(&keys.submenus);
            to_left.then(|| (open + count - 1) % count).or_else(|| to_right.then(|| (open + 1) % count))
        });
        if let Some(button) = neighbour.or(keys.wanted).and_then(|menu| keys.buttons.get(menu)) {
            Popup::open_id(ctx, button.with("popup"));
            ctx.memory_mut(|memory| {
                // The arrow is not for the focus as well.
                memory.move_focus(egui::FocusDirection::None);
                memory.request_focus(*button);
            });
        }
        Self::default()
    }

    /// Keeps the ids of this frame.
    pub fn end(self, ctx: &Context) {
        ctx.data_mut(|data| data.insert_temp(place(), self));
    }
}
