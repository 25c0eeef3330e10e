//! Numbers and sentences as a person reads them.

/// A number with what it counts: `1 object has`, `3 objects have`, `100,000 steps`.
pub fn some(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// A number with commas: 16,777,216.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A sentence by itself, which begins with a capital letter.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
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
    fn numbers_are_grouped_from_the_right_also_where_they_count_something() {
        assert_eq!([0, 999, 1000, 16_777_216].map(grouped), ["0", "999", "1,000", "16,777,216"]);
        assert_eq!([1, 2, 100_000].map(|count| some(count, "step", "steps")), ["1 step", "2 steps", "100,000 steps"]);
    }

    #[test]
    fn sizes_are_said_in_the_unit_that_fits() {
        let sizes = [1, 300, 1_000, 1_550_000, 30_000_000_000, 2_048_000_000, u64::MAX];
        assert_eq!(sizes.map(size_text), ["1 byte", "300 bytes", "1 kB", "1.5 MB", "30 GB", "2 GB", "18446744 TB"]);
    }
}
