//! Changes the keys of a content file, and nothing else of its text.
//!
//! The entry to change is found by the names of its key, and its new value is written in the style of the old one. The result
//! is read back, and the edit is refused if any other key would be read differently.

mod flow;
mod json;
mod lines;
mod merge;
mod plan;
mod scalar;
mod tomls;
mod tree;
mod value;
mod yaml;
mod yaml_tree;

pub use self::lines::Lines;

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
/// The entry with the first of the key's names that the file contains is changed, and remains in its position; a new key is
/// added at the end, with its first name. A removal removes every entry with one of the names. A document without front
/// matter gets front matter in the language of `shape`.
///
/// # Errors
///
/// If the file cannot be parsed, or the result would not be read as exactly this change. The error names the key.
pub fn edit_keys(
    text: &str,
    shape: FileShape<'_>,
    changes: &[KeyChange],
) -> Result<String, EditError> {
    // All edits work on `\n`; `restored` returns its own line end to each unchanged line.
    let plain = line_ends::plain(text);
    let mut edited = plain.to_string();
    for change in changes {
        edited = edit_key(&edited, shape, change)?;
    }
    if *edited == *plain {
        Ok(text.to_owned())
    } else {
        Ok(line_ends::restored(text, &edited))
    }
}

fn edit_key(text: &str, shape: FileShape<'_>, change: &KeyChange) -> Result<String, EditError> {
    if change.value.is_none() && Parts::of(text, shape).keys.is_none() {
        return Ok(text.to_owned());
    }
    edited(text, shape, change.name(), |keys| {
        plan::operations(keys, change, shape.free_tables)
    })
}

/// Returns `text`, which has `\n` as line end, with the changes from `base` to `ours` applied, and the names of keys that it
/// changed in another way.
pub(super) fn merged(
    base: &str,
    text: &str,
    ours: &str,
    shape: FileShape<'_>,
) -> (String, Vec<String>) {
    let keys = [base, text, ours].map(|text| keys_of(text, shape));
    let [Ok(base), Ok(theirs), Ok(ours)] = keys else {
        // Keys that cannot be parsed are not merged.
        return (text.to_owned(), vec![String::new()]);
    };
    let mut merged = text.to_owned();
    let mut conflicts = Vec::new();
    for change in merge::changes(&base, &theirs, &ours) {
        let with_change = change.operation.and_then(|operation| {
            edited(&merged, shape, &change.name, |_| vec![operation.clone()]).ok()
        });
        match with_change {
            Some(text) => merged = text,
            None => conflicts.push(change.name),
        }
    }
    (merged, conflicts)
}

/// Returns the keys of a text.
fn keys_of(text: &str, shape: FileShape<'_>) -> Result<Json, EditError> {
    match Parts::of(text, shape).keys {
        Some((form, range)) => KeysCodec::of(form, &text[range.clone()])?.read(&text[range]),
        None => Ok(Json::Object(serde_json::Map::new())),
    }
}

/// Returns `text` with the operations that `plan` returns for its keys; errors name the key `name`.
fn edited(
    text: &str,
    shape: FileShape<'_>,
    name: &str,
    plan: impl Fn(&Json) -> Vec<Operation>,
) -> Result<String, EditError> {
    let opened;
    let (text, parts) = match Parts::of(text, shape) {
        Parts { keys: None, .. } => {
            // Empty front matter is added first, so that the languages edit it like any other.
            opened = with_front_matter(text, shape.new_front_matter);
            (&*opened, Parts::of(&opened, shape))
        }
        parts => (text, parts),
    };
    let Some((form, range)) = parts.keys else {
        return Err(EditError::of_key(
            name,
            "the file has no front matter for keys",
        ));
    };
    let keys = &text[range.clone()];
    let codec = KeysCodec::of(form, keys).map_err(|error| EditError::of_key(name, error.reason))?;
    let mut wanted = codec.read(keys)?;
    let operations = plan(&wanted);
    if operations.is_empty() {
        return Ok(text.to_owned());
    }
    for operation in &operations {
        plan::apply(&mut wanted, operation);
    }
    let refused = |reason: String| EditError::of_key(name, reason);
    let mut problem = String::new();
    // A line inside a value can be the closing delimiter of the front matter. In that case, the
    // value is written on one line.
    for lines in [Lines::Many, Lines::One] {
        let mut edited = keys.to_owned();
        for operation in &operations {
            edited = codec.edit(&edited, operation, lines).map_err(refused)?;
        }
        let whole = [&text[..range.start], &edited, &text[range.end..]].concat();
        let new = Parts::of(&whole, shape);
        let new_range = new.keys.as_ref().map(|(_, range)| range.clone());
        let is_inside = new_range == Some(range.start..range.start + edited.len())
            && whole[new.body_start..] == text[parts.body_start..];
        // The result is read back, so that an error of an editor below refuses the edit instead of
        // damaging the file.
        problem = match codec.read(&edited) {
            _ if !is_inside => "the value would end the front matter".to_owned(),
            Ok(read) if read == wanted => return Ok(whole),
            Ok(_) => "another key repeats the value, or the file would read differently".to_owned(),
            Err(error) => error.reason,
        };
    }
    Err(refused(problem))
}

/// The language of the keys of a file.
#[derive(Clone, Copy)]
struct KeysCodec {
    language: Language,
    /// True if the outer braces of JSON are omitted.
    is_bare: bool,
}

impl KeysCodec {
    fn of(form: KeysForm, keys: &str) -> Result<Self, EditError> {
        let (language, is_bare) = match form {
            KeysForm::Data(language) => (language, false),
            KeysForm::BareJson => (Language::Json, !keys.trim_start().starts_with('{')),
            KeysForm::Script => {
                let reason = "the front matter is a program, which is not edited";
                return Err(EditError::of_file(reason));
            }
        };
        Ok(Self { language, is_bare })
    }

    fn read(self, keys: &str) -> Result<Json, EditError> {
        let braced;
        let keys = if self.is_bare {
            braced = format!("{{{}}}", keys.trim_end().trim_end_matches(','));
            &braced
        } else {
            keys
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

/// Adds empty front matter to a document.
fn with_front_matter(text: &str, language: Language) -> String {
    let fence = match language {
        Language::Toml => ("+++\n", "+++\n"),
        Language::Yaml => ("---\n", "---\n"),
        Language::Json => ("---json\n{}\n", "---\n"),
    };
    format!("{}{}{text}", fence.0, fence.1)
}
