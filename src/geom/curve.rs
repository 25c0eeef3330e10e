//! Level curves: how a brightness of 0 to 1 becomes a height of 0 to 1. Heightmaps and the commands that
//! take them share it; plain numbers, no pictures.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Largest exponent; the smallest is its inverse.
const MAX_GAMMA: f64 = 16.0;
/// Most points of a curve.
const MAX_POINTS: usize = 64;

/// A curve from 0..=1 to 0..=1. As text an exponent (`2.2`) or points (`0:0,0.5:0.3,1:1`).
///
/// ```
/// use spadework::geom::LevelCurve;
/// let curve: LevelCurve = "0:0,0.5:0.3,1:1".parse()?;
/// assert_eq!([0.0, 0.25, 0.5, 1.0].map(|value| curve.at(value)), [0.0, 0.15, 0.3, 1.0]);
/// assert_eq!("2".parse::<LevelCurve>()?.at(0.5), 0.25);
/// # Ok::<(), spadework::geom::BadCurve>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LevelCurve(Shape);

#[derive(Clone, Debug, PartialEq)]
enum Shape {
    // Invariant: 1 / MAX_GAMMA to MAX_GAMMA.
    Gamma(f64),
    // Invariant: 2 to MAX_POINTS pairs within 0..=1, the first of each larger than the one before.
    Points(Vec<[f64; 2]>),
}

impl LevelCurve {
    /// The straight line: every value stays as it is.
    pub const LINEAR: Self = Self(Shape::Gamma(1.0));

    /// A curve through points of 0 to 1 each, west to east; [`None`] unless they are 2 to 64, each further east than the last.
    pub fn through(points: Vec<[f64; 2]>) -> Option<Self> {
        let are_within = points.iter().flatten().all(|value| (0.0..=1.0).contains(value));
        let ascend = points.windows(2).all(|pair| pair[0][0] < pair[1][0]);
        ((2..=MAX_POINTS).contains(&points.len()) && are_within && ascend).then_some(Self(Shape::Points(points)))
    }

    /// The points it goes through, or those that come near to an exponent.
    pub fn points(&self) -> Vec<[f64; 2]> {
        match &self.0 {
            Shape::Points(points) => points.clone(),
            Shape::Gamma(1.0) => vec![[0.0, 0.0], [1.0, 1.0]],
            // At even heights, so that steep ends have their share; where they are as good as upright, one point will do.
            Shape::Gamma(exponent) => {
                let at = |y: f64| [(y.powf(1.0 / exponent) * 1000.0).round() / 1000.0, y];
                let mut points: Vec<_> = (0..=8).map(|eighth| at(f64::from(eighth) / 8.0)).collect();
                points.dedup_by_key(|point| point[0]);
                points
            }
        }
    }

    /// The curve's value. Before the first and behind the last point it is level.
    pub fn at(&self, value: f64) -> f64 {
        let value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
        match &self.0 {
            Shape::Gamma(1.0) => value,
            Shape::Gamma(exponent) => value.powf(*exponent),
            Shape::Points(points) => {
                let after = points.partition_point(|point| point[0] < value);
                match (after.checked_sub(1).and_then(|before| points.get(before)), points.get(after)) {
                    (Some([x0, y0]), Some([x1, y1])) => y0 + (y1 - y0) * ((value - x0) / (x1 - x0)),
                    (None, Some(point)) | (Some(point), None) => point[1],
                    (None, None) => value,
                }
            }
        }
    }
}

impl Default for LevelCurve {
    fn default() -> Self {
        Self::LINEAR
    }
}

/// A text that is no level curve.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no level curve: an exponent from 0.0625 to 16 or points such as 0:0,0.5:0.3,1:1")]
pub struct BadCurve(String);

impl FromStr for LevelCurve {
    type Err = BadCurve;

    fn from_str(text: &str) -> Result<Self, BadCurve> {
        let curve = if text.contains(':') { points(text) } else { gamma(text).map(|exponent| Self(Shape::Gamma(exponent))) };
        curve.ok_or_else(|| BadCurve(text.chars().take(40).collect()))
    }
}

fn gamma(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|exponent| (1.0 / MAX_GAMMA..=MAX_GAMMA).contains(exponent))
}

fn points(text: &str) -> Option<LevelCurve> {
    let number = |text: &str| text.trim().parse().ok();
    let mut points: Vec<[f64; 2]> = vec![];
    for pair in text.split(',').take(MAX_POINTS + 1) {
        let (x, y) = pair.split_once(':')?;
        points.push([number(x)?, number(y)?]);
    }
    LevelCurve::through(points)
}

impl fmt::Display for LevelCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Shape::Gamma(exponent) => write!(f, "{exponent}"),
            Shape::Points(points) => {
                for (index, [x, y]) in points.iter().enumerate() {
                    write!(f, "{}{x}:{y}", if index > 0 { "," } else { "" })?;
                }
                Ok(())
            }
        }
    }
}

impl TryFrom<String> for LevelCurve {
    type Error = BadCurve;

    fn try_from(text: String) -> Result<Self, BadCurve> {
        text.parse()
    }
}

impl From<LevelCurve> for String {
    fn from(curve: LevelCurve) -> Self {
        curve.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_read_back_from_their_text() {
        for text in ["1", "2.2", "0.45", "0:0,1:1", "0:1,0.5:0.25,1:0", "0.2:0,0.8:1"] {
            assert_eq!(text.parse::<LevelCurve>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn curves_go_through_their_points() {
        for text in ["16", "0.0625"] {
            assert!(LevelCurve::through(text.parse::<LevelCurve>().unwrap().points()).is_some(), "{text}");
        }
        for text in ["1", "2.2", "0.45", "0:1,0.5:0.25,1:0", "0.2:0,0.8:1"] {
            let curve: LevelCurve = text.parse().unwrap();
            let again = LevelCurve::through(curve.points()).unwrap();
            for step in 0..=100 {
                let at = f64::from(step) / 100.0;
                assert!((again.at(at) - curve.at(at)).abs() < 0.06, "{text} at {at}: {} {}", again.at(at), curve.at(at));
            }
        }
    }

    #[test]
    fn texts_that_are_no_curve_are_refused() {
        let many = (0..65).map(|at| format!("{}:0", f64::from(at) / 100.0)).collect::<Vec<_>>().join(",");
        for wrong in ["", "0", "17", "NaN", "inf", "-1", "a", "0:0", "0:0,0:1", "1:1,0:0", "0:0,1:2", "0:0,1:NaN", "0:0,,1:1", &many] {
            assert!(wrong.parse::<LevelCurve>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn curves_are_level_outside_of_their_points_and_stay_within_their_range() {
        let curve: LevelCurve = "0.25:0.1,0.75:0.9".parse().unwrap();
        let values = [-1.0, 0.0, 0.25, 0.5, 0.75, 1.0, 9.0, f64::NAN].map(|value| curve.at(value));
        assert_eq!(values, [0.1, 0.1, 0.1, 0.5, 0.9, 0.9, 0.9, 0.1]);
        assert_eq!([0.0, 0.25, 1.0].map(|value| LevelCurve::LINEAR.at(value)), [0.0, 0.25, 1.0]);
    }
}
