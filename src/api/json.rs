//! Serialises JSON directly into a buffer, so that a response is written only once, in the order of the
//! tables.

use std::convert::Infallible;

use serde::Serialize;

/// A JSON object that is being written.
pub struct Object<'a> {
    bytes: &'a mut Vec<u8>,
    is_empty: bool,
}

impl<'a> Object<'a> {
    /// Begins an object.
    pub fn begin(bytes: &'a mut Vec<u8>) -> Self {
        bytes.push(b'{');
        Self {
            bytes,
            is_empty: true,
        }
    }

    /// Writes a name and returns the buffer for its value.
    pub fn name(&mut self, name: &str) -> &mut Vec<u8> {
        if !self.is_empty {
            self.bytes.push(b',');
        }
        self.is_empty = false;
        text(self.bytes, name);
        self.bytes.push(b':');
        self.bytes
    }

    /// Writes a name and its value.
    pub fn field(&mut self, name: &str, content: impl Serialize) {
        value(self.name(name), content);
    }

    /// Writes a name and a string.
    pub fn text(&mut self, name: &str, content: &str) {
        text(self.name(name), content);
    }

    /// Writes a name and a value that is already JSON.
    pub fn raw(&mut self, name: &str, json: &[u8]) {
        self.name(name).extend_from_slice(json);
    }

    /// Ends the object.
    pub fn end(self) {
        self.bytes.push(b'}');
    }
}

/// Writes an array.
pub fn list<T>(
    bytes: &mut Vec<u8>,
    elements: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T),
) {
    // Always matches, because the type of the error has no values.
    let Ok(()) = try_list::<T, Infallible>(bytes, elements, |bytes, element| {
        write(bytes, element);
        Ok(())
    });
}

/// Writes an array whose elements may fail.
///
/// # Errors
///
/// Returns the error of `write`; the array is left unterminated.
pub fn try_list<T, E>(
    bytes: &mut Vec<u8>,
    elements: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T) -> Result<(), E>,
) -> Result<(), E> {
    bytes.push(b'[');
    for (index, element) in elements.enumerate() {
        if index > 0 {
            bytes.push(b',');
        }
        write(bytes, element)?;
    }
    bytes.push(b']');
    Ok(())
}

/// Number of bytes of a string that are examined in one step.
const STEP_BYTES: usize = 16;

/// One in this many bytes of a text may need an escape before the buffer has to grow. In documents of the editor, it is one
/// in 20 bytes.
const ESCAPES_SHARE: usize = 8;

/// Writes a string with the same result as `serde_json`. Runs without escapes are copied at once.
pub fn text(bytes: &mut Vec<u8>, content: &str) {
    let mut rest = content.as_bytes();
    // Reserves room for escapes, because otherwise the first escape would reallocate a long text.
    bytes.reserve(rest.len() + rest.len() / ESCAPES_SHARE + 2);
    bytes.push(b'"');
    while let Some(offset) = first_escaped(rest) {
        let (plain, escaped) = rest.split_at(offset);
        bytes.extend_from_slice(plain);
        escape(bytes, escaped[0]);
        rest = &escaped[1..];
    }
    bytes.extend_from_slice(rest);
    bytes.push(b'"');
}

/// Returns the offset of the first byte that must be escaped.
fn first_escaped(text: &[u8]) -> Option<usize> {
    let (steps, _) = text.as_chunks::<STEP_BYTES>();
    // There is no early exit within a step, so that the compiler vectorises the check.
    let is_plain = |step: &&[u8; STEP_BYTES]| {
        !step
            .iter()
            .fold(false, |found, byte| found | is_escaped(*byte))
    };
    let plain = STEP_BYTES * steps.iter().take_while(is_plain).count();
    let offset = text[plain..].iter().position(|byte| is_escaped(*byte))?;
    Some(plain + offset)
}

fn is_escaped(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

fn escape(bytes: &mut Vec<u8>, byte: u8) {
    // In lower case, as `serde_json` writes them.
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\t' => b't',
        b'\r' => b'r',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            let [high, low] = [byte >> 4, byte & 15].map(|digit| DIGITS[usize::from(digit)]);
            bytes.extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
            return;
        }
    };
    bytes.extend_from_slice(&[b'\\', short]);
}

/// Writes a value.
pub fn value(bytes: &mut Vec<u8>, content: impl Serialize) {
    serde_json::to_writer(bytes, &content)
        .expect("invariant: texts, numbers and lists of them can be written to memory");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn string_is_written_as_serde_json_writes_it(content in r#"([ -~]{0,40}|["\\\x00-\x1f\x7fé]{0,3}){0,8}"#) {
            let mut bytes = Vec::new();
            text(&mut bytes, &content);
            prop_assert_eq!(bytes, serde_json::to_vec(&content).unwrap());
        }
    }

    #[test]
    fn every_ascii_character_is_written_as_serde_json_writes_it() {
        for byte in 0..0x80_u8 {
            let content = format!("{}{}", "a".repeat(20), char::from(byte));
            let mut bytes = Vec::new();
            text(&mut bytes, &content);
            assert_eq!(bytes, serde_json::to_vec(&content).unwrap(), "{byte:02x}");
        }
    }
}
