//! Tests of small sites of MkDocs and Pelican.

use galley::domain::post::PostKind;

use super::{projects::ProjectSite, small_sites::assert_first_aliases};

#[test]
fn readme_next_to_an_index_is_not_a_page() {
    const REASON: &str = "is left out: the `index` file beside it is the page of the folder";
    for settings in [("mkdocs.yml", "site_name: Harbour\n"), ("a.txt", "")] {
        let served = ProjectSite::of(&[
            settings,
            ("docs/guide/README.md", "# All guides\n"),
            ("docs/guide/index.md", "# Guides\n"),
            ("docs/parts/README.md", "# Parts\n"),
        ]);
        let titles = served.slugs(PostKind::Page);
        let titles: Vec<String> = titles.iter().map(|slug| served.title(slug)).collect();
        assert_eq!(titles, ["Guides", "Parts"]);
        assert!(
            served
                .problems()
                .iter()
                .any(|problem| problem.contains(REASON)),
            "{:?}",
            served.problems()
        );
    }
}

#[test]
fn zensical_project_is_read_as_mkdocs() {
    let text = "# Fog\n\n!!! note\n    ==Thick== fog\n";
    for (settings, is_marked) in [
        (
            "[project]\nsite_name = 'Harbour'\ndocs_dir = 'pages'\n",
            true,
        ),
        (
            "[project]\ndocs_dir = 'pages'\n[project.markdown_extensions.admonition]\n[project.markdown_extensions.pymdownx.keys]\n",
            false,
        ),
    ] {
        let served = ProjectSite::of(&[("zensical.toml", settings), ("pages/fog.md", text)]);
        let html = served.html("fog");
        assert!(html.contains("class=\"admonition note\""), "{html}");
        assert_eq!(html.contains("<mark>Thick</mark>"), is_marked, "{html}");
        assert_eq!(served.problems(), [""; 0]);
    }
}

#[test]
fn mkdocs_drafts_are_only_blog_posts() {
    let served = ProjectSite::of(&[
        ("mkdocs.yml", "site_name: Harbour\nplugins:\n  - blog\n"),
        ("docs/fog.md", "---\ndraft: true\nstatus: new\n---\n# Fog\n"),
        (
            "docs/blog/posts/ferry.md",
            "---\ndraft: true\ndate: 2024-05-01\n---\n# Ferry\n",
        ),
    ]);
    assert!(!served.is_draft("fog") && served.is_draft("ferry"));
}

#[test]
fn material_card_grid_has_paragraphs() {
    let served = ProjectSite::of(&[
        ("mkdocs.yml", "site_name: Harbour\n"),
        (
            "docs/cards.md",
            "# Cards\n\n<div class=\"grid cards\" markdown>\n\n-   :material-anchor:{ .lg } **Knots**\n\n    Of all kinds.\n\n-   :material-ferry:\n\n    Ferries.\n\n</div>\n",
        ),
    ]);
    let html = served.html("cards");
    assert!(!html.contains("<pre>"), "{html}");
    assert!(
        html.contains("<li>\n<p><strong>Knots</strong></p>\n<p>Of all kinds.</p>\n</li>"),
        "{html}"
    );
    assert!(html.contains("<p>Ferries.</p>\n</li>"), "{html}");
}

#[test]
fn pelican_attribute_lists_need_the_extension_but_no_colon() {
    let text =
        "Title: Deck\nDate: 2024-05-01\n\n![a](b.png){width=20} [x](https://example.org/){ .c }\n";
    let html = |settings: &str| {
        let served = ProjectSite::of(&[("pelicanconf.py", settings), ("content/deck.md", text)]);
        served.html("deck")
    };
    for settings in ["SITEURL = ''\n", "MD_EXTENSIONS = ['extra']\n"] {
        let html = html(settings);
        assert!(
            html.contains("width=\"20\"") && html.contains("class=\"c\""),
            "{html}"
        );
    }
    let without = html("MARKDOWN = {\n    'extensions': ['markdown.extensions.tables'],\n}\n");
    assert!(without.contains("{width=20}"), "{without}");
}

#[test]
fn pelican_slugs_follow_its_rules() {
    let files = |settings: &'static str| {
        ProjectSite::of(&[
            ("pelicanconf.py", settings),
            (
                "content/a.md",
                "Title: Bayes's formula (1/4)\nDate: 2024-05-01\nCategory: Odds & Ends\n\nA.\n",
            ),
            ("content/pages/x.md", "Title: x_y z\n\nA.\n"),
        ])
    };
    let served = files("ARTICLE_URL = '{category}/{slug}.html'\n");
    assert_first_aliases(
        &served,
        &[
            ("bayess-formula-14", "/odds-ends/bayess-formula-14.html"),
            ("x_y-z", "/pages/x_y-z.html"),
        ],
    );
    let served = files(
        "SLUG_REGEX_SUBSTITUTIONS = [\n    (r'[^\\w]+', '.'),\n]\nSLUGIFY_PRESERVE_CASE = True\n",
    );
    assert_first_aliases(
        &served,
        &[("bayes-s-formula-1-4", "/Bayes.s.formula.1.4..html")],
    );
    let served = files("SLUG_REGEX_SUBSTITUTIONS = [(r'(?=a)', '')]\n");
    assert_eq!(
        served.problems(),
        [
            "pelicanconf.py: the setting `SLUG_REGEX_SUBSTITUTIONS` is not supported: slugs follow the default rules",
        ]
    );
}

#[test]
fn pelican_reads_only_its_document_folders() {
    let served = |settings: &'static str| {
        ProjectSite::of(&[
            ("pelicanconf.py", settings),
            ("content/one.md", "Title: One\nDate: 2024-05-01\n\n1\n"),
            ("content/sub/two.md", "Title: Two\n\n2\n"),
            ("content/fixed/three.md", "Title: Three\n\n3\n"),
        ])
    };
    let pages = served("PAGE_PATHS = ['']\nARTICLE_PATHS = []\n");
    assert_eq!(pages.slugs(PostKind::Page), ["one", "three", "two"]);
    assert_eq!(pages.problems(), [""; 0]);
    assert!(pages.tags("two").is_empty());
    let annotated =
        served("PAGE_PATHS: list[str] = ['fixed', 'sub']\nARTICLE_PATHS: list[str] = []\n");
    assert_eq!(annotated.slugs(PostKind::Page), ["three", "two"]);
    assert_eq!(annotated.slugs(PostKind::Post), [""; 0]);
    assert_eq!(
        annotated.problems(),
        [
            "content/one.md: a document in content/ is left out: its folder is not listed in `ARTICLE_PATHS` or `PAGE_PATHS`",
        ]
    );
    let computed = served("ARTICLE_PATHS = [name for name in NAMES]\n");
    assert!(
        computed.problems().contains(
            &"pelicanconf.py: the value of `ARTICLE_PATHS` is computed by a script, which is not run"
                .to_owned()
        ),
        "{:?}",
        computed.problems()
    );
}

#[test]
fn pelican_skips_documents_without_a_title() {
    let served = |settings: &'static str| {
        ProjectSite::of(&[
            ("pelicanconf.py", settings),
            (
                "content/2024-05-01_Night ferry.md",
                "# We left\n\nAt night.\n",
            ),
            ("content/pages/fog.md", "Hush.\n"),
        ])
    };
    let without = served("SITEURL = ''\n");
    assert_eq!(without.slugs(PostKind::Post), [""; 0]);
    assert_eq!(
        without.problems(),
        [
            "content/2024-05-01_Night ferry.md: Pelican builds no document without a title, so it is left out",
            "content/pages/fog.md: Pelican builds no document without a title, so it is left out",
        ]
    );
    let named = served("FILENAME_METADATA = r'(?P<date>\\d{4}-\\d{2}-\\d{2})_(?P<title>.*)'\n");
    assert_eq!(named.title("night-ferry"), "Night ferry");
}
