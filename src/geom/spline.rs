//! Smooth curves through voxels, and the columns beside them.
//!
//! A curve is a centripetal Catmull-Rom spline, taken as short straight segments. Only sums, products and
//! roots of `f64`, so that a curve is the same on every machine.

use super::{ColumnRect, VoxelPos};

/// Columns between two points of the segments, about.
const STEP: f64 = 1.5;

/// A curve through some voxels. Its heights never leave those of the two voxels that it runs between.
///
/// ```
/// use glam::IVec3;
/// use spadework::geom::Spline;
/// let curve = Spline::through(&[IVec3::new(0, 0, 9), IVec3::new(10, 0, 5)], 0.0);
/// let near = curve.near([5, 2]).unwrap();
/// assert_eq!((near.square, near.z, near.along), (4.0, 7.0, 5.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Spline {
    /// Invariant: neighbors differ in x or y.
    points: Vec<[f64; 3]>,
    /// How far along the curve each point lies, seen from above.
    along: Vec<f64>,
    /// Number of the voxel that the way to each point leads to.
    leads_to: Vec<usize>,
}

/// What a column sees of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Square of the distance to the curve, seen from above, in columns.
    pub square: f64,
    /// How far along the curve the nearest point lies.
    pub along: f64,
    /// Height of the nearest point.
    pub z: f64,
    /// Whether the column lies beyond one of the ends.
    pub beyond: bool,
}

impl Spline {
    /// The curve through the middles of some voxels, moved by `offset` columns in x and y. A voxel straight above or
    /// below the one before is left out.
    pub fn through(voxels: &[VoxelPos], offset: f64) -> Self {
        let (mut knots, mut numbers): (Vec<[f64; 3]>, Vec<usize>) = (vec![], vec![]);
        for (number, voxel) in voxels.iter().enumerate() {
            let [x, y, z] = voxel.to_array().map(f64::from);
            let knot = [x + offset, y + offset, z];
            if knots.last().is_none_or(|last| last[..2] != knot[..2]) {
                knots.push(knot);
                numbers.push(number);
            }
        }
        let mut points = knots.first().map_or(vec![], |first| vec![*first]);
        let mut leads_to = vec![0; points.len()];
        for (index, pair) in knots.windows(2).enumerate() {
            let [a, b] = [pair[0], pair[1]];
            let before = index.checked_sub(1).and_then(|index| knots.get(index)).copied().unwrap_or_else(|| mirrored(b, a));
            let behind = knots.get(index + 2).copied().unwrap_or_else(|| mirrored(a, b));
            let steps = (distance(a, b) / STEP).ceil().max(1.0);
            // Knots lie at most 2³² apart; callers bound the length of a path long before.
            for step in 1..=(steps as u32) {
                let point = if f64::from(step) == steps { b } else { between([before, a, b, behind], f64::from(step) / steps) };
                if points.last().is_none_or(|last| last[..2] != point[..2]) {
                    points.push(point);
                    leads_to.push(numbers.get(index + 1).copied().unwrap_or(0));
                }
            }
        }
        let mut along = vec![0.0; points.len().min(1)];
        for pair in points.windows(2) {
            along.push(along.last().copied().unwrap_or(0.0) + distance(pair[0], pair[1]));
        }
        Self { points, along, leads_to }
    }

    /// Its length, seen from above.
    pub fn length(&self) -> f64 {
        self.along.last().copied().unwrap_or(0.0)
    }

    /// Straight pieces, in order.
    pub fn segments(&self) -> impl ExactSizeIterator<Item = Segment> + '_ {
        let last = self.points.len().saturating_sub(2);
        let pieces = self.points.windows(2).zip(&self.along).zip(self.leads_to.iter().skip(1));
        pieces.enumerate().map(move |(index, ((pair, along), leads_to))| Segment {
            a: pair[0],
            b: pair[1],
            along: *along,
            leads_to: *leads_to,
            first: index == 0,
            last: index == last,
        })
    }

    /// What a column sees of it; nothing of a curve without length.
    pub fn near(&self, column: [i32; 2]) -> Option<Near> {
        let mut best: Option<Near> = None;
        for near in self.segments().map(|segment| segment.near(column)) {
            if best.is_none_or(|best| near.square < best.square) {
                best = Some(near);
            }
        }
        best
    }
}

/// A straight piece of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    a: [f64; 3],
    b: [f64; 3],
    along: f64,
    leads_to: usize,
    first: bool,
    last: bool,
}

impl Segment {
    /// Where it begins and ends, in voxels.
    pub fn ends(&self) -> [[f64; 3]; 2] {
        [self.a, self.b]
    }

    /// Number of the voxel at the end of this part of the curve, among those that it runs through.
    pub fn leads_to(&self) -> usize {
        self.leads_to
    }

    /// Whether it is the first, and the last one.
    pub fn is_end(&self) -> [bool; 2] {
        [self.first, self.last]
    }

    /// What a column sees of it.
    pub fn near(&self, [x, y]: [i32; 2]) -> Near {
        let (way, length) = ([self.b[0] - self.a[0], self.b[1] - self.a[1]], distance(self.a, self.b));
        let from = [f64::from(x) - self.a[0], f64::from(y) - self.a[1]];
        let share = (from[0] * way[0] + from[1] * way[1]) / (length * length);
        let (within, z) = (share.clamp(0.0, 1.0), self.b[2] - self.a[2]);
        let away = [from[0] - way[0] * within, from[1] - way[1] * within];
        Near {
            square: away[0] * away[0] + away[1] * away[1],
            along: self.along + length * within,
            z: self.a[2] + z * within,
            beyond: (self.first && share < 0.0) || (self.last && share > 1.0),
        }
    }

    /// The columns that may lie within a distance of it.
    pub fn columns(&self, reach: f64) -> ColumnRect {
        let low = |axis: usize| (self.a[axis].min(self.b[axis]) - reach).floor() as i32;
        let high = |axis: usize| ((self.a[axis].max(self.b[axis]) + reach).ceil() as i32).saturating_add(1);
        ColumnRect::new([low(0), low(1)], [high(0), high(1)])
    }
}

/// The point on the other side of `b`, as far away as `a`.
fn mirrored(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| 2.0 * b[axis] - a[axis])
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let (x, y) = (b[0] - a[0], b[1] - a[1]);
    (x * x + y * y).sqrt()
}

/// A point of the curve between the second and the third of four knots, by the scheme of Barry and Goldman.
fn between([p0, p1, p2, p3]: [[f64; 3]; 4], share: f64) -> [f64; 3] {
    // Neighbors differ, so that no two knots share a time.
    let time = |a, b| distance(a, b).sqrt();
    let t1 = time(p0, p1);
    let t2 = t1 + time(p1, p2);
    let t3 = t2 + time(p2, p3);
    let t = t1 + (t2 - t1) * share;
    let mix = |a: [f64; 3], b: [f64; 3], from: f64, to: f64| -> [f64; 3] {
        let share = (t - from) / (to - from);
        std::array::from_fn(|axis| a[axis] + (b[axis] - a[axis]) * share)
    };
    let (a1, a2, a3) = (mix(p0, p1, 0.0, t1), mix(p1, p2, t1, t2), mix(p2, p3, t2, t3));
    let (b1, b2) = (mix(a1, a2, 0.0, t2), mix(a2, a3, t1, t3));
    let [x, y, z] = mix(b1, b2, t1, t2);
    [x, y, z.clamp(p1[2].min(p2[2]), p1[2].max(p2[2]))]
}

#[cfg(test)]
mod tests {
    use glam::IVec3;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_curve_without_length_is_near_nothing() {
        for points in [&[][..], &[IVec3::ONE], &[IVec3::ONE, IVec3::new(1, 1, 9)]] {
            let curve = Spline::through(points, 0.0);
            assert_eq!((curve.length(), curve.near([1, 1])), (0.0, None));
        }
    }

    #[test]
    fn columns_beyond_the_ends_are_told_apart() {
        let curve = Spline::through(&[IVec3::ZERO, IVec3::new(9, 0, 0)], 0.0);
        let beyond = [-1, 0, 5, 9, 10].map(|x| curve.near([x, 1]).is_some_and(|near| near.beyond));
        assert_eq!(beyond, [true, false, false, false, true]);
    }

    #[test]
    fn each_piece_says_which_voxel_it_leads_to() {
        let voxels = [IVec3::ZERO, IVec3::new(0, 0, 5), IVec3::new(6, 0, 0), IVec3::new(6, 3, 0)];
        let pieces: Vec<_> = Spline::through(&voxels, 0.0).segments().map(|piece| (piece.leads_to(), piece.is_end())).collect();
        assert_eq!((pieces.first(), pieces.last()), (Some(&(2, [true, false])), Some(&(3, [false, true]))));
        assert!(pieces.is_sorted_by_key(|piece| piece.0));
    }

    #[test]
    fn a_quarter_of_a_circle_is_rounded_not_cut() {
        let curve = Spline::through(&[IVec3::new(0, 20, 0), IVec3::new(14, 14, 0), IVec3::new(20, 0, 0)], 0.0);
        // Half way between the knots a circle lies at 18.5, 7.6; the straight line runs at 17, 7.
        let near = curve.near([18, 8]).unwrap();
        assert!(near.square < 0.5, "{near:?}");
        assert!(curve.length() > 30.4 && curve.length() < 32.0, "{}", curve.length());
    }

    proptest! {
        #[test]
        fn a_curve_runs_through_its_points_and_keeps_to_their_heights(
            points in prop::collection::vec((-40..40_i32, -40..40_i32, 0..64_i32).prop_map(IVec3::from), 2..9),
        ) {
            let curve = Spline::through(&points, 0.0);
            let moved = points.windows(2).any(|pair| pair[0].truncate() != pair[1].truncate());
            prop_assert_eq!(curve.length() > 0.0, moved);
            let (low, high) = points.iter().fold((64, 0), |(low, high), point| (low.min(point.z), high.max(point.z)));
            for segment in curve.segments() {
                prop_assert!((f64::from(low)..=f64::from(high)).contains(&segment.a[2]));
                let columns = segment.columns(2.0);
                for column in columns.columns() {
                    prop_assert!(segment.near(column).square.is_finite());
                }
            }
            if moved {
                for point in &points {
                    prop_assert!(curve.near([point.x, point.y]).unwrap().square < 1e-9, "{point}");
                }
            }
        }
    }
}
