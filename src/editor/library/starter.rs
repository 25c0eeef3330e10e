//! The stamps that come with the program, so that the library is of use before anybody kept one: trees to scatter, stones,
//! and what forts are made of.
//!
//! Each is drawn by code: a box of voxels that stands on its lowest layer, its middle where the pointer is. Heights count
//! up from the ground here, as in a drawing; [`Sketch::set`] turns them to z. Lots are drawn from [`Noise`], so that a
//! stamp is the same on every machine.

use std::collections::BTreeSet;

use glam::{IVec2, IVec3, Vec3};

use crate::edit::{Clip, EditError};
use crate::geom::{Face, Region};
use crate::terrain::Noise;
use crate::voxel::{Rgb, Store, StoreEdit, Voxel};

/// A stamp that comes with the program.
#[derive(Clone, Copy, Debug)]
pub struct Starter {
    /// Its name.
    pub name: &'static str,
    /// Longest sides: from west to east, from north to south, and upwards.
    size: [i32; 3],
    draw: fn(&mut Sketch),
}

/// All of them, in the order of the list.
pub const STARTERS: [Starter; 16] = [
    Starter { name: "Oak", size: [15, 15, 17], draw: oak },
    Starter { name: "Birch", size: [9, 9, 17], draw: birch },
    Starter { name: "Pine", size: [11, 11, 20], draw: pine },
    Starter { name: "Palm", size: [15, 13, 15], draw: palm },
    Starter { name: "Dead tree", size: [11, 9, 13], draw: dead_tree },
    Starter { name: "Bush", size: [7, 7, 4], draw: bush },
    Starter { name: "Boulder", size: [9, 7, 6], draw: boulder },
    Starter { name: "Stones", size: [7, 6, 3], draw: stones },
    Starter { name: "Crates", size: [8, 6, 7], draw: crates },
    Starter { name: "Sandbags", size: [13, 4, 3], draw: sandbags },
    Starter { name: "Palisade", size: [13, 2, 7], draw: palisade },
    Starter { name: "Bunker", size: [13, 11, 6], draw: bunker },
    Starter { name: "Watchtower", size: [11, 11, 17], draw: watchtower },
    Starter { name: "Hut", size: [11, 13, 11], draw: hut },
    Starter { name: "Ruin", size: [13, 11, 9], draw: ruin },
    Starter { name: "Well", size: [7, 7, 8], draw: well },
];

impl Starter {
    /// Draws it.
    ///
    /// # Errors
    /// If it is too large for a clip: none is.
    pub fn clip(&self) -> Result<Clip, EditError> {
        let mut sketch = self.sketch();
        sketch.drop_loose();
        Clip::of(&sketch.edit.snapshot())
    }

    fn sketch(&self) -> Sketch {
        let size = IVec3::from_array(self.size);
        let mut sketch = Sketch { size, edit: StoreEdit::new(&Store::new(Region::of_size(size))), lots: Noise::new(7, 0) };
        (self.draw)(&mut sketch);
        sketch
    }
}

const BARK: Rgb = Rgb::new(0x5c, 0x43, 0x2e);
const LEAF: Rgb = Rgb::new(0x4a, 0x7a, 0x2c);
const NEEDLE: Rgb = Rgb::new(0x2c, 0x54, 0x34);
const STONE: Rgb = Rgb::new(0x82, 0x80, 0x7a);
const PLANK: Rgb = Rgb::new(0x9a, 0x72, 0x48);
const BEAM: Rgb = Rgb::new(0x5e, 0x42, 0x2a);
const CONCRETE: Rgb = Rgb::new(0x8e, 0x8e, 0x86);
const SACK: Rgb = Rgb::new(0xb4, 0x9c, 0x6c);
const ROOF: Rgb = Rgb::new(0x8c, 0x40, 0x30);
const STRAW: Rgb = Rgb::new(0xb0, 0x94, 0x50);

/// A box that is drawn into. Places are x (east), y (south) and height above the ground; what falls outside is left out.
struct Sketch {
    size: IVec3,
    edit: StoreEdit,
    lots: Noise,
}

impl Sketch {
    fn at(&self, at: IVec3) -> IVec3 {
        at.with_z(self.size.z - 1 - at.z)
    }

    /// Sets one voxel, a little lighter or darker by lot.
    fn set(&mut self, at: [i32; 3], color: Rgb) {
        let at = IVec3::from_array(at);
        let light = self.lots.chance(at) * 0.24 - 0.12;
        let other = if light < 0.0 { Rgb::new(0, 0, 0) } else { Rgb::new(255, 255, 255) };
        let pos = self.at(at);
        if Region::of_size(self.size).contains(pos) {
            self.edit.set(pos, Some(Voxel::new(color.mixed(other, light.abs()))));
        }
    }

    fn clear(&mut self, from: [i32; 3], to: [i32; 3]) {
        for at in boxed(from, to) {
            let pos = self.at(IVec3::from_array(at));
            self.edit.set(pos, None);
        }
    }

    /// A box, both corners included.
    fn fill(&mut self, from: [i32; 3], to: [i32; 3], color: Rgb) {
        for at in boxed(from, to) {
            self.set(at, color);
        }
    }

    /// An ellipsoid with a ragged edge: `rough` of its radius is by lot.
    fn ball(&mut self, center: [f32; 3], radius: [f32; 3], rough: f32, color: impl Fn(Vec3) -> Rgb) {
        let (center, radius) = (Vec3::from_array(center), Vec3::from_array(radius));
        let (from, to) = ((center - radius).floor().as_ivec3(), (center + radius).ceil().as_ivec3());
        for at in boxed(from.to_array(), to.to_array()) {
            let place = IVec3::from_array(at).as_vec3();
            let out = ((place - center) / radius).length() + rough * (self.lots.chance(IVec3::from_array(at) + IVec3::splat(64)) - 0.5);
            if out <= 1.0 && at[2] >= 0 {
                self.set(at, color(place));
            }
        }
    }

    /// A straight beam of voxels that touch by their sides.
    fn beam(&mut self, from: [i32; 3], to: [i32; 3], color: Rgb) {
        let (start, way) = (IVec3::from_array(from).as_vec3(), (IVec3::from_array(to) - IVec3::from_array(from)).as_vec3());
        let steps = way.abs().max_element().max(1.0);
        let mut at = from;
        self.set(at, color);
        for step in 0..=steps as i32 {
            let next = (start + way * (step as f32 / steps)).round().as_ivec3().to_array();
            for axis in 0..3 {
                while at[axis] != next[axis] {
                    at[axis] += (next[axis] - at[axis]).signum();
                    self.set(at, color);
                }
            }
        }
    }

    /// Removes what nothing holds: in the game blocks that touch nothing by a side fall. Answers how many.
    fn drop_loose(&mut self) -> usize {
        let bounds = Region::of_size(self.size);
        let all: BTreeSet<[i32; 3]> =
            boxed([0; 3], (self.size - 1).to_array()).filter(|at| self.edit.is_solid(IVec3::from_array(*at))).collect();
        let mut next: Vec<_> = all.iter().copied().filter(|at| at[2] == bounds.max().z - 1).collect();
        let mut held: BTreeSet<_> = next.iter().copied().collect();
        while let Some(at) = next.pop() {
            let beside = Face::ALL.map(|face| (IVec3::from_array(at) + face.normal()).to_array());
            next.extend(beside.into_iter().filter(|beside| all.contains(beside) && held.insert(*beside)));
        }
        for at in all.difference(&held) {
            self.edit.set(IVec3::from_array(*at), None);
        }
        all.len() - held.len()
    }
}

/// Every place of a box, both corners included.
fn boxed(from: [i32; 3], to: [i32; 3]) -> impl Iterator<Item = [i32; 3]> {
    (from[2]..=to[2]).flat_map(move |z| (from[1]..=to[1]).flat_map(move |y| (from[0]..=to[0]).map(move |x| [x, y, z])))
}

/// Leaves are darker below and inside.
fn leaves(color: Rgb, low: f32, high: f32) -> impl Fn(Vec3) -> Rgb {
    move |at| color.mixed(Rgb::new(0x10, 0x20, 0x10), 0.4 * ((high - at.z) / (high - low)).clamp(0.0, 1.0))
}

fn oak(sketch: &mut Sketch) {
    sketch.fill([6, 6, 0], [8, 8, 1], BARK);
    sketch.fill([6, 7, 0], [8, 7, 9], BARK);
    sketch.fill([7, 6, 0], [7, 8, 9], BARK);
    for to in [[3, 5, 9], [11, 9, 10], [6, 11, 9], [9, 3, 10]] {
        sketch.beam([7, 7, 6], to, BARK);
    }
    for (center, radius) in
        [([7.0, 7.0, 12.0], 4.4), ([4.0, 5.5, 10.0], 3.6), ([10.5, 9.0, 10.5], 3.7), ([6.0, 10.5, 10.0], 3.4), ([9.0, 3.8, 10.5], 3.5)]
    {
        sketch.ball(center, [radius, radius, radius * 0.85], 0.25, leaves(LEAF, 7.0, 15.0));
    }
}

fn birch(sketch: &mut Sketch) {
    for height in 0..12 {
        let dark = sketch.lots.chance(IVec3::new(3, 3, height)) < 0.3;
        sketch.set([4, 4, height], if dark { Rgb::new(0x3c, 0x3a, 0x36) } else { Rgb::new(0xd8, 0xd4, 0xc8) });
    }
    let green = Rgb::new(0x82, 0xa0, 0x3c);
    sketch.ball([4.0, 4.0, 10.5], [3.2, 3.2, 6.0], 0.4, leaves(green, 5.0, 16.0));
}

fn pine(sketch: &mut Sketch) {
    sketch.fill([5, 5, 0], [5, 5, 17], BARK);
    for height in 3..20 {
        // Tiers: each is wide at its bottom, and all become narrower upwards.
        let tier = (height - 3) % 4;
        let radius = (5.2 - 0.27 * (height - 3) as f32 - 0.75 * tier as f32).max(if height < 19 { 0.9 } else { 0.4 });
        sketch.ball([5.0, 5.0, height as f32], [radius, radius, 0.6], 0.2, leaves(NEEDLE, 0.0, 20.0));
    }
}

fn palm(sketch: &mut Sketch) {
    let lean = |height: i32| 6 + (height * height) / 60;
    for height in 0..12 {
        let color = if height % 3 == 2 { BARK } else { Rgb::new(0x8a, 0x70, 0x4c) };
        sketch.fill([lean(height - 1), 6, height], [lean(height), 6, height], color);
    }
    let crown = lean(11);
    let green = Rgb::new(0x5a, 0x8c, 0x34);
    for way in [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [1, -1], [-1, 1], [-1, -1]].map(IVec2::from_array) {
        let diagonal = way.x != 0 && way.y != 0;
        let (knee, tip) = if diagonal { (2, 4) } else { (3, 6) };
        let at = |step: i32, height: i32| [crown + way.x * step, 6 + way.y * step, height];
        sketch.beam(at(0, 13), at(knee, 13), green);
        sketch.beam(at(knee, 13), at(tip, 10), green);
        if !diagonal {
            let side = way.perp();
            for step in [2, 3, 4] {
                let [x, y, height] = at(step, 13 - i32::from(step > 3));
                sketch.set([x + side.x, y + side.y, height], green.mixed(NEEDLE, 0.4));
                sketch.set([x - side.x, y - side.y, height], green.mixed(NEEDLE, 0.4));
            }
        }
    }
    sketch.fill([crown, 6, 12], [crown, 6, 13], green);
    for nut in [[crown - 1, 6], [crown, 7]] {
        sketch.set([nut[0], nut[1], 11], Rgb::new(0x4a, 0x34, 0x20));
    }
}

fn dead_tree(sketch: &mut Sketch) {
    let gray = Rgb::new(0x70, 0x64, 0x58);
    sketch.fill([5, 4, 0], [5, 4, 9], gray);
    sketch.fill([4, 4, 0], [6, 4, 0], gray);
    sketch.fill([5, 3, 0], [5, 5, 0], gray);
    for (from, to) in
        [([5, 4, 5], [1, 3, 9]), ([5, 4, 6], [9, 6, 10]), ([5, 4, 9], [4, 7, 12]), ([5, 4, 8], [7, 1, 11]), ([3, 3, 7], [2, 1, 10])]
    {
        sketch.beam(from, to, gray);
    }
}

fn bush(sketch: &mut Sketch) {
    sketch.ball([3.0, 3.0, 0.6], [3.3, 3.3, 3.2], 0.45, leaves(Rgb::new(0x54, 0x7c, 0x32), 0.0, 4.0));
}

fn boulder(sketch: &mut Sketch) {
    let mossy = |at: Vec3| if at.z > 3.6 { STONE.mixed(LEAF, 0.35) } else { STONE.mixed(BARK, 0.25 * (1.0 - at.z / 4.0)) };
    sketch.ball([3.6, 3.2, 1.4], [4.0, 3.4, 4.0], 0.2, mossy);
    sketch.ball([6.0, 3.6, 0.8], [2.8, 2.8, 2.6], 0.2, mossy);
}

fn stones(sketch: &mut Sketch) {
    for (center, radius) in [([1.5, 1.5, 0.3], 1.8), ([5.0, 2.0, 0.0], 1.4), ([3.0, 4.4, 0.0], 1.2)] {
        sketch.ball(center, [radius; 3], 0.2, |_| STONE);
    }
}

/// A crate of boards with beams along its edges, so many voxels long on each side.
fn one_crate(sketch: &mut Sketch, [x, y, height]: [i32; 3], long: i32) {
    let last = long - 1;
    for at in boxed([x, y, height], [x + last, y + last, height + last]) {
        let ends = [at[0] - x, at[1] - y, at[2] - height].iter().filter(|step| **step == 0 || **step == last).count();
        sketch.set(at, if ends > 1 { BEAM } else { PLANK });
    }
}

fn crates(sketch: &mut Sketch) {
    one_crate(sketch, [0, 0, 0], 4);
    one_crate(sketch, [5, 2, 0], 3);
    one_crate(sketch, [1, 1, 4], 3);
    sketch.fill([5, 0, 0], [6, 0, 0], PLANK);
}

fn sandbags(sketch: &mut Sketch) {
    for at in boxed([0, 0, 0], [12, 3, 2]) {
        let [x, y, height] = at;
        // A bow: the ends come nearer to the one who stands behind it.
        let bow = (x - 6).abs() / 3;
        let thick = i32::from(height < 2);
        if !(bow..=bow + thick).contains(&y) {
            continue;
        }
        let seam = (x + 2 * (height % 2)) % 4 == 3;
        sketch.set(at, if seam { SACK.mixed(BARK, 0.4) } else { SACK });
    }
}

fn palisade(sketch: &mut Sketch) {
    for x in 0..13 {
        let top = 4 + i32::from(x % 2 == 0) + i32::from(sketch.lots.chance(IVec3::new(x, 9, 9)) < 0.4);
        sketch.fill([x, 0, 0], [x, 0, top], if x % 2 == 0 { PLANK } else { PLANK.mixed(BEAM, 0.5) });
    }
    for height in [1, 3] {
        sketch.fill([0, 1, height], [12, 1, height], BEAM);
    }
}

fn bunker(sketch: &mut Sketch) {
    sketch.fill([0, 0, 0], [12, 10, 4], CONCRETE);
    for [x, y] in [[0, 0], [12, 0], [0, 10], [12, 10]] {
        sketch.clear([x, y, 0], [x, y, 5]);
    }
    sketch.fill([1, 1, 5], [11, 9, 5], CONCRETE.mixed(STONE, 0.6));
    sketch.clear([2, 2, 0], [10, 8, 3]);
    // Slits on three sides, and the way in from the south.
    sketch.clear([3, 0, 2], [9, 1, 2]);
    sketch.clear([0, 3, 2], [1, 7, 2]);
    sketch.clear([11, 3, 2], [12, 7, 2]);
    sketch.clear([5, 9, 0], [7, 10, 2]);
}

fn watchtower(sketch: &mut Sketch) {
    for [x, y] in [[1, 1], [7, 1], [1, 7], [7, 7]] {
        sketch.fill([x, y, 0], [x, y, 14], BEAM);
    }
    for (from, to) in [([1, 1, 1], [7, 1, 8]), ([1, 7, 8], [7, 7, 1]), ([1, 1, 8], [1, 7, 1])] {
        sketch.beam(from, to, PLANK.mixed(BEAM, 0.5));
    }
    sketch.fill([0, 0, 9], [8, 8, 9], PLANK);
    for height in [10, 11] {
        let color = if height == 11 { BEAM } else { PLANK };
        sketch.fill([0, 0, height], [8, 0, height], color);
        sketch.fill([0, 8, height], [8, 8, height], color);
        sketch.fill([0, 0, height], [0, 8, height], color);
        sketch.fill([8, 0, height], [8, 8, height], color);
    }
    // Players climb no ladder: stairs go up in the east, a voxel a step, and end at a gap of the railing.
    for step in 0..9 {
        sketch.fill([9, 10 - step, (step - 1).max(0)], [10, 10 - step, step], PLANK);
    }
    for y in [2, 6] {
        sketch.fill([10, y, 0], [10, y, 10 - y], BEAM);
    }
    sketch.clear([8, 2, 10], [8, 4, 11]);
    for step in 0..3 {
        sketch.fill([step, step, 14 + step], [8 - step, 8 - step, 14 + step], ROOF);
    }
}

fn hut(sketch: &mut Sketch) {
    sketch.fill([1, 1, 0], [9, 11, 5], PLANK);
    sketch.clear([2, 2, 1], [8, 10, 5]);
    for [x, y] in [[1, 1], [9, 1], [1, 11], [9, 11]] {
        sketch.fill([x, y, 0], [x, y, 5], BEAM);
    }
    for x in [0, 10] {
        for step in 0..6 {
            let x = if x == 0 { step } else { 10 - step };
            // Each board lies over the one below it: voxels that touch by an edge alone would not hold.
            sketch.fill([x, 0, (4 + step).max(5)], [x, 12, 5 + step], ROOF);
            // The gables below it.
            for y in [1, 11] {
                if step > 1 {
                    sketch.fill([x, y, 5], [x, y, 3 + step], PLANK);
                }
            }
        }
    }
    sketch.clear([4, 11, 1], [6, 11, 4]);
    for x in [1, 9] {
        for y in [3, 8] {
            sketch.clear([x, y, 2], [x, y + 1, 3]);
        }
    }
    sketch.clear([4, 1, 2], [6, 1, 3]);
}

fn ruin(sketch: &mut Sketch) {
    for at in boxed([0, 0, 0], [12, 10, 8]) {
        let [x, y, height] = at;
        if !(x == 0 || y == 0 || (x == 12 && y < 6) || (y == 10 && x < 4)) {
            continue;
        }
        // The higher, the farther along the walls from the corner it is gone.
        let top = 8.0 - 0.5 * (x + y) as f32 + 2.4 * (sketch.lots.chance(IVec3::new(x, y, 77)) - 0.5);
        let is_window = (3..=5).contains(&height) && ((y == 0 && (4..=5).contains(&x)) || (x == 0 && (4..=5).contains(&y)));
        if height as f32 > top || is_window {
            continue;
        }
        let mortar = height % 2 == 0 && (x + y + height) % 3 == 0;
        sketch.set(at, if mortar { STONE.mixed(BARK, 0.3) } else { STONE });
    }
    for at in [[3, 3, 0], [4, 3, 0], [4, 4, 0], [7, 6, 0], [8, 6, 0], [7, 6, 1], [10, 8, 0], [2, 7, 0]] {
        sketch.set(at, STONE);
    }
}

fn well(sketch: &mut Sketch) {
    sketch.fill([1, 1, 0], [5, 5, 1], STONE);
    for [x, y] in [[1, 1], [5, 1], [1, 5], [5, 5]] {
        sketch.clear([x, y, 0], [x, y, 1]);
    }
    sketch.clear([2, 2, 0], [4, 4, 1]);
    sketch.fill([2, 2, 0], [4, 4, 0], Rgb::new(0x2c, 0x5a, 0x78));
    for x in [1, 5] {
        sketch.fill([x, 3, 0], [x, 3, 6], BEAM);
    }
    sketch.fill([1, 3, 4], [5, 3, 4], BEAM);
    for step in 0..3 {
        sketch.fill([0, 1 + step, 4 + step], [6, 1 + step, 5 + step], STRAW);
        sketch.fill([0, 5 - step, 4 + step], [6, 5 - step, 5 + step], STRAW);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stands_on_the_ground_in_the_middle_of_its_box_and_fills_it() {
        for starter in STARTERS {
            let clip = starter.clip().unwrap();
            let (size, solid) = (clip.size(), clip.store().occupied());
            assert_eq!(solid.max().z, size.z, "{} stands on its lowest layer", starter.name);
            let spare = size - solid.size();
            assert!(spare.max_element() <= 2, "{}: {spare} of {size} is air on all sides", starter.name);
            let loose = |at: &IVec3| at.z + 1 < size.z && !Face::ALL.iter().any(|face| clip.store().is_solid(*at + face.normal()));
            let all = boxed([0; 3], (size - 1).to_array()).map(IVec3::from_array);
            assert_eq!(all.filter(|at| clip.store().is_solid(*at)).find(loose), None, "{}: nothing hangs in the air", starter.name);
            assert_eq!(String::from(clip), String::from(starter.clip().unwrap()), "{} is the same each time", starter.name);
            let lost = starter.sketch().drop_loose();
            assert!(lost <= 1, "{}: {lost} voxels hold nowhere", starter.name);
        }
        let names: BTreeSet<_> = STARTERS.iter().map(|starter| starter.name).collect();
        assert_eq!(names.len(), STARTERS.len());
    }

    /// Where somebody who comes from outside can stand: columns with the height of the floor, the ground at 0. A step goes up by one voxel
    /// at most, and a body takes three.
    fn reached(starter: &Starter) -> BTreeSet<[i32; 3]> {
        let sketch = starter.sketch();
        let size = sketch.size;
        let is_solid = |x, y, height| height < 0 || (height < size.z && sketch.edit.is_solid(sketch.at(IVec3::new(x, y, height))));
        let is_inside = |x: i32, y: i32| (0..size.x).contains(&x) && (0..size.y).contains(&y);
        let can_stand = |[x, y, floor]: [i32; 3]| {
            floor >= 0
                && (!is_inside(x, y) && floor == 0 || is_inside(x, y) && is_solid(x, y, floor - 1))
                && (!is_inside(x, y) || (floor..floor + 3).all(|height| !is_solid(x, y, height)))
        };
        let mut next = vec![[-1, -1, 0]];
        let mut found: BTreeSet<_> = next.iter().copied().collect();
        while let Some([x, y, floor]) = next.pop() {
            for [x, y] in [[x + 1, y], [x - 1, y], [x, y + 1], [x, y - 1]] {
                let near = (-1..=size.x).contains(&x) && (-1..=size.y).contains(&y);
                // The head must pass where one steps up, and nothing is in the way down.
                let steps = (0..=floor + 1).map(|to| [x, y, to]).filter(|to| near && can_stand(*to));
                next.extend(steps.filter(|to| found.insert(*to)));
            }
        }
        found
    }

    #[test]
    fn players_come_into_what_has_an_inside_and_onto_the_watchtower() {
        for (name, place) in [("Watchtower", [4, 4, 10]), ("Bunker", [6, 5, 0]), ("Hut", [5, 6, 1])] {
            let starter = STARTERS.iter().find(|starter| starter.name == name).unwrap();
            assert!(reached(starter).contains(&place), "nobody comes to {place:?} of {name}");
        }
    }
}
