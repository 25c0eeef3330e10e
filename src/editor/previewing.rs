//! What a gesture would do, planned beside the main thread while the mapper looks on.
//!
//! One plan runs at a time; the next begins with what the tool wants by then, so that a gesture that moves faster
//! than it can be planned is still followed.

use super::work::JobDone;
use super::{DocumentId, Editor, JobId};
use crate::edit::ops::TransformSelection;
use crate::edit::{Command, EditError};
use crate::tool::{Planned, TurnedClip, planned};

/// What is planned for the tool, or was.
#[derive(Debug, Default)]
pub(super) struct Previewing {
    /// The job that plans.
    job: Option<JobId>,
    /// What it plans, or what the tool has: the command, and on which document.
    about: Option<(Command, DocumentId, u64)>,
    /// The job that turns the loose clip, of which document, and how.
    turning: Option<(JobId, DocumentId, TransformSelection)>,
}

impl Editor {
    /// Has planned what the tool wants to show, unless that is done or about to be.
    pub(super) fn preview_gesture(&mut self) {
        self.turn_clip();
        let wanted = self.tool.wanted().zip(self.active().map(|open| (open.id, open.version)));
        let Some((command, (id, version))) = wanted else {
            self.previewing.about = None;
            if let Some(job) = self.previewing.job.take() {
                self.jobs.cancel(job);
            }
            return;
        };
        let about = (command, id, version);
        if self.previewing.job.is_some() || self.previewing.about.as_ref() == Some(&about) {
            return;
        }
        let Some(snapshot) = self.document(id).map(|open| open.document.clone()) else { return };
        let command = about.0.clone();
        let job = self.jobs.spawn("Previewing".into(), None, move |progress| JobDone::Previewed(planned(&snapshot, &command, progress)));
        (self.previewing.job, self.previewing.about) = (Some(job), Some(about));
    }

    /// Has the loose clip turned as the tool wants it, unless that is about to be done. One that nobody wants is not turned.
    fn turn_clip(&mut self) {
        let wanted = self.active.zip(self.tool.clip_to_turn());
        let is_same = |(_, id, op): &(JobId, DocumentId, TransformSelection)| {
            wanted.as_ref().is_some_and(|(wanted, turn)| wanted == id && turn.op() == op)
        };
        if self.previewing.turning.as_ref().map_or(wanted.is_none(), is_same) {
            return;
        }
        if let Some((job, ..)) = self.previewing.turning.take() {
            self.jobs.cancel(job);
        }
        if let Some((id, turn)) = wanted {
            let op = turn.op().clone();
            let job = self.jobs.spawn("Turning what was pasted".into(), None, move |progress| JobDone::TurnedClip(turn.run(progress)));
            self.previewing.turning = Some((job, id, op));
        }
    }

    /// Hands the tool what the loose clip became.
    pub(super) fn turned_clip(&mut self, job: JobId, turned: TurnedClip) {
        if self.previewing.turning.take_if(|(own, ..)| *own == job).is_none() {
            return;
        }
        let Some(open) = self.documents.iter().find(|open| Some(open.id) == self.active) else { return };
        let response = self.tool.take_turned(&open.document, turned);
        for command in response.commands {
            self.execute(command);
        }
        self.preview_gesture();
    }

    /// Hands the tool what was planned, unless it is about a gesture that was dropped.
    pub(super) fn previewed(&mut self, job: JobId, result: Result<Option<Planned>, EditError>) {
        if self.previewing.job.take_if(|own| *own == job).is_some() {
            if self.previewing.about.as_ref().map(|(_, id, _)| *id) == self.active {
                self.tool.take_planned(result);
            }
            self.preview_gesture();
        }
    }
}
