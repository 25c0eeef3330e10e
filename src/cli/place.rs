//! Three whole numbers as typed: a voxel, or how far something moves.

use std::str::FromStr;

use glam::IVec3;

use crate::geom::Region;

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

/// A box as typed: not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceBox(pub Region);

/// A text that is no box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not of the form X,Y,Z..X,Y,Z with whole numbers, each of the second place larger than of the first")]
pub struct BadBox;

impl FromStr for PlaceBox {
    type Err = BadBox;

    fn from_str(text: &str) -> Result<Self, BadBox> {
        let (min, max) = text.split_once("..").ok_or(BadBox)?;
        let corner = |text: &str| text.parse::<Place>().map(|place| place.0).map_err(|_| BadBox);
        let (min, max) = (corner(min)?, corner(max)?);
        if max.cmple(min).any() { Err(BadBox) } else { Ok(Self(Region::new(min, max))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_two_corners() {
        let region = Region::new(IVec3::new(1, -2, 3), IVec3::new(4, 5, 6));
        assert_eq!("1,-2,3..4,5,6".parse(), Ok(PlaceBox(region)));
        for wrong in ["", "1,2,3", "1,2,3..", "1,2,3..4,5", "4,5,6..1,2,3", "1,2,3..1,5,6"] {
            assert_eq!(wrong.parse::<PlaceBox>(), Err(BadBox), "{wrong}");
        }
    }

    #[test]
    fn places_are_three_whole_numbers() {
        assert_eq!("1,-2, 3".parse(), Ok(Place(IVec3::new(1, -2, 3))));
        for wrong in ["", "1,2", "1,2,3,4", "1,2,x", "1.5,2,3", "99999999999,0,0"] {
            assert_eq!(wrong.parse::<Place>(), Err(BadPlace), "{wrong}");
        }
    }
}
