//! The language in the info string of a fenced code block.

/// Returns the language in an info string such as `rust,ignore`, `js {1,3}`, `{.python}` or
/// `ruby?start_line=2`; empty if it names none.
pub(super) fn of(info: &str) -> &str {
    let info = info.trim_start_matches(|character: char| {
        character.is_whitespace() || "{.".contains(character)
    });
    let end = info
        .find(|character: char| character.is_whitespace() || ",{}[]()?:=\"'".contains(character));
    let word = &info[..end.unwrap_or(info.len())];
    // An attribute is not a language.
    let is_attribute = info[word.len()..].starts_with('=') || word.starts_with('#');
    if is_attribute { "" } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_the_first_word() {
        for (info, language) in [
            ("rust", "rust"),
            ("rust,ignore", "rust"),
            ("js {1,3} title=\"a\"", "js"),
            ("jsx{1}", "jsx"),
            ("{.python .wide}", "python"),
            ("{r, echo=FALSE}", "r"),
            ("python linenos hl_lines=1-2", "python"),
            ("js:a.js", "js"),
            ("ruby?start_line=2", "ruby"),
            ("{linenos=true}", ""),
            ("title=\"a\"", ""),
            ("{#id}", ""),
            ("{{site}}", "site"),
            ("c++", "c++"),
            ("C#", "C#"),
            ("asp.net", "asp.net"),
            ("", ""),
        ] {
            assert_eq!(of(info), language, "{info}");
        }
    }
}
