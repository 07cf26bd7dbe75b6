//! The vocabulary of CONTRIBUTING.md: words of this project's own that the field has another word for stay out of the code and
//! the documentation.

use std::{
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
    ("packed|packing|packer|packers", "compressed, compression, request decoding"),
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
    ("(address|id|email|number|name|date|url|uuid|it|that|this|one|token) is none", "is invalid, does not exist"),
    ("in person", "session only"),
    ("entrance", "unauthenticated"),
    ("wakers", "notifications"),
];

/// Lines in which a retired word means something else, or is quoted.
const EXCEPTIONS: &[(&str, &str)] = &[
    // The table itself says which words are retired.
    ("CONTRIBUTING.md", "|"),
];

/// Folders and files whose words count.
const PLACES: &[&str] = &["src", "docs", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"];

fn files_below(path: PathBuf, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            files_below(entry.unwrap().path(), found);
        }
    } else if path
        .extension()
        .is_some_and(|kind| kind == "rs" || kind == "md")
    {
        found.push(path);
    }
}

/// Returns a line in small letters, the parts of names as words: `lastTold` and `last_told` as `last told`.
fn words(line: &str) -> String {
    let humps = Regex::new("([a-z0-9])([A-Z])").unwrap();
    humps
        .replace_all(line, "$1 $2")
        .replace(['_', '-'], " ")
        .to_lowercase()
}

#[test]
fn retired_words_stay_out_of_code_and_documentation() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for place in PLACES {
        files_below(root.join(place), &mut files);
    }
    files.sort();
    let patterns: Vec<(Regex, &str)> = RETIRED
        .iter()
        .map(|(words, instead)| (Regex::new(&format!(r"\b({words})\b")).unwrap(), *instead))
        .collect();
    let mut found = Vec::new();
    for path in &files {
        let name = path.strip_prefix(root).unwrap().display().to_string();
        for (number, line) in fs::read_to_string(path).unwrap().lines().enumerate() {
            let is_exception = EXCEPTIONS
                .iter()
                .any(|(file, start)| *file == name && line.starts_with(start));
            if is_exception {
                continue;
            }
            let words = words(line);
            for (pattern, instead) in &patterns {
                if let Some(word) = pattern.find(&words) {
                    let word = word.as_str();
                    found.push(format!("{name}:{}: \"{word}\"; say {instead}", number + 1));
                }
            }
        }
    }
    assert!(
        found.is_empty(),
        "CONTRIBUTING.md has the vocabulary:\n{}",
        found.join("\n")
    );
}
