//! JSON read piece by piece: the way through objects and lists, and single values as the bytes they are written in.
//!
//! An export is one document of any size, of which never more is held than one row. What stands between the rows is
//! checked here; what is in a row is for the caller. Every length has a bound, so a file of nonsense costs time and
//! no memory.

use std::io::{self, Read};

use memchr::memchr2;

/// Bytes read at once.
const CHUNK_BYTES: usize = 256 << 10;

/// Longest key of an object, in bytes with its quotes.
const KEY_BYTES_MAX: usize = 1 << 10;

/// How deep values may be nested in each other.
const DEPTH_MAX: usize = 128;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What is wrong, and where.
#[derive(Debug, thiserror::Error)]
#[error("{fault} (at byte {offset})")]
pub struct StreamError {
    /// Bytes from the start of the document.
    pub offset: u64,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong with a document.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// It ends before it is complete.
    #[error("it ends in the middle; it was cut off")]
    Truncated,
    /// Something else is due here.
    #[error("it is not JSON: {wanted} is missing before {found}")]
    Unexpected {
        /// What should stand here.
        wanted: &'static str,
        /// What stands here.
        found: String,
    },
    /// A value is longer than is taken.
    #[error("one value has more than {0} bytes")]
    TooLong(usize),
    /// Values stand too deep in each other.
    #[error("values are nested more than {DEPTH_MAX} deep")]
    TooDeep,
}

/// A document that is being read.
pub struct JsonStream<'r> {
    reader: &'r mut dyn Read,
    buffer: Vec<u8>,
    /// Where reading goes on, in the buffer.
    position: usize,
    /// Where the buffer's content ends.
    filled: usize,
    /// Where the buffer begins, in the document.
    base: u64,
    /// Where the value begins that is being kept, in the buffer.
    kept_from: Option<usize>,
}

impl<'r> JsonStream<'r> {
    /// The document that `reader` gives.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn new(reader: &'r mut dyn Read) -> Result<Self, StreamError> {
        let mut stream = Self {
            reader,
            buffer: vec![0; CHUNK_BYTES],
            position: 0,
            filled: 0,
            base: 0,
            kept_from: None,
        };
        while stream.filled < BYTE_ORDER_MARK.len() && stream.refill(usize::MAX)? {}
        if stream.buffer[..stream.filled].starts_with(BYTE_ORDER_MARK) {
            stream.position = BYTE_ORDER_MARK.len();
        }
        Ok(stream)
    }

    /// How far the document was read, in bytes.
    pub fn offset(&self) -> u64 {
        self.base + self.position as u64
    }

    /// The first byte of the next value.
    ///
    /// # Errors
    ///
    /// When the document ends here.
    pub fn peek(&mut self) -> Result<u8, StreamError> {
        self.skip_blanks()?
            .ok_or_else(|| self.error(Fault::Truncated))
    }

    /// Enters an object or a list, whose first byte is `opening`.
    ///
    /// # Errors
    ///
    /// When something else stands here.
    pub fn enter(&mut self, opening: u8) -> Result<(), StreamError> {
        let wanted = match opening {
            b'{' => "{",
            _ => "[",
        };
        self.take(opening, wanted)
    }

    /// The key of the next member of an object, up to its colon; `None` at the object's end. `is_first` tells that none was
    /// read yet.
    ///
    /// # Errors
    ///
    /// When neither stands here, or the key is too long.
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
            fault: Fault::Unexpected {
                wanted: "a key",
                found: error.to_string(),
            },
        })?;
        self.take(b':', ":")?;
        Ok(Some(key))
    }

    /// Whether a list goes on. `is_first` tells that none of its elements was read yet.
    ///
    /// # Errors
    ///
    /// When it neither goes on nor ends.
    pub fn element(&mut self, is_first: bool) -> Result<bool, StreamError> {
        Ok(!self.is_over(b']', is_first)?)
    }

    /// The next value, as it is written.
    ///
    /// # Errors
    ///
    /// When it has more than `bytes_max` bytes, is nested too deeply, or its brackets and quotes do not fit together.
    pub fn value(&mut self, bytes_max: usize) -> Result<&[u8], StreamError> {
        self.peek()?;
        self.kept_from = Some(self.position);
        let outcome = self.pass_value(bytes_max);
        let from = self.kept_from.take().unwrap_or(self.position);
        outcome?;
        let bytes = &self.buffer[from..self.position];
        match bytes.len() > bytes_max {
            true => Err(self.error(Fault::TooLong(bytes_max))),
            false => Ok(bytes),
        }
    }

    /// Passes over the next value, whatever its length.
    ///
    /// # Errors
    ///
    /// When it is nested too deeply, or its brackets and quotes do not fit together.
    pub fn skip(&mut self) -> Result<(), StreamError> {
        self.peek()?;
        self.pass_value(usize::MAX)
    }

    /// Makes sure that nothing but blanks is left.
    ///
    /// # Errors
    ///
    /// When something is.
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

    fn take(&mut self, wanted: u8, name: &'static str) -> Result<(), StreamError> {
        if self.peek()? != wanted {
            return Err(self.unexpected(name));
        }
        self.position += 1;
        Ok(())
    }

    /// Goes behind the value that begins here.
    fn pass_value(&mut self, bytes_max: usize) -> Result<(), StreamError> {
        match self.buffer[self.position] {
            b'{' | b'[' => self.pass_nested(bytes_max),
            b'"' => {
                self.position += 1;
                self.pass_rest_of_text(bytes_max)
            }
            byte if byte == b'-' || byte.is_ascii_alphanumeric() => self.pass_word(bytes_max),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn pass_nested(&mut self, bytes_max: usize) -> Result<(), StreamError> {
        let mut closings = Vec::new();
        loop {
            match self.next(bytes_max)? {
                b'{' => closings.push(b'}'),
                b'[' => closings.push(b']'),
                b'"' => self.pass_rest_of_text(bytes_max)?,
                byte @ (b'}' | b']') => {
                    if closings.pop() != Some(byte) {
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
                return Err(self.error(Fault::TooDeep));
            }
        }
    }

    /// Goes behind the quote that ends the text whose first quote was passed.
    fn pass_rest_of_text(&mut self, bytes_max: usize) -> Result<(), StreamError> {
        loop {
            match memchr2(b'"', b'\\', &self.buffer[self.position..self.filled]) {
                Some(place) => {
                    self.position += place + 1;
                    if self.buffer[self.position - 1] == b'"' {
                        return Ok(());
                    }
                    // What is behind a backslash does not end the text.
                    self.next(bytes_max)?;
                }
                None => {
                    self.position = self.filled;
                    self.must_refill(bytes_max)?;
                }
            }
        }
    }

    /// Goes behind a number, `true`, `false` or `null`.
    fn pass_word(&mut self, bytes_max: usize) -> Result<(), StreamError> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        loop {
            if self.position == self.filled && !self.refill(bytes_max)? {
                return Ok(());
            }
            if !is_part(self.buffer[self.position]) {
                return Ok(());
            }
            self.position += 1;
        }
    }

    /// Takes one byte.
    fn next(&mut self, bytes_max: usize) -> Result<u8, StreamError> {
        if self.position == self.filled {
            self.must_refill(bytes_max)?;
        }
        self.position += 1;
        Ok(self.buffer[self.position - 1])
    }

    /// Goes to the next byte that is no blank, and returns it; `None` at the end.
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

    fn must_refill(&mut self, bytes_max: usize) -> Result<(), StreamError> {
        match self.refill(bytes_max)? {
            true => Ok(()),
            false => Err(self.error(Fault::Truncated)),
        }
    }

    /// Reads on; false at the end. What was passed is dropped, unless it belongs to a value that is being kept.
    fn refill(&mut self, bytes_max: usize) -> Result<bool, StreamError> {
        let given_up = self.kept_from.unwrap_or(self.position);
        self.buffer.copy_within(given_up..self.filled, 0);
        self.base += given_up as u64;
        self.position -= given_up;
        self.filled -= given_up;
        if let Some(kept_from) = &mut self.kept_from {
            *kept_from = 0;
            if self.filled > bytes_max {
                return Err(self.error(Fault::TooLong(bytes_max)));
            }
        }
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.filled * 2, 0);
        } else if self.filled < CHUNK_BYTES / 2 && self.buffer.len() > 4 * CHUNK_BYTES {
            // One long value does not cost its memory for the rest of the document.
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

    fn unexpected(&self, wanted: &'static str) -> StreamError {
        let rest = &self.buffer[self.position..self.filled];
        let shown = &rest[..rest.len().min(20)];
        self.error(Fault::Unexpected {
            wanted,
            found: format!("\"{}\"", shown.escape_ascii()),
        })
    }

    fn error(&self, fault: Fault) -> StreamError {
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

    /// Gives a few bytes at a time, as a pipe may.
    struct Dripping<'a>(&'a [u8], usize);

    impl Read for Dripping<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(out.len()).min(self.0.len());
            out[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn first_value(text: &str, bytes_max: usize) -> Result<String, StreamError> {
        let mut reader = Dripping(text.as_bytes(), 3);
        let mut stream = JsonStream::new(&mut reader)?;
        let value = stream.value(bytes_max)?.to_vec();
        stream.end()?;
        Ok(String::from_utf8(value).unwrap())
    }

    #[test]
    fn values_come_as_they_are_written() {
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
    fn what_is_cut_off_or_does_not_fit_together_is_told_with_its_place() {
        for (text, expected) in [
            ("[1, 2", "it ends in the middle; it was cut off (at byte 5)"),
            ("\"abc", "it ends in the middle; it was cut off (at byte 4)"),
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
            Fault::TooLong(100)
        ));
        assert!(first_value(&long, 1002).is_ok());
        let deep = "[".repeat(DEPTH_MAX + 1);
        assert!(matches!(
            first_value(&deep, 1000).unwrap_err().fault,
            Fault::TooDeep
        ));
    }

    proptest! {
        #[test]
        fn whatever_json_there_is_comes_out_whole(text in r#"[a-z"\\{}\[\],: ]{0,40}"#, size in 1..7_usize) {
            let json = serde_json::to_string(&serde_json::json!([{ "k": text, "l": [[1.5, null]] }, text])).unwrap();
            let mut reader = Dripping(json.as_bytes(), size);
            let mut stream = JsonStream::new(&mut reader).unwrap();
            prop_assert_eq!(stream.value(usize::MAX).unwrap(), json.as_bytes());
        }
    }
}
