//! Shapes turned into voxels: lines, boxes, balls and cylinders.
