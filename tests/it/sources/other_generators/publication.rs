//! Tests of publication status, slugs, and redirects.

use super::*;

#[test]
fn documents_not_built_by_the_generator_are_left_out_with_the_reason() {
    for (written, key) in [
        ("headless: true", "headless"),
        ("render: false", "render"),
        ("build:\n  render: never", "build.render"),
        ("_build:\n  render: false", "_build.render"),
        ("permalink: false", "permalink"),
    ] {
        let text = format!("---\ntitle: T\n{written}\n---\nText.\n");
        let reason = try_read("blog/a.md", &text, "plain").unwrap_err();
        let message = format!("its generator builds no page for it because of `{key}`");
        assert_eq!(reason.message, message);
    }
    for written in [
        "headless: false",
        "render: true",
        "build:\n  render: always\n  list: always",
    ] {
        let (file, problems) = yaml(written, "plain");
        assert_eq!(file.left_out, None, "{written}");
        assert_eq!((file.fields.status, problems), (None, Vec::new()));
    }
}

#[test]
fn documents_hidden_by_the_generator_stay_drafts() {
    for (written, message) in [
        (
            "unlisted: true",
            "`unlisted`: every published post is listed",
        ),
        (
            "build:\n  list: never",
            "`build.list`: every published post is listed",
        ),
        ("private: yes", "`private`: every published post is public"),
        ("password: secret", "`password`: posts have no passwords"),
    ] {
        let (file, problems) = yaml(written, "astro");
        assert_eq!(file.fields.status, Some(Status::Draft), "{written}");
        assert!(problems[0].ends_with(&format!("it stays a draft because of {message}")));
    }
}

#[test]
fn slugs_are_sanitised_and_old_paths_redirect() {
    for (written, expected, old, has_warning) in [
        ("slug: night-ferry", Some("night-ferry"), &[][..], false),
        ("slug: Über", Some("uber"), &["/Über"], true),
        (
            "slug: Über/My Post",
            Some("my-post"),
            &["/Über/My Post"],
            true,
        ),
        ("slug: /a/b", Some("b"), &["/a/b"], true),
        ("slug: /", None, &[], true),
        ("slug: 404", Some("404"), &[], false),
        ("permalink: /about/", Some("about"), &[], false),
        (
            "permalink: /2020/01/about.html",
            Some("about"),
            &["/2020/01/about.html"],
            false,
        ),
        ("permalink: /About/", Some("about"), &["/About"], false),
        ("url: /old/place/", Some("place"), &["/old/place"], false),
        (
            "path: 2025/09/18/rust",
            Some("rust"),
            &["/2025/09/18/rust"],
            false,
        ),
        ("path: plain", Some("plain"), &[], false),
        ("permalink: /:categories/:title/", None, &[], false),
        ("permalink: pretty", None, &[], false),
        (
            "permalink: \"posts/{{ page.fileSlug }}/\"",
            None,
            &[],
            false,
        ),
        ("permalink: true", None, &[], false),
        ("url: false", None, &[], false),
        ("url: https://elsewhere.example/a/", None, &[], false),
        (
            "slug: ferry\npermalink: /2020/night/",
            Some("ferry"),
            &["/2020/night"],
            false,
        ),
    ] {
        let (file, problems) = yaml(written, "plain");
        assert_eq!(slug(&file), expected, "{written}");
        assert_eq!(aliases(&file), old, "{written}");
        assert_eq!(!problems.is_empty(), has_warning, "{written}: {problems:?}");
        assert_eq!(file.left_out, None, "{written}");
    }
}

#[test]
fn aliases_are_paths_or_names_by_generator() {
    for (name, rules, written, expected) in [
        (
            "Hugo",
            "hugo",
            "aliases: [/a/, b, ../c]",
            &["/a", "/posts/b"][..],
        ),
        (
            "Jekyll",
            "jekyll",
            "redirect_from: /a/b.html",
            &["/a/b.html"],
        ),
        (
            "Jekyll",
            "jekyll",
            "redirect_from:\n  - /a/\n  - b/",
            &["/a", "/b"],
        ),
        (
            "Zola",
            "zola",
            "aliases: [a/b, /c/index.html]",
            &["/a/b", "/c"],
        ),
        ("Obsidian", "obsidian", "aliases: [The ferry, Boat]", &[]),
        (
            "all",
            "plain",
            "aliases: ['https://x.example/a/#part', /a]",
            &["/a"],
        ),
    ] {
        let text = format!("---\n{written}\n---\n");
        let (file, _) = read_with("content/posts/ferry/index.md", &text, rules);
        assert_eq!(aliases(&file), expected, "{name}: {written}");
    }
    let (_, problems) = yaml("aliases: [/, '/?p=12', ../up]", "plain");
    assert_eq!(problems.len(), 3);
    let many: Vec<String> = (0..200).map(|number| format!("/{number}")).collect();
    let (file, problems) = yaml(&format!("aliases: [{}]", many.join(", ")), "plain");
    assert_eq!(aliases(&file).len(), 100);
    assert_eq!(problems, ["2: `aliases` has 200 entries, but may have 100"]);
}

#[test]
fn invalid_key_never_loses_a_document() {
    for written in [
        "date: soon",
        "featured: 7",
        "tags: {a: b}",
        "authors: [[a]]",
        "authors: [{}]",
        "image: [1, 2]",
        "slug: '!!!'",
        "visibility: everybody",
        "status: done",
        "canonical_url: 'javascript:alert(1)'",
        "aliases: {a: b}",
        "description: [a, b]",
        "draft: []",
        "permalink: []",
        "expiryDate: never",
        "title: [a]",
        "body: org",
        "published: maybe",
    ] {
        let (file, problems) = yaml(&format!("meta_title: T\n{written}"), "plain");
        assert_eq!(text(&file, "meta_title"), Some("T"), "{written}");
        assert_eq!(problems.len(), 1, "{written}: {problems:?}");
        assert!(problems[0].starts_with("3: "), "{written}: {problems:?}");
    }
}
