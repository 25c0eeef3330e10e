//! Sculpting of volumes and pictures on steps, drawn as sections through small maps.

use std::ops::Range;

use glam::IVec3;

use super::examples::{flat, run};
use crate::document::{Document, Symmetry, SymmetryKind};
use crate::edit::ColorImage;
use crate::voxel::Rgb;

/// A row of columns from the side: `#` is solid.
fn section(document: &Document, y: i32, zs: Range<i32>) -> Vec<String> {
    let xs = document.bounds().min().x..document.bounds().max().x;
    let voxel = |x, z| if document.store().is_solid(IVec3::new(x, y, z)) { '#' } else { '.' };
    zs.map(|z| xs.clone().map(|x| voxel(x, z)).collect()).collect()
}

#[test]
fn flattening_and_sloping_a_volume_keep_caves_and_leave_nothing_hanging() {
    let mut hill = flat(16, 50);
    run(&mut hill, r##"{"fill":{"box":[[5,0,44],[12,16,50]],"color":"#ff0000"}}"##);
    run(&mut hill, r##"{"fill":{"box":[[0,0,55],[16,16,59]],"mode":"remove"}}"##);
    let mut sloped = hill.clone();
    run(&mut hill, r#"{"sculpt":{"action":"flatten","form":"volume","path":[[2,8,50],[14,8,50]],"size":15,"strength":3}}"#);
    let wanted = [
        "................",
        "................",
        "................",
        ".....#######....",
        ".....#######....",
        ".....#######....",
        "################",
        "################",
        "################",
        "################",
        "################",
        "................",
        "................",
        "................",
        "................",
        "################",
    ];
    assert_eq!(section(&hill, 8, 44..60), wanted, "the hill comes down from its top, over a cave that stays");
    run(&mut sloped, r#"{"sculpt":{"action":"slope","form":"volume","path":[[0,8,50],[15,8,50]],"size":15}}"#);
    assert_eq!(section(&sloped, 8, 44..60)[..6], ["................"; 6].map(String::from));
    assert_eq!(section(&sloped, 8, 50..60), wanted[6..].to_vec(), "the slope is level, the cave below it stays");
    let mut cave = flat(16, 60);
    run(&mut cave, r##"{"fill":{"box":[[0,0,52],[16,16,54]],"color":"#ff0000"}}"##);
    run(&mut cave, r##"{"fill":{"box":[[6,0,58],[9,16,60]],"color":"#ff0000"}}"##);
    run(&mut cave, r#"{"sculpt":{"action":"flatten","form":"volume","path":[[2,8,60],[14,8,60]],"size":31,"strength":9}}"#);
    let wanted = ["################", "################", "................", "................"];
    assert_eq!(section(&cave, 8, 52..56), wanted, "the roof over a cave whose floor is flattened stays");
    assert_eq!(section(&cave, 8, 58..61), ["................", "................", "################"]);
}

#[test]
fn smoothing_and_eroding_a_volume_keep_ground_plates_and_tunnels_and_take_bumps() {
    let mut before = flat(24, 46);
    for (at, to, mode) in [
        // A tunnel of 16 by 8, a plate two thick and one of one over the ground, and a bump on it.
        ([4, 0, 51], [20, 24, 59], "remove"),
        ([0, 0, 40], [12, 24, 42], "add"),
        ([0, 0, 36], [24, 24, 37], "add"),
        ([16, 12, 45], [17, 13, 46], "add"),
    ] {
        run(&mut before, &format!(r##"{{"fill":{{"box":[{at:?},{to:?}],"mode":"{mode}","color":"#ff0000"}}}}"##));
    }
    let sculpt = |action: &str| {
        let mut document = before.clone();
        let json = format!(r#"{{"sculpt":{{"action":"{action}","form":"volume","path":[[2,12,48],[22,12,48]],"size":64,"strength":8}}}}"#);
        run(&mut document, &json);
        section(&document, 12, 36..60)
    };
    let (air, ground, plate) = ("........................", "########################", "#####...................");
    let rounded = "#####..............#####";
    let tunnel = "####................####";
    let smooth = sculpt("smooth");
    assert_eq!(smooth[..4], [air; 4], "a plate one thick goes");
    assert_eq!(smooth[4..10], [plate, plate, air, air, air, air], "one two thick goes back from its edge, the bump is gone");
    assert_eq!(smooth[10..15], [ground; 5], "the ground is as level as it was");
    assert_eq!(smooth[15..23], [rounded, tunnel, tunnel, tunnel, tunnel, tunnel, tunnel, rounded], "and the tunnel as wide");
    let erode = sculpt("erode");
    assert_eq!(erode[..15], smooth[..15]);
    assert_eq!(erode[15..23], [tunnel; 8], "nothing is added");
}

#[test]
fn a_projected_picture_lies_on_what_it_meets_first_and_goes_as_deep_as_it_is_told() {
    let red = Rgb::new(255, 0, 0);
    let mut before = flat(12, 58);
    before.symmetry = Symmetry { kind: SymmetryKind::MirrorX, center: [12, 12], ..Symmetry::default() }.into();
    // A tunnel under the ground, a step on it, a roof that hangs over the picture's box, and a hole down to the tunnel.
    for (at, to, mode) in [
        ([0, 0, 60], [12, 12, 62], "remove"),
        ([0, 0, 56], [2, 12, 58], "add"),
        ([3, 0, 53], [5, 12, 54], "add"),
        ([5, 0, 58], [6, 12, 60], "remove"),
    ] {
        run(&mut before, &format!(r##"{{"fill":{{"box":[{at:?},{to:?}],"mode":"{mode}","color":"#00ff00"}}}}"##));
    }
    let image = String::from(ColorImage::new([1, 1], vec![red]).unwrap());
    let laid_from = |top: i32, more: &str| {
        let mut document = before.clone();
        let style = format!(r#"{{"decal":{{"image":"{image}","width":6,"face":"-z"}}}}"#);
        run(&mut document, &format!(r#"{{"paint":{{"style":{style},"box":[[1,4,{top}],[6,8,63]]{more}}}}}"#));
        let voxel = |x, z| match document.store().voxel(IVec3::new(x, 6, z)) {
            None => '.',
            Some(voxel) if voxel.rgb() == Some(red) => 'r',
            Some(_) => '#',
        };
        (53..63).map(|z| (0..12).map(|x| voxel(x, z)).collect::<String>()).collect::<Vec<_>>()
    };
    let laid = |more: &str| laid_from(54, more);
    let projected = [
        "...##..##...",
        "............",
        "............",
        "#r........r#",
        "##........##",
        "##rrr..rrr##",
        "#####..#####",
        "............",
        "............",
        ".....rr.....",
    ];
    assert_eq!(laid(r#","projected":true"#)[..9], projected[..9]);
    assert_eq!(laid(r#","projected":true"#)[9], "#####rr#####");
    let deep = laid(r#","projected":true,"depth":3"#);
    assert_eq!(deep[3..9], ["#r........r#", "#r........r#", "#rrrr..rrrr#", "##rrr..rrr##", "............", "............"]);
    // Without it every surface in the box is painted, as ever.
    assert_eq!(laid("")[6..], ["#rrrr..rrrr#", "............", "............", "#rrrrrrrrrr#"]);
    // Where the box begins within the ground, it lies on what is open below.
    let inside = laid_from(57, r#","projected":true"#);
    assert_eq!((&*inside[4], &*inside[5], &*inside[9]), ("##........##", "##rrr..rrr##", "#r###rr###r#"));
}
