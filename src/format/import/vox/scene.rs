//! The scene graph: which model stands where, and how it is turned.

use std::collections::BTreeMap;

use dot_vox::{Dict, DotVoxData, Frame, SceneNode, Size};

use super::outline::Outline;
use super::tell_frames;
use crate::format::{FormatError, Report, Severity};

/// Most nodes that are visited, repeated ones counted again: a scene may name a node from several places.
const MAX_VISITS: usize = 1 << 16;
const TOO_MANY: &str = "the scene has more than 65536 nodes or goes in a circle";
/// A rotation that turns nothing: rows 0, 1, 2, all positive.
const NO_ROTATION: u8 = 0b000_0100;

/// A model at its place.
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    /// Which model.
    pub model: usize,
    /// From the model into the scene.
    pub transform: Transform,
    /// Where the file names it.
    pub offset: u64,
}

/// A turn about the origin, then a step. Rows: which coordinate it takes and whether it is negated.
#[derive(Clone, Copy, Debug)]
pub struct Transform {
    rows: [(usize, bool); 3],
    step: [i64; 3],
}

impl Transform {
    const NONE: Self = Self { rows: [(0, false), (1, false), (2, false)], step: [0; 3] };

    /// Of the first frame of a node.
    fn of(frame: &Frame, offset: u64) -> Result<Self, FormatError> {
        let bad = |what, found| FormatError::BadValue { offset, what, found };
        let rotation = match frame.attributes.get("_r") {
            None => NO_ROTATION,
            Some(text) => text.trim().parse().map_err(|_| bad("a rotation must be a number from 0 to 127", text.len() as i64))?,
        };
        let (first, second) = (usize::from(rotation & 3), usize::from(rotation >> 2 & 3));
        if first == second || first == 3 || second == 3 || rotation & 0x80 != 0 {
            return Err(bad("a rotation takes each axis once", rotation.into()));
        }
        let sign = |bit: u8| rotation >> bit & 1 == 1;
        let rows = [(first, sign(4)), (second, sign(5)), (3 - first - second, sign(6))];
        let step = match (frame.position(), frame.attributes.get("_t")) {
            (Some(at), _) => [at.x, at.y, at.z].map(i64::from),
            (None, None) => [0; 3],
            (None, Some(text)) => return Err(bad("a place must be three numbers", text.len() as i64)),
        };
        Ok(Self { rows, step })
    }

    fn turned(&self, vector: [i64; 3]) -> [i64; 3] {
        self.rows.map(|(axis, is_negative)| {
            let part = vector.get(axis).copied().unwrap_or(0);
            if is_negative { -part } else { part }
        })
    }

    /// This one after the other.
    fn after(&self, inner: &Self) -> Self {
        let rows = self.rows.map(|(axis, outer)| inner.rows.get(axis).map_or((axis, outer), |(axis, inner)| (*axis, outer != *inner)));
        let turned = self.turned(inner.step);
        Self { rows, step: std::array::from_fn(|axis| turned[axis] + self.step[axis]) }
    }

    /// Where a voxel of a model comes to lie: it turns about the model's middle, rounded down to a corner.
    pub fn apply(&self, voxel: [u8; 3], size: &Size) -> [i64; 3] {
        let middle = [size.x, size.y, size.z].map(|side| i64::from(side / 2));
        // In halves, from the middle of the voxel, so that turning maps voxels to voxels.
        let from_middle = std::array::from_fn(|axis| 2 * (i64::from(voxel[axis]) - middle[axis]) + 1);
        let turned = self.turned(from_middle);
        std::array::from_fn(|axis| turned[axis].div_euclid(2) + self.step[axis])
    }
}

/// Every model that can be seen, and the name of the scene where it is a single model's.
pub fn instances(
    data: &DotVoxData,
    outline: &Outline,
    takes_hidden: bool,
    report: &mut Report,
) -> Result<(Vec<Instance>, String), FormatError> {
    let Some(root) = outline.nodes.first() else {
        // Files of old versions have no scene.
        let others = data.models.len() as u64 - 1;
        report.push_count(Severity::Loss, "several-models", "models beside the first have no place and were left out", others);
        return Ok((vec![Instance { model: 0, transform: Transform::NONE, offset: 0 }], String::new()));
    };
    let nodes: BTreeMap<u32, (&SceneNode, u64)> =
        outline.nodes.iter().zip(&data.scenes).map(|((id, offset), node)| (*id, (node, *offset))).collect();
    let hidden_layers: Vec<u32> = outline.layers.iter().zip(&data.layers).filter(|(_, layer)| layer.hidden()).map(|(id, _)| *id).collect();
    let (mut placed, mut names) = (vec![], vec![]);
    let (mut hidden, mut frames_left_out, mut visits) = (0, 0, 0);
    let mut open = vec![(root.0, root.1, Transform::NONE)];
    while let Some((id, named_at, transform)) = open.pop() {
        let missing = FormatError::BadValue { offset: named_at, what: "the scene names a node that is not there", found: id.into() };
        let (node, offset) = *nodes.get(&id).ok_or(missing)?;
        visits += 1;
        if visits > MAX_VISITS {
            return Err(FormatError::BadValue { offset, what: TOO_MANY, found: visits as i64 });
        }
        match node {
            SceneNode::Transform { attributes, frames, child, layer_id } => {
                if !takes_hidden && (is_hidden(attributes) || hidden_layers.contains(layer_id)) {
                    hidden += 1;
                    continue;
                }
                names.extend(attributes.get("_name").filter(|name| !name.is_empty()));
                frames_left_out += frames.len().saturating_sub(1) as u64;
                let own = frames.first().map_or(Ok(Transform::NONE), |frame| Transform::of(frame, offset))?;
                open.push((*child, offset, transform.after(&own)));
            }
            // Backwards, so that the first child is visited first.
            SceneNode::Group { attributes, children } if takes_hidden || !is_hidden(attributes) => {
                // Before they are noted down: a group may name itself many times.
                let found = (visits + open.len() + children.len()) as i64;
                if found > MAX_VISITS as i64 {
                    return Err(FormatError::BadValue { offset, what: TOO_MANY, found });
                }
                open.extend(children.iter().rev().map(|child| (*child, offset, transform)));
            }
            SceneNode::Shape { attributes, models } if takes_hidden || !is_hidden(attributes) => {
                let Some(first) = models.first() else { continue };
                frames_left_out += models.len() as u64 - 1;
                let found = i64::from(first.model_id);
                let model = usize::try_from(first.model_id).ok().filter(|model| *model < data.models.len());
                let model = model.ok_or(FormatError::BadValue { offset, what: "the scene names a model that is not there", found })?;
                placed.push(Instance { model, transform, offset });
            }
            SceneNode::Group { .. } | SceneNode::Shape { .. } => hidden += 1,
        }
    }
    report.push_count(Severity::Loss, "hidden", "hidden parts of the scene were left out", hidden);
    tell_frames(frames_left_out, report);
    let name = if placed.len() == 1 { names.last().map_or(String::new(), |name| (*name).clone()) } else { String::new() };
    Ok((placed, name))
}

fn is_hidden(attributes: &Dict) -> bool {
    attributes.get("_hidden").is_some_and(|value| value == "1")
}
