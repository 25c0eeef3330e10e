//! Vertex memory in large pages: each chunk's quads are a range of one page.
//!
//! A buffer a chunk would cost a bind for each and, on large maps, thousands of allocations.

use std::ops::Range;

use crate::mesh::Quad;

/// Quads of a page: 4 MiB. Invariant: at least the 98,304 that the worst chunk can have.
const PAGE_QUADS: u32 = 1 << 19;

/// A range of quads within a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) page: usize,
    pub(super) quads: Range<u32>,
}

/// Which ranges of a page are free. Invariant: sorted, not touching one another, none empty.
#[derive(Debug)]
struct FreeList(Vec<Range<u32>>);

impl FreeList {
    fn take(&mut self, len: u32) -> Option<Range<u32>> {
        let at = self.0.iter().position(|free| free.end - free.start >= len)?;
        let free = self.0.get_mut(at)?;
        let taken = free.start..free.start + len;
        free.start = taken.end;
        if free.start == free.end {
            self.0.remove(at);
        }
        Some(taken)
    }

    fn give(&mut self, range: Range<u32>) {
        let at = self.0.partition_point(|free| free.start < range.start);
        self.0.insert(at, range);
        self.0.dedup_by(|next, free| {
            let touch = free.end == next.start;
            if touch {
                free.end = next.end;
            }
            touch
        });
    }
}

#[derive(Debug, Default)]
pub(super) struct Arena {
    pages: Vec<(wgpu::Buffer, FreeList)>,
}

impl Arena {
    /// Puts quads into free memory; no more than a page of them.
    pub(super) fn store(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, quads: &[Quad]) -> Slot {
        let len = u32::try_from(quads.len()).unwrap_or(u32::MAX);
        assert!(len <= PAGE_QUADS, "a chunk has fewer faces than a page");
        let found = self.pages.iter_mut().enumerate().find_map(|(page, (_, free))| Some((page, free.take(len)?)));
        let (page, range) = found.unwrap_or_else(|| {
            let buffer = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("voxel faces"),
                size: u64::from(PAGE_QUADS) * Quad::SIZE_BYTES,
                usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            let mut free = FreeList(vec![Range { start: 0, end: PAGE_QUADS }]);
            let taken = free.take(len).unwrap_or(0..0);
            self.pages.push((buffer, free));
            (self.pages.len() - 1, taken)
        });
        if let Some((buffer, _)) = self.pages.get(page) {
            queue.write_buffer(buffer, u64::from(range.start) * Quad::SIZE_BYTES, bytemuck::cast_slice(quads));
        }
        Slot { page, quads: range }
    }

    /// Frees what [`store`](Self::store) answered.
    pub(super) fn free(&mut self, slot: Slot) {
        if let Some((_, free)) = self.pages.get_mut(slot.page) {
            free.give(slot.quads);
        }
    }

    pub(super) fn buffer(&self, page: usize) -> Option<&wgpu::Buffer> {
        self.pages.get(page).map(|(buffer, _)| buffer)
    }

    pub(super) fn clear(&mut self) {
        self.pages.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_neighbors_become_one_range_again() {
        let mut free = FreeList(vec![Range { start: 0, end: 100 }]);
        let [a, b, c] = [10, 20, 30].map(|len| free.take(len).unwrap());
        assert_eq!((a.clone(), b.clone(), c.clone()), (0..10, 10..30, 30..60));
        free.give(a);
        free.give(c);
        assert_eq!(free.0, [0..10, 30..100]);
        assert_eq!(free.take(40), Some(30..70));
        free.give(30..70);
        free.give(b);
        assert_eq!(free.0, [Range { start: 0, end: 100 }]);
        assert_eq!(free.take(101), None);
    }
}
