//! Tests that the expressions that the vocabulary of CONTRIBUTING.md retires are not used in tracked text, and that the names
//! that it retires are not used in code.

use std::{fs, path::Path, process::Command, sync::LazyLock};

use regex::{Captures, Regex};

/// The file with the table of the vocabulary.
const VOCABULARY: &str = include_str!("../../CONTRIBUTING.md");

/// The files that must name the retired expressions.
const LISTS: [&str; 2] = ["CONTRIBUTING.md", "tests/it/words.rs"];

/// The area of the table whose expressions are parts of names, or complete names if they are in backticks.
const NAMES: &str = "Names in code";

/// Files that are data: sample content, and the input and output of other programs. An entry is the beginning of a path, or
/// with `*` its end.
const DATA: &[&str] = &[
    "*.jsonl",
    "*Cargo.lock",
    "*package-lock.json",
    "LICENSE",
    "content/",
    "examples/astro/content/",
    "examples/eleventy/content/",
    "examples/files/",
    "examples/publish-markdown/letters/",
    "tests/browser/content/",
    "tests/clients/content/",
    "tests/fuzz/corpus/",
    "src/reader_texts/",
    "tests/generators/expected/",
    "tests/generators/sites/",
    "tests/it/content_text/constructs/",
    "tests/it/export/corpus.json",
    "tests/it/import/exports/",
    "tests/it/sources/content/",
    "tests/it/sources/expected/",
    // The script and the content from which the archived stores next to them were made.
    "tests/it/upgrade/make",
    "tests/it/upgrade/content/",
    "tests/recordings/corpus.json",
    "tests/recordings/files/",
    "tests/recordings/scenarios/",
];

/// Texts that permit a retired expression in their line, because it is a public name, sample text, or has another meaning.
const EXCEPTIONS: &[&str] = &[
    // The sender of a request of an archived store.
    "\"nobody\" =>",
    // Text of a sample site.
    "\"nobody counts\"",
    // A function of a library.
    "rayon::in_place_scope",
    // A keyword of SQL.
    "explain foreign from",
    // States and counters, which clients know, and names in stored records.
    "\"answer\"",
    "\"asked\"",
    "\"pictures\"",
    "[\"kept\"]",
    "galley_answer_cache",
    "galley_http_answers",
    "given_up",
    "rename = \"kept\"",
    "rename = \"pictures\"",
    // Names of options.
    "GALLEY_ANSWERS",
    "GALLEY_SERVER_ANSWERS",
    "\"answers\":",
    "`answers.cache_mb`",
    "answers.cache_mb",
    "answers_mb",
    // A file in the archived stores.
    "\"answers.json\"",
    // The input from which identifiers of existing authors were derived.
    "Id::derive(\"nobody\"",
    // Passwords: one of a list of common ones, and one of a test.
    "tell nobody else",
    "Tell-no-one",
    // Names of elements, attributes and properties of HTML and SVG.
    "</picture",
    "<picture",
    "\"picture\"",
    "foreignObject",
    "picture-in-picture",
    // Text, names and paths of samples.
    "&lt;Film",
    "<Film",
    "<p>kept</p><p>lost</p>",
    "<title>A drawing</title>",
    "Anybody can look",
    "\\\\pictures\\\\",
    "\"C:\\\\pictures",
    "\"/pictures",
    "a picture\"",
    "a picture,",
    "a picture]",
    "a picture of the deck",
    "A picture",
    "a-name-that-goes-on-",
    "paces",
    "picture.jpg",
    "picture.png",
    "picture.webp",
    "pictures.example",
    "pictures/",
    "elsewhere/pictures",
    "with pictures",
    "posts/pictures",
    "SoundCloud",
    // The title of a standard, and a key of Cargo.
    "W3C PNG, third edition",
    "edition = \"",
    // A file of git.
    "packed-refs",
    // Names of other crates and languages.
    ".tell()",
    "response.answers",
    "GeneralCategory",
    "RenameFlags::EXCHANGE",
];

/// The retired expressions for one form of a text.
#[derive(Default)]
struct Retired {
    /// Each expression with the words to use instead.
    rows: Vec<(String, &'static str)>,
}

impl Retired {
    fn pattern(&self) -> Regex {
        let escaped: Vec<String> = self
            .rows
            .iter()
            .map(|(row, _)| regex::escape(row))
            .collect();
        Regex::new(&format!(r"\b({})s?\b", escaped.join("|"))).unwrap()
    }

    fn instead(&self, found: &str) -> &'static str {
        let row = self.rows.iter().find(|(expression, _)| expression == found);
        row.unwrap().1
    }
}

/// Returns the retired words of the table: expressions in all text, parts of names in code, and complete names in code.
fn retired() -> [Retired; 3] {
    let [mut text, mut parts, mut names] = <[Retired; 3]>::default();
    let mut area = "";
    let rows = VOCABULARY
        .lines()
        .skip_while(|line| *line != "| Area | Say | Not |");
    for row in rows.skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [own_area, instead, not] = cells[..] else {
            panic!("a row must have three columns: {row}");
        };
        if !own_area.is_empty() {
            area = own_area;
        }
        // An expression with a meaning in parentheses is permitted in other meanings.
        let checked = not.split([',', ';']).filter(|item| !item.contains('('));
        for expression in checked.map(str::trim) {
            match expression.strip_prefix('`') {
                _ if area != NAMES => text.rows.push((words(expression), instead)),
                None => parts.rows.push((expression.to_owned(), instead)),
                Some(name) => names
                    .rows
                    .push((name.trim_end_matches('`').to_owned(), instead)),
            }
        }
    }
    assert!(
        text.rows.len() > 60 && parts.rows.len() > 4,
        "the table is missing"
    );
    [text, parts, names]
}

/// Returns a text in lower case, with the parts of names as words: `lastSeen` and `last_seen` become `last seen`. The lines
/// are preserved.
fn words(text: &str) -> String {
    static HUMPS: LazyLock<Regex> = LazyLock::new(|| Regex::new("([a-z0-9])([A-Z])").unwrap());
    HUMPS
        .replace_all(text, "$1 $2")
        .replace(['_', '-'], " ")
        .to_lowercase()
}

/// Returns source code without comments and strings. The lines are preserved.
fn code(source: &str) -> String {
    static OTHER: LazyLock<Regex> = LazyLock::new(|| {
        let comment = r"//[^\n]*|/\*.*?\*/";
        let raw = r####"b?r##".*?"##|b?r#".*?"#|b?r".*?""####;
        let text = r#"[bc]?"(?:\\.|[^"\\])*"|b?'(?:\\.[^'\n]*|[^'\\\n])'"#;
        Regex::new(&format!("(?s){comment}|{raw}|{text}")).unwrap()
    });
    let line_breaks = |removed: &Captures| "\n".repeat(removed[0].matches('\n').count());
    OTHER.replace_all(source, line_breaks).into_owned()
}

/// Returns the tracked files that are checked.
fn files(root: &Path) -> Vec<String> {
    let mut git = Command::new("git");
    let listed = git.args(["ls-files", "-z"]).current_dir(root).output();
    let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
    let is_data = |path: &str| {
        DATA.iter().any(|data| match data.strip_prefix('*') {
            Some(end) => path.ends_with(end),
            None => path.starts_with(data),
        })
    };
    let is_checked = |path: &&str| !LISTS.contains(path) && !is_data(path);
    let paths = listed.split_terminator('\0').filter(is_checked);
    paths.map(str::to_owned).collect()
}

#[test]
fn retired_expressions_stay_out_of_all_text_and_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let retired = retired().map(|retired| (retired.pattern(), retired));
    let mut findings = Vec::new();
    for name in files(root) {
        // Images and archives are not text.
        let Ok(text) = fs::read_to_string(root.join(&name)) else {
            continue;
        };
        let code = if name.ends_with(".rs") {
            code(&text)
        } else {
            String::new()
        };
        let forms = [words(&text), words(&code), code];
        let forms = retired.iter().zip(&forms);
        for ((pattern, retired), form) in
            forms.filter(|((pattern, _), form)| pattern.is_match(form))
        {
            for (number, (line, searched)) in text.lines().zip(form.lines()).enumerate() {
                if let Some(found) = pattern.captures(searched)
                    && !EXCEPTIONS.iter().any(|text| line.contains(text))
                {
                    let instead = retired.instead(&found[1]);
                    findings.push(format!(
                        "{name}:{}: \"{}\"; say {instead}",
                        number + 1,
                        &found[1]
                    ));
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
