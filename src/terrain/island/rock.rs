//! From heights to columns: cliffs that overhang, caves, sea arches.

use glam::{IVec3, Vec2, Vec3};

use super::Site;
use super::relief::{BRIDGE_HEIGHT, Relief};
use crate::terrain::noise::{Noise, smooth};

/// Raises the ground: full columns where it is gentle, bulging ones where it is steep.
pub(super) fn raise(site: &mut Site, relief: &Relief) {
    let bulges = Noise::new(site.seed, 20);
    for (x, y) in site.western_columns() {
        let height = relief.height(x, y);
        let point = relief.plan.point(x, y);
        let steep = smooth(0.9, 2.0, relief.slope(x, y)) * smooth(4.0, 9.0, relief.road_distance(point)) * smooth(40.0, 24.0, height);
        let near = relief.height(x, y).max(highest_near(relief, x, y));
        let mut column = full(height);
        if steep > 0.0 && near > 5.0 {
            column = 1;
            for h in 1..(near as i32 + 7).min(62) {
                let at = Vec3::new(point.x / 11.0, point.y / 11.0, h as f32 / 6.5);
                let bulge = 7.5 * steep * (bulges.space(at) + 0.5 * bulges.space(at * 2.1 + 40.0));
                column |= u64::from(height + bulge >= h as f32 - 0.5) << h;
            }
        }
        let (twin_x, twin_y) = site.twin(x, y);
        site.canvas.set_column(x, y, column);
        site.canvas.set_column(twin_x, twin_y, column);
    }
}

fn full(height: f32) -> u64 {
    let top = (height + 0.5).floor().clamp(0.0, 63.0) as u32;
    u64::MAX >> (63 - top)
}

fn highest_near(relief: &Relief, x: i32, y: i32) -> f32 {
    [(3, 0), (-3, 0), (0, 3), (0, -3)].map(|(dx, dy)| relief.height(x + dx, y + dy)).into_iter().fold(0.0, f32::max)
}

/// Digs caves and sets the arches of rock.
pub(super) fn hollow(site: &mut Site, relief: &Relief) {
    if !relief.plan.roomy() {
        return;
    }
    let bends = Noise::new(site.seed, 21);
    // Start and heading: into the peak from the river's side and from the west, and through the mesa.
    let starts: [(Vec3, Vec2, u32); 5] = [
        (Vec3::new(-30.0, -128.0, 5.0), Vec2::new(-1.0, 0.1), 90),
        (Vec3::new(-150.0, -150.0, 7.0), Vec2::new(1.0, 0.2), 80),
        (Vec3::new(-92.0, -80.0, 12.0), Vec2::new(0.1, -1.0), 70),
        (Vec3::new(-48.0, 66.0, 6.0), Vec2::new(-0.2, -1.0), 50),
        (Vec3::new(-86.0, -40.0, 19.0), Vec2::new(1.0, 0.3), 60),
    ];
    for (number, (start, heading, length)) in (0_u8..).zip(starts) {
        dig(site, relief, &bends, f32::from(number), start, heading, length);
    }
    for (y, span) in [(-166.0, 21.0), (122.0, 19.0)] {
        arch(site, relief, Vec2::new(relief.river(y), y), span);
    }
}

/// A winding passage of about six voxels across.
fn dig(site: &mut Site, relief: &Relief, bends: &Noise, row: f32, start: Vec3, heading: Vec2, length: u32) {
    let (mut at, mut heading) = (start, heading);
    for step in 0..length {
        let along = step as f32 / 13.0;
        let turn = 0.16 * bends.plane(Vec2::new(along, row * 7.3));
        heading = (heading + turn * heading.perp()) / (heading.length() + 0.001);
        at += heading.extend(0.35 * bends.plane(Vec2::new(along, row * 7.3 + 3.7))) * 1.5;
        at.z = at.z.clamp(4.0, 24.0);
        let radius = 3.1 + 1.1 * bends.plane(Vec2::new(along * 2.0, row * 5.1 + 50.0));
        let (x, y) = relief.plan.column(at.truncate());
        let reach = radius.ceil() as i32;
        for offset in cube(reach).filter(|offset| offset.as_vec3().length_squared() <= radius * radius) {
            site.carve(x + offset.x, y + offset.y, at.z as i32 + offset.z);
        }
    }
}

/// An arch of rock over the river, standing on both banks.
fn arch(site: &mut Site, relief: &Relief, center: Vec2, span: f32) {
    let rough = Noise::new(site.seed, 22);
    let (x, y) = relief.plan.column(center);
    let reach = span as i32 + 6;
    for offset in cube(reach).filter(|offset| offset.z >= 0 && offset.y.abs() < 8) {
        let at = offset.as_vec3();
        let ring = Vec2::new(at.x, at.z * 1.2).length() - span;
        let thick = 3.0 + 0.1 * at.x.abs() + 1.6 * rough.space(at / 5.0 + center.extend(0.0));
        if ring * ring + at.y * at.y * 0.6 < thick * thick {
            let color = super::ground::stone(&rough, x + offset.x, y + offset.y, offset.z);
            site.build(x + offset.x, y + offset.y, offset.z.min(BRIDGE_HEIGHT as i32 + 8), color);
        }
    }
}

fn cube(reach: i32) -> impl Iterator<Item = IVec3> {
    let side = move || -reach..=reach;
    side().flat_map(move |y| side().flat_map(move |x| side().map(move |z| IVec3::new(x, y, z))))
}
