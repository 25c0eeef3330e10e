//! Spadework: a desktop voxel map editor for Ace of Spades.
//!
//! This page is the architecture. Ten minutes here and you know where everything lives and why.
//!
//! # One sentence
//!
//! Window, command line and tests all make the same [`Command`](edit::Command) values; the
//! [`Editor`](editor::Editor) turns a command into a [`Change`](edit::Change) of a copy-on-write
//! [`Document`](document::Document); undo, renderer and journal all live on changes.
//!
//! Four words, four stages, never mixed: **action** (what a person invoked: undo, open, select a tool) →
//! **command** (what to change in the map: plain, serialisable, versioned data) → **change** (which chunks
//! and objects went from what to what) → **version** (the number that tells observers to look again).
//!
//! # Layers
//!
//! Lowest first. A folder may use only what its row names; `tests/headless/architecture.rs` holds this
//! table and fails on a forbidden import.
//!
//! | folder | holds | may use |
//! |---|---|---|
//! | [`geom`] | positions, boxes, rays, rasters, rotations, camera maths | – |
//! | [`voxel`] | voxel, chunk, the sparse store, sets of voxels, diff, raycast, surface | geom |
//! | [`mesh`] | chunk and neighbours to packed faces with ambient occlusion; CPU only, pure | voxel geom |
//! | [`document`] | the map as a mapper means it: volumes, objects, metadata, selection, masks, symmetry, limits, source bytes | voxel geom |
//! | [`terrain`] | generators: parameters and a seed to voxels | document voxel geom |
//! | [`edit`] | commands, changes, history, the operations | terrain document voxel geom |
//! | [`mod@format`] | one plugin per file format, sidecar, import or export: bytes ↔ document; no paths, no UI | mesh document voxel geom |
//! | [`check`] | playability rules: document to problems | edit document voxel geom |
//! | [`tool`] | pointer gestures to commands; no GUI, no GPU | edit terrain document voxel geom |
//! | [`editor`] | the application without a face: open documents, jobs, files, journal, settings | all above |
//! | `render` | wgpu; takes a store and a plain frame, knows no editor and no egui | mesh voxel geom |
//! | `ui` | egui shell: reads the editor, returns actions | editor, what it may use, render |
//! | [`cli`] | headless verbs on the same layers | editor, what it may use; render for pictures |
//!
//! A format uses meshes for one thing: an export of the surface writes the faces that the window shows.
//!
//! `render` and `ui` are behind the feature `gui`; without it there is no egui and no wgpu in the tree.
//!
//! # The store
//!
//! Axes are the game's: x east, y south, **z down**, z 0 the sky, z 63 the water plane. Formats with other
//! axes turn at the border of their plugin. A [`Store`](voxel::Store) is a two-level table of
//! [`Chunk`](voxel::Chunk)s behind `Arc`, occupancy as bit masks, colours packed in rank order under the
//! mask. A snapshot is a pointer copy: saving, meshing and planning work on snapshots in threads while
//! editing goes on.
//!
//! # Life of a brush stroke
//!
//! Pointer → `ui::viewport` → [`PointerInput`](tool::PointerInput), a ray in the world → the active
//! [`Tool`](tool::Tool) keeps a pending stroke and shows a [`Preview`](tool::Preview): as much of it as fits into the frame, the
//! rest in the next ones ([`go_on`](tool::Tool::go_on)), and what only a plan tells as soon as a worker has planned it
//! ([`wanted`](tool::Tool::wanted), the newest first); the document is not touched, Esc drops it → release answers one command → [`Editor::execute`](editor::Editor::execute)
//! plans it on a snapshot ([`edit::plan`]: pure, on any thread, cancellable) → commit swaps chunk
//! pointers, [`History`](edit::History) keeps the change, the journal writes a line → the renderer is
//! handed the new store, compares chunk pointers and meshes what differs. Undo, load and preview take the
//! same path.
//!
//! Everything that touches voxels goes through a [`Draft`](edit::Draft), which holds the rules of the game:
//! bounds clip, the water plane can be painted but never removed, painting keeps the shade, what an edit
//! uncovers takes the colour above it, and what the document's masks hold back stays. Each op happens once
//! for every image of the document's symmetry: see [`edit`].
//!
//! # Life of a file
//!
//! Open: a job reads bytes through [`Storage`](editor::storage::Storage) → [`format::recognize_among`] (content
//! first, extension second) → [`MapFormat::read`](format::MapFormat::read) → each
//! [`Sidecar`](format::Sidecar) that is there → a tab, with a report of what was guessed or kept aside.
//! Save: what would be lost is asked *before* a byte is written → a job streams a snapshot into a temporary
//! file while hashing → sync → read again, compare hashes, decode, compare with the snapshot → the files that
//! stood there become an earlier version ([`editor::files`]) → rename.
//! Fidelity is stateless: a document keeps its source bytes and what its files said
//! ([`Opened`](document::Opened)); writers re-emit only what differs, so an edit that was undone gives the
//! same bytes again.
//!
//! # Life after a crash
//!
//! Every step is a frame in the document's [`journal`](editor::journal), written at once by the journal's
//! thread, which then names its number: the window's status bar and `apply --ack` show it. Beside the journal lie a
//! copy of what the map was made from and, after much work, a recovery snapshot. The next start looks for
//! journals that nobody holds ([`recovery`](editor::recovery)), and completes or takes back the saves that were
//! interrupted beside their maps. A map comes back from the snapshot and the few steps
//! after it, and its older steps are repeated in the background and put before them
//! ([`History::prepend`](edit::History::prepend)). `tests/trial` kills the built program and compares.
//!
//! # Where to add
//!
//! | to add | write | and one line in |
//! |---|---|---|
//! | a tool | `tool/name.rs` | [`tool::TOOLS`] |
//! | a map format | `format/name/` | [`format::MAP_FORMATS`] |
//! | a sidecar | `format/name/` | [`format::SIDECARS`] |
//! | an export | `format/export/name.rs` | [`format::EXPORTS`] |
//! | an import | `format/import/name.rs` | [`format::IMPORTS`] |
//! | a generator | `terrain/name.rs` | [`terrain::GENERATORS`] |
//! | a command | `edit/ops/name.rs` | the enum [`edit::Command`] |
//! | a check | `check/name.rs` | `check/mod.rs` |
//! | a verb | `cli/name.rs` | `cli/mod.rs` |
//! | a menu entry | – | [`editor::ACTIONS`], and what it does in `ui/app/carry_out.rs` |
//! | a key | – | [`editor::keymap::BINDABLES`] is made of actions and tools; other keys of the map stand in `editor/keymap` |
//! | a keymap | – | [`editor::keymap::PRESETS`] |
//! | a stamp that comes along | `editor/library/starter.rs` | `STARTERS` there |
//! | a panel | `ui/panel/name.rs` | [`editor::dock::Panel`], its entry in [`editor::ACTIONS`], and `ui/panel/mod.rs` |
//!
//! # Threads
//!
//! The main thread owns the editor and is its only writer. Workers take snapshots and a
//! [`Progress`](document::Progress), and answer values ([`Jobs`](editor::Jobs)); meshing has its own small
//! pool; the journal has one thread. Nothing on the main thread waits for a file, a dialog or the GPU.
//! A document keeps the id of each job whose answer it waits for. Whatever makes of it another map than the one that the job was
//! begun for (a step, a file read again, closing it) takes the id away, and an answer that is not waited for is dropped; it is
//! told where somebody asked for it.
//! Command line and tests run jobs inline: one thread, one order, the same result.

pub mod check;
pub mod cli;
pub mod document;
pub mod edit;
pub mod editor;
pub mod format;
pub mod geom;
pub mod mesh;
#[cfg(feature = "gui")]
pub mod render;
pub mod terrain;
pub mod tool;
#[cfg(feature = "gui")]
pub mod ui;
pub mod voxel;
