//! Ambient occlusion of a face's four corners, looked up by the 3×3 voxels in front of the face.
//!
//! Caller: `chunk_mesh`.

/// Light of four corners, two bits each, corner `a + 2 * b` at bits `2 * (a + 2 * b)`; 3 is open.
///
/// Index: bit `i + 3 * j` is the voxel in front of the face, `i` steps along the face's first tangent
/// and `j` along its second, 1 being in the middle.
pub(super) static CORNER_LIGHT: [u8; 512] = table();

const fn table() -> [u8; 512] {
    let mut table = [0; 512];
    let mut around = 0;
    while around < 512 {
        let mut corner = 0;
        while corner < 4 {
            let (i, j) = ((corner & 1) * 2, (corner >> 1) * 2);
            let (beside_a, beside_b) = (around >> (i + 3) & 1, around >> (1 + 3 * j) & 1);
            let diagonal = around >> (i + 3 * j) & 1;
            // Two blocked sides hide the diagonal voxel, whatever it is.
            let light = if beside_a + beside_b == 2 { 0 } else { 3 - beside_a - beside_b - diagonal };
            table[around] |= (light as u8) << (corner * 2);
            corner += 1;
        }
        around += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rows: [&str; 3], expected: [u8; 4]) {
        let bits = rows.concat().bytes().enumerate().filter(|(_, byte)| *byte == b'#').map(|(i, _)| 1 << i).sum::<usize>();
        let light = CORNER_LIGHT[bits];
        assert_eq!([light & 3, light >> 2 & 3, light >> 4 & 3, light >> 6], expected);
    }

    #[test]
    fn corners_darken_with_what_stands_beside_them() {
        check(["...", "...", "..."], [3, 3, 3, 3]);
        check(["#..", "...", "..."], [2, 3, 3, 3]);
        check([".#.", "...", "..."], [2, 2, 3, 3]);
        check(["...", "#..", "..."], [2, 3, 2, 3]);
        check(["##.", "...", "..."], [1, 2, 3, 3]);
        check([".#.", "#..", "..."], [0, 2, 2, 3]);
        check(["###", "#.#", "###"], [0, 0, 0, 0]);
    }
}
