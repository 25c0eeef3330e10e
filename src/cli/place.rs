//! Three whole numbers as typed: a voxel, or how far something moves.

use std::str::FromStr;

use glam::IVec3;

/// A voxel as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(pub IVec3);

/// A text that is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not of the form X,Y,Z with whole numbers")]
pub struct BadPlace;

impl FromStr for Place {
    type Err = BadPlace;

    fn from_str(text: &str) -> Result<Self, BadPlace> {
        let numbers: Vec<i32> = text.split(',').map(|part| part.trim().parse().map_err(|_| BadPlace)).collect::<Result<_, _>>()?;
        <[i32; 3]>::try_from(numbers).map(|at| Self(at.into())).map_err(|_| BadPlace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_three_whole_numbers() {
        assert_eq!("1,-2, 3".parse(), Ok(Place(IVec3::new(1, -2, 3))));
        for wrong in ["", "1,2", "1,2,3,4", "1,2,x", "1.5,2,3", "99999999999,0,0"] {
            assert_eq!(wrong.parse::<Place>(), Err(BadPlace), "{wrong}");
        }
    }
}
