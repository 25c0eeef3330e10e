//! A thread that makes the hulls of large ghosts while the window goes on.
//!
//! Caller: `ghost`. What nobody shows any more by the time its turn comes is left out.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;

use super::mesher::Wake;
use crate::geom::VoxelPos;
use crate::mesh::{ShellQuad, shell_of};

/// The voxels of a ghost.
pub(super) type Voxels = Arc<Vec<VoxelPos>>;

/// Makes hulls beside the main thread.
pub(super) struct HullMaker {
    /// `None` once it ends.
    wanted: Option<Sender<Voxels>>,
    made: Receiver<(Voxels, Vec<ShellQuad>)>,
    /// What the thread has or will have made, and nobody fetched.
    asked: Vec<Weak<Vec<VoxelPos>>>,
    /// Hulls that the last frame asked for in vain.
    waiting: usize,
    ready: Vec<(Voxels, Vec<ShellQuad>)>,
    thread: Option<JoinHandle<()>>,
}

impl HullMaker {
    /// Begins; `None` where no thread can be had.
    pub(super) fn new(wake: Option<Wake>) -> Option<Self> {
        let (wanted, next) = channel::<Voxels>();
        let (sender, made) = channel();
        let work = move || {
            while let Ok(voxels) = next.recv() {
                if Arc::strong_count(&voxels) == 1 {
                    continue;
                }
                // A hull that cannot be made is not shown, and no reason to show no other; why was printed.
                let faces = catch_unwind(AssertUnwindSafe(|| shell_of(&voxels))).unwrap_or_default();
                if sender.send((voxels, faces)).is_err() {
                    return;
                }
                if let Some(wake) = &wake {
                    wake();
                }
            }
        };
        let thread = std::thread::Builder::new().name("hulls".into()).spawn(work).ok()?;
        Some(Self { wanted: Some(wanted), made, asked: vec![], waiting: 0, ready: vec![], thread: Some(thread) })
    }

    /// Takes in what was made; answers whether there was anything.
    pub(super) fn poll(&mut self) -> bool {
        let before = self.ready.len();
        self.ready.extend(self.made.try_iter());
        self.asked.retain(|asked| asked.strong_count() > 0);
        self.ready.len() > before
    }

    /// Hulls that the last frame still waits for.
    pub(super) fn pending(&self) -> usize {
        self.waiting
    }

    /// A frame begins: what it does not ask for, nobody waits for any more, also if somebody keeps the voxels.
    pub(super) fn begin_frame(&mut self) {
        self.waiting = 0;
    }

    /// The hull of a set if it is made; else it will be.
    pub(super) fn hull(&mut self, voxels: &Voxels) -> Option<Vec<ShellQuad>> {
        self.poll();
        if let Some(index) = self.ready.iter().position(|(made, _)| Arc::ptr_eq(made, voxels)) {
            self.asked.retain(|asked| asked.as_ptr() != Arc::as_ptr(voxels));
            return Some(self.ready.swap_remove(index).1);
        }
        if !self.asked.iter().any(|asked| asked.as_ptr() == Arc::as_ptr(voxels)) {
            self.asked.push(Arc::downgrade(voxels));
            self.wanted.as_ref().map(|wanted| wanted.send(voxels.clone()));
        }
        self.waiting += 1;
        None
    }

    /// Lets go of hulls that no frame asks for any more.
    pub(super) fn forget_unused(&mut self) {
        self.ready.retain(|(voxels, _)| Arc::strong_count(voxels) > 1);
    }
}

impl Drop for HullMaker {
    fn drop(&mut self) {
        self.wanted = None;
        self.thread.take().map(|thread| thread.join().ok());
    }
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;

    #[test]
    fn a_hull_is_made_beside_the_caller_and_what_nobody_shows_is_left_out() {
        let (woken, wait) = channel();
        let wake: Wake = Arc::new(move || {
            woken.send(()).ok();
        });
        let mut maker = HullMaker::new(Some(wake)).unwrap();
        let (shown, gone) = (Arc::new(vec![IVec3::ONE]), Arc::new(vec![IVec3::ZERO]));
        assert_eq!(maker.hull(&shown), None);
        wait.recv().unwrap();
        assert_eq!(maker.pending(), 1);
        maker.begin_frame();
        assert_eq!(maker.hull(&shown), Some(shell_of(&shown)));
        assert_eq!(maker.pending(), 0, "it was handed out");
        maker.hull(&gone);
        drop(gone);
        while maker.hull(&shown).is_none() {
            wait.recv().unwrap();
        }
        maker.begin_frame();
        maker.forget_unused();
        assert_eq!((maker.pending(), maker.ready.len()), (0, 0), "what was dropped is gone");
    }

    #[test]
    fn nobody_waits_for_what_the_next_frame_does_not_show() {
        let mut maker = HullMaker::new(None).unwrap();
        let kept = Arc::new(vec![IVec3::ONE]);
        maker.begin_frame();
        assert_eq!((maker.hull(&kept), maker.pending()), (None, 1));
        maker.begin_frame();
        assert_eq!(maker.pending(), 0, "though the voxels are still there");
        while maker.hull(&kept).is_none() {
            std::thread::yield_now();
        }
    }
}
