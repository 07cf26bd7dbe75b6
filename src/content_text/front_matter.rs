//! Finds the front matter of a document.
//!
//! | first line | language | closed by |
//! |---|---|---|
//! | `---`, `---yaml` | YAML | `---` or `...` |
//! | `+++`, `---toml` | TOML | `+++`, `---` |
//! | `;;;`, `---json` | JSON, the first also without its braces | `;;;`, `---` |
//! | `{` | JSON object, in the files of other generators | its end |
//!
//! Front matter is at the beginning of the file; only blank lines may precede it. The first closing line ends it, even one
//! inside a multi-line string.

use serde::de::IgnoredAny;

use super::{Span, document::Language};

/// A delimiter that opens front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence {
    /// The language of the front matter.
    pub form: Form,
    /// The closing delimiter.
    pub closing: &'static str,
}

/// The language after the opening delimiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A language of data.
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

/// The front matter between two delimiters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FencedFrontMatter {
    /// Its delimiters.
    pub fence: Fence,
    /// The opening line.
    pub opening: Span,
    /// The text between the delimiters, with its last line break; `None` if the closing delimiter is missing.
    pub content: Option<Span>,
    /// The first byte of the body.
    pub body_start: usize,
}

impl FencedFrontMatter {
    /// Finds the delimiters at the beginning of `text`.
    pub fn of(text: &str) -> Option<FencedFrontMatter> {
        let (fence, opening) = opening_line(text)?;
        let start = (opening.end + 1).min(text.len());
        let closing = fence.closing_line(&text[start..]);
        Some(FencedFrontMatter {
            fence,
            opening,
            content: closing.map(|line| Span::new(start, start + line.start)),
            body_start: closing.map_or(text.len(), |line| (start + line.end + 1).min(text.len())),
        })
    }

    /// Finds the delimiters in the file of another generator, where a leading thematic break is not a delimiter.
    pub fn of_other_generator(text: &str) -> Option<FencedFrontMatter> {
        FencedFrontMatter::of(text).filter(|found| !found.is_rule(text))
    }

    /// Returns whether the opening line is a thematic break: no closing line follows, and no key.
    fn is_rule(&self, text: &str) -> bool {
        let rest = text.get(self.opening.end + 1..).unwrap_or_default();
        let next_line = rest.lines().find(|line| !line.trim().is_empty());
        // A key after the delimiter means that only the closing line is missing, which is an error
        // to report.
        let is_key = next_line.is_some_and(|line| {
            let (key, _) = line.split_once(':').unwrap_or_default();
            !key.is_empty() && !key.contains([' ', '#', '*', '['])
        });
        self.fence.form == Form::Data(Language::Yaml) && self.content.is_none() && !is_key
    }
}

fn opening_line(text: &str) -> Option<(Fence, Span)> {
    let start = text.len() - text.trim_start_matches([' ', '\t', '\n']).len();
    let line = text[start..].lines().next()?;
    // Blank lines may precede a delimiter, but spaces in its own line may not.
    let at_line_start = start == 0 || text[..start].ends_with('\n');
    let fence = Fence::of_line(line).filter(|_| at_line_start)?;
    Some((fence, Span::new(start, start + line.len())))
}

/// The JSON object at the beginning of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeadingObject {
    /// The text does not begin with an object.
    None,
    /// The byte range of the object.
    Complete(Span),
    /// The byte offset of an object that does not end.
    Malformed(usize),
}

impl LeadingObject {
    /// Finds the object of `text`.
    pub fn of(text: &str) -> LeadingObject {
        let start = text.len() - text.trim_start().len();
        let text = &text[start..];
        // `{` may also begin a template, as in `{{ title }}` and `{% include %}`.
        let has_key = text
            .strip_prefix('{')
            .is_some_and(|rest| rest.trim_start().starts_with(['"', '}']));
        if !has_key || text.starts_with("{}") {
            return LeadingObject::None;
        }
        let mut objects = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
        match objects.next() {
            Some(Ok(_)) => LeadingObject::Complete(Span::new(start, start + objects.byte_offset())),
            _ => LeadingObject::Malformed(start),
        }
    }
}
