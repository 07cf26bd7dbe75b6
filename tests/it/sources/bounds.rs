//! Tests that hostile files are rejected quickly, with a reason.

use std::time::{Duration, Instant};

use galley::content_text::FILE_BYTES_MAX;

use super::reading::{problem, read};

fn refused(text: &str) -> String {
    let begun = Instant::now();
    let problem = problem("posts/a.md", text);
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "took {:?}",
        begun.elapsed()
    );
    assert!(problem.is_error());
    problem.message
}

#[test]
fn too_large_file_is_rejected() {
    let message = refused(&"x".repeat(FILE_BYTES_MAX + 1));
    assert_eq!(message, "the file is larger than 8 MiB");
}

#[test]
fn too_large_front_matter_is_rejected() {
    let text = format!(
        "+++\ntitle = 'T'\nfrontmatter = '{}'\n+++\n",
        "x".repeat(1024 * 1024)
    );
    assert_eq!(
        refused(&text),
        "the keys of a file may have 1024 KiB at most"
    );
}

#[test]
fn large_body_is_accepted() {
    let parsed = read(
        "posts/a.md",
        format!("+++\ntitle = 'T'\n+++\n{}", "x\n".repeat(2 * 1024 * 1024)),
    );
    assert_eq!(parsed.diagnostics, []);
}

#[test]
fn deep_nesting_is_rejected() {
    for text in [
        format!("---\ntitle: T\nx: {}\n---\n", "[".repeat(500_000)),
        format!(
            "---\ntitle: T\nx: {}1{}\n---\n",
            "[".repeat(100),
            "]".repeat(100)
        ),
        format!("---\ntitle: T\nx: {}\n---\n", "{a: ".repeat(100_000)),
        format!(
            "---\n{}\n---\n",
            (0..1000)
                .map(|depth| format!("{}a:\n", " ".repeat(depth)))
                .collect::<String>()
        ),
        format!("---\ntitle: T\nx:\n  {}\n---\n", "- ".repeat(200_000)),
        format!("---\ntitle: T\n{}\n---\n", "? ".repeat(200_000)),
        format!("---json\n{{\"x\": {}\n---\n", "[".repeat(500_000)),
        format!(
            "---json\n{{\"x\": {}1{}}}\n---\n",
            "[".repeat(100_000),
            "]".repeat(100_000)
        ),
        format!(
            ";;;\n\"x\": {}1{}\n;;;\n",
            "{\"a\":".repeat(100_000),
            "}".repeat(100_000)
        ),
        format!("+++\ntitle = 'T'\nx = {}\n+++\n", "[".repeat(500_000)),
        format!("+++\ntitle = 'T'\nx = {}\n+++\n", "{a = ".repeat(100_000)),
        format!(
            "+++\ntitle = 'T'\n[{}]\n+++\n",
            vec!["a"; 100_000].join(".")
        ),
    ] {
        refused(&text);
    }
}

#[test]
fn expanding_yaml_aliases_are_rejected() {
    let mut lists = "---\ntitle: T\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..20 {
        let repeated = vec![format!("*a{}", level - 1); 10].join(", ");
        lists.push_str(&format!("a{level}: &a{level} [{repeated}]\n"));
    }
    assert!(refused(&format!("{lists}---\n")).contains("including the values that aliases repeat"));

    let text = "y".repeat(500_000);
    let texts = format!(
        "---\ntitle: T\na: &a {text}\nb: [{}]\n---\n",
        vec!["*a"; 10_000].join(", ")
    );
    assert!(refused(&texts).contains("including the values that aliases repeat"));
}

#[test]
fn recursive_yaml_alias_is_rejected() {
    assert_eq!(
        refused("---\ntitle: T\na: &a [*a]\n---\n"),
        "an alias contains itself"
    );
}

#[test]
fn at_most_a_hundred_diagnostics_are_reported() {
    let keys: String = (0..20_000)
        .map(|number| format!("unknown{number} = 1\n"))
        .collect();
    let parsed = read("posts/a.md", format!("+++\ntitle = 'T'\n{keys}+++\n"));
    assert_eq!(parsed.diagnostics.len(), 100);
    assert!(parsed.value.is_some());
}

/// Returns the message about a list that is too long, and its line.
fn too_long(path: &str, text: &str) -> (String, u32) {
    let parsed = read(path, text);
    assert!(parsed.value.is_none(), "{path} was accepted");
    let [problem] = &parsed.diagnostics[..] else {
        panic!("expected one diagnostic, found {:?}", parsed.diagnostics);
    };
    assert!(problem.is_error());
    (
        problem.message.clone(),
        problem.position.as_ref().unwrap().line,
    )
}

#[test]
fn lists_have_the_bounds_of_the_admin_api() {
    let lines = |count: usize, line: &str| format!("{line}\n").repeat(count);
    let numbered = |count: usize| -> String {
        (0..count)
            .map(|number| format!("  - t{number}\n"))
            .collect()
    };
    for (path, begin, list, key, max, first_line) in [
        (
            "posts/a.md",
            "---\ntitle: T\ntags:\n",
            numbered(1001),
            "tags",
            1000,
            1004,
        ),
        (
            "posts/a.md",
            "---\ntitle: T\ntags:\n",
            numbered(90_000),
            "tags",
            1000,
            1004,
        ),
        (
            "posts/a.md",
            "---\ntitle: T\nauthors:\n",
            numbered(1001),
            "authors",
            1000,
            1004,
        ),
        (
            "pages/a.md",
            "---\ntitle: T\ntiers:\n",
            numbered(1001),
            "tiers",
            1000,
            1004,
        ),
        (
            "posts/a.md",
            "---\ntitle: T\nimages:\n",
            numbered(1001),
            "images",
            1000,
            1004,
        ),
        (
            "tiers/a.yaml",
            "name: T\nmonthly_price: 1\ncurrency: eur\nbenefits:\n",
            numbered(101),
            "benefits",
            100,
            105,
        ),
        (
            "site.yaml",
            "navigation:\n",
            lines(1001, "  - {label: a, url: /a/}"),
            "navigation",
            1000,
            1002,
        ),
    ] {
        let count = list.lines().count();
        let text = format!(
            "{begin}{list}{}",
            if path.ends_with("md") { "---\n" } else { "" }
        );
        let message = format!("`{key}` has {count} entries, but may have {max}");
        assert_eq!(too_long(path, &text), (message, first_line), "{path} {key}");
    }
}

#[test]
fn list_of_maximum_length_is_accepted() {
    let tags: Vec<String> = (0..1000).map(|number| format!("t{number}")).collect();
    for tags in [tags.join(", "), format!("[{}]", tags.join(", "))] {
        let parsed = read("posts/a.md", format!("---\ntitle: T\ntags: {tags}\n---\n"));
        assert_eq!(parsed.diagnostics, []);
    }
}

#[test]
fn tags_are_counted_in_every_format() {
    let tags: Vec<String> = (0..1001).map(|number| format!("t{number}")).collect();
    let in_one_text = format!("---\ntitle: T\ntags: {}\n---\n", tags.join(", "));
    let expected = "`tags` has 1001 entries, but may have 1000".to_owned();
    assert_eq!(too_long("posts/a.md", &in_one_text), (expected.clone(), 3));

    let (categories, tags) = tags.split_at(600);
    let beside_categories = format!(
        "---\ntitle: T\ncategories: [{}]\ntags: [{}]\n---\n",
        categories.join(", "),
        tags.join(", ")
    );
    assert_eq!(too_long("posts/a.md", &beside_categories), (expected, 4));
}
