//! Splits a text file into front matter and body.
//!
//! | first line | language | closed by |
//! |---|---|---|
//! | `---`, `---yaml` | YAML | `---` or `...` |
//! | `+++`, `---toml` | TOML | `+++`, `---` |
//! | `;;;`, `---json` | JSON, the first also without its braces | `;;;`, `---` |
//! | `{` | JSON object, in the files of other generators | its end |
//!
//! Front matter is at the beginning of the file; only blank lines may precede it. The first closing line ends it, even one
//! inside a multi-line string. Of a script (`---js`) the literal declarations count; a script without any is rejected, since
//! nothing is run. In files of other generators front matter is optional, and a leading thematic break `---` is none.

use serde::de::IgnoredAny;

use super::diagnostic::Diagnostic;
use super::document::{self, DocumentError, Language, RecoveredDocument, Table};
use super::source::{Source, Span};
use super::templates::{Declaration, declarations};

/// Parsed front matter of a text file.
pub(super) struct FrontMatter {
    pub language: Language,
    pub table: Table,
    /// Ignored values, in the file of another generator.
    pub problems: Vec<DocumentError>,
    /// The opening line of the front matter, where missing keys are reported.
    pub opening: Span,
    /// Byte position at which the body begins.
    pub body_start: usize,
}

/// A delimiter that opens front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence {
    form: Form,
    /// The closing delimiter.
    closing: &'static str,
}

/// The language after the opening delimiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Data(Language),
    /// JSON whose outer braces are optional.
    BareJson,
    /// A program.
    Script,
}

/// Words after `---`, and the language that they select.
const WORDS: [(&str, Form); 9] = [
    ("", Form::Data(Language::Yaml)),
    ("yaml", Form::Data(Language::Yaml)),
    ("yml", Form::Data(Language::Yaml)),
    ("toml", Form::Data(Language::Toml)),
    ("json", Form::Data(Language::Json)),
    ("js", Form::Script),
    ("javascript", Form::Script),
    ("ts", Form::Script),
    ("coffee", Form::Script),
];

impl Fence {
    fn of_line(line: &str) -> Option<Fence> {
        let line = line.trim_end();
        let fence = |form, closing| Some(Fence { form, closing });
        match line {
            "+++" => return fence(Form::Data(Language::Toml), "+++"),
            ";;;" => return fence(Form::BareJson, ";;;"),
            _ => {}
        }
        let word = line.strip_prefix("---")?.trim_start();
        let (_, form) = WORDS
            .iter()
            .find(|(known, _)| word.eq_ignore_ascii_case(known))?;
        fence(*form, "---")
    }

    fn is_closed_by(self, line: &str) -> bool {
        let line = line.trim_end();
        let is_end_of_yaml = self.form == Form::Data(Language::Yaml) && line == "...";
        line == self.closing || is_end_of_yaml
    }

    /// Returns the position of the closing line in `text`, which follows the opening line.
    fn closing_line(self, text: &str) -> Option<Span> {
        let mut start = 0;
        for line in text.split('\n') {
            if self.is_closed_by(line) {
                return Some(Span::new(start, start + line.len()));
            }
            start += line.len() + 1;
        }
        None
    }
}

impl FrontMatter {
    /// Splits a text file and parses its front matter.
    ///
    /// # Errors
    ///
    /// One diagnostic if front matter is missing, unclosed or malformed.
    pub fn of_text(source: &Source) -> Result<FrontMatter, Diagnostic> {
        let text = source.text();
        let Some((fence, opening)) = opening_line(text) else {
            let first_line = Span::new(0, text.find('\n').unwrap_or(text.len()));
            let advice = "begin it with the lines `+++`, `title = \"…\"` and `+++`";
            return Err(source.error(
                first_line,
                "the file has no front matter, and so no title",
                advice,
            ));
        };
        let front_matter = FrontMatter::fenced(source, fence, opening)?;
        match front_matter.problems.first() {
            Some(problem) => Err(source.error(problem.span, &problem.message, problem.advice)),
            None => Ok(front_matter),
        }
    }

    /// Splits the file of another generator, where front matter is optional and the last value of a repeated key counts.
    ///
    /// # Errors
    ///
    /// One diagnostic if front matter is unclosed or malformed.
    pub fn of_foreign_text(source: &Source) -> Result<FrontMatter, Diagnostic> {
        let text = source.text();
        match opening_line(text) {
            Some((fence, opening)) if !is_rule(text, fence, opening) => {
                FrontMatter::fenced(source, fence, opening)
            }
            _ => {
                let span = json_object(source)?;
                let (language, RecoveredDocument { table, problems }) = match span.end {
                    0 => (Language::Yaml, RecoveredDocument::default()),
                    _ => (Language::Json, table_at(source, Language::Json, span)?),
                };
                Ok(FrontMatter {
                    language,
                    table,
                    problems,
                    opening: Span::new(span.start, span.start),
                    body_start: span.end,
                })
            }
        }
    }

    fn fenced(source: &Source, fence: Fence, opening: Span) -> Result<FrontMatter, Diagnostic> {
        let text = source.text();
        let start = (opening.end + 1).min(text.len());
        let Some(closing) = fence.closing_line(&text[start..]) else {
            let advice = format!("put a line `{}` behind the last key", fence.closing);
            return Err(source.error(opening, "the front matter is not closed", advice));
        };
        let span = Span::new(start, start + closing.start);
        let (language, mended) = match fence.form {
            Form::Data(language) => (language, table_at(source, language, span)?),
            Form::BareJson => (Language::Json, bare_json_at(source, span)?),
            Form::Script => (Language::Json, script_at(source, opening, span)?),
        };
        Ok(FrontMatter {
            language,
            table: mended.table,
            problems: mended.problems,
            opening,
            body_start: (start + closing.end + 1).min(text.len()),
        })
    }

    /// Parses a data file as front matter without a body.
    ///
    /// # Errors
    ///
    /// One diagnostic if it is malformed.
    pub fn of_data(source: &Source, language: Language) -> Result<FrontMatter, Diagnostic> {
        let end = source.text().len();
        let table = document::parse(language, source.text(), 0)
            .map_err(|malformed| diagnostic(source, malformed))?;
        Ok(FrontMatter {
            language,
            table,
            problems: Vec::new(),
            opening: Span::default(),
            body_start: end,
        })
    }
}

fn diagnostic(source: &Source, malformed: DocumentError) -> Diagnostic {
    source.error(malformed.span, malformed.message, malformed.advice)
}

fn table_at(
    source: &Source,
    language: Language,
    span: Span,
) -> Result<RecoveredDocument, Diagnostic> {
    document::parse_leniently(language, source.slice(span), span.start)
        .map_err(|malformed| diagnostic(source, malformed))
}

/// Parses the literal declarations of a script.
fn script_at(source: &Source, opening: Span, span: Span) -> Result<RecoveredDocument, Diagnostic> {
    let advice = "write what it says as YAML between two lines `---`";
    let mut mended = RecoveredDocument::default();
    let text = source.slice(span);
    let declarations = match text.len() {
        ..=document::DOCUMENT_BYTES_MAX => declarations::of(text),
        _ => Vec::new(),
    };
    let is_read = declarations.is_empty() && text.trim().is_empty()
        || declarations
            .iter()
            .any(|declared| declared.values.is_some());
    if !is_read {
        let message = "the front matter is a program, which is not run";
        return Err(source.error(opening, message, advice));
    }
    for Declaration { place, values } in declarations {
        let place = Span::new(span.start + place.start, span.start + place.end);
        match values {
            Some(values) => mended.table.complete(&values, place),
            None => mended.problems.push(DocumentError {
                span: place,
                message: "this would have to be run".to_owned(),
                advice,
                remedy: ", and is left out",
            }),
        }
    }
    Ok(mended)
}

/// Parses a JSON object with or without its braces.
fn bare_json_at(source: &Source, span: Span) -> Result<RecoveredDocument, Diagnostic> {
    let text = source.slice(span);
    if text.trim_start().starts_with('{') {
        return table_at(source, Language::Json, span);
    }
    // The brace replaces the preceding line break, so that positions stay the same.
    let text = format!("{{{}}}", text.trim_end().trim_end_matches(','));
    document::parse_leniently(Language::Json, &text, span.start.saturating_sub(1))
        .map_err(|malformed| diagnostic(source, malformed))
}

fn opening_line(text: &str) -> Option<(Fence, Span)> {
    let start = text.len() - text.trim_start_matches([' ', '\t', '\n']).len();
    let line = text[start..].lines().next()?;
    let at_line_start = start == 0 || text[..start].ends_with('\n');
    let fence = Fence::of_line(line).filter(|_| at_line_start)?;
    Some((fence, Span::new(start, start + line.len())))
}

/// Returns whether the opening line is a thematic break: no closing line follows, and no key.
fn is_rule(text: &str, fence: Fence, opening: Span) -> bool {
    let rest = text.get(opening.end + 1..).unwrap_or_default();
    let next_line = rest.lines().find(|line| !line.trim().is_empty());
    let is_key = next_line.is_some_and(|line| {
        let (key, _) = line.split_once(':').unwrap_or_default();
        !key.is_empty() && !key.contains([' ', '#', '*', '['])
    });
    fence.form == Form::Data(Language::Yaml) && fence.closing_line(rest).is_none() && !is_key
}

/// Returns the span of the JSON object at the beginning of a text; empty if there is none.
fn json_object(source: &Source) -> Result<Span, Diagnostic> {
    let text = source.text();
    let start = text.len() - text.trim_start().len();
    let text = &text[start..];
    let has_key = text
        .strip_prefix('{')
        .is_some_and(|rest| rest.trim_start().starts_with(['"', '}']));
    if !has_key || text.starts_with("{}") {
        return Ok(Span::default());
    }
    let mut objects = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    match objects.next() {
        Some(Ok(_)) => Ok(Span::new(start, start + objects.byte_offset())),
        // The parser reports its errors.
        _ => table_at(
            source,
            Language::Json,
            Span::new(start, source.text().len()),
        )
        .map(|_| Span::default()),
    }
}
