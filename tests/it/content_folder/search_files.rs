//! Tests of the search index that `galley build --search` writes: its words, its documents and the sizes of its pieces.

use std::fs;

use galley_tests::folder::{Folder, post, post_with};
use serde_json::Value;

use crate::command_line::build::{URL, build, files, public};

/// Returns a file of the search index.
fn search_file(folder: &Folder, path: &str) -> Value {
    let file = public(folder).join(format!("ghost/api/content/search/{path}.json"));
    let bytes = fs::read(&file).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_slice(&bytes).expect("JSON")
}

/// Returns the titles and excerpts of the documents that the index lists for this form of a word, best match first.
fn search(folder: &Folder, word: &str) -> Vec<(String, String)> {
    let manifest = search_file(folder, "index");
    let mut pieces = manifest["words"].as_array().unwrap().iter();
    let piece = pieces.rfind(|piece| piece[0].as_str().unwrap() <= word);
    let Some(piece) = piece else {
        return Vec::new();
    };
    let entries = search_file(folder, &format!("pieces/{}", piece[1].as_str().unwrap()));
    let entry = entries.as_array().unwrap().iter().find(|entry| {
        let forms = entry[0].as_array().unwrap();
        forms.iter().any(|form| form == word)
    });
    let mut number = 0;
    let mut found = Vec::new();
    for pair in entry
        .map_or(&[][..], |entry| entry[1].as_array().unwrap())
        .chunks(2)
    {
        number += pair[0].as_u64().unwrap() as usize;
        let piece = manifest["pieces"][number / 16].as_str().unwrap();
        let documents = search_file(folder, &format!("pieces/{piece}"));
        let text = |key| documents[number % 16][key].as_str().unwrap().to_owned();
        found.push((pair[1].as_u64(), text("title"), text("excerpt")));
    }
    found.sort_by_key(|(score, ..)| std::cmp::Reverse(*score));
    let found = found.into_iter();
    found.map(|(_, title, excerpt)| (title, excerpt)).collect()
}

fn search_titles(folder: &Folder, word: &str) -> Vec<String> {
    let found = search(folder, word).into_iter();
    found.map(|(title, _)| title).collect()
}

#[test]
fn search_index_finds_public_text_by_each_form_of_a_word() {
    let folder = Folder::with(&[
        ("site.toml", "title = \"Harbour\"\nlocale = \"en\"\n"),
        ("posts/ferry.md", &post("The ferry", "It leaves at ten.")),
        (
            "posts/boats.md",
            &post("Boats", "Some ferries. Café &amp; bar."),
        ),
        (
            "posts/gated.md",
            &post_with(
                "Gated",
                "visibility = \"paid\"",
                "Before.\n\n<!--members-only-->\n\nThe treasure.",
            ),
        ),
        (
            "posts/hidden.md",
            &post_with(
                "Hidden",
                "visibility = \"paid\"\ncustom_excerpt = \"The smuggler\"",
                "Nothing.",
            ),
        ),
        ("drafts/draft.md", &post("Draft", "A submarine.")),
        ("pages/about.md", &post("About", "Of the harbour.")),
    ]);
    let output = build(&folder, &["--url", URL, "--search"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    for form in ["ferry", "ferries"] {
        assert_eq!(search_titles(&folder, form), ["The ferry", "Boats"]);
    }
    let boats = ("Boats".to_owned(), "Some ferries. Café & bar.".to_owned());
    assert_eq!(search(&folder, "cafe"), [boats]);
    assert_eq!(search_titles(&folder, "harbour"), ["About"]);
    assert_eq!(search_titles(&folder, "before"), ["Gated"]);
    for (path, content) in files(&public(&folder).join("ghost/api/content/search")) {
        let content = String::from_utf8(content).unwrap();
        for word in ["treasure", "smuggler", "submarine", "nothing", "Nothing"] {
            assert!(!content.contains(word), "{path}: {content}");
        }
    }
    let headers = fs::read_to_string(public(&folder).join("_headers")).unwrap();
    assert!(headers.contains(
        "/ghost/api/content/search/pieces/*\n  Cache-Control: public, max-age=31536000, immutable"
    ));
}

#[test]
fn search_index_pieces_are_bounded_and_an_edit_changes_few() {
    let words = |number: usize| -> String {
        let spelling = |word: usize| {
            (0..6).map(move |digit| char::from(b'a' + (word / 26_usize.pow(digit) % 26) as u8))
        };
        let words = (0..400).map(|word| spelling((number * 400 + word) * 7919).collect::<String>());
        words.collect::<Vec<_>>().join(" ")
    };
    let posts: Vec<(String, String)> = (0..60)
        .map(|number| {
            (
                format!("posts/p{number:02}.md"),
                post(&format!("Post {number}"), &words(number)),
            )
        })
        .collect();
    let posts: Vec<(&str, &str)> = posts
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    let folder = Folder::with(&posts);
    let build = || {
        let output = build(&folder, &["--url", URL, "--search"]);
        assert_eq!(output.code, Some(0), "{}", output.err);
        output.json()
    };
    build();
    let pieces = || files(&public(&folder).join("ghost/api/content/search/pieces"));
    let before = pieces();
    assert!(before.len() > 80, "{} pieces", before.len());
    assert!(before.values().all(|piece| piece.len() <= 32 << 10));
    assert_eq!(build()["written"], 0);
    folder.write(
        "posts/p07.md",
        post("Post 7", &format!("{} another", words(7))),
    );
    build();
    let after = pieces();
    let changed = after.keys().filter(|name| !before.contains_key(*name));
    assert!((2..6).contains(&changed.count()));
    assert_eq!(after.len(), before.len());
    assert_eq!(search_titles(&folder, "another"), ["Post 7"]);
}
