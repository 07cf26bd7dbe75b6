//! Tests that every file of `content/` parses to the result in `expected/`: a new file is a new test.

use galley::content_files::{Context, ParsedFile, folder_files, kind_of, parse};
use jiff::tz::TimeZone;

use super::golden::{assert_golden, in_crate};

const CONTENT: &str = "tests/it/sources/content";
const EXPECTED: &str = "tests/it/sources/expected";

fn content_files() -> Vec<String> {
    let tree = folder_files::walk(&in_crate(CONTENT));
    assert_eq!(tree.diagnostics, []);
    tree.files
        .into_iter()
        .map(|file| file.path)
        .filter(|path| kind_of(path).is_some())
        .collect()
}

fn format_parsed(parsed: &ParsedFile) -> String {
    let mut text = String::new();
    for diagnostic in &parsed.diagnostics {
        text.push_str(&format!("{diagnostic}\n\n"));
    }
    match &parsed.value {
        None => text.push_str("no value\n"),
        Some(value) => {
            let mut value = serde_json::to_value(value).unwrap();
            remove_nulls(&mut value);
            text.push_str(&serde_json::to_string_pretty(&value).unwrap());
            text.push('\n');
        }
    }
    text
}

fn remove_nulls(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(object) => {
            object.retain(|_, value| !value.is_null());
            object.values_mut().for_each(remove_nulls);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(remove_nulls),
        _ => {}
    }
}

#[test]
fn every_fixture_parses_as_expected() {
    let context = Context {
        time_zone: TimeZone::get("Europe/Amsterdam").unwrap(),
        layout: std::sync::Arc::default(),
        included_files: galley::content_files::IncludedFiles::default(),
        themes: None,
    };
    for path in content_files() {
        let bytes = folder_files::read(&in_crate(CONTENT), &path).unwrap();
        let parsed = parse(&path, &bytes, &context);
        assert_golden(&format!("{EXPECTED}/{path}.txt"), &format_parsed(&parsed));
    }
    assert_eq!(
        expected_files(),
        content_files()
            .into_iter()
            .map(|path| format!("{path}.txt"))
            .collect::<Vec<_>>()
    );
}

fn expected_files() -> Vec<String> {
    folder_files::walk(&in_crate(EXPECTED))
        .files
        .into_iter()
        .map(|file| file.path)
        .collect()
}
