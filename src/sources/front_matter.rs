//! Splitting a text file into its front matter and its body.
//!
//! Front matter is TOML between two lines `+++`, or YAML between two lines `---` (the second may be `...`). It stands at
//! the very beginning; only blank lines may come before it. The first closing line ends it, even one that stands inside a
//! text of several lines. The files of other generators may do without, or have JSON in its place, as in Hugo.

use serde::de::IgnoredAny;

use super::diagnostic::Diagnostic;
use super::document::{self, Language, Table};
use super::source::{Source, Span};

/// The front matter of a text file.
pub(super) struct FrontMatter {
    pub language: Language,
    pub table: Table,
    /// The opening line of the front matter: where something that is missing is reported.
    pub opening: Span,
    /// Byte position at which the body begins.
    pub body_start: usize,
}

impl FrontMatter {
    /// Splits a text file and reads its front matter.
    ///
    /// # Errors
    ///
    /// One diagnostic if there is no front matter, or it is not closed or cannot be read.
    pub fn of_text(source: &Source) -> Result<FrontMatter, Diagnostic> {
        let text = source.text();
        let Some((language, opening)) = opening_line(text) else {
            let first_line = Span::new(0, text.find('\n').unwrap_or(text.len()));
            let advice = "begin it with the lines `+++`, `title = \"…\"` and `+++`";
            return Err(source.error(
                first_line,
                "the file has no front matter, and so no title",
                advice,
            ));
        };
        let start = (opening.end + 1).min(text.len());
        let Some(closing) = closing_line(&text[start..], language) else {
            let advice = format!(
                "put a line `{}` behind the last key",
                source.slice(opening).trim_end()
            );
            return Err(source.error(opening, "the front matter is not closed", advice));
        };
        let table = table_at(source, language, Span::new(start, start + closing.start))?;
        Ok(FrontMatter {
            language,
            table,
            opening,
            body_start: (start + closing.end + 1).min(text.len()),
        })
    }

    /// The same for the file of another generator, which may have none or one in JSON.
    ///
    /// # Errors
    ///
    /// One diagnostic if there is front matter that is not closed or cannot be read.
    pub fn of_foreign_text(source: &Source) -> Result<FrontMatter, Diagnostic> {
        if opening_line(source.text()).is_some() {
            return FrontMatter::of_text(source);
        }
        let json = json_object(source.text());
        Ok(FrontMatter {
            // JSON is YAML (YAML 1.2, section 1.3).
            language: Language::Yaml,
            table: table_at(source, Language::Yaml, json)?,
            opening: Span::new(json.start, json.start),
            body_start: json.end,
        })
    }

    /// Reads a file that is all data, as if it were front matter without a body.
    ///
    /// # Errors
    ///
    /// One diagnostic if it cannot be read.
    pub fn of_data(source: &Source, language: Language) -> Result<FrontMatter, Diagnostic> {
        let end = source.text().len();
        let table = table_at(source, language, Span::new(0, end))?;
        Ok(FrontMatter {
            language,
            table,
            opening: Span::default(),
            body_start: end,
        })
    }
}

fn table_at(source: &Source, language: Language, span: Span) -> Result<Table, Diagnostic> {
    document::parse(language, source.slice(span), span.start)
        .map_err(|malformed| source.error(malformed.span, malformed.message, malformed.advice))
}

fn opening_line(text: &str) -> Option<(Language, Span)> {
    let start = text.len() - text.trim_start_matches([' ', '\t', '\n']).len();
    let line = text[start..].lines().next()?;
    let at_line_start = start == 0 || text[..start].ends_with('\n');
    let language = match line.trim_end() {
        "+++" if at_line_start => Language::Toml,
        "---" if at_line_start => Language::Yaml,
        _ => return None,
    };
    Some((language, Span::new(start, start + line.len())))
}

/// The object of JSON that a text begins with; empty if there is none.
fn json_object(text: &str) -> Span {
    if !text.starts_with('{') {
        return Span::default();
    }
    let mut objects = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    match objects.next() {
        Some(Ok(_)) => Span::new(0, objects.byte_offset()),
        _ => Span::default(),
    }
}

fn closing_line(text: &str, language: Language) -> Option<Span> {
    let mut start = 0;
    for line in text.split('\n') {
        let closes = match language {
            Language::Toml => line.trim_end() == "+++",
            Language::Yaml => matches!(line.trim_end(), "---" | "..."),
        };
        if closes {
            return Some(Span::new(start, start + line.len()));
        }
        start += line.len() + 1;
    }
    None
}
