//! The vocabulary of CONTRIBUTING.md: words of this project's own that the field has another word for stay out of the code and
//! the documentation.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use regex::Regex;

/// A retired word (of names, too: each part of a name counts as a word), and what to say instead.
const RETIRED: &[(&str, &str)] = &[
    ("told", "reported, shown, sent, logged"),
    ("nobody", "no client, no user, no one"),
    ("whoever", "the client, the user, any client"),
    ("stranger|strangers", "anonymous clients"),
    (
        "packed|packing|packer|packers",
        "compressed, compression, request decoding",
    ),
    ("anew", "again, uncached"),
    ("passed over", "skipped, ignored"),
    ("courier|carrier", "sender, client"),
    ("lane|lanes", "queue"),
    ("doubtful", "suspect"),
    ("given up", "failed permanently, aborted, cancelled"),
    ("way in|ways in", "authentication method"),
    ("sign in word", "token"),
    ("drawing|drawings", "SVG image, diagram"),
    ("films|sounds", "video, audio"),
    ("closed post|closed posts", "gated post"),
    (
        "(address|id|email|number|name|date|url|uuid|it|that|this|one|token) is none",
        "is invalid, does not exist",
    ),
    ("in person", "session only"),
    ("entrance", "unauthenticated"),
    ("wakers", "notifications"),
    ("anybody", "any client, an anonymous client"),
    ("tally", "metrics, counts"),
    ("edition|editions", "snapshot"),
    ("by chance", "randomly, by coincidence"),
];

/// Text in whose lines a retired word is a public name, sample text, or means something else.
const EXCEPTIONS: &[&str] = &[
    // Who sent a request of an archived store.
    "\"nobody\" =>",
    // Text of a sample site.
    "\"nobody counts\"",
    // A word of the permission table's rows.
    "ends_with(\"passed over\")",
    // The value of a delivery's state and of a metric's label, which clients know.
    "given_up",
    // What the identifiers of existing authors were derived from.
    "Id::derive(\"nobody\"",
    // A password that many people have.
    "tell nobody else",
    "<title>A drawing</title>",
    // Text of a sample post.
    "Anybody can look",
    // The title of a standard.
    "W3C PNG, third edition",
    // A file of git.
    "packed-refs",
];

/// Folders and files whose words count.
const PLACES: &[&str] = &[
    "src",
    "docs",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "tests",
];

/// Folders of sample content, of other programs' files, and of what tests create, whose words are data (the ends of their paths).
const DATA_FOLDERS: &[&str] = &[
    ".venv",
    "browser/content",
    "clients/content",
    "fuzz/corpus",
    "generators/expected",
    "generators/sites",
    "node_modules",
    "sources/content",
    "sources/expected",
    "target",
    "upgrade/content",
];

/// This list itself.
const LIST: &str = "tests/it/words.rs";

/// Adds the files of code and documentation below `path`: by extension, and the `run` scripts.
fn add_files_below(path: PathBuf, files: &mut Vec<PathBuf>) {
    let is_text = |extension: &OsStr| {
        ["rs", "md", "js", "py", "sh"]
            .iter()
            .any(|text| extension == *text)
    };
    if path.is_dir() {
        if DATA_FOLDERS.iter().any(|folder| path.ends_with(folder)) {
            return;
        }
        for entry in fs::read_dir(path).unwrap() {
            add_files_below(entry.unwrap().path(), files);
        }
    } else if path.extension().is_some_and(is_text) || path.ends_with("run") {
        files.push(path);
    }
}

/// Returns a text in small letters, line by line, with the parts of names as words: `lastSeen` and `last_seen` as `last seen`.
fn words(text: &str) -> String {
    let humps = Regex::new("([a-z0-9])([A-Z])").unwrap();
    humps
        .replace_all(text, "$1 $2")
        .replace(['_', '-'], " ")
        .to_lowercase()
}

#[test]
fn retired_words_stay_out_of_code_and_documentation() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for place in PLACES {
        add_files_below(root.join(place), &mut files);
    }
    files.sort();
    let pattern = |words: &str| Regex::new(&format!(r"\b({words})\b")).unwrap();
    let all: Vec<&str> = RETIRED.iter().map(|(words, _)| *words).collect();
    let any = pattern(&all.join("|"));
    let patterns: Vec<(Regex, &str)> = RETIRED
        .iter()
        .map(|(words, instead)| (pattern(words), *instead))
        .collect();
    let mut findings = Vec::new();
    for path in &files {
        let name = path.strip_prefix(root).unwrap().display().to_string();
        let text = fs::read_to_string(path).unwrap();
        let text_words = words(&text);
        if name == LIST || !any.is_match(&text_words) {
            continue;
        }
        for (number, (line, words)) in text.lines().zip(text_words.lines()).enumerate() {
            // The vocabulary itself says which words are retired.
            let is_vocabulary = name == "CONTRIBUTING.md" && line.starts_with('|');
            if is_vocabulary || EXCEPTIONS.iter().any(|text| line.contains(text)) {
                continue;
            }
            for (pattern, instead) in &patterns {
                if let Some(word) = pattern.find(words) {
                    let word = word.as_str();
                    findings.push(format!("{name}:{}: \"{word}\"; say {instead}", number + 1));
                }
            }
        }
    }
    assert!(
        findings.is_empty(),
        "CONTRIBUTING.md has the vocabulary:\n{}",
        findings.join("\n")
    );
}
