//! Tests of folders with fewer conventions than a generator's project: notes without settings, front matter without fences.

use galley::domain::post::PostKind;

use super::projects::ProjectSite;

#[test]
fn notes_linked_by_name_are_a_vault() {
    let served = ProjectSite::of(&[
        (
            "Boats/Night ferry.md",
            "See [[Harbour map|the map]].\n\n![[Deck.png]]\n",
        ),
        ("Harbour map.md", "Of the harbour.\n"),
        ("images/deck.png", "deck"),
    ]);
    assert_eq!(served.reconciler.layout().profile().name, "obsidian");
    let html = served.html("night-ferry");
    assert!(html.contains("/harbour-map/\">the map</a>"), "{html}");
    assert!(
        html.contains("images/deck.png") && !html.contains("[["),
        "{html}"
    );
    let plain = ProjectSite::of(&[("a.md", "`[[ -f b ]]` and [[c]]\n"), ("b.md", "d\n")]);
    assert_eq!(plain.reconciler.layout().profile().name, "plain");
}

#[test]
fn unfenced_header_with_a_title_is_front_matter_in_plain_folders() {
    let served = ProjectSite::of(&[
        (
            "ferry.md",
            "Title: +7 days\nDate: 2016-11-19 14:44\nTags: sea, night\nSlug: seven-days\n\nWe left.\n",
        ),
        ("note.md", "Note: this is text.\n\nMore.\n"),
    ]);
    assert_eq!(served.slugs(PostKind::Post), ["seven-days"]);
    assert_eq!(served.title("seven-days"), "+7 days");
    assert_eq!(served.tags("seven-days"), ["sea", "night"]);
    assert!(!served.html("seven-days").contains("Title"));
    assert!(served.html("note").contains("Note: this is text."));
}

#[test]
fn fenced_pelican_headers_need_not_be_yaml() {
    let served = ProjectSite::of(&[
        (
            "pelicanconf.py",
            "PATH = 'content'\nMARKDOWN = {'extensions': ['toc']}\n",
        ),
        (
            "content/engine.md",
            "---\ntitle: Engine: a fast one\ndate: 2024-05-01\ntags: sea, night\n---\n\n[TOC]\n\n## Speed\n",
        ),
    ]);
    assert!(served.problems().is_empty(), "{:?}", served.problems());
    assert_eq!(served.title("engine-a-fast-one"), "Engine: a fast one");
    assert_eq!(served.tags("engine-a-fast-one"), ["sea", "night"]);
    let html = served.html("engine-a-fast-one");
    assert!(
        html.contains("<a href=\"#speed\">Speed</a>") && !html.contains("TOC"),
        "{html}"
    );
}

#[test]
fn pelican_folders_may_be_relative_to_the_top_folder() {
    let served = ProjectSite::of(&[
        (
            "pelicanconf.py",
            "ARTICLE_PATHS = ['content']\nPAGE_PATHS = ['content/pages']\nARTICLE_URL = '{kind}/{slug}/'\n",
        ),
        (
            "content/blog/fog.md",
            "Title: Fog\nDate: 2024-05-02\nKind: air\n\nHush.\n",
        ),
        ("content/pages/about.md", "Title: About\n\nUs.\n"),
    ]);
    assert_eq!(served.slugs(PostKind::Post), ["fog"]);
    assert_eq!(served.slugs(PostKind::Page), ["about"]);
    let layout = served.reconciler.layout();
    assert_eq!(layout.profile().name, "pelican");
}

#[test]
fn quartz_publishes_folders_named_like_languages() {
    let served = ProjectSite::of(&[
        (
            "quartz.config.ts",
            "export default { configuration: { locale: \"ar-EG\" } }\n",
        ),
        ("content/ar/ferry.md", "a\n"),
        ("content/en/fog.md", "b\n"),
    ]);
    assert_eq!(served.slugs(PostKind::Page), ["ferry", "fog"]);
    assert!(served.problems().is_empty(), "{:?}", served.problems());
}

#[test]
fn seconds_above_59_carry_over_as_in_yaml_parsers() {
    let served = ProjectSite::of(&[
        ("gatsby-config.js", "module.exports = {}\n"),
        (
            "content/blog/fog/index.md",
            "---\ntitle: Fog\ndate: 2021-04-10 15:05:98\n---\n\nHush.\n",
        ),
        (
            "content/blog/ferry/index.md",
            "---\ntitle: Ferry\ndate: 2022-04-30T9:50:28Z\n---\n\nWe left.\n",
        ),
    ]);
    assert!(served.problems().is_empty(), "{:?}", served.problems());
    let snapshot = served.site.current();
    let date = |slug: &str| {
        let post = snapshot.catalog.posts.by_slug(slug).unwrap();
        post.published_at.map(|date| date.to_string())
    };
    assert_eq!(date("fog").as_deref(), Some("2021-04-10T15:06:38Z"));
    assert_eq!(date("ferry").as_deref(), Some("2022-04-30T09:50:28Z"));
}

#[test]
fn mkdocs_plugins_link_notes_by_name() {
    let served = ProjectSite::of(&[
        (
            "mkdocs.yml",
            "site_name: Harbour\nplugins:\n  - roamlinks\n  - callouts\n",
        ),
        (
            "docs/ferry.md",
            "# Ferry\n\nTo [[Fog bank|the fog]] by $\\sum_{i=1}^n$.\n\n> [!tip] Vest\n> Wear it.\n",
        ),
        ("docs/notes/Fog bank.md", "# Fog bank\n\nHush.\n"),
    ]);
    let html = served.html("ferry");
    assert!(html.contains("/fog-bank/\">the fog</a>"), "{html}");
    assert!(
        html.contains("\\sum_{i=1}^n") && !html.contains("[!tip]"),
        "{html}"
    );
}
