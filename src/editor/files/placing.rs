//! Telling what a save is about to put in place: whoever comes back after a kill knows the files for its own.

use std::fmt;
use std::sync::Arc;

use super::Stamps;

type Told = dyn Fn(&Stamps) + Send + Sync;

/// Called with the files that a save puts in place as soon as this returns, as they will be.
#[derive(Clone, Default)]
pub struct BeforePlacing(Option<Arc<Told>>);

impl BeforePlacing {
    /// What is called.
    pub fn new(told: impl Fn(&Stamps) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(told)))
    }

    /// Calls it.
    pub fn tell(&self, files: &Stamps) {
        if let Some(told) = &self.0 {
            told(files);
        }
    }
}

impl fmt::Debug for BeforePlacing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "BeforePlacing" } else { "BeforePlacing(nobody)" })
    }
}
