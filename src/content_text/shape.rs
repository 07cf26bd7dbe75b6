//! The parts of a content file's text.

use std::{borrow::Cow, ops::Range};

use super::{
    document::Language,
    front_matter::{FencedFrontMatter, Form, LeadingObject},
    line_ends,
};

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Front matter and a body.
    Document,
    /// Keys and values only, as in `site.toml`.
    Data(Language),
}

/// The division of a file's text.
#[derive(Clone, Copy, Debug)]
pub struct FileShape<'s> {
    /// The kind of the file.
    pub kind: FileKind,
    /// The language of front matter that is added to a document without any.
    pub new_front_matter: Language,
    /// Tables whose keys are treated like top-level keys, such as `extra` and `params`.
    pub free_tables: &'s [&'s str],
}

impl FileShape<'static> {
    /// A document in which keys in the tables `extra` and `params` are treated like top-level keys.
    pub const DOCUMENT: Self = Self {
        kind: FileKind::Document,
        new_front_matter: Language::Toml,
        free_tables: &["extra", "params"],
    };

    /// Returns the shape of a data file.
    pub const fn data(language: Language) -> Self {
        Self {
            kind: FileKind::Data(language),
            new_front_matter: language,
            free_tables: &[],
        }
    }
}

/// The parts of a text with `\n` as line end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    /// The language and the bytes of the keys, without delimiters; `None` if there is no front matter.
    pub keys: Option<(KeysForm, Range<usize>)>,
    /// The first byte of the body.
    pub body_start: usize,
}

/// The form of the keys of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeysForm {
    /// A language of data.
    Data(Language),
    /// JSON whose outer braces are optional.
    BareJson,
    /// A program, which is not edited.
    Script,
}

impl Parts {
    pub fn of(text: &str, shape: FileShape<'_>) -> Self {
        if let FileKind::Data(language) = shape.kind {
            return Self {
                keys: Some((KeysForm::Data(language), 0..text.len())),
                body_start: text.len(),
            };
        }
        // A leading thematic break is a part of the body in any file.
        if let Some(found) = FencedFrontMatter::of_other_generator(text)
            && let Some(content) = found.content
        {
            let form = match found.fence.form {
                Form::Data(language) => KeysForm::Data(language),
                Form::BareJson => KeysForm::BareJson,
                Form::Script => KeysForm::Script,
            };
            return Self {
                keys: Some((form, content.start..content.end)),
                body_start: found.body_start,
            };
        }
        match LeadingObject::of(text) {
            LeadingObject::Complete(span) => Self {
                keys: Some((KeysForm::Data(Language::Json), span.start..span.end)),
                body_start: span.end,
            },
            LeadingObject::None | LeadingObject::Malformed(_) => Self {
                keys: None,
                body_start: 0,
            },
        }
    }
}

/// Returns the body of a file's text, with `\n` as line end.
pub fn body_of<'t>(text: &'t str, shape: FileShape<'_>) -> Cow<'t, str> {
    match line_ends::plain(text) {
        Cow::Borrowed(text) => Cow::Borrowed(&text[Parts::of(text, shape).body_start..]),
        Cow::Owned(text) => Cow::Owned(text[Parts::of(&text, shape).body_start..].to_owned()),
    }
}

/// Returns a file's text with another body. The line ends of the rest and the byte order mark are preserved.
pub fn with_body(text: &str, shape: FileShape<'_>, body: &str) -> String {
    let plain = line_ends::plain(text);
    let start = Parts::of(&plain, shape).body_start;
    let opening = &plain[..start];
    let separator = if opening.is_empty() || opening.ends_with(['\n', '}']) || body.is_empty() {
        ""
    } else {
        "\n"
    };
    line_ends::restored(text, &format!("{opening}{separator}{body}"))
}
