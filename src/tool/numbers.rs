//! The numbers of a pending gesture: what can be typed instead of dragged, by name, unit, value and range.
//!
//! Whoever takes the keys shows them and hands them back; a tool says which it has and takes them all at once, so that
//! what is typed does not hang on what was typed before. Knows no keys.

use glam::{DVec3, IVec3};

use crate::geom::{Region, VoxelPos};

/// Which number of a transform of the selection is typed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransformNumber {
    /// How far it goes.
    Offset,
    /// How far it turns.
    Angle,
    /// How large it becomes, along all axes at once.
    Scale,
    /// How large it becomes along one axis.
    OneScale,
}

/// A number of a gesture.
#[derive(Clone, Debug, PartialEq)]
pub struct GestureNumber {
    /// Name, as screen readers say it: `Width`.
    pub name: &'static str,
    /// What stands after it: nothing for voxels, `°`, `×`.
    pub unit: &'static str,
    /// What it is now.
    pub value: f64,
    /// Least and most.
    pub range: [f64; 2],
}

impl GestureNumber {
    /// A number of voxels or things.
    pub fn new(name: &'static str, value: i32, least: i32, most: i32) -> Self {
        Self { name, unit: "", value: f64::from(value), range: [f64::from(least), f64::from(most)] }
    }

    /// As text, without what the unit adds.
    pub fn text(&self) -> String {
        // Minus as it is written, thousandths at most.
        let rounded = (self.value * 1000.0).round() / 1000.0;
        format!("{rounded}").replace('-', "−")
    }
}

/// The numbers of a gesture, in the order of typing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GestureNumbers {
    /// Each of them; none where nothing is pending.
    pub numbers: Vec<GestureNumber>,
    /// Which one the pointer sets right now: what is typed first goes there.
    pub first: usize,
    /// Whether Enter finishes the gesture, too; a path and a ruler go on.
    pub finishes: bool,
}

/// What a number of a gesture is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypedNumber {
    /// Its value: as typed, else as it was before typing began.
    pub value: f64,
    /// Whether it was typed.
    pub typed: bool,
}

impl TypedNumber {
    /// The value as a whole number.
    pub fn whole(&self) -> i32 {
        // A cast from a float goes to the nearest that there is.
        self.value.round() as i32
    }
}

/// The value of a number as a whole one; 0 where it is missing.
pub fn whole(numbers: &[TypedNumber], index: usize) -> i32 {
    numbers.get(index).map_or(0, TypedNumber::whole)
}

/// Columns or voxels along one axis from where a drag began: `size` of them in its direction, the other way if negative.
pub fn far_end(from: i32, direction: i32, size: i32) -> i32 {
    let direction = if direction < 0 { -1 } else { 1 } * size.signum();
    from.saturating_add(direction.saturating_mul(size.saturating_abs().saturating_sub(1).max(0)))
}

/// How the length of a leg is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegLength {
    /// Voxels of the line, both ends included.
    Voxels,
    /// Straight distance between the middles of the ends.
    Distance,
}

/// A straight way from a voxel to another one, as numbers: length, angle, and how far along each axis.
#[derive(Clone, Copy, Debug)]
pub struct Leg {
    /// Where it begins.
    pub from: VoxelPos,
    /// Where it ends.
    pub to: VoxelPos,
    /// How its length is counted.
    pub length: LegLength,
}

/// Farthest that a leg goes along an axis.
const FAR: i32 = 4096;

impl Leg {
    /// Its numbers.
    pub fn numbers(&self) -> Vec<GestureNumber> {
        let by = self.to - self.from;
        let length = match self.length {
            LegLength::Voxels => f64::from(by.abs().max_element()) + 1.0,
            LegLength::Distance => by.as_dvec3().length(),
        };
        let far = f64::from(FAR);
        let mut numbers = vec![
            GestureNumber { name: "Length", unit: "", value: (length * 10.0).round() / 10.0, range: [0.0, far] },
            GestureNumber { name: "Angle", unit: "°", value: heading(by).round(), range: [-360.0, 360.0] },
        ];
        let offsets = ["Offset x", "Offset y", "Offset z"].into_iter().zip(by.to_array());
        numbers.extend(offsets.map(|(name, value)| GestureNumber::new(name, value, -FAR, FAR)));
        numbers
    }

    /// Where it ends with other numbers: the offsets first, then turned, then as long as it is to be.
    pub fn end(&self, numbers: &[TypedNumber]) -> VoxelPos {
        let typed = |index: usize| numbers.get(index).filter(|number| number.typed).map(|number| number.value);
        let mut by = IVec3::new(whole(numbers, 2), whole(numbers, 3), whole(numbers, 4)).as_dvec3();
        if let Some(degrees) = typed(1) {
            let (sin, cos) = degrees.to_radians().sin_cos();
            // What lies right above or below has no plan to turn: it is laid flat.
            let run = if by.truncate().length() > 0.0 { by.truncate().length() } else { by.z.abs() };
            by = DVec3::new(run * sin, -run * cos, if by.truncate().length() > 0.0 { by.z } else { 0.0 });
        }
        if let Some(length) = typed(0) {
            let (is, wanted) = match self.length {
                LegLength::Voxels => (by.abs().max_element(), (length - 1.0).max(0.0)),
                LegLength::Distance => (by.length(), length),
            };
            // Of no direction, east.
            by = if is > 0.0 { by * (wanted / is) } else { DVec3::X * wanted };
        }
        self.from.saturating_add(by.round().as_ivec3())
    }
}

/// Degrees from north, clockwise as seen from the sky.
fn heading(by: IVec3) -> f64 {
    if by.truncate() == glam::IVec2::ZERO {
        return 0.0;
    }
    f64::from(by.x).atan2(f64::from(-by.y)).to_degrees().rem_euclid(360.0)
}

/// Width, depth and height of a box along these axes.
pub fn sizes(region: &Region, bounds: &Region, axes: &[usize]) -> Vec<GestureNumber> {
    let number = |axis: &usize| {
        let most = bounds.size().to_array().get(*axis).copied().unwrap_or(1);
        let value = region.size().to_array().get(*axis).copied().unwrap_or(1);
        GestureNumber::new(["Width", "Depth", "Height"].get(*axis).copied().unwrap_or("Size"), value, -most, most)
    };
    axes.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(length: LegLength, typed: &[(usize, f64)], expected: [i32; 3]) {
        let leg = Leg { from: IVec3::new(10, 10, 10), to: IVec3::new(13, 6, 10), length };
        let value = |(index, number): (usize, GestureNumber)| {
            let typed = typed.iter().find(|(at, _)| *at == index);
            TypedNumber { value: typed.map_or(number.value, |(_, value)| *value), typed: typed.is_some() }
        };
        let numbers: Vec<_> = leg.numbers().into_iter().enumerate().map(value).collect();
        assert_eq!(leg.end(&numbers) - leg.from, IVec3::from(expected), "{typed:?}");
    }

    #[test]
    fn a_leg_is_as_long_as_typed_and_goes_where_typed() {
        check(LegLength::Distance, &[], [3, -4, 0]);
        check(LegLength::Distance, &[(0, 10.0)], [6, -8, 0]);
        check(LegLength::Voxels, &[(0, 9.0)], [6, -8, 0]);
        check(LegLength::Distance, &[(1, 90.0)], [5, 0, 0]);
        check(LegLength::Distance, &[(0, 7.0), (1, 180.0)], [0, 7, 0]);
        check(LegLength::Distance, &[(2, -2.0), (4, 5.0)], [-2, -4, 5]);
        check(LegLength::Voxels, &[(0, 4.0), (2, 0.0), (3, 0.0)], [3, 0, 0]);
        check(LegLength::Voxels, &[(0, 0.0)], [0, 0, 0]);
    }

    #[test]
    fn headings_turn_clockwise_from_north() {
        let headings = [[0, -1], [1, 0], [0, 1], [-1, 0], [0, 0]].map(|[x, y]| heading(IVec3::new(x, y, 3)));
        assert_eq!(headings, [0.0, 90.0, 180.0, 270.0, 0.0]);
    }

    #[test]
    fn a_size_goes_on_in_the_direction_of_the_drag() {
        assert_eq!([far_end(5, 1, 4), far_end(5, -1, 4), far_end(5, -1, -4), far_end(5, 0, 1), far_end(5, 1, 0)], [8, 2, 8, 5, 5]);
    }
}
