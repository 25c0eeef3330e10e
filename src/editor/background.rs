//! What nobody waits for: writing settings, deleting journals, giving memory back. In the order in which it was asked for.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use super::JobMode;

type Work = Box<dyn FnOnce() + Send>;

/// One named thread that does things in order. Dropping it waits for them, so that the end of the program loses none.
#[derive(Debug)]
pub struct Background {
    sender: Option<Sender<Work>>,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    /// A thread, or none where everything is done at once.
    pub fn new(mode: JobMode) -> Self {
        let (sender, receiver) = channel::<Work>();
        let thread = match mode {
            JobMode::Inline => None,
            // Without a thread, work is done at once.
            JobMode::Threads => {
                // A panic was printed; what comes after it is done all the same.
                let each = |work: Work| _ = catch_unwind(AssertUnwindSafe(work)).ok();
                thread::Builder::new().name("background".into()).spawn(move || receiver.iter().for_each(each)).ok()
            }
        };
        Self { sender: thread.is_some().then_some(sender), thread }
    }

    /// Does something once all that was asked for before is done.
    pub fn run(&self, work: impl FnOnce() + Send + 'static) {
        let work: Work = Box::new(work);
        match &self.sender {
            // The thread is gone only after a panic in earlier work; then it is done here.
            Some(sender) => sender.send(work).unwrap_or_else(|back| (back.0)()),
            None => work(),
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            // A panic there was printed.
            thread.join().ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn work_is_done_in_order_and_before_the_end() {
        for mode in [JobMode::Inline, JobMode::Threads] {
            let done = Arc::new(Mutex::new(vec![]));
            let background = Background::new(mode);
            for number in 0..100 {
                let done = done.clone();
                background.run(move || done.lock().unwrap().push(number));
            }
            drop(background);
            assert_eq!(*done.lock().unwrap(), (0..100).collect::<Vec<_>>());
        }
    }
}
