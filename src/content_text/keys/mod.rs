//! Changes the keys of a content file, and nothing else of its text.
//!
//! A change is found by the names of its key, written in the style of the value that was there, and read back: the edit is
//! refused if any other key would read differently.

mod flow;
mod json;
mod plan;
mod scalar;
mod tomls;
mod tree;
mod value;
mod yaml;
mod yaml_tree;

use serde_json::Value as Json;

use self::plan::Operation;
pub use self::value::{KeyChange, KeyValue};
use super::{
    document::{self, Language},
    error::EditError,
    line_ends,
    shape::{FileShape, KeysForm, Parts},
};

/// Returns `text` with these keys changed and nothing else.
///
/// The first of a key's names that the file has is changed in place; a new key is added at the end, with its first name. A
/// removal removes every entry with one of the names. A document without front matter gets one in the language of `shape`.
///
/// # Errors
///
/// If the file cannot be parsed, or the result would not be read as the change alone. The error names the key.
pub fn edit_keys(
    text: &str,
    shape: FileShape<'_>,
    changes: &[KeyChange],
) -> Result<String, EditError> {
    let plain = line_ends::plain(text);
    let mut edited = plain.to_string();
    for change in changes {
        edited = edit_key(&edited, shape, change)?;
    }
    match *edited == *plain {
        true => Ok(text.to_owned()),
        false => Ok(line_ends::restored(text, &edited)),
    }
}

fn edit_key(text: &str, shape: FileShape<'_>, change: &KeyChange) -> Result<String, EditError> {
    let parts = Parts::of(text, shape);
    let (form, range) = match parts.keys {
        Some((KeysForm::Script, _)) => {
            return Err(EditError::of_key(
                change.name(),
                "the front matter is a program, which is not edited",
            ));
        }
        Some((KeysForm::Data(language), range)) => (
            KeysCodec {
                language,
                is_bare: false,
            },
            range,
        ),
        Some((KeysForm::BareJson, range)) => {
            let is_bare = !text[range.clone()].trim_start().starts_with('{');
            let codec = KeysCodec {
                language: Language::Json,
                is_bare,
            };
            (codec, range)
        }
        None if change.value.is_none() => return Ok(text.to_owned()),
        None => {
            let opened = with_front_matter(text, shape.new_front_matter);
            return edit_key(&opened, shape, change);
        }
    };
    let keys = &text[range.clone()];
    let mut wanted = form.read(keys)?;
    let operations = plan::operations(&wanted, change, shape.free_tables);
    let mut edited = keys.to_owned();
    for operation in &operations {
        plan::apply(&mut wanted, operation);
    }
    if operations.is_empty() {
        return Ok(text.to_owned());
    }
    let refused = |reason: String| EditError::of_key(change.name(), reason);
    let mut problem = String::new();
    for style in [Lines::Many, Lines::One] {
        edited.clear();
        edited.push_str(keys);
        for operation in &operations {
            edited = form.edit(&edited, operation, style).map_err(refused)?;
        }
        let whole = [&text[..range.start], &edited, &text[range.end..]].concat();
        let new = Parts::of(&whole, shape);
        let is_in_place = new.keys.as_ref().is_some_and(|(_, new)| {
            *new == (range.start..range.start + edited.len())
                && whole[new_body(&whole, shape)..] == text[parts.body_start..]
        });
        match form.read(&edited) {
            _ if !is_in_place => problem = "the value would end the front matter".to_owned(),
            Ok(read) if read == wanted => return Ok(whole),
            Ok(_) => problem = "the file would read differently elsewhere".to_owned(),
            Err(error) => problem = error.reason,
        }
    }
    Err(refused(problem))
}

fn new_body(text: &str, shape: FileShape<'_>) -> usize {
    Parts::of(text, shape).body_start
}

/// Whether values may have line breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// As many as they have.
    Many,
    /// Each is in one line.
    One,
}

/// The language of the keys of a file.
#[derive(Clone, Copy)]
struct KeysCodec {
    language: Language,
    /// Whether the outer braces of JSON are omitted.
    is_bare: bool,
}

impl KeysCodec {
    fn read(self, keys: &str) -> Result<Json, EditError> {
        let braced;
        let keys = match self.is_bare {
            true => {
                braced = format!("{{{}}}", keys.trim_end().trim_end_matches(','));
                &braced
            }
            false => keys,
        };
        let table = document::parse(self.language, keys, 0)
            .map_err(|error| EditError::of_file(error.message))?;
        Ok(Json::Object(value::of_table(&table, keys)))
    }

    fn edit(self, keys: &str, operation: &Operation, lines: Lines) -> Result<String, String> {
        match self.language {
            Language::Toml => tomls::edit(keys, operation, lines),
            Language::Yaml => yaml::edit(keys, operation, lines),
            Language::Json if self.is_bare => {
                let inner = keys.trim_end().trim_end_matches(',');
                let edited = json::edit(&format!("{{{inner}}}"), operation)?;
                let inner_edited = &edited[1..edited.len() - 1];
                Ok(format!("{inner_edited}{}", &keys[inner.len()..]))
            }
            Language::Json => json::edit(keys, operation),
        }
    }
}

/// Returns a document with empty front matter.
fn with_front_matter(text: &str, language: Language) -> String {
    let fence = match language {
        Language::Toml => ("+++\n", "+++\n"),
        Language::Yaml => ("---\n", "---\n"),
        Language::Json => ("---json\n{}\n", "---\n"),
    };
    format!("{}{}{text}", fence.0, fence.1)
}
