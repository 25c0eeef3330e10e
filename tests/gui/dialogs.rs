//! File dialogs that answer what a test wrote down before.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;

use spadework::ui::{FileAnswer, FileDialogs, FileQuestion};

/// What was asked, and what will be answered. Clones share both.
#[derive(Clone, Debug, Default)]
pub struct Script(Rc<RefCell<Lines>>);

#[derive(Debug, Default)]
struct Lines {
    answers: VecDeque<FileAnswer>,
    asked: Vec<FileQuestion>,
    waiting: bool,
}

impl Script {
    /// The next question gets this answer. Without one there is no dialog service, so the window asks itself.
    pub fn answer(&self, answer: FileAnswer) {
        self.0.borrow_mut().answers.push_back(answer);
    }

    /// Everything that was asked, oldest first.
    pub fn asked(&self) -> Vec<FileQuestion> {
        self.0.borrow().asked.clone()
    }
}

impl FileDialogs for Script {
    fn ask(&mut self, question: FileQuestion, _suggested: PathBuf, ctx: &egui::Context) {
        let mut lines = self.0.borrow_mut();
        lines.asked.push(question);
        lines.waiting = true;
        ctx.request_repaint();
    }

    fn answer(&mut self) -> FileAnswer {
        let mut lines = self.0.borrow_mut();
        if !std::mem::take(&mut lines.waiting) {
            return FileAnswer::Waiting;
        }
        lines.answers.pop_front().unwrap_or(FileAnswer::NoDialogs)
    }
}
