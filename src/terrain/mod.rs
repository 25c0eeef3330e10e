//! Generators: parameters and a seed to voxels.
