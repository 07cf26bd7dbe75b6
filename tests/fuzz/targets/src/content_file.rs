//! Properties of content files, which are Markdown with front matter or data files: each is parsed or has errors with
//! valid positions; the result is deterministic and can be rendered.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{Arc, LazyLock},
};

use galley::{
    content_files::{
        ContentFiles, Context, ConvertedRecord, Layout, Preview,
        generator_files::{Conditions, GeneratorDocument, GeneratorReading},
        generator_names, parse,
    },
    domain::setting::Settings,
    render::lexical::{Context as LexicalContext, DocumentError, to_html},
};
use jiff::{Timestamp, tz::TimeZone};
use url::Url;

use super::small_site::{NOW, URL};

/// Paths of the parsed file. If the first byte of an input is an index into this list, the rest is the content of a
/// file at that path; any other input is a post in Markdown.
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

/// Prefix of a Git LFS pointer, whose content is stored elsewhere. Its diagnostic is about the whole file and has no
/// position.
const LARGE_FILE_POINTER: &[u8] = b"version https://git-lfs";

/// A layout for each generator, in which every file is a post.
static LAYOUTS: LazyLock<Vec<Arc<Layout>>> = LazyLock::new(|| {
    let layout = |name: &str| {
        let set = ContentFiles {
            generator: Some(name.to_owned()),
            posts: vec!["**".to_owned()],
            ..ContentFiles::default()
        };
        let folder = Path::new("/there/is/no/such/folder");
        Arc::new(Layout::of_content(folder, std::iter::empty(), &set))
    };
    generator_names().map(layout).collect()
});

static SITE: LazyLock<Url> = LazyLock::new(|| URL.parse().unwrap());

/// Panics unless these properties hold for a content file.
pub fn check(input: &[u8]) {
    let (path, bytes) = match input.split_first() {
        Some((number, rest)) if usize::from(*number) < PATHS.len() => {
            (PATHS[usize::from(*number)], rest)
        }
        _ => (PATHS[0], input),
    };
    check_diagnostics(path, bytes);
    check_record(path, bytes);
    check_other_generators(bytes);
}

fn check_diagnostics(path: &str, bytes: &[u8]) {
    let time_zone = TimeZone::get("Europe/Amsterdam").unwrap();
    let parsed = parse(
        path,
        bytes,
        &Context {
            time_zone,
            layout: Arc::default(),
            included_files: galley::content_files::IncludedFiles::default(),
            themes: None,
        },
    );
    let lines = String::from_utf8_lossy(bytes)
        .replace("\r\n", "\n")
        .replace('\r', "\n")
        .split('\n')
        .count();
    let is_wrong = parsed.diagnostics.iter().any(|found| found.is_error());
    assert_eq!(parsed.value.is_none(), is_wrong, "{:?}", parsed.diagnostics);
    for diagnostic in &parsed.diagnostics {
        assert!(diagnostic.to_string().ends_with(&*diagnostic.advice));
        let Some(position) = &diagnostic.position else {
            assert!(bytes.starts_with(LARGE_FILE_POINTER), "{diagnostic}");
            continue;
        };
        assert!((1..=lines).contains(&(position.line as usize)) && position.column >= 1);
    }
}

/// Checks the record of the file on a site whose folder contains only this file.
fn check_record(path: &str, bytes: &[u8]) {
    let now = Timestamp::from_second(NOW).unwrap();
    let paths = BTreeSet::from([path.to_owned()]);
    let preview = Preview::new(paths, BTreeMap::new(), &Settings::default(), now);
    let read = || preview.read(path, bytes);
    let Ok(record) = read() else {
        let errors = read().unwrap_err();
        assert!(errors.iter().any(|found| found.is_error()), "{errors:?}");
        return;
    };
    assert_eq!(format!("{record:?}"), format!("{:?}", read().unwrap()));
    if let ConvertedRecord::Post(_, body) = record
        && let Some(document) = body.lexical
    {
        check_document(&document);
    }
}

/// Checks the file as a file of each other generator, which is parsed more leniently.
fn check_other_generators(bytes: &[u8]) {
    let now = Timestamp::from_second(NOW).unwrap();
    for layout in LAYOUTS.iter() {
        let conditions = Conditions::of(&Settings::default(), now).with_layout(Arc::clone(layout));
        for path in ["a.md", "a.mdx"] {
            if let GeneratorReading::Text(text, _) =
                GeneratorDocument::read(path, bytes, &conditions)
            {
                assert!(!text.title().is_empty() || !text.output().slug.is_empty());
            }
        }
    }
}

fn check_document(document: &str) {
    match to_html(document, LexicalContext { site: &SITE }) {
        Ok(_) | Err(DocumentError::Empty) => {}
        Err(error) => panic!("{error}: {document}"),
    }
}
