//! Writing JSON straight into bytes: an answer is written once, in the order of the tables.

use std::convert::Infallible;

use serde::Serialize;

/// An object that is being written.
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

    /// Writes a name and gives the bytes to write its value to.
    pub fn name(&mut self, name: &str) -> &mut Vec<u8> {
        if !self.is_empty {
            self.bytes.push(b',');
        }
        self.is_empty = false;
        value(self.bytes, name);
        self.bytes.push(b':');
        self.bytes
    }

    /// Writes a name and its value.
    pub fn field(&mut self, name: &str, content: impl Serialize) {
        value(self.name(name), content);
    }

    /// Ends the object.
    pub fn end(self) {
        self.bytes.push(b'}');
    }
}

/// Writes a list, one element after the other.
pub fn list<T>(
    bytes: &mut Vec<u8>,
    elements: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T),
) {
    let Ok(()) = try_list::<T, Infallible>(bytes, elements, |bytes, element| {
        write(bytes, element);
        Ok(())
    });
}

/// Writes a list of what may fail to be written.
///
/// # Errors
///
/// What `write` returns; the list is not ended then.
pub fn try_list<T, E>(
    bytes: &mut Vec<u8>,
    elements: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T) -> Result<(), E>,
) -> Result<(), E> {
    bytes.push(b'[');
    for (place, element) in elements.enumerate() {
        if place > 0 {
            bytes.push(b',');
        }
        write(bytes, element)?;
    }
    bytes.push(b']');
    Ok(())
}

/// Writes a value.
pub fn value(bytes: &mut Vec<u8>, content: impl Serialize) {
    serde_json::to_writer(bytes, &content)
        .expect("invariant: texts, numbers and lists of them can be written to memory");
}
