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
        let shape = if text.contains(':') { points(text).map(Shape::Points) } else { gamma(text).map(Shape::Gamma) };
        shape.map(Self).ok_or_else(|| BadCurve(text.chars().take(40).collect()))
    }
}

fn gamma(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|exponent| (1.0 / MAX_GAMMA..=MAX_GAMMA).contains(exponent))
}

fn points(text: &str) -> Option<Vec<[f64; 2]>> {
    let number = |text: &str| text.trim().parse().ok().filter(|value| (0.0..=1.0).contains(value));
    let mut points: Vec<[f64; 2]> = vec![];
    for pair in text.split(',') {
        let (x, y) = pair.split_once(':')?;
        let point = [number(x)?, number(y)?];
        if points.len() >= MAX_POINTS || points.last().is_some_and(|last| last[0] >= point[0]) {
            return None;
        }
        points.push(point);
    }
    (points.len() >= 2).then_some(points)
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
