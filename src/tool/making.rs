//! Settings of the tools that make things: paths, land and stamps. Part of [`ToolSettings`](super::ToolSettings).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::edit::Clip;
use crate::edit::ops::{PathKind, StampAnchor};
use crate::geom::Face;
use crate::terrain::Value;
use crate::voxel::Rgb;

/// What the option row says about paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathSettings {
    /// What is made.
    pub kind: PathKind,
    /// Columns across, 1 to 64.
    pub width: u32,
    /// See [`PathKind::usual_height`].
    pub height: u32,
    /// Columns from post to post; 0 has none.
    pub spacing: u32,
    /// Columns in which roads and rivers meet the land.
    pub shoulder: u32,
    /// Whether tunnels are arched.
    pub arched: bool,
    /// Of rails, posts, pillars and walls; `None` is that of the path.
    pub edge_color: Option<Rgb>,
}

impl PathSettings {
    /// The usual numbers of a kind.
    pub fn of(kind: PathKind) -> Self {
        let (width, height, spacing) = (kind.usual_width(), kind.usual_height(), kind.usual_spacing());
        Self { kind, width, height, spacing, shoulder: 3, arched: true, edge_color: None }
    }

    /// Those of another kind, with what all kinds share; of its own kind, the same.
    pub fn switched(&self, kind: PathKind) -> Self {
        if kind == self.kind { *self } else { Self { edge_color: self.edge_color, shoulder: self.shoulder, ..Self::of(kind) } }
    }

    /// What its height and its spacing are called; the latter only where it means anything.
    pub fn number_names(&self) -> (&'static str, Option<&'static str>) {
        match self.kind {
            PathKind::Road => ("Headroom", None),
            PathKind::River => ("Depth", None),
            PathKind::Bridge => ("Rails", Some("Pillars every")),
            PathKind::Tunnel => ("Height", None),
            PathKind::Fence => ("Height", Some("Posts every")),
        }
    }
}

impl Default for PathSettings {
    fn default() -> Self {
        Self::of(PathKind::Road)
    }
}

/// What the option row says about land.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerrainSettings {
    /// Id of the generator.
    pub generator: &'static str,
    /// Seed of every random choice.
    pub seed: u64,
    /// Settings of the generator by id; those left out have their default.
    pub values: BTreeMap<String, Value>,
    /// Columns in which the land meets what lies around the area.
    pub fade: u32,
}

impl TerrainSettings {
    /// Those of another generator, with its own defaults; of its own, the same.
    pub fn switched(&self, generator: &'static str) -> Self {
        if generator == self.generator { self.clone() } else { Self { generator, values: BTreeMap::new(), ..self.clone() } }
    }
}

impl Default for TerrainSettings {
    fn default() -> Self {
        Self { generator: "hills", seed: 1, values: BTreeMap::new(), fade: 8 }
    }
}

/// A thing to be put into maps, with the name that the library gives it.
#[derive(Clone, Debug)]
pub struct Stamp {
    /// Its name.
    pub name: Arc<str>,
    /// Its voxels.
    pub clip: Arc<Clip>,
}

impl PartialEq for Stamp {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.clip, &other.clip) && self.name == other.name
    }
}

/// What the option row says about stamps.
#[derive(Clone, Debug, PartialEq)]
pub struct StampSettings {
    /// What is put into the map; nothing until one is chosen.
    pub stamp: Option<Stamp>,
    /// Which of its voxels lies where the pointer is.
    pub anchor: StampAnchor,
    /// Quarter turns.
    pub turn: u32,
    /// Whether it stands on the ground rather than on the face under the pointer.
    pub snap: bool,
    /// Whether its top points out of the face under the pointer, else to the sky. Then that face is its ground.
    pub on_surface: bool,
    /// Whether each stamp is turned at random.
    pub random_turn: bool,
    /// How much darker or lighter each may be, in percent.
    pub tint: u32,
    /// Whether a drag scatters stamps over an area.
    pub scatter: bool,
    /// Stamps on a thousand columns.
    pub density: u32,
    /// Columns between two of them at least.
    pub distance: u32,
    /// Steepest ground that they stand on, in degrees.
    pub slope: u8,
    /// Seed of every random choice.
    pub seed: u64,
}

impl StampSettings {
    /// Where the top of a stamp points that is put on a face.
    pub fn up_on(&self, face: Face) -> Face {
        if self.on_surface { face } else { Face::MinusZ }
    }
}

impl Default for StampSettings {
    fn default() -> Self {
        Self {
            stamp: None,
            anchor: StampAnchor::default(),
            turn: 0,
            snap: true,
            on_surface: false,
            random_turn: false,
            tint: 0,
            scatter: false,
            density: 10,
            distance: 4,
            slope: 30,
            seed: 1,
        }
    }
}
