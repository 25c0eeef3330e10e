//! Numbers as a person reads them.

/// A number with what it counts: `1 object has`, `3 objects have`.
pub fn some(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A number of bytes, in thousands as disks and settings count them: `30 GB`, `1.5 MB`, `300 bytes`.
pub fn size_text(bytes: u64) -> String {
    let units = [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    let Some((unit, name)) = units.into_iter().find(|(unit, _)| bytes >= *unit) else { return some(bytes, "byte", "bytes") };
    let (whole, tenth) = (bytes / unit, bytes % unit * 10 / unit);
    if whole >= 10 || tenth == 0 { format!("{whole} {name}") } else { format!("{whole}.{tenth} {name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_said_in_the_unit_that_fits() {
        let sizes = [1, 300, 1_000, 1_550_000, 30_000_000_000, 2_048_000_000, u64::MAX];
        assert_eq!(sizes.map(size_text), ["1 byte", "300 bytes", "1 kB", "1.5 MB", "30 GB", "2 GB", "18446744 TB"]);
    }
}
