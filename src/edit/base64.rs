//! Base64 (RFC 4648, section 4) for binary data in commands. Strict: padded, no blanks, no stray bits.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for index in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * index) & 63) as usize];
            text.push(if index > group.len() { '=' } else { char::from(digit) });
        }
    }
    text
}

/// The bytes, or where the text goes wrong.
pub(super) fn decode(text: &str) -> Result<Vec<u8>, usize> {
    let text = text.as_bytes();
    if !text.len().is_multiple_of(4) {
        return Err(text.len());
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for (group_index, group) in text.chunks(4).enumerate() {
        let at = group_index * 4;
        let last = at + 4 == text.len();
        let padding = if last { group.iter().rev().take(2).take_while(|digit| **digit == b'=').count() } else { 0 };
        let mut bits = 0_u32;
        for (index, digit) in group.iter().enumerate() {
            let value = if index + padding >= 4 { Some(0) } else { value(*digit) };
            bits = bits << 6 | value.ok_or(at + index)?;
        }
        let [_, out @ ..] = bits.to_be_bytes();
        let (kept, dropped) = out.split_at(3 - padding);
        if dropped.iter().any(|byte| *byte != 0) {
            return Err(at + 3 - padding);
        }
        bytes.extend_from_slice(kept);
    }
    Ok(bytes)
}

fn value(digit: u8) -> Option<u32> {
    let value = match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_examples_of_the_standard_hold() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")] {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text), Ok(bytes.as_bytes().to_vec()));
        }
    }

    #[test]
    fn bad_texts_are_refused_with_their_place() {
        for (text, at) in [("Zg=", 3), ("Zg==Zg==", 2), ("Z===", 1), ("Zh==", 1), ("Zm9 ", 3), ("====", 0), ("Zm9v\n", 5), ("Zm+-", 3)] {
            assert_eq!(decode(text), Err(at), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn bytes_read_back(bytes: Vec<u8>) {
            prop_assert_eq!(decode(&encode(&bytes)), Ok(bytes));
        }

        #[test]
        fn any_text_is_decoded_or_refused(text in "[A-Za-z0-9+/=é]{0,12}") {
            if let Ok(bytes) = decode(&text) {
                prop_assert_eq!(encode(&bytes), text);
            }
        }
    }
}
