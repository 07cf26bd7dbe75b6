//! Properties of edits of front matter and data files: a written value is read back; nothing else in the file changes;
//! a repeated edit changes nothing; edits of keys can be merged with edits of the body.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use galley::{
    content_files::{ConvertedRecord, Preview},
    content_text::{
        BodyFormat, BodyReader, FileKind, FileShape, KeyChange, KeyValue, Language, body_of,
        edit_keys, merge, with_body,
    },
    domain::setting::Settings,
    render::markdown::Dialect,
};
use jiff::Timestamp;

use super::small_site::NOW;

/// The shapes of files. The first byte of an input chooses one.
const SHAPES: [FileShape<'static>; 6] = [
    FileShape::DOCUMENT,
    FileShape {
        new_front_matter: Language::Yaml,
        ..FileShape::DOCUMENT
    },
    FileShape {
        new_front_matter: Language::Json,
        ..FileShape::DOCUMENT
    },
    FileShape::data(Language::Toml),
    FileShape::data(Language::Yaml),
    FileShape::data(Language::Json),
];

/// Separator in an input between the text of the file and the value to write.
const VALUE_MARK: &str = "\n=== value\n";

/// The path of the edited file.
const PATH: &str = "posts/a.md";

static PREVIEW: LazyLock<Preview> = LazyLock::new(|| {
    let now = Timestamp::from_second(NOW).unwrap();
    let paths = BTreeSet::from([PATH.to_owned()]);
    Preview::new(paths, BTreeMap::new(), &Settings::default(), now)
});

/// Panics unless these properties hold for an edit: one byte for the shape of the file, one for the change, the text
/// and the value.
pub fn check(input: &[u8]) {
    let [shape, change, text @ ..] = input else {
        return;
    };
    let shape = SHAPES[usize::from(*shape) % SHAPES.len()];
    let text = String::from_utf8_lossy(text);
    let (text, value) = text.split_once(VALUE_MARK).unwrap_or((&text, "A value"));
    let change = change_of(*change, value);
    let edit = |text: &str| edit_keys(text, shape, std::slice::from_ref(&change));
    let Ok(edited) = edit(text) else {
        return;
    };
    let again = edit(&edited);
    assert_eq!(again.as_deref(), Ok(&*edited), "{change:?}");
    assert_eq!(body_of(&edited, shape), body_of(text, shape), "{edited:?}");
    check_removal(&edited, shape, &change);
    if shape.kind == FileKind::Document {
        check_title(text, &edited, &change);
        check_merge(text, &edited, shape, &change);
    }
}

/// Returns the change with this number, with a value derived from the text `value`.
fn change_of(number: u8, value: &str) -> KeyChange {
    let text = || KeyValue::Text(value.to_owned());
    let lines = || value.lines().map(|line| KeyValue::Text(line.to_owned()));
    let (name, value) = match number % 8 {
        0 => ("title", text()),
        1 => ("note", text()),
        2 => ("featured", KeyValue::Boolean(value.len().is_multiple_of(2))),
        3 => ("weight", KeyValue::Integer(value.len() as i64 - 20)),
        4 => ("tags", KeyValue::List(lines().collect())),
        5 => ("cover.image", text()),
        6 => ("date", KeyValue::Date("2026-01-02T03:04:05Z".to_owned())),
        _ => {
            let entries = lines().enumerate();
            let entries = entries.map(|(number, line)| (format!("key{number}"), line));
            ("author", KeyValue::Table(entries.collect()))
        }
    };
    KeyChange {
        names: vec![name.to_owned()],
        value: Some(value),
    }
}

/// Checks that a written key can be removed, and that a second removal changes nothing.
fn check_removal(edited: &str, shape: FileShape<'_>, change: &KeyChange) {
    let removal = [KeyChange {
        value: None,
        ..change.clone()
    }];
    if let Ok(removed) = edit_keys(edited, shape, &removal) {
        let again = edit_keys(&removed, shape, &removal);
        assert_eq!(again.as_deref(), Ok(&*removed), "{edited:?}");
        assert_eq!(body_of(&removed, shape), body_of(edited, shape));
    }
}

/// Checks that a written title is read back as from a file that contains nothing else.
fn check_title(text: &str, edited: &str, change: &KeyChange) {
    let (Some(KeyValue::Text(title)), "title") = (&change.value, change.name()) else {
        return;
    };
    let title_of = |text: &str| match PREVIEW.read(PATH, text.as_bytes()) {
        Ok(ConvertedRecord::Post(post, _)) => Some(post.title),
        _ => None,
    };
    let alone = format!("{{\"title\": {}}}\n", serde_json::Value::from(&**title));
    if let (Some(_), Some(alone)) = (title_of(text), title_of(&alone)) {
        assert_eq!(title_of(edited), Some(alone), "{edited:?}");
    }
}

/// Checks that the merge of a changed key and a changed body contains both changes.
fn check_merge(text: &str, edited: &str, shape: FileShape<'_>, change: &KeyChange) {
    let reader = BodyReader {
        format: BodyFormat::Markdown,
        dialect: Dialect::GALLEY,
        resolve: &|_| None,
        urls: &[],
        expand: None,
    };
    let body = body_of(text, shape);
    if text.contains('\r') || body.trim().is_empty() {
        return;
    }
    let with_more = with_body(text, shape, &format!("{}\n\nMore.\n", body.trim_end()));
    for (theirs, ours) in [(edited, &*with_more), (&*with_more, edited)] {
        let merged = merge(shape, &reader, text, theirs, ours);
        assert_eq!(merged.conflicts, [], "{theirs:?} {ours:?}");
        let again = edit_keys(&merged.text, shape, std::slice::from_ref(change));
        assert_eq!(again.as_deref(), Ok(&*merged.text));
        assert_eq!(body_of(&merged.text, shape), body_of(&with_more, shape));
    }
}
