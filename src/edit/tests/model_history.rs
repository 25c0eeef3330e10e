//! What the model keeps of each step, and what undo and redo make of it where somebody else edited meanwhile.
//!
//! The rule: a voxel, an object or a property goes back only where it is as the step left it. What somebody else put
//! there stays, and from then on the step has no say in it, neither by undo nor by redo. A selection, masks, a symmetry and
//! the color of uncovered ground go back whole, and so does a map that got other bounds: where nobody else edits.

use std::collections::{BTreeMap, BTreeSet};

use glam::IVec3;

use super::model::Model;
use crate::document::{Masks, Object, ObjectId, Objects, Property, Symmetry};
use crate::voxel::{Rgb, Voxel};

type Places = BTreeSet<[i32; 3]>;

/// Before and after of all that a step changed.
#[derive(Clone, Debug)]
struct Step {
    voxels: BTreeMap<[i32; 3], [Option<Voxel>; 2]>,
    objects: BTreeMap<ObjectId, [Option<Object>; 2]>,
    /// All of them, with the last id that was given.
    all_objects: Option<[Objects; 2]>,
    metadata: BTreeMap<usize, [Property; 2]>,
    selection: Option<[Places; 2]>,
    masks: Option<[Masks; 2]>,
    symmetry: Option<[Symmetry; 2]>,
    dirt: Option<[Option<Rgb>; 2]>,
    /// The whole map, where it got other bounds.
    resized: Option<[Box<Model>; 2]>,
    /// Whether it changed more than what is selected, masked, mirrored or uncovered: something that a file holds.
    is_for_files: bool,
}

/// A map as it is now, and the steps that can be undone and redone.
#[derive(Clone, Debug)]
pub(crate) struct ModelHistory {
    pub now: Model,
    steps: Vec<Step>,
    head: usize,
    /// The steps that lead to the saved state; `None` once that cannot be gone back to.
    saved: Option<usize>,
}

/// Both sides of what goes back whole, where they differ.
fn whole<T: PartialEq>(before: T, after: T) -> Option<[T; 2]> {
    (before != after).then_some([before, after])
}

fn put_back<T: Clone>(to: &mut T, sides: &Option<[T; 2]>, side: usize) {
    if let Some(sides) = sides {
        *to = sides[side].clone();
    }
}

fn differing<K: Ord, V: Clone + PartialEq>(pairs: impl Iterator<Item = (K, [V; 2])>) -> BTreeMap<K, [V; 2]> {
    pairs.filter(|(_, [before, after])| before != after).collect()
}

/// Moves what is still as the step left it; forgets the rest. Answers how much was left to others.
fn swapped<K: Ord + Clone, V: Clone + PartialEq>(
    entries: &mut BTreeMap<K, [V; 2]>,
    to: usize,
    mut at: impl FnMut(&K, Option<V>) -> V,
) -> usize {
    let before = entries.len();
    entries.retain(|key, sides| {
        let is_ours = at(key, None) == sides[1 - to];
        if is_ours {
            at(key, Some(sides[to].clone()));
        }
        is_ours
    });
    before - entries.len()
}

impl Step {
    fn between(before: &Model, after: &Model) -> Self {
        let ids: BTreeSet<ObjectId> = before.objects.iter().chain(after.objects.iter()).map(|(id, _)| id).collect();
        let object = |id| [before, after].map(|model| model.objects.get(id).cloned());
        let properties = before.metadata.properties().into_iter().zip(after.metadata.properties());
        let mut step = Self {
            voxels: differing(before.bounds.positions().map(|pos| (pos.to_array(), [before.get(pos), after.get(pos)]))),
            objects: differing(ids.into_iter().map(|id| (id, object(id)))),
            all_objects: whole(before.objects.clone(), after.objects.clone()),
            metadata: differing(properties.map(|(before, after)| [before, after]).enumerate()),
            selection: whole(before.selection.clone(), after.selection.clone()),
            masks: whole(before.masks.clone(), after.masks.clone()),
            symmetry: whole(before.symmetry.clone(), after.symmetry.clone()),
            dirt: whole(before.dirt, after.dirt),
            resized: (before.bounds != after.bounds).then(|| [before, after].map(|model| Box::new(model.clone()))),
            is_for_files: false,
        };
        step.is_for_files = step.resized.is_some() || !(step.voxels.is_empty() && step.objects.is_empty() && step.metadata.is_empty());
        step
    }

    fn swap(&mut self, model: &mut Model, to: usize) -> usize {
        if let Some(sides) = &self.resized {
            assert!(*model == *sides[1 - to], "somebody else edited a map that got other bounds");
            *model = (*sides[to]).clone();
            return 0;
        }
        let voxels = swapped(&mut self.voxels, to, |pos, put| {
            let pos = IVec3::from(*pos);
            if let Some(voxel) = put {
                model.set(pos, voxel);
            }
            model.get(pos)
        });
        let there = model.objects.clone();
        let objects = swapped(&mut self.objects, to, |id, put| {
            match put {
                Some(Some(object)) => _ = model.objects.0.insert(*id, object),
                Some(None) => _ = model.objects.0.remove(id),
                None => {}
            }
            model.objects.get(*id).cloned()
        });
        // No id is given twice where somebody else edited meanwhile, or what was removed may come back.
        if let Some(all) = &mut self.all_objects {
            let last = if there == all[1 - to] { all[to].last_id() } else { there.last_id().max(all[to].last_id()) };
            model.objects = Objects::from_iter(std::mem::take(&mut model.objects.0)).with_last_id(last);
            (all[1 - to], all[to]) = (there, model.objects.clone());
        }
        let properties = swapped(&mut self.metadata, to, |number, put| {
            if let Some(property) = put {
                model.set_property(&property);
            }
            model.metadata.properties()[*number].clone()
        });
        put_back(&mut model.selection, &self.selection, to);
        put_back(&mut model.masks, &self.masks, to);
        put_back(&mut model.symmetry, &self.symmetry, to);
        put_back(&mut model.dirt, &self.dirt, to);
        voxels + objects + properties
    }
}

impl ModelHistory {
    pub fn of(now: Model) -> Self {
        Self { now, steps: vec![], head: 0, saved: Some(0) }
    }

    /// A command made this of the map. Answers whether it is a step.
    pub fn step(&mut self, after: Model) -> bool {
        if after == self.now {
            return false;
        }
        self.steps.truncate(self.head);
        self.saved = self.saved.filter(|saved| *saved <= self.head);
        self.steps.push(Step::between(&self.now, &after));
        self.head += 1;
        self.now = after;
        true
    }

    /// Steps that are done.
    pub fn head(&self) -> usize {
        self.head
    }

    /// Steps in all.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// The oldest steps cannot be undone any more; the map stays as it is.
    pub fn forget(&mut self, count: usize) {
        let saved = self.saved.filter(|saved| !self.steps[*saved..count.max(*saved)].iter().any(|step| step.is_for_files));
        self.saved = saved.map(|saved| saved.saturating_sub(count));
        self.steps.drain(..count);
        self.head -= count;
    }

    /// No file holds the map.
    pub fn never_saved(self) -> Self {
        Self { saved: None, ..self }
    }

    /// The map is saved as it is now: and as it was before steps that no file holds.
    pub fn save(&mut self) {
        self.saved = Some(self.steps[..self.head].iter().rposition(|step| step.is_for_files).map_or(0, |last| last + 1));
    }

    /// Whether steps lead from the saved state to this one that a file would hold, or none lead there.
    pub fn is_modified(&self) -> bool {
        let between = |saved: usize| &self.steps[saved.min(self.head)..saved.max(self.head)];
        self.saved.is_none_or(|saved| between(saved).iter().any(|step| step.is_for_files))
    }

    /// Whether it can be gone back to what was saved.
    pub fn knows_saved(&self) -> bool {
        self.saved.is_some()
    }

    /// Answers how many voxels, objects and properties were left as others made them; `None` without a step.
    pub fn undo(&mut self) -> Option<usize> {
        self.head = self.head.checked_sub(1)?;
        Some(self.steps[self.head].swap(&mut self.now, 0))
    }

    /// As [`undo`](Self::undo).
    pub fn redo(&mut self) -> Option<usize> {
        let left = self.steps.get_mut(self.head)?.swap(&mut self.now, 1);
        self.head += 1;
        Some(left)
    }
}
