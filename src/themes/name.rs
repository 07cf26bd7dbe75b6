//! Names of themes, which are also names of folders and parts of URLs.

use crate::error::{Error, Kind, Result};

/// Maximum length of a name, in bytes.
pub const NAME_BYTES_MAX: usize = 100;

/// The extension of an archive.
const ENDING: &str = ".zip";

/// Returns whether a name is valid for a theme.
pub fn is_name(name: &str) -> bool {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    !name.is_empty()
        && name.len() <= NAME_BYTES_MAX
        && name.bytes().all(is_usual)
        && !name.starts_with('.')
        && name != "node_modules"
}

/// Returns the name of the theme in a file with this name: without folders and `.zip`, and with
/// dashes for unusual characters (Ghost 6.65, recorded).
///
/// # Errors
///
/// `UnsupportedMediaType` if the extension is not that of an archive, `Validation` if the result is
/// not a valid theme name.
pub fn name_of_file(file: &str) -> Result<String> {
    // Some clients send a path as the name of an uploaded file.
    let file = file.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem_length = file.len().saturating_sub(ENDING.len());
    // `get` also refuses an offset within a character.
    let has_ending = file
        .get(stem_length..)
        .is_some_and(|ending| ending.eq_ignore_ascii_case(ENDING));
    if !has_ending || stem_length == 0 {
        return Err(Error::new(
            Kind::UnsupportedMediaType,
            "A theme must be an archive whose name ends in .zip.",
        ));
    }
    from_text(&file[..stem_length])
}

/// Converts text to the name of a theme.
///
/// # Errors
///
/// `Validation` if the result is not a valid theme name.
pub fn from_text(text: &str) -> Result<String> {
    let usual = |sign: char| {
        if sign.is_ascii_alphanumeric() || "._-".contains(sign) {
            sign
        } else {
            '-'
        }
    };
    let name: String = text.chars().map(usual).collect();
    if is_name(&name) {
        Ok(name)
    } else {
        Err(Error::new(
            Kind::Validation,
            "The name of the theme is invalid.",
        )
        .context(format!(
            "A name has at most {NAME_BYTES_MAX} letters, digits, dots, dashes and underscores, and does not begin with a dot."
        ))
        .help("Give the file another name."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn theme_is_named_after_its_file() {
        for (file, name) in [
            ("tide.zip", "tide"),
            ("Tide Name (1).zip", "Tide-Name--1-"),
            ("themes/a.b.ZIP", "a.b"),
            ("C:\\themes\\tide.zip", "tide"),
            ("Überschrift.zip", "-berschrift"),
        ] {
            assert_eq!(name_of_file(file).unwrap(), name);
        }
        for (file, kind) in [
            ("words.txt", Kind::UnsupportedMediaType),
            (".zip", Kind::UnsupportedMediaType),
            ("", Kind::UnsupportedMediaType),
            ("..zip", Kind::Validation),
            (".hidden.zip", Kind::Validation),
            ("node_modules.zip", Kind::Validation),
        ] {
            assert_eq!(name_of_file(file).unwrap_err().kind(), kind, "{file}");
        }
        let long = format!("{}.zip", "x".repeat(NAME_BYTES_MAX + 1));
        assert_eq!(name_of_file(&long).unwrap_err().kind(), Kind::Validation);
    }
}
