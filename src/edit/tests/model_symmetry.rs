//! What the model makes of healing, and of objects with their images.

use glam::IVec3;

use super::model::{Model, Place, color_at, places};
use crate::document::{Anchor, Object, ObjectId, Objects, Symmetry};
use crate::edit::ops::{self, HealFrom};
use crate::geom::ColumnRect;
use crate::voxel::{Paint, Voxel};

fn column_at(place: &Place, [x, y]: [i32; 2]) -> [i32; 2] {
    let at = (place.voxel)(IVec3::new(x, y, 0));
    [at.x, at.y]
}

fn object_at(symmetry: &Symmetry, place: &Place, object: &Object) -> Object {
    let swaps = place.other_side && symmetry.swap_teams;
    let anchor = |at: Anchor| {
        let [x, y] = column_at(place, [at.x, at.y]);
        Anchor { x, y, ..at }
    };
    let mut image = object.clone();
    match &mut image {
        Object::SpawnRegion { area, .. } => {
            let columns: Vec<_> = area.columns().map(|column| column_at(place, column)).collect();
            let side = |axis: usize| columns.iter().map(move |column| column[axis]);
            let (low, high) = ([0, 1].map(|axis| side(axis).min().unwrap()), [0, 1].map(|axis| side(axis).max().unwrap() + 1));
            *area = ColumnRect::new(low, high);
        }
        Object::SpawnPoint { at, .. } => *at = (place.voxel)(*at),
        Object::Base { at, .. } | Object::Intel { at, .. } | Object::Territory { at, .. } | Object::Marker { at, .. } => *at = anchor(*at),
    }
    match &mut image {
        Object::SpawnRegion { team, .. } | Object::SpawnPoint { team, .. } | Object::Base { team, .. } | Object::Intel { team, .. }
            if swaps =>
        {
            *team = team.other()
        }
        Object::Territory { owner, .. } if swaps => *owner = owner.map(|team| team.other()),
        _ => {}
    }
    image
}

/// Whether a map holds only one of both: a team's base, and its intel.
fn are_one(a: &Object, b: &Object) -> bool {
    let is_single = matches!(a, Object::Base { .. } | Object::Intel { .. });
    is_single && std::mem::discriminant(a) == std::mem::discriminant(b) && a.team() == b.team()
}

/// What an object is told apart by where its image is looked for: kind and team.
fn are_alike(a: &Object, b: &Object) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b) && a.team() == b.team()
}

impl Model {
    /// The places other than that of the edit, in the order in which they are edited.
    fn others(&self) -> Vec<Place> {
        places(&self.symmetry).into_iter().rev().skip(1).collect()
    }

    /// An object and its images, none twice.
    fn with_images(&self, object: &Object) -> Vec<Object> {
        let mut all = vec![object.clone()];
        for place in self.others() {
            let image = object_at(&self.symmetry, &place, object);
            if !all.iter().any(|other| *other == image || are_one(other, &image)) {
                all.push(image);
            }
        }
        all
    }

    fn place_image(&mut self, image: Object) {
        let old = self.objects.iter().find(|(_, other)| are_one(other, &image)).map(|(id, _)| id);
        match old {
            Some(id) => _ = self.objects.0.insert(id, image),
            None => _ = self.objects.push(image),
        }
    }

    pub(super) fn add_object(&mut self, object: &Object) {
        let all = self.with_images(object);
        self.objects.push(object.clone());
        all.into_iter().skip(1).for_each(|image| self.place_image(image));
    }

    pub(super) fn spawn(&mut self, op: &ops::Spawn) {
        let all = self.with_images(&Object::SpawnRegion { team: op.team, area: op.region, z: op.z });
        if op.replace {
            let is_of_them = |object: &Object| all.iter().any(|image| image.team() == object.team());
            self.objects.0.retain(|_, object| !(object.is_spawn() && is_of_them(object)));
        }
        all.into_iter().for_each(|image| _ = self.objects.push(image));
    }

    pub(super) fn remove_object(&mut self, id: ObjectId) {
        let object = self.objects.0.remove(&id).unwrap();
        for place in self.others() {
            let image = object_at(&self.symmetry, &place, &object);
            let twin = self.objects.iter().find(|(_, other)| **other == image).map(|(id, _)| id);
            twin.map(|id| self.objects.0.remove(&id));
        }
    }

    /// The image that an object had follows it; where it had none, the team's only one; where there is nothing that it
    /// could be, it comes.
    pub(super) fn set_object(&mut self, id: ObjectId, object: &Object) {
        let before = self.objects.clone();
        self.objects.0.insert(id, object.clone());
        for place in self.others() {
            let [old, new] = [&before.0[&id], object].map(|object| object_at(&self.symmetry, &place, object));
            if are_one(&new, object) {
                continue;
            }
            let found = |is_it: &dyn Fn(&Object) -> bool| self.objects.iter().find(|(_, other)| is_it(other)).map(|(id, _)| id);
            let twin = found(&|other| *other == old).or_else(|| found(&|other| are_one(other, &new))).filter(|twin| *twin != id);
            let is_alone = new.team().is_some() && !before.iter().any(|(other, object)| other != id && are_alike(object, &new));
            match twin {
                Some(twin) => _ = self.objects.0.insert(twin, new),
                None if is_alone => _ = self.objects.push(new),
                None => {}
            }
        }
    }

    /// The column that one is copied from and how it comes here, unless it is right.
    fn right_column<'a>(&self, from: HealFrom, all: &'a [Place], column: [i32; 2]) -> Option<(&'a Place, [i32; 2])> {
        // How deep a column lies in the part, and what tells those of the same depth apart.
        let depth = |[x, y]: [i32; 2]| match from {
            HealFrom::West => [-x, -y, 0],
            HealFrom::East => [x, y, 0],
            HealFrom::North => [-y, -x, 0],
            HealFrom::South => [y, x, 0],
            HealFrom::NorthWest => [-x - y, -x, -y],
            HealFrom::NorthEast => [x - y, -y, -x],
            HealFrom::SouthWest => [y - x, -x, -y],
            HealFrom::SouthEast => [x + y, x, y],
        };
        let inside = all.iter().map(|place| column_at(place, column)).filter(|[x, y]| self.bounds.columns().contains(*x, *y));
        let deepest = inside.max_by_key(|other| depth(*other)).filter(|other| *other != column)?;
        // On an axis several bring it here; the first one does.
        all.iter().rev().find(|place| column_at(place, deepest) == column).map(|place| (place, deepest))
    }

    pub(super) fn healed(&self, op: &ops::Heal) -> Self {
        let (mut after, all) = (self.clone(), places(&self.symmetry));
        let rgb_at = |model: &Self, at: IVec3| {
            let (place, [x, y]) = self.right_column(op.from, &all, [at.x, at.y])?;
            Some(color_at(&self.symmetry, place, model.get(IVec3::new(x, y, at.z))?.rgb()?))
        };
        for at in self.bounds.positions() {
            let Some((place, [x, y])) = self.right_column(op.from, &all, [at.x, at.y]) else { continue };
            let right = self.get(IVec3::new(x, y, at.z)).map(|mut voxel| {
                if let Some(paint) = &mut voxel.paint {
                    let rgb = color_at(&self.symmetry, place, paint.rgb);
                    voxel.extra.tile = voxel.extra.tile.filter(|_| rgb == paint.rgb);
                    paint.rgb = rgb;
                }
                voxel
            });
            // A floor of another variant is the same floor.
            let plain = |voxel: Option<Voxel>| voxel.map(|voxel| (voxel.paint, voxel.extra.without_tile()));
            match (right, self.get(at)) {
                (None, Some(_)) if at.z == self.floor() => {}
                (right, own) if plain(right) == plain(own) => {}
                // What both hide may differ in what no file tells.
                (Some(Voxel { paint: None, .. }), Some(Voxel { paint: None, .. })) => {}
                (right, _) => after.set(at, right),
            }
        }
        after.hold_back(self);
        after.settle_kinds(self);
        let uncolored = after.clone();
        after.color_uncovered(self);
        let colored = after.clone();
        for at in self.bounds.positions() {
            let is_new = |voxel: &Voxel| voxel.paint.is_some() && uncolored.get(at).is_some_and(|voxel| voxel.paint.is_none());
            if let (Some(voxel), Some(rgb)) = (colored.get(at).filter(is_new), rgb_at(&colored, at)) {
                after.set(at, Some(Voxel { paint: Some(Paint::new(rgb)), ..voxel }));
            }
        }
        if op.objects {
            after.objects = self.healed_objects(op.from, &all);
        }
        after
    }

    fn healed_objects(&self, from: HealFrom, all: &[Place]) -> Objects {
        let is_copied = |object: &Object| self.symmetry.swap_teams || object.team().is_none();
        let is_right = |object: &Object| {
            let (low, high) = (object.area().min(), object.area().max());
            let middle = [0, 1].map(|axis| (low[axis] + high[axis] - 1).div_euclid(2));
            self.right_column(from, all, middle).is_none()
        };
        let mut after = self.objects.clone();
        let right: Vec<_> = after.0.values().filter(|object| is_copied(object) && is_right(object)).cloned().collect();
        let images = right.iter().flat_map(|object| all.iter().rev().map(|place| object_at(&self.symmetry, place, object)));
        let images: Vec<_> = images.collect();
        // What is where it should be is the object that it was.
        after.0.retain(|_, object| !is_copied(object) || is_right(object) || images.contains(object));
        for image in images {
            if !after.iter().any(|(_, other)| *other == image) {
                after.push(image);
            }
        }
        after
    }
}
