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

/// Which parts of all pages are free, and how much may be taken.
#[derive(Debug)]
struct Pages {
    free: Vec<FreeList>,
    taken_quads: u64,
    most_quads: u64,
}

impl Pages {
    /// Takes room for some quads, on a new page if need be; `None` where they would be more than allowed.
    fn take(&mut self, len: u32) -> Option<Slot> {
        if self.taken_quads + u64::from(len) > self.most_quads {
            return None;
        }
        let found = self.free.iter_mut().enumerate().find_map(|(page, free)| Some(Slot { page, quads: free.take(len)? }));
        let slot = match found {
            Some(slot) => slot,
            // Pieces that are free, and too small, take as much as half a page each: no more pages than twice as many.
            None if self.free.len() as u64 > 2 * self.most_quads / u64::from(PAGE_QUADS) => return None,
            None => {
                let mut free = FreeList(vec![Range { start: 0, end: PAGE_QUADS }]);
                let quads = free.take(len)?;
                self.free.push(free);
                Slot { page: self.free.len() - 1, quads }
            }
        };
        self.taken_quads += u64::from(len);
        Some(slot)
    }

    fn give(&mut self, slot: Slot) {
        if let Some(free) = self.free.get_mut(slot.page) {
            self.taken_quads = self.taken_quads.saturating_sub(u64::from(slot.quads.end - slot.quads.start));
            free.give(slot.quads);
        }
    }
}

#[derive(Debug)]
pub(super) struct Arena {
    pages: Pages,
    buffers: Vec<wgpu::Buffer>,
}

impl Arena {
    /// One that may grow as it likes.
    pub(super) fn new() -> Self {
        Self { pages: Pages { free: vec![], taken_quads: 0, most_quads: u64::MAX / 4 }, buffers: vec![] }
    }

    /// How many bytes of quads may lie in it; answers whether that is more than before. What lies in it stays.
    pub(super) fn limit(&mut self, most_bytes: u64) -> bool {
        let most_quads = (most_bytes / Quad::SIZE_BYTES).min(u64::MAX / 4);
        most_quads > std::mem::replace(&mut self.pages.most_quads, most_quads)
    }

    /// Puts quads into free memory; `None` where they would be more than allowed.
    pub(super) fn store(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, quads: &[Quad]) -> Option<Slot> {
        let len = u32::try_from(quads.len()).unwrap_or(u32::MAX);
        assert!(len <= PAGE_QUADS, "a chunk has fewer faces than a page");
        let slot = self.pages.take(len)?;
        while self.buffers.len() < self.pages.free.len() {
            self.buffers.push(device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("voxel faces"),
                size: u64::from(PAGE_QUADS) * Quad::SIZE_BYTES,
                usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }));
        }
        if let Some(buffer) = self.buffers.get(slot.page) {
            queue.write_buffer(buffer, u64::from(slot.quads.start) * Quad::SIZE_BYTES, bytemuck::cast_slice(quads));
        }
        Some(slot)
    }

    /// Frees what [`store`](Self::store) answered.
    pub(super) fn free(&mut self, slot: Slot) {
        self.pages.give(slot);
    }

    pub(super) fn buffer(&self, page: usize) -> Option<&wgpu::Buffer> {
        self.buffers.get(page)
    }

    pub(super) fn clear(&mut self) {
        (self.pages.free, self.pages.taken_quads) = (vec![], 0);
        self.buffers.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_taken_than_allowed_and_what_is_given_back_is_taken_again() {
        let most_quads = u64::from(PAGE_QUADS) + 10;
        let mut pages = Pages { free: vec![], taken_quads: 0, most_quads };
        let first = pages.take(PAGE_QUADS).unwrap();
        assert_eq!(pages.take(11), None);
        assert_eq!(pages.take(10), Some(Slot { page: 1, quads: 0..10 }));
        assert_eq!(pages.take(1), None);
        pages.give(first.clone());
        assert_eq!(pages.take(PAGE_QUADS), Some(first));
    }

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
