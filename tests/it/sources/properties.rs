//! Property tests of the reader, which must hold for any bytes.

use galley::{
    content_files::{
        Layout,
        assets::{AssetTarget, resolve},
        parse,
    },
    content_text::Diagnostic,
};
use proptest::prelude::*;

use super::{other_generators::context, reading::read};

const PATHS: [&str; 8] = [
    "posts/a.md",
    "pages/2025-01-05-a.html",
    "authors/a.md",
    "tags/a.yaml",
    "tiers/a.toml",
    "newsletters/a.yml",
    "site.toml",
    "site.yaml",
];

/// Generates text that resembles front matter often enough to reach every parser.
fn nearly_front_matter() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("+++\n".to_owned()),
        Just("---\n".to_owned()),
        Just("\n".to_owned()),
        Just("---json\n".to_owned()),
        Just(";;;\n".to_owned()),
        Just("{\"title\": \"T\", \"tags\": [\"a\", 1, {}], \"slug\": \"Ü/b\"}\n".to_owned()),
        Just("\"date\": \"2025-01-05\",\n".to_owned()),
        Just("aliases: [a, /b/../c, '/%FF']\npath: 2025/01/05/x\n".to_owned()),
        Just("authors: ['[a](b) c@d.e', {email: x@y.z}]\n".to_owned()),
        Just("title = \"T\"\n".to_owned()),
        Just("title: T\n".to_owned()),
        Just("tags: [a, {name: b}, *x]\n".to_owned()),
        Just("date: 2025-01-05\n".to_owned()),
        Just("cover:\n  image: a.png\n".to_owned()),
        Just("[extra]\n".to_owned()),
        "[ \\-:{}\\[\\],&*#|>'\"!%@?\t.=a-c0-9é東\r\n]{0,12}",
        any::<String>(),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Returns the diagnostics that have a position when `bytes` are read as documents of other generators.
fn read_as_other_generators(path: &str, bytes: &[u8]) -> Vec<Diagnostic> {
    let read = ["hugo", "obsidian"].map(|name| parse(path, bytes, &context(name)).diagnostics);
    let has_position = |diagnostic: &Diagnostic| diagnostic.position.is_some();
    read.concat().into_iter().filter(has_position).collect()
}

fn assert_valid(path: &str, bytes: &[u8]) {
    let parsed = read(path, bytes);
    let lines = String::from_utf8_lossy(bytes)
        .replace("\r\n", "\n")
        .replace('\r', "\n")
        .split('\n')
        .count();
    let errors = parsed
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.is_error())
        .count();
    assert_eq!(
        parsed.value.is_none(),
        errors > 0,
        "expected either a value or an error"
    );
    let of_other_generators = read_as_other_generators(path, bytes);
    for diagnostic in parsed.diagnostics.iter().chain(&of_other_generators) {
        let position = diagnostic.position.as_ref().unwrap();
        assert!((1..=lines).contains(&(position.line as usize)) && position.column >= 1);
        assert!(diagnostic.to_string().ends_with(&*diagnostic.advice));
    }
}

proptest! {
    #[test]
    fn any_bytes_are_parsed_or_rejected(path in prop::sample::select(&PATHS), bytes in any::<Vec<u8>>()) {
        assert_valid(path, &bytes);
    }

    #[test]
    fn mutated_front_matter_is_parsed_or_rejected(
        path in prop::sample::select(&PATHS),
        fence in prop::sample::select(vec!["", "+++\n", "---\n"]),
        text in nearly_front_matter(),
    ) {
        assert_valid(path, format!("{fence}{text}{fence}").as_bytes());
    }

    #[test]
    fn resolved_paths_are_inside_the_folder(
        file in "[a-c/.]{0,12}",
        url in "[a-c/.%25eEfF?#: ]{0,24}",
    ) {
        let (AssetTarget::Asset { path, .. } | AssetTarget::Content { path, .. }) = resolve(&Layout::default(), &file, &url, |_| true) else {
            return Ok(());
        };
        prop_assert!(!path.starts_with('/') && !path.split('/').any(|part| part == ".."), "{path}");
    }
}
