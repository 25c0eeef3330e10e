//! `render`: a picture of a map, drawn as the window draws it.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::PossibleValuesParser;
use clap::{Args, FromArgMatches as _};

use super::place::PlaceBox;
use super::settings::SetArgs;
use super::{Example, Reply, Verb};
use crate::geom::CameraView;

/// The verb.
pub const VERB: Verb = Verb {
    name: "render",
    about: "Draw a picture of a map, with its spawn regions and other objects",
    examples: &[
        Example { line: "spadework render castle.vxl -o castle.png", about: "Draw the map from the south-west and above" },
        Example { line: "spadework render castle.vxl -o plan.png --size 512x512 --view top", about: "Draw a plan of it" },
        Example { line: "spadework render castle.vxl -o gate.png --box 8,8,30..40,40,64", about: "Draw it with that box in sight" },
    ],
    arguments: Render::augment_args,
    run: |matches| Render::from_arg_matches(matches)?.run(),
};

#[derive(Debug, Args)]
struct Render {
    /// Map to draw
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Picture to write, in PNG format; an older picture is replaced
    #[arg(short, long, value_name = "OUT.png")]
    output: PathBuf,
    /// Width and height of the picture in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    size: PictureSize,
    /// Where to look from
    #[arg(long, default_value = CameraView::Iso.name(), value_parser = PossibleValuesParser::new(CameraView::ALL.map(CameraView::name)))]
    view: String,
    /// Box of the map that fills the picture, by its smallest corner and the one behind its largest
    #[arg(long = "box", value_name = "X,Y,Z..X,Y,Z", allow_hyphen_values = true)]
    region: Option<PlaceBox>,
    #[command(flatten)]
    settings: SetArgs,
}

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PictureSize([u32; 2]);

/// A text that is no size of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not of the form WIDTHxHEIGHT, each from 1 to {}", PictureSize::MOST)]
struct BadPictureSize;

impl PictureSize {
    /// Longest side: what graphics cards take at most.
    const MOST: u32 = 16384;
}

impl FromStr for PictureSize {
    type Err = BadPictureSize;

    fn from_str(text: &str) -> Result<Self, BadPictureSize> {
        let side = |text: &str| text.parse().ok().filter(|side| (1..=Self::MOST).contains(side)).ok_or(BadPictureSize);
        let (width, height) = text.split_once('x').ok_or(BadPictureSize)?;
        Ok(Self([side(width)?, side(height)?]))
    }
}

#[cfg(not(feature = "gui"))]
impl Render {
    fn run(&self) -> anyhow::Result<Reply> {
        anyhow::bail!("{}: this build draws no pictures; it was made without the window", self.file.display())
    }
}

#[cfg(feature = "gui")]
mod picture {
    //! The part that needs the renderer.

    use anyhow::{Context as _, anyhow};
    use glam::Vec3;

    use super::{PlaceBox, Render, Reply};
    use crate::cli::error;
    use crate::cli::files::{check_picture, open};
    use crate::document::{Anchor, BlockLook, Document, MarkerRole, Object, Team};
    use crate::editor::storage::{RealStorage, write_file};
    use crate::geom::{Camera, CameraView, ColumnRect, Region};
    use crate::render::{Frame, Look, Marker, MarkerKind, TintedBox, Water, render_to_rgba};
    use crate::voxel::Rgb;

    /// Voxels that the box of a spawn region stands out above the ground.
    const HEADROOM: i32 = 4;

    impl Render {
        pub(super) fn run(&self) -> anyhow::Result<Reply> {
            // Before the work: a map given as OUT by mistake must stay whole.
            check_picture(&RealStorage, &self.output)?;
            let opened = open(&self.file, &self.settings.clone().into())?;
            let view = CameraView::ALL.into_iter().find(|view| view.name() == self.view).unwrap_or(CameraView::Iso);
            let size = self.size.0;
            let whole = opened.document.bounds();
            let in_sight = match &self.region {
                Some(PlaceBox(region)) if region.intersection(&whole).is_empty() => {
                    let ([x, y, z], [to_x, to_y, to_z]) = (whole.min().to_array(), whole.max().to_array());
                    let place = format!("the map goes from {x},{y},{z} to {to_x},{to_y},{to_z}");
                    return Err(anyhow!("{}: the box lies outside the map: {place}", self.file.display()));
                }
                Some(PlaceBox(region)) => region.intersection(&whole),
                None => whole,
            };
            let frame = frame(&opened.document, view, &in_sight, size);
            let pixels =
                render_to_rgba(opened.document.store(), &frame, size).map_err(|reason| anyhow!("{}: {reason}", self.file.display()))?;
            let png = encode(size, &pixels).with_context(|| self.output.display().to_string())?;
            // Drawing took its time: something else may have come there meanwhile.
            check_picture(&RealStorage, &self.output)?;
            write_file(&RealStorage, &self.output, &png).map_err(|reason| error::storage(&reason))?;
            Ok(Reply::text(format!("Saved {}\n", self.output.display())).warn(&self.file, &opened.report))
        }
    }

    /// A box of the map from a named direction, with the sea and objects.
    fn frame(document: &Document, view: CameraView, in_sight: &Region, [width, height]: [u32; 2]) -> Frame {
        let (yaw, pitch) = view.angles();
        // Plans and elevations are drawn to scale; the rest as the eye sees it.
        let ortho_height = (view != CameraView::Iso).then_some(1.0);
        let mut camera = Camera { yaw, pitch, ortho_height, ..Camera::default() };
        camera.frame(in_sight, width as f32 / height as f32);
        let mut frame = Frame::new(camera);
        frame.look = Look::LIGHT;
        frame.water = document.floor_z().map(|level| Water { level });
        for (_, object) in document.objects_here() {
            add_object(&mut frame, document, object);
        }
        frame
    }

    fn add_object(frame: &mut Frame, document: &Document, object: &Object) {
        let color = match object {
            Object::Marker { label, role, .. } if !document.profile.has_teams => thing_color(label, *role),
            _ => object.team().map_or(Rgb::new(0xd8, 0xd8, 0xd8), team_color),
        };
        let Rgb { r, g, b } = color;
        let kind = match object {
            Object::SpawnRegion { area, z, .. } => {
                // A file may name any rectangle; what lies outside the map is not drawn.
                let area = ColumnRect::intersection(area, &document.bounds().columns());
                let ([left, top], [right, bottom]) = (ColumnRect::min(&area), ColumnRect::max(&area));
                let low = document.bounds().max().z;
                let ground = area.columns().filter_map(|[x, y]| document.store().ground(x, y, *z)).min();
                let high = if *z > 0 { *z } else { ground.unwrap_or(low) - HEADROOM };
                frame.boxes.push(TintedBox {
                    min: Vec3::new(left as f32, top as f32, high as f32),
                    max: Vec3::new(right as f32, bottom as f32, low as f32),
                    fill: [r, g, b, 60],
                    edge: [r, g, b, 230],
                    edge_width: 2.0,
                });
                return;
            }
            Object::SpawnPoint { .. } => MarkerKind::SpawnPoint,
            Object::Base { .. } => MarkerKind::Base,
            Object::Intel { .. } => MarkerKind::Intel,
            Object::Territory { .. } => MarkerKind::Territory,
            // Where there are teams a marker is one of few; else it is one of thousands of things.
            Object::Marker { .. } if document.profile.has_teams => MarkerKind::Pin,
            Object::Marker { role, .. } => match role {
                MarkerRole::Block => MarkerKind::Block,
                MarkerRole::Spawn => MarkerKind::SpawnPoint,
                MarkerRole::Point => MarkerKind::Dot,
            },
        };
        let at = match object {
            Object::SpawnPoint { at, .. } => Anchor { x: at.x, y: at.y, z: Some(at.z) },
            Object::Base { at, .. } | Object::Intel { at, .. } | Object::Territory { at, .. } | Object::Marker { at, .. } => *at,
            Object::SpawnRegion { .. } => return,
        };
        let ground =
            at.z.or_else(|| document.store().ground(at.x, at.y, document.bounds().min().z)).unwrap_or(document.bounds().max().z - 1);
        let foot = Vec3::new(at.x as f32 + 0.5, at.y as f32 + 0.5, ground as f32);
        frame.markers.push(Marker { kind, foot, color, selected: false });
    }

    /// The colors that servers give the teams unless told otherwise.
    fn team_color(team: Team) -> Rgb {
        match team {
            Team::Blue => Rgb::new(0x2c, 0x75, 0xb3),
            Team::Green => Rgb::new(0x89, 0xb3, 0x2c),
        }
    }

    /// Walls, windows and doors can be told apart; spawn points stand out.
    fn thing_color(name: &str, role: MarkerRole) -> Rgb {
        match role {
            MarkerRole::Spawn => Rgb::new(0x1f, 0x5f, 0xc4),
            MarkerRole::Point => Rgb::new(0x9a, 0x9a, 0x9a),
            MarkerRole::Block => match BlockLook::of_name(name) {
                BlockLook::Wall => Rgb::new(0x6c, 0x6c, 0x6c),
                BlockLook::Window => Rgb::new(0x4c, 0x90, 0xb8),
                BlockLook::Door => Rgb::new(0x96, 0x6a, 0x28),
            },
        }
    }

    fn encode([width, height]: [u32; 2], rgba: &[u8]) -> anyhow::Result<Vec<u8>> {
        let mut bytes = vec![];
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        encoder.write_header()?.write_image_data(rgba)?;
        Ok(bytes)
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use crate::document::GameProfile;
        use crate::voxel::Store;

        #[test]
        fn things_of_a_station_are_no_pins() {
            let kinds = |profile: &'static GameProfile| {
                let store = Store::new(Region::of_size(glam::IVec3::new(4, 4, 1)));
                let (document, bounds) = (Document::new(store, profile), Region::of_size(glam::IVec3::new(4, 4, 1)));
                let mut frame = frame(&document, CameraView::Iso, &bounds, [8, 8]);
                for (label, role) in [("WallSolid", MarkerRole::Block), ("Window", MarkerRole::Block), ("Cable", MarkerRole::Point)] {
                    let at = Anchor { x: 1, y: 1, z: Some(0) };
                    add_object(&mut frame, &document, &Object::Marker { label: label.into(), at, role, volume: 0 });
                }
                assert_ne!(frame.markers[0].color, frame.markers[1].color, "a wall is no window");
                frame.markers.iter().map(|marker| marker.kind).collect::<Vec<_>>()
            };
            assert_eq!(kinds(&GameProfile::SPACE_STATION_14), [MarkerKind::Block, MarkerKind::Block, MarkerKind::Dot]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picture_sizes_are_two_numbers() {
        assert_eq!("640x480".parse(), Ok(PictureSize([640, 480])));
        for wrong in ["", "640", "640x", "0x10", "640x480x2", "-1x5", "99999x5", "6 x 4"] {
            assert_eq!(wrong.parse::<PictureSize>(), Err(BadPictureSize), "{wrong}");
        }
    }
}
