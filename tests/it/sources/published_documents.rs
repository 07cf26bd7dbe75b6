//! Tests of the published files of real sites: languages, versions, home pages, and documents next to the project.

use galley::domain::post::PostKind;

use super::projects::ProjectSite;

const DATED: &str = "---\ntitle: Ferry\ndate: 2026-02-03\n---\n";

#[test]
fn hugo_language_folders_are_detected() {
    let served = ProjectSite::of(&[
        (
            "hugo.toml",
            "defaultContentLanguage = 'de'\n[languages.en]\ncontentDir = 'content/english'\n[languages.de]\ncontentDir = 'content/german'\n",
        ),
        ("content/english/posts/ferry.md", DATED),
        (
            "content/german/posts/ferry.md",
            "---\ntitle: Fähre\ndate: 2026-02-03\n---\n[deck](../deck/) [a](/about/)\n",
        ),
        ("content/german/posts/deck.md", DATED),
        ("content/german/about.md", "---\ntitle: Über\n---\nText.\n"),
        (
            "content/english/about.md",
            "---\ntitle: About\n---\nText.\n",
        ),
    ]);
    assert_eq!(
        served.slugs(PostKind::Post),
        ["deck", "ferry"],
        "{:?}",
        served.problems()
    );
    assert_eq!(served.slugs(PostKind::Page), ["about"]);
    assert_eq!(served.title("ferry"), "Fähre");
    assert_eq!(served.title("about"), "Über");
    assert_eq!(
        served.html("ferry").replace("__GHOST_URL__", ""),
        "<p><a href=\"/deck/\">deck</a> <a href=\"/about/\">a</a></p>\n"
    );
}

#[test]
fn jekyll_publishes_titled_html_and_skips_underscored_paths() {
    let served = ProjectSite::of(&[
        ("_config.yml", "title: Harbour\n"),
        (
            "manual/tides.html",
            "---\ntitle: Tides\n---\n<p>Twice a day at {{ site.title }}.</p>\n",
        ),
        (
            "archive.html",
            "---\ntitle: Archive\n---\n{% for post in site.posts %}{{ post.title }}{% endfor %}\n",
        ),
        ("404.html", "---\nlayout: none\n---\n<p>Gone.</p>\n"),
        ("verification.html", "code\n"),
        ("about/_parts.md", "---\ntitle: Parts\n---\nText.\n"),
        ("about/_old/ship.md", "---\ntitle: Ship\n---\nText.\n"),
        ("about/index.md", "---\ntitle: About\n---\nText.\n"),
    ]);
    assert_eq!(served.slugs(PostKind::Page), ["about", "tides"]);
    assert_eq!(served.html("tides"), "<p>Twice a day at Harbour.</p>\n");
    assert_eq!(
        served.problems(),
        [
            "404.html: it is HTML without a title, so it is left out",
            "archive.html: this page is generated from the rest of the site, so it is left out",
        ]
    );
}

#[test]
fn docusaurus_publishes_the_latest_version() {
    let served = ProjectSite::of(&[
        ("docusaurus.config.js", ""),
        ("versions.json", "[\"2.0\", \"1.0\"]"),
        ("docs/ferry.md", "---\ntitle: Next ferry\n---\nText.\n"),
        ("docs/new.md", "---\ntitle: New\n---\nText.\n"),
        (
            "versioned_docs/version-2.0/ferry.md",
            "---\ntitle: Ferry\n---\n[deck](./deck.md) [d](/docs/deck) [e](deck.md)\n",
        ),
        (
            "versioned_docs/version-2.0/deck.md",
            "---\ntitle: Deck\n---\nText.\n",
        ),
        (
            "versioned_docs/version-1.0/ferry.md",
            "---\ntitle: Old ferry\n---\nText.\n",
        ),
    ]);
    assert_eq!(
        served.slugs(PostKind::Page),
        ["deck", "ferry"],
        "{:?}",
        served.problems()
    );
    assert_eq!(served.title("ferry"), "Ferry");
    assert_eq!(
        served.html("ferry").replace("__GHOST_URL__", ""),
        "<p><a href=\"/deck/\">deck</a> <a href=\"/deck/\">d</a> <a href=\"/deck/\">e</a></p>\n"
    );
    assert_eq!(
        served.problems(),
        [
            "docs/ferry.md: 2 documents in docs/ are left out: it is in another version of the documentation than the latest one",
            "versioned_docs/version-1.0/ferry.md: a document in versioned_docs/ is left out: it is in another version of the documentation than the latest one",
        ]
    );
    let current = ProjectSite::of(&[
        (
            "docusaurus.config.js",
            "export default { presets: [['classic', { docs: { lastVersion: 'current' } }]] }",
        ),
        ("versions.json", "[\"1.0\"]"),
        ("docs/ferry.md", "---\ntitle: Ferry\n---\nText.\n"),
        (
            "versioned_docs/version-1.0/ferry.md",
            "---\ntitle: Old ferry\n---\nText.\n",
        ),
    ]);
    assert_eq!(current.slugs(PostKind::Page), ["ferry"]);
    assert_eq!(current.title("ferry"), "Ferry");
}

#[test]
fn duplicate_slugs_are_prefixed_with_categories() {
    let served = ProjectSite::of(&[
        ("_config.yml", ""),
        (
            "sea/_posts/2026-02-03-ferry.md",
            "---\ntitle: A\n---\nText.\n",
        ),
        (
            "land/_posts/2026-02-03-ferry.md",
            "---\ntitle: B\n---\nText.\n",
        ),
        (
            "_posts/2026-02-04-ferry.md",
            "---\ntitle: C\ncategories: [air]\n---\nText.\n",
        ),
        (
            "_posts/2026-02-05-ferry.md",
            "---\ntitle: D\ncategory: air mail\n---\nText.\n",
        ),
        ("_posts/2026-02-06-ferry.md", "---\ntitle: E\n---\nText.\n"),
        ("_posts/2026-02-07-ferry.md", "---\ntitle: F\n---\nText.\n"),
    ]);
    assert_eq!(
        served.slugs(PostKind::Post),
        [
            "air-mail-ferry",
            "ferry",
            "ferry-2",
            "ferry-3",
            "land-ferry",
            "sea-ferry"
        ],
        "{:?}",
        served.problems()
    );
    let snapshot = served.site.current();
    let post = snapshot.catalog.posts.by_slug("sea-ferry").unwrap();
    assert_eq!(&*post.aliases[0], "/sea/2026/02/03/ferry.html");
}

#[test]
fn hugo_index_file_is_the_home_page() {
    let served = ProjectSite::of(&[
        ("hugo.toml", ""),
        (
            "content/_index.md",
            "---\ntitle: Welcome aboard\n---\nText.\n",
        ),
        (
            "content/ferry.md",
            "---\ntitle: F\n---\n[home](/) [h]({{< ref \"/\" >}}) [h]({{< ref \"_index.md\" >}})\n",
        ),
    ]);
    assert_eq!(served.slugs(PostKind::Page), ["ferry", "index"]);
    assert_eq!(served.title("index"), "Welcome aboard");
    assert_eq!(
        served.html("ferry").replace("__GHOST_URL__", ""),
        "<p><a href=\"/\">home</a> <a href=\"/index/\">h</a> <a href=\"/index/\">h</a></p>\n"
    );
}

#[test]
fn home_pages_in_other_languages_are_left_out() {
    let served = ProjectSite::of(&[
        ("_config.yml", ""),
        ("en/index.md", "---\ntitle: Home\n---\nText.\n"),
        ("de/index.md", "---\ntitle: Start\n---\nText.\n"),
        ("de/about.md", "---\ntitle: Über\n---\nText.\n"),
        ("en/about.md", "---\ntitle: About\n---\nText.\n"),
    ]);
    assert_eq!(
        served.slugs(PostKind::Page),
        ["about", "index"],
        "{:?}",
        served.problems()
    );
}

#[test]
fn documents_next_to_a_project_are_served_from_the_common_folder() {
    let files = [
        (
            "docs/web/docusaurus.config.js",
            "module.exports = { presets: [['classic', { docs: { path: '../manual' } }]] }",
        ),
        (
            "docs/web/src/pages/about.md",
            "---\ntitle: About\n---\nText.\n",
        ),
        (
            "docs/manual/guide/ferry.md",
            "---\ntitle: Ferry\n---\n[a](api/deck.md) ![l](/img/l.png) [p](/docs/api/deck)\n\nimport N from './_n.md'\n\n<N />\n",
        ),
        ("docs/manual/guide/_n.md", "Note.\n"),
        ("docs/manual/api/deck.md", "---\ntitle: Deck\n---\nText.\n"),
        ("docs/web/static/img/l.png", "png"),
    ];
    for root in ["", "docs"] {
        let served =
            ProjectSite::with(&files, root, galley::content_files::ContentFiles::default());
        assert_eq!(
            served.slugs(PostKind::Page),
            ["about", "deck", "ferry"],
            "{root} {:?}",
            served.problems()
        );
        assert!(
            served
                .html("ferry")
                .replace("__GHOST_URL__", "")
                .starts_with("<p><a href=\"/deck/\">a</a> <img src=\"/content/images/")
        );
        assert!(
            served.html("ferry").ends_with(
                "alt=\"l\" /> <a href=\"__GHOST_URL__/deck/\">p</a></p>\n<p>Note.</p>\n"
            )
        );
    }
    let served = ProjectSite::with(
        &files,
        "docs/web",
        galley::content_files::ContentFiles::default(),
    );
    assert_eq!(
        served.problems(),
        [
            "../manual/: the settings of Docusaurus name this folder of documents, which is outside of the content folder and is not served"
        ]
    );
}

#[test]
fn links_to_skipped_documents_report_the_reason() {
    let served = ProjectSite::of(&[
        ("hugo.toml", "title = 'Harbour'\n"),
        (
            "content/ferry.md",
            "# Ferry\n\n[how](../README.md) [plan](../plans/fog.md)\n",
        ),
        ("README.md", "How to build.\n"),
        ("plans/fog.md", "# Fog\n"),
    ]);
    let why = "is a document that is not served";
    assert_eq!(
        served.problems(),
        [
            format!("content/ferry.md: the link target README.md {why}: it is about the folder, not content of the site"),
            format!("content/ferry.md: the link target plans/fog.md {why}: the documents of Hugo are in content/"),
            "plans/fog.md: a Markdown file in plans/ is not served: the documents of Hugo are in content/".to_owned(),
        ]
    );
}
