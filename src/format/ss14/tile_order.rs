//! Files of 2018 and 2019 that do not say in which order their tiles stand: it is guessed by what stands on them.

use super::{Opened, Options, TILE_ORDER};
use crate::document::Progress;
use crate::format::{FormatError, Report, Severity};

impl Opened {
    /// Says so where the written file, opened anew, would be taken for one whose tiles stand in the other order.
    pub(super) fn tell_turned(
        &self,
        written: &[u8],
        options: &Options,
        progress: &Progress,
        report: &mut Report,
    ) -> Result<(), FormatError> {
        let mut unsaid = options.clone();
        unsaid.remove(TILE_ORDER);
        let again = Opened::new(written, &unsaid, progress)?;
        let order = self.loaded.order;
        if again.loaded.order != order {
            let message = format!(
                "nothing in the file says in which order its tiles stand, and by what stands on them {} would be guessed now: open it with the \
                 option tile-order={}",
                again.loaded.order.id(),
                order.id()
            );
            report.push(Severity::Problem, TILE_ORDER, message);
        }
        Ok(())
    }
}
