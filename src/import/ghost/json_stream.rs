//! A pull parser for JSON that steps through objects and lists, and returns single values as raw bytes.
//!
//! An export is one document of any size, of which at most one row is buffered. The syntax between rows is checked
//! here; the caller parses the rows. Every length has a limit, so a malformed file costs time, but not memory.
//!
//! Written by hand because `serde_json` neither resumes in the middle of a document nor bounds the length of a value.

use std::io::{self, Read};

use memchr::memchr2;

/// Size of a read, in bytes.
const CHUNK_BYTES: usize = 256 << 10;

/// Longest key of an object, in bytes with its quotes.
const KEY_BYTES_MAX: usize = 1 << 10;

/// Deepest nesting of values.
const DEPTH_MAX: usize = 128;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The problem of a document, and its position.
#[derive(Debug, thiserror::Error)]
#[error("{fault} (at byte {offset})")]
pub struct StreamError {
    /// Bytes from the start of the document.
    pub offset: u64,
    /// The error.
    pub fault: JsonFault,
}

/// An error in a document.
#[derive(Debug, thiserror::Error)]
pub enum JsonFault {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// It ends before it is complete.
    #[error("it is truncated")]
    Truncated,
    /// Something else was expected.
    #[error("it is not JSON: {expected} is missing before {actual}")]
    Unexpected {
        /// The expected token.
        expected: &'static str,
        /// The token that follows instead.
        actual: String,
    },
    /// A value exceeds the limit.
    #[error("one value has more than {0} bytes")]
    TooLong(usize),
    /// Values are nested too deeply.
    #[error("values are nested more than {DEPTH_MAX} deep")]
    TooDeep,
}

/// A document that is being read.
pub struct JsonStream<'r> {
    reader: &'r mut dyn Read,
    buffer: Vec<u8>,
    /// Position of the next byte, in the buffer.
    position: usize,
    /// End of the buffer's content.
    filled: usize,
    /// Offset of the start of the buffer in the document.
    base: u64,
    /// Start of the value that is being buffered, in the buffer.
    value_start: Option<usize>,
}

impl<'r> JsonStream<'r> {
    /// Returns a parser of the document that `reader` supplies, after a byte order mark.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn new(reader: &'r mut dyn Read) -> Result<Self, StreamError> {
        let mut stream = Self {
            reader,
            buffer: vec![0; CHUNK_BYTES],
            position: 0,
            filled: 0,
            base: 0,
            value_start: None,
        };
        // A read may return fewer bytes than the mark has.
        while stream.filled < BYTE_ORDER_MARK.len() && stream.refill(usize::MAX)? {}
        if stream.buffer[..stream.filled].starts_with(BYTE_ORDER_MARK) {
            stream.position = BYTE_ORDER_MARK.len();
        }
        Ok(stream)
    }

    /// Returns the number of bytes consumed so far.
    pub fn offset(&self) -> u64 {
        self.base + self.position as u64
    }

    /// Returns the first byte of the next value, without consuming it.
    ///
    /// # Errors
    ///
    /// If the document ends here.
    pub fn peek(&mut self) -> Result<u8, StreamError> {
        self.skip_blanks()?
            .ok_or_else(|| self.error(JsonFault::Truncated))
    }

    /// Enters an object or a list, whose first byte is `opening`.
    ///
    /// # Errors
    ///
    /// If something else follows.
    pub fn enter(&mut self, opening: u8) -> Result<(), StreamError> {
        let name = match opening {
            b'{' => "{",
            _ => "[",
        };
        self.take(opening, name)
    }

    /// Returns the key of the next member of an object and consumes its colon; `None` at the object's end. `is_first` is set
    /// for the first member.
    ///
    /// # Errors
    ///
    /// If neither follows, or the key is too long.
    pub fn key(&mut self, is_first: bool) -> Result<Option<String>, StreamError> {
        if self.is_over(b'}', is_first)? {
            return Ok(None);
        }
        if self.peek()? != b'"' {
            return Err(self.unexpected("a key in quotes"));
        }
        let offset = self.offset();
        let key = self.value(KEY_BYTES_MAX)?;
        let key = serde_json::from_slice(key).map_err(|error| StreamError {
            offset,
            fault: JsonFault::Unexpected {
                expected: "a key",
                actual: error.to_string(),
            },
        })?;
        self.take(b':', ":")?;
        Ok(Some(key))
    }

    /// Returns whether a list has another element. `is_first` is set for the first element.
    ///
    /// # Errors
    ///
    /// If neither an element nor the end follows.
    pub fn element(&mut self, is_first: bool) -> Result<bool, StreamError> {
        Ok(!self.is_over(b']', is_first)?)
    }

    /// Returns the bytes of the next value.
    ///
    /// # Errors
    ///
    /// If it has more than `bytes_max` bytes, is nested too deeply, or its brackets and quotes do not match.
    pub fn value(&mut self, bytes_max: usize) -> Result<&[u8], StreamError> {
        self.peek()?;
        self.value_start = Some(self.position);
        let outcome = self.skip_value(bytes_max);
        // Read again, because `refill` moves the value to the start of the buffer.
        let from = self.value_start.take().unwrap_or(self.position);
        outcome?;
        let bytes = &self.buffer[from..self.position];
        if bytes.len() > bytes_max {
            Err(self.error(JsonFault::TooLong(bytes_max)))
        } else {
            Ok(bytes)
        }
    }

    /// Skips the next value, whatever its length.
    ///
    /// # Errors
    ///
    /// If it is nested too deeply, or its brackets and quotes do not match.
    pub fn skip(&mut self) -> Result<(), StreamError> {
        self.peek()?;
        self.skip_value(usize::MAX)
    }

    /// Checks that only white space is left.
    ///
    /// # Errors
    ///
    /// If anything else is left.
    pub fn end(&mut self) -> Result<(), StreamError> {
        match self.skip_blanks()? {
            None => Ok(()),
            Some(_) => Err(self.unexpected("the end")),
        }
    }

    fn is_over(&mut self, closing: u8, is_first: bool) -> Result<bool, StreamError> {
        let byte = self.peek()?;
        if byte == closing {
            self.position += 1;
            return Ok(true);
        }
        if !is_first {
            self.take(b',', "a comma")?;
        }
        Ok(false)
    }

    fn take(&mut self, expected: u8, name: &'static str) -> Result<(), StreamError> {
        if self.peek()? != expected {
            return Err(self.unexpected(name));
        }
        self.position += 1;
        Ok(())
    }

    /// Moves past the value that begins here.
    fn skip_value(&mut self, bytes_max: usize) -> Result<(), StreamError> {
        match self.buffer[self.position] {
            b'{' | b'[' => self.skip_nested(bytes_max),
            b'"' => {
                self.position += 1;
                self.skip_rest_of_string(bytes_max)
            }
            byte if byte == b'-' || byte.is_ascii_alphanumeric() => self.skip_literal(bytes_max),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn skip_nested(&mut self, bytes_max: usize) -> Result<(), StreamError> {
        let mut closings = Vec::new();
        loop {
            match self.next(bytes_max)? {
                b'{' => closings.push(b'}'),
                b'[' => closings.push(b']'),
                // Brackets in texts do not count.
                b'"' => self.skip_rest_of_string(bytes_max)?,
                byte @ (b'}' | b']') => {
                    if closings.pop() != Some(byte) {
                        // The error names the position of the bracket, not the next one.
                        self.position -= 1;
                        return Err(self.unexpected("another bracket"));
                    }
                    if closings.is_empty() {
                        return Ok(());
                    }
                }
                _ => {}
            }
            if closings.len() > DEPTH_MAX {
                return Err(self.error(JsonFault::TooDeep));
            }
        }
    }

    /// Moves past the closing quote of a string whose opening quote was consumed.
    fn skip_rest_of_string(&mut self, bytes_max: usize) -> Result<(), StreamError> {
        loop {
            match memchr2(b'"', b'\\', &self.buffer[self.position..self.filled]) {
                Some(offset) => {
                    self.position += offset + 1;
                    if self.buffer[self.position - 1] == b'"' {
                        return Ok(());
                    }
                    // A character after a backslash does not end the string.
                    self.next(bytes_max)?;
                }
                None => {
                    self.position = self.filled;
                    self.refill_or_fail(bytes_max)?;
                }
            }
        }
    }

    /// Moves past a number, `true`, `false` or `null`.
    fn skip_literal(&mut self, bytes_max: usize) -> Result<(), StreamError> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        loop {
            // A literal has no closing character, so the end of the document also ends it.
            if self.position == self.filled && !self.refill(bytes_max)? {
                return Ok(());
            }
            if !is_part(self.buffer[self.position]) {
                return Ok(());
            }
            self.position += 1;
        }
    }

    /// Consumes one byte.
    fn next(&mut self, bytes_max: usize) -> Result<u8, StreamError> {
        if self.position == self.filled {
            self.refill_or_fail(bytes_max)?;
        }
        self.position += 1;
        Ok(self.buffer[self.position - 1])
    }

    /// Moves to the next byte that is not white space, and returns it; `None` at the end.
    fn skip_blanks(&mut self) -> Result<Option<u8>, StreamError> {
        loop {
            if self.position == self.filled && !self.refill(usize::MAX)? {
                return Ok(None);
            }
            match self.buffer[self.position] {
                b' ' | b'\n' | b'\r' | b'\t' => self.position += 1,
                byte => return Ok(Some(byte)),
            }
        }
    }

    fn refill_or_fail(&mut self, bytes_max: usize) -> Result<(), StreamError> {
        if self.refill(bytes_max)? {
            Ok(())
        } else {
            Err(self.error(JsonFault::Truncated))
        }
    }

    /// Reads more of the document; false at the end. Consumed bytes are dropped, unless they belong to a value that is being
    /// buffered.
    fn refill(&mut self, bytes_max: usize) -> Result<bool, StreamError> {
        let dropped = self.value_start.unwrap_or(self.position);
        self.buffer.copy_within(dropped..self.filled, 0);
        self.base += dropped as u64;
        self.position -= dropped;
        self.filled -= dropped;
        if let Some(value_start) = &mut self.value_start {
            *value_start = 0;
            // Checked before the buffer grows, so that a value that is too long takes no further
            // memory.
            if self.filled > bytes_max {
                return Err(self.error(JsonFault::TooLong(bytes_max)));
            }
        }
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.filled * 2, 0);
        } else if self.filled < CHUNK_BYTES / 2 && self.buffer.len() > 4 * CHUNK_BYTES {
            // Give back the memory of one long value for the rest of the document.
            self.buffer.truncate(CHUNK_BYTES);
            self.buffer.shrink_to_fit();
        }
        loop {
            match self.reader.read(&mut self.buffer[self.filled..]) {
                Ok(bytes) => {
                    self.filled += bytes;
                    return Ok(bytes > 0);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.error(error.into())),
            }
        }
    }

    fn unexpected(&self, expected: &'static str) -> StreamError {
        let rest = &self.buffer[self.position..self.filled];
        let shown = &rest[..rest.len().min(20)];
        self.error(JsonFault::Unexpected {
            expected,
            actual: format!("\"{}\"", shown.escape_ascii()),
        })
    }

    fn error(&self, fault: JsonFault) -> StreamError {
        StreamError {
            offset: self.offset(),
            fault,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns a few bytes per read, as a pipe may.
    struct SlowReader<'a>(&'a [u8], usize);

    impl Read for SlowReader<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(out.len()).min(self.0.len());
            out[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn first_value(text: &str, bytes_max: usize) -> Result<String, StreamError> {
        let mut reader = SlowReader(text.as_bytes(), 3);
        let mut stream = JsonStream::new(&mut reader)?;
        let value = stream.value(bytes_max)?.to_vec();
        stream.end()?;
        Ok(String::from_utf8(value).unwrap())
    }

    #[test]
    fn values_are_returned_verbatim() {
        for value in [
            "1",
            "-0.5e+7",
            "null",
            "\"a\"",
            r#""a \" \\""#,
            "{}",
            r#"[[],{"a":"]}"}]"#,
        ] {
            assert_eq!(first_value(&format!(" {value}\n"), 100).unwrap(), value);
        }
        assert_eq!(first_value("\u{feff}[1]", 100).unwrap(), "[1]");
    }

    #[test]
    fn truncated_or_malformed_input_is_reported_with_its_offset() {
        for (text, expected) in [
            ("[1, 2", "it is truncated (at byte 5)"),
            ("\"abc", "it is truncated (at byte 4)"),
            (
                "[1}",
                "it is not JSON: another bracket is missing before \"}\" (at byte 2)",
            ),
            (
                "[] x",
                "it is not JSON: the end is missing before \"x\" (at byte 3)",
            ),
            (
                "?",
                "it is not JSON: a value is missing before \"?\" (at byte 0)",
            ),
        ] {
            assert_eq!(
                first_value(text, 100).unwrap_err().to_string(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn long_and_deep_values_are_refused() {
        let long = format!("\"{}\"", "a".repeat(1000));
        assert!(matches!(
            first_value(&long, 100).unwrap_err().fault,
            JsonFault::TooLong(100)
        ));
        assert!(first_value(&long, 1002).is_ok());
        let deep = "[".repeat(DEPTH_MAX + 1);
        assert!(matches!(
            first_value(&deep, 1000).unwrap_err().fault,
            JsonFault::TooDeep
        ));
    }

    proptest! {
        #[test]
        fn any_json_value_is_returned_complete(text in r#"[a-z"\\{}\[\],: ]{0,40}"#, size in 1..7_usize) {
            let json = serde_json::to_string(&serde_json::json!([{ "k": text, "l": [[1.5, null]] }, text])).unwrap();
            let mut reader = SlowReader(json.as_bytes(), size);
            let mut stream = JsonStream::new(&mut reader).unwrap();
            prop_assert_eq!(stream.value(usize::MAX).unwrap(), json.as_bytes());
        }
    }
}
