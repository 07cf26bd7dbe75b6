//! Tests of a small site of each generator: its layout, its published paths and its syntax.

use galley::domain::post::PostKind;

use super::projects::{DATED, ProjectSite};

const PLAIN: &str = "---\ntitle: Knots\n---\nOf all kinds.\n";

/// Asserts the first alias of each document, by slug.
pub(super) fn assert_first_aliases(served: &ProjectSite, expected: &[(&str, &str)]) {
    let snapshot = served.site.current();
    for (slug, path) in expected {
        let post = snapshot.catalog.posts.by_slug(slug);
        let post =
            post.unwrap_or_else(|| panic!("there is no post {slug}: {:?}", served.problems()));
        let first = post.aliases.first().map(|alias| &**alias);
        assert_eq!(first.unwrap_or_default(), *path, "{slug}");
    }
}

#[test]
fn mkdocs_site_is_read_as_material_builds_it() {
    let served = ProjectSite::of(&[
        (
            "mkdocs.yml",
            "site_name: Harbour\nsite_url: https://example.org/docs/\nnav:\n  - Home: index.md\n  - Guide:\n      - Tying knots: guide/knots.md\nplugins:\n  - search\n  - redirects:\n      redirect_maps:\n        old/ropes.md: guide/knots.md#bowline\n  - blog:\n      post_url_format: \"{date}/{slug}\"\nexclude_docs: |\n  drafts/\nmarkdown_extensions:\n  - pymdownx.emoji:\n      emoji_index: !!python/name:material.extensions.emoji.twemoji\n  - pymdownx.snippets:\n      base_path: [includes]\n",
        ),
        (
            "docs/index.md",
            "Welcome.\n\nSee [knots](guide/knots.md#bowline).\n",
        ),
        (
            "docs/guide/knots.md",
            "## Bowline\n\n!!! note \"Beware\"\n    *Wet* rope.\n\n=== \"A\"\n\n    One.\n\n--8<-- \"safety.md\"\n\n## Bowline\n",
        ),
        (
            "docs/guide/README.md",
            "Title: Guides\nDate: 2020-01-01\n\nAll guides.\n",
        ),
        ("docs/drafts/fog.md", PLAIN),
        ("docs/blog/index.md", "# Blog\n"),
        (
            "docs/blog/posts/ferry.md",
            "---\ndate:\n  created: 2024-05-01\n  updated: 2024-05-02\n---\n# The Night Ferry\n\nWe left.\n",
        ),
        ("includes/safety.md", "Wear a vest.\n"),
    ]);
    assert_eq!(served.reconciler.layout().profile().name, "mkdocs");
    assert_eq!(served.slugs(PostKind::Post), ["ferry"]);
    assert_eq!(
        served.slugs(PostKind::Page),
        ["blog", "guide", "index", "knots"]
    );
    assert_eq!(served.title("knots"), "Tying knots");
    assert_eq!(served.title("guide"), "Guides");
    let snapshot = served.site.current();
    let knots = snapshot.catalog.posts.by_slug("knots").unwrap();
    assert_eq!(
        knots.aliases.last().map(|alias| &**alias),
        Some("/old/ropes")
    );
    assert_first_aliases(
        &served,
        &[
            ("knots", "/guide/knots"),
            ("ferry", "/blog/2024/05/01/the-night-ferry"),
        ],
    );
    let html = served.html("knots");
    for part in [
        "<div class=\"admonition note\"><p class=\"admonition-title\">Beware</p>",
        "<em>Wet</em> rope.",
        "<strong>A</strong>",
        "Wear a vest.",
        "id=\"bowline_1\"",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert!(
        served.html("index").contains("/knots/#bowline"),
        "{}",
        served.html("index")
    );
}

#[test]
fn vitepress_site_is_read_with_rewrites_and_containers() {
    let served = ProjectSite::of(&[
        (
            "docs/.vitepress/config.mts",
            "export default defineConfig({ base: '/x/', cleanUrls: true, srcExclude: ['**/parts/*.md'], rewrites: { 'packages/:name/readme.md': ':name.md' } })",
        ),
        ("docs/index.md", "---\ntitle: Home\n---\n# Home\n"),
        (
            "docs/guide/start.md",
            "# Start\n\n::: warning\nFog.\n:::\n\n<!--@include: ./parts/a.md-->\n\n::: code-group\n```js{1} [a.js]\nb\n```\n:::\n\n[Knots](./knots)\n",
        ),
        ("docs/guide/knots.md", PLAIN),
        ("docs/guide/parts/a.md", "A part.\n"),
        ("docs/packages/rope/readme.md", "# Rope\n"),
        ("docs/[id].md", "# {{ $params.id }}\n"),
        ("README.md", "About the repository.\n"),
    ]);
    assert_eq!(served.reconciler.layout().profile().name, "vitepress");
    assert_eq!(served.slugs(PostKind::Post), [""; 0]);
    assert_eq!(
        served.slugs(PostKind::Page),
        ["index", "knots", "rope", "start"]
    );
    assert_first_aliases(
        &served,
        &[
            ("start", "/guide/start"),
            ("knots", "/guide/knots"),
            ("rope", ""),
        ],
    );
    let html = served.html("start");
    for part in [
        "<div class=\"warning custom-block\"><p class=\"custom-block-title\">WARNING</p>",
        "A part.",
        "<div class=\"code-block-title\">a.js</div>",
        "language-js",
        "/knots/",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
}

#[test]
fn vuepress_site_is_read_with_its_readme_pages() {
    let served = ProjectSite::of(&[
        (
            "docs/.vuepress/config.js",
            "module.exports = { base: '/', title: 'Harbour' }",
        ),
        (
            "docs/README.md",
            "---\nhome: true\nfeatures: []\n---\nWelcome.\n",
        ),
        (
            "docs/guide/README.md",
            "# Guide\n\n:::tip\nWear a vest.\n:::\n",
        ),
        (
            "docs/guide/knots.md",
            "---\ntitle: Tying knots\n---\n# {{ $frontmatter.title }}\n\nOf {{ kinds.length }} kinds.\n\n<Demo />\n*Wet* rope. ![](/deck.jpg)\n",
        ),
        ("docs/blog/ferry.md", DATED),
        ("docs/.vuepress/public/deck.jpg", "deck"),
        ("docs/.vuepress/public/draft.md", PLAIN),
        ("docs/.vuepress/theme/README.md", PLAIN),
    ]);
    assert_eq!(served.reconciler.layout().profile().name, "vuepress");
    assert_eq!(served.slugs(PostKind::Post), ["ferry"]);
    assert_eq!(served.slugs(PostKind::Page), ["guide", "index", "knots"]);
    assert_eq!(served.title("index"), "Harbour");
    assert_eq!(served.title("knots"), "Tying knots");
    let html = served.html("knots");
    // The heading is removed because it repeats the title, which pages show.
    assert!(html.starts_with("<p>Of  kinds.</p>"), "{html}");
    for part in ["<em>Wet</em>", "docs/.vuepress/public/deck.jpg"] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert_eq!(
        served.problems(),
        [
            "docs/guide/knots.md: the expression `{{ kinds.length }}` is not evaluated and is left out",
            "docs/guide/knots.md: the component `Demo` is not known and is left out",
        ]
    );
    assert_first_aliases(
        &served,
        &[
            ("knots", "/guide/knots.html"),
            ("ferry", "/blog/ferry.html"),
        ],
    );
    assert!(served.html("guide").contains("class=\"tip custom-block\""));
}

#[test]
fn vuepress_2_includes_code_and_shows_tabs_with_their_titles() {
    let served = ProjectSite::of(&[
        (
            "docs/.vuepress/config.js",
            "export default defineUserConfig({ title: 'Harbour' })",
        ),
        (
            "docs/knots.md",
            "# Knots\n\n@[code{2-3}](./knot.js)\n\n@[code ts:no-line-numbers](./knot.js#one)\n\n::: code-tabs#shell\n@tab npm\n\n```sh\na\n```\n\n@tab yarn\n\n```sh\nb\n```\n:::\n\n::: tip\nc\n:::\n",
        ),
        (
            "docs/knot.js",
            "// #region one\nlet a;\n// #endregion one\nlet b;\n",
        ),
    ]);
    assert_eq!(
        served.html("knots"),
        "<pre><code class=\"language-js\">let a;\n// #endregion one\n</code></pre>\n<pre><code class=\"language-ts\">let a;\n</code></pre>\n<div class=\"code-tabs\">\n<p><strong>npm</strong></p>\n<pre><code class=\"language-sh\">a\n</code></pre>\n<p><strong>yarn</strong></p>\n<pre><code class=\"language-sh\">b\n</code></pre>\n</div>\n<div class=\"tip custom-block\"><p class=\"custom-block-title\">Tips</p>\n<p>c</p>\n</div>\n"
    );
    assert_eq!(served.problems(), [] as [&str; 0]);
}

#[test]
fn pelican_site_is_read_by_its_headers_and_urls() {
    let served = ProjectSite::of(&[
        (
            "pelicanconf.py",
            "SITEURL = 'https://example.org'\nARTICLE_URL = '{date:%Y}/{date:%m}/{slug}/'\nARTICLE_SAVE_AS = '{date:%Y}/{date:%m}/{slug}/index.html'\n",
        ),
        (
            "content/news/a.md",
            "Title: The Night Ferry\nDate: 2024-05-01 10:20\nTags: Sea, Night boats\nCategory: Travel\n\nWe left. ![Deck]({static}/images/deck.jpg) [About]({filename}/pages/about.md)\n",
        ),
        ("content/news/b.rst", "Title\n#####\n"),
        (
            "content/news/c.md",
            "Title: Fog\nDate: 2024-05-02\nStatus: hidden\nAuthors: Ada Tide, Bo\n\nHush.\n",
        ),
        ("content/news/d.md", "Title: Undated\n\nSoon.\n"),
        ("content/pages/about.md", "Title: About us\n\nWho we are.\n"),
        ("content/images/deck.jpg", "deck"),
    ]);
    assert_eq!(served.reconciler.layout().profile().name, "pelican");
    assert_eq!(served.slugs(PostKind::Post), ["fog", "the-night-ferry"]);
    assert!(served.is_draft("fog") && !served.is_draft("the-night-ferry"));
    assert_eq!(served.authors("fog"), ["Ada Tide", "Bo"]);
    assert_eq!(served.slugs(PostKind::Page), ["about-us"]);
    assert_eq!(served.title("the-night-ferry"), "The Night Ferry");
    assert_eq!(
        served.tags("the-night-ferry"),
        ["Travel", "Sea", "Night boats"]
    );
    assert_first_aliases(
        &served,
        &[
            ("the-night-ferry", "/2024/05/the-night-ferry"),
            ("about-us", "/pages/about-us.html"),
        ],
    );
    let html = served.html("the-night-ferry");
    assert!(html.contains("/about-us/"), "{html}");
    assert!(html.contains("content/images/deck.jpg"), "{html}");
    assert_eq!(
        served.problems(),
        [
            "content/news/b.rst: a document in content/ is left out: it is reStructuredText, which is not supported",
            "content/news/d.md: Pelican builds no post without a date, so it is left out",
        ]
    );
}

#[test]
fn python_markdown_options_apply_to_pelican_documents() {
    let text = "Title: Knots\nDate: 2024-05-01\n\n- a\n  - b\n\n!!! note\n    *c* :ship:\n";
    let html = |settings: &str| {
        let served = ProjectSite::of(&[("pelicanconf.py", settings), ("content/knots.md", text)]);
        served.html("knots")
    };
    let usual = html("SITEURL = ''\n");
    assert_eq!(usual.matches("<ul").count(), 1, "{usual}");
    assert!(
        usual.contains("!!! note") && usual.contains(":ship:"),
        "{usual}"
    );
    let extended = html(
        "MARKDOWN = {\n    'extensions': ['markdown.extensions.admonition'],\n    'tab_length': 2,\n}\n",
    );
    assert_eq!(extended.matches("<ul").count(), 2, "{extended}");
    assert!(
        extended.contains("<div class=\"admonition note\">"),
        "{extended}"
    );
}

#[test]
fn undated_articles_are_read_with_a_default_date() {
    let served = ProjectSite::of(&[
        ("pelicanconf.py", "DEFAULT_DATE = 'fs'\n"),
        ("content/knots.md", "Title: Knots\n\nOf all kinds.\n"),
    ]);
    assert_eq!(served.slugs(PostKind::Post), ["knots"]);
}

#[test]
fn pelican_finds_metadata_in_paths_and_settings() {
    let served = ProjectSite::of(&[
        (
            "pelicanconf.py",
            "ARTICLE_URL = '{category}/{slug}.html'\nFILENAME_METADATA = r'(?P<date>\\d{4}-\\d{2}-\\d{2})_(?P<slug>.*)'\nDEFAULT_METADATA = {\n    'status': 'draft',\n}\nIGNORE_FILES = ['old-*']\nARTICLE_PATHS = ['blog']\nPAGE_PATHS = ['site']\nARTICLE_EXCLUDES = ['blog/parts']\n",
        ),
        (
            "content/blog/Sea/2024-05-01_Night-Ferry.md",
            "Title: We left\nStatus: published\n\nAt night.\n",
        ),
        (
            "content/blog/2024-05-02_fog.md",
            "Title: Fog\nCategory: Air\n\nHush.\n",
        ),
        ("content/blog/old-ropes.md", "Title: Ropes\n\nOld.\n"),
        (
            "content/blog/parts/rope.md",
            "Title: A part\n\nOf a text.\n",
        ),
        ("content/notes/a.md", "Title: Elsewhere\n\nA note.\n"),
        (
            "content/site/about.md",
            "Title: About\nStatus: published\n\nUs.\n",
        ),
    ]);
    assert_eq!(served.slugs(PostKind::Post), ["fog", "night-ferry"]);
    assert_eq!(served.slugs(PostKind::Page), ["about"]);
    assert!(served.is_draft("fog") && !served.is_draft("night-ferry"));
    assert_eq!(served.tags("night-ferry"), ["Sea"]);
    assert_eq!(served.tags("fog"), ["Air"]);
    assert!(served.tags("about").is_empty());
    assert_first_aliases(&served, &[("night-ferry", "/sea/Night-Ferry.html")]);
    let snapshot = served.site.current();
    let ferry = snapshot.catalog.posts.by_slug("night-ferry").unwrap();
    assert!(
        ferry
            .published_at
            .unwrap()
            .to_string()
            .starts_with("2024-05-01")
    );
    assert_eq!(
        served.problems(),
        [
            "content/blog/old-ropes.md: a document in content/ is left out: it matches `IGNORE_FILES`",
            "content/blog/parts/rope.md: a document in content/ is left out: its folder is listed in `ARTICLE_EXCLUDES` or `PAGE_EXCLUDES`",
            "content/notes/a.md: a document in content/ is left out: its folder is not listed in `ARTICLE_PATHS` or `PAGE_PATHS`",
        ]
    );
}

#[test]
fn redirects_of_settings_are_former_urls() {
    for (files, slug, former) in [
        (
            [
                (
                    "book.toml",
                    "[output.html.redirect]\n\"/old/rope.html\" = \"../guide/knots.html#bowline\"\n\"/a.html\" = \"https://example.org/\"\n",
                ),
                ("src/guide/knots.md", PLAIN),
            ],
            "knots",
            "/old/rope.html",
        ),
        (
            [
                (
                    "astro.config.mjs",
                    "export default defineConfig({ redirects: { '/old/rope': '/knots', '/[x]': '/knots' } })",
                ),
                ("src/pages/knots.md", PLAIN),
            ],
            "knots",
            "/old/rope",
        ),
        (
            [
                (
                    "docusaurus.config.js",
                    "export default { plugins: [['@docusaurus/plugin-client-redirects', { redirects: [{ to: '/docs/knots', from: ['/old/rope'] }] }]] }",
                ),
                ("docs/knots.md", PLAIN),
            ],
            "knots",
            "/old/rope",
        ),
    ] {
        let served = ProjectSite::of(&files);
        let snapshot = served.site.current();
        let post = snapshot.catalog.posts.by_slug(slug).unwrap();
        let aliases: Vec<&str> = post.aliases.iter().map(|alias| &**alias).collect();
        assert!(aliases.contains(&former), "{former}: {aliases:?}");
        assert_eq!(
            aliases.iter().filter(|alias| alias.contains("[")).count(),
            0
        );
    }
}

#[test]
fn nuxt_site_is_read_without_numbers_in_its_paths() {
    let served = ProjectSite::of(&[
        ("nuxt.config.ts", "export default defineNuxtConfig({})"),
        ("content/0.index.md", "# Home\n"),
        ("content/1.guide/1.index.md", "# Guide\n"),
        (
            "content/1.guide/2.tying-knots.md",
            "# Knots\n\n::warning\nWet *rope*.\n::\n\n:icon{name=\"a\"}\n",
        ),
        ("content/2.blog/ferry.md", DATED),
        ("content/_part.md", "A part.\n"),
    ]);
    assert_eq!(served.reconciler.layout().profile().name, "nuxt");
    assert_eq!(served.slugs(PostKind::Post), ["ferry"]);
    assert_eq!(
        served.slugs(PostKind::Page),
        ["guide", "index", "tying-knots"]
    );
    assert_first_aliases(
        &served,
        &[
            ("tying-knots", "/guide/tying-knots"),
            ("ferry", "/blog/ferry"),
        ],
    );
    let html = served.html("tying-knots");
    assert!(
        html.contains("<div class=\"notice notice-warning\">") && !html.contains("::"),
        "{html}"
    );
}

#[test]
fn gatsby_and_quartz_sites_are_recognised() {
    let gatsby = ProjectSite::of(&[
        ("gatsby-config.js", ""),
        ("content/blog/ferry/index.md", DATED),
        ("src/pages/about.md", PLAIN),
        ("src/components/note.md", "No page.\n"),
    ]);
    assert_eq!(gatsby.reconciler.layout().profile().name, "gatsby");
    assert_eq!(gatsby.slugs(PostKind::Post), ["ferry"]);
    assert_eq!(gatsby.slugs(PostKind::Page), ["about"]);

    let quartz = ProjectSite::of(&[
        ("quartz.config.ts", ""),
        (
            "content/index.md",
            "---\ntitle: Garden\n---\nSee [[sea/Night Ferry]].\n",
        ),
        ("content/sea/Night Ferry.md", "We left.\n"),
        ("content/private/diary.md", "Hush.\n"),
    ]);
    assert_eq!(quartz.reconciler.layout().profile().name, "quartz");
    assert_eq!(quartz.slugs(PostKind::Page), ["index", "night-ferry"]);
    assert_first_aliases(&quartz, &[("night-ferry", "/sea/Night-Ferry")]);
    assert!(
        quartz.html("index").contains(">Night Ferry</a>"),
        "{}",
        quartz.html("index")
    );
}

#[test]
fn document_published_at_its_slug_keeps_the_slug() {
    let served = ProjectSite::of(&[
        ("hugo.toml", ""),
        (
            "content/docs/themes/index.md",
            "---\ntitle: Themes\nurl: /themes/\n---\nThemes.\n",
        ),
        (
            "content/api/themes.md",
            "---\ntitle: Themes of the API\n---\nThemes.\n",
        ),
    ]);
    assert_eq!(served.title("themes"), "Themes");
    assert_eq!(served.title("api-themes"), "Themes of the API");
}

#[test]
fn stub_without_text_yields_its_slug_to_a_document() {
    let served = ProjectSite::of(&[
        ("hugo.toml", ""),
        (
            "content/search.md",
            "---\ntitle: Search\nlayout: search\n---\n",
        ),
        (
            "content/posts/search.md",
            "---\ntitle: How to search\ndate: 2024-05-01\n---\nThus.\n",
        ),
    ]);
    assert_eq!(served.title("search"), "How to search");
    assert_eq!(served.slugs(PostKind::Page), ["search-2"]);
}

#[test]
fn note_links_by_name_resolve_alike_in_every_form() {
    let served = ProjectSite::of(&[
        (".obsidian/app.json", "{}"),
        (
            "log/Ferry.md",
            "[a](Night%20Knots) [b](Night%20Knots.md) [[Night Knots]] [d](sea/Night%20Knots.md#Bowline%20Hitch) [e](None) [f](None.md) [[None]]\n",
        ),
        ("sea/Night Knots.md", "# Bowline Hitch\n"),
    ]);
    let html = served.html("ferry");
    assert_eq!(html.matches("/night-knots/").count(), 4, "{html}");
    assert!(html.contains("/night-knots/#Bowline%20Hitch"), "{html}");
    let missing = served.problems();
    assert_eq!(missing.len(), 3, "{missing:?}");
    for problem in missing {
        assert!(problem.contains("link target not found"), "{problem}");
    }
}

#[test]
fn dead_note_links_are_reported_at_their_position() {
    let served = ProjectSite::of(&[
        (".obsidian/app.json", "{}"),
        (
            "Ferry.md",
            "We left.\n\nAt [[sea/Night Knots|night]] for [[Eskerry]].\n",
        ),
        ("Fog.md", "[[Ferry]]\n"),
    ]);
    let report = served.reconciler.report();
    let positions: Vec<(u32, u32)> = report
        .problems
        .iter()
        .filter_map(|problem| problem.position.as_ref())
        .map(|position| (position.line, position.column))
        .collect();
    assert_eq!(positions, [(3, 10), (3, 36)], "{:?}", report.problems);
}

#[test]
fn eleventy_folder_data_applies_and_includes_see_variables() {
    let served = ProjectSite::of(&[
        (".eleventy.js", ""),
        (
            "_posts/_posts.json",
            "{ \"author\": \"Ada\", \"tags\": [\"log\"] }",
        ),
        (
            "_posts/ferry.md",
            "---\ntitle: Ferry\ndate: 2024-05-01\n---\n{% set code = 'let a' %}{% include 'code.njk' %}\n",
        ),
        ("_includes/code.njk", "<b>{{ code }}</b>"),
        (
            "_posts/knots.md",
            "---\ntitle: Knots\ndate: 2024-05-02\n---\n{% set sample %}\n```js\nlet b = {};\n```\n{% endset %}\n{% include \"sample.njk\" %}\n",
        ),
        ("_posts/knots.json", "{ \"tags\": [\"ropes\"] }"),
        (
            "_includes/sample.njk",
            "<div class=\"demo\">\n\n{{ sample | safe }}\n\n</div>",
        ),
    ]);
    let html = served.html("knots");
    assert!(
        html.contains("<pre><code class=\"language-js\">let b = {};"),
        "{html}"
    );
    assert_eq!(served.tags("knots"), ["#ropes", "#log"]);
    assert_eq!(served.authors("ferry"), ["Ada"]);
    assert!(
        served.html("ferry").contains("<b>let a</b>"),
        "{}",
        served.html("ferry")
    );
}

#[test]
fn dates_are_in_the_time_zone_of_the_project() {
    let served = ProjectSite::of(&[
        ("hugo.toml", "timeZone = 'Asia/Tokyo'\nuglyURLs = true\n"),
        (
            "content/posts/ferry.md",
            "---\ntitle: Ferry\ndate: 2024-05-01T00:00:00\n---\nWe left.\n",
        ),
    ]);
    let snapshot = served.site.current();
    let post = snapshot.catalog.posts.by_slug("ferry").unwrap();
    assert_eq!(
        post.published_at.unwrap().to_string(),
        "2024-04-30T15:00:00Z"
    );
    assert_first_aliases(&served, &[("ferry", "/posts/ferry.html")]);
}
