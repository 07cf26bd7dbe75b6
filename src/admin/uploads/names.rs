//! Safe names of uploaded files (Ghost 6.65, recorded).

use std::path::Path;

use uuid::Uuid;

/// Longest name, in bytes, before a number is added; file systems allow 255.
const NAME_BYTES_MAX: usize = 200;

/// Longest extension that remains unchanged, in bytes.
const EXTENSION_BYTES_MAX: usize = 20;

/// Number of numeric suffixes that are tried for a name in use. After that, a unique identifier is
/// used as the suffix.
const NUMBERS_MAX: u32 = 2_000;

/// Name of a file whose name has no safe characters.
const NAMELESS: &str = "file";

/// A file name that is safe in a URL and on any file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileName {
    /// The part before the extension.
    pub stem: String,
    /// The extension with its dot; empty without one.
    pub extension: String,
}

impl FileName {
    /// Converts a name to a safe one: without folders, with ASCII alphanumerics, `@`, `.`, `_` and
    /// `-` only, without leading dots, and without a trailing `_o`, which is reserved for
    /// originals.
    ///
    /// Each byte that is not allowed is replaced by a dash, so a two-byte character is replaced by
    /// two dashes.
    pub fn safe(sent: &str) -> Self {
        let name = sent.rsplit(['/', '\\']).next().unwrap_or_default();
        let safe: String = name.bytes().map(safe_character).collect();
        let extension = Path::new(&safe)
            .extension()
            .and_then(|extension| extension.to_str())
            .filter(|extension| !extension.is_empty() && extension.len() <= EXTENSION_BYTES_MAX)
            .map_or_else(String::new, |extension| format!(".{extension}"));
        let stem = safe.strip_suffix(&extension).unwrap_or(&safe);
        let stem = stem.strip_suffix("_o").unwrap_or(stem);
        let mut stem = stem.to_owned();
        // The name is ASCII by now, so every index is a character boundary.
        stem.truncate(NAME_BYTES_MAX - extension.len());
        if stem.starts_with('.') {
            stem.replace_range(..1, "-");
        }
        if stem.is_empty() {
            stem.push_str(NAMELESS);
        }
        Self { stem, extension }
    }

    /// Returns the name with a suffix after its stem: `_o`, `_thumb`.
    pub fn with(&self, suffix: &str) -> String {
        format!("{}{suffix}{}", self.stem, self.extension)
    }

    /// Returns the name with a random suffix, which no other process generates.
    pub fn unique(&self) -> Self {
        let number = Uuid::new_v4().simple().to_string();
        Self {
            stem: format!("{}-{}", self.stem, &number[..12]),
            extension: self.extension.clone(),
        }
    }

    /// Returns the names to try, in order: the unchanged name, names with a number, and a name with
    /// an identifier.
    pub fn attempts(&self) -> impl Iterator<Item = Self> + '_ {
        let with = |suffix: String| Self {
            stem: format!("{}{suffix}", self.stem),
            extension: self.extension.clone(),
        };
        let own = std::iter::once_with(|| self.clone());
        let numbered = (1..=NUMBERS_MAX).map(move |number| with(format!("-{number}")));
        let last = std::iter::repeat_with(move || with(format!("-{}", Uuid::new_v4().simple())));
        own.chain(numbered).chain(last.take(1))
    }
}

fn safe_character(byte: u8) -> char {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'@' | b'.' | b'_' | b'-' => char::from(byte),
        _ => '-',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_characters_in_names_are_replaced() {
        for (sent, safe) in [
            ("plate.png", "plate.png"),
            ("Ein Bild (1) ä.PNG", "Ein-Bild--1----.PNG"),
            ("../../evil.png", "evil.png"),
            ("C:\\pictures\\a.png", "a.png"),
            ("a.b.c.png", "a.b.c.png"),
            ("plate_o.png", "plate.png"),
            (".htaccess.png", "-htaccess.png"),
            ("..png", "-.png"),
            ("_o.png", "file.png"),
            ("", "file"),
            ("a/", "file"),
            ("..", "-."),
            ("a\0b.png", "a-b.png"),
            ("noext", "noext"),
        ] {
            assert_eq!(FileName::safe(sent).with(""), safe, "{sent}");
        }
        let long = FileName::safe(&format!("{}.jpeg", "x".repeat(1000)));
        assert_eq!(long.with("").len(), NAME_BYTES_MAX);
        assert_eq!(long.extension, ".jpeg");
        let no_extension = FileName::safe(&format!("a.{}", "x".repeat(1000)));
        assert_eq!(no_extension.with("").len(), NAME_BYTES_MAX);
    }

    #[test]
    fn taken_names_get_numbers_and_finally_an_identifier() {
        let name = FileName::safe("a.b.png");
        let attempts: Vec<String> = name.attempts().map(|attempt| attempt.with("_o")).collect();
        assert_eq!(attempts[..3], ["a.b_o.png", "a.b-1_o.png", "a.b-2_o.png"]);
        assert_eq!(attempts.len(), NUMBERS_MAX as usize + 2);
    }
}
