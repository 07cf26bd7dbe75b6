//! Tests of the paths at which generators publish documents, as redirects and as link targets.

use super::projects::ProjectSite;

/// Returns the aliases of the post with this slug.
fn aliases(served: &ProjectSite, slug: &str) -> Vec<String> {
    let snapshot = served.site.current();
    let post = snapshot.catalog.posts.by_slug(slug);
    let post = post.unwrap_or_else(|| panic!("no {slug}: {:?}", served.problems()));
    post.aliases.iter().map(|alias| alias.to_string()).collect()
}

fn assert_aliases(files: &[(&str, &str)], expected: &[(&str, &str)]) {
    let served = ProjectSite::of(files);
    for (slug, path) in expected {
        let expected: Vec<&str> = Some(*path)
            .into_iter()
            .filter(|path| !path.is_empty())
            .collect();
        assert_eq!(aliases(&served, slug), expected, "{slug}");
    }
}

const DATED: &str = "---\ntitle: Night Ferry\ndate: 2026-02-03\n---\nText.\n";
const PLAIN: &str = "---\ntitle: About\n---\nText.\n";

#[test]
fn hugo_paths_follow_folders_and_permalinks() {
    let files = [
        (
            "hugo.toml",
            "defaultContentLanguage = 'en'\n[permalinks]\nnews = '/:year/:month/:title/'\n[permalinks.page]\n",
        ),
        ("content/about.md", PLAIN),
        ("content/posts/Old Name With Ünicode.md", DATED),
        (
            "content/posts/deck/index.md",
            "---\ntitle: D\nslug: top-deck\ndate: 2026-02-03\n---\nText.\n",
        ),
        (
            "content/posts/url.md",
            "---\ntitle: D\nurl: /somewhere/else/\ndate: 2026-02-03\n---\nText.\n",
        ),
        (
            "content/posts/url.de.md",
            "---\ntitle: D\ndate: 2026-02-03\n---\nText.\n",
        ),
        ("content/docs/knots/bowline.md", PLAIN),
    ];
    assert_aliases(
        &files,
        &[
            ("about", ""),
            ("old-name-with-unicode", "/posts/old-name-with-ünicode"),
            ("top-deck", "/posts/top-deck"),
            ("else", "/somewhere/else"),
            ("bowline", "/docs/knots/bowline"),
        ],
    );
    let settings = "[permalinks]\nnews = '/:year/:monthname/:slug/'\nposts = '/:section/:yearday/:filename/'\ndocs = '/:sections[last]/:slugorfilename'\n";
    let files = [
        ("hugo.toml", settings),
        ("content/news/ferry.md", DATED),
        ("content/posts/2026-fog.md", DATED),
        ("content/docs/knots/bowline.md", PLAIN),
    ];
    assert_aliases(
        &files,
        &[
            ("ferry", "/2026/february/night-ferry"),
            ("2026-fog", "/posts/34/2026-fog"),
            ("bowline", "/knots/bowline"),
        ],
    );
}

#[test]
fn jekyll_paths_follow_styles_and_patterns() {
    let post = "---\ntitle: F\ncategories: [Sea, Night Boats]\n---\nText.\n";
    for (settings, of_post, of_page, of_collection) in [
        (
            "",
            "/travel/sea/night boats/2026/02/03/Night-Ferry.html",
            "/about.html",
            "/docs/knots/bowline.html",
        ),
        (
            "permalink: pretty\n",
            "/travel/sea/night boats/2026/02/03/Night-Ferry",
            "",
            "/docs/knots/bowline",
        ),
        (
            "permalink: none\n",
            "/travel/sea/night boats/Night-Ferry.html",
            "/about.html",
            "/docs/knots/bowline.html",
        ),
        (
            "permalink: ordinal\n",
            "/travel/sea/night boats/2026/034/Night-Ferry.html",
            "/about.html",
            "/docs/knots/bowline.html",
        ),
        (
            "permalink: /:year/:slug/\n",
            "/2026/night-ferry",
            "",
            "/docs/knots/bowline",
        ),
        (
            "defaults:\n- scope: {path: '', type: posts}\n  values: {permalink: '/blog/:title/'}\n- scope: {path: '_docs'}\n  values: {permalink: '/:name/'}\n",
            "/blog/Night-Ferry",
            "/about.html",
            "",
        ),
    ] {
        let settings = format!("collections:\n  docs:\n    output: true\n{settings}");
        assert_aliases(
            &[
                ("_config.yml", &settings),
                ("about.md", PLAIN),
                ("_docs/knots/bowline.md", PLAIN),
                ("travel/_posts/2026-02-03-Night-Ferry.md", post),
            ],
            &[
                ("night-ferry", of_post),
                ("about", of_page),
                ("bowline", of_collection),
            ],
        );
    }
}

#[test]
fn other_generators_paths_follow_their_rules() {
    assert_aliases(
        &[
            ("config.toml", "base_url = 'https://example.com'\n"),
            (
                "content/blog/2026-02-04-Überfahrt.md",
                "+++\ntitle = 'U'\n+++\nText.\n",
            ),
            (
                "content/blog/path.md",
                "+++\ntitle = 'P'\npath = '2026/02/05/elsewhere'\n+++\nText.\n",
            ),
        ],
        &[
            ("uberfahrt", "/blog/uberfahrt"),
            ("elsewhere", "/2026/02/05/elsewhere"),
        ],
    );
    assert_aliases(
        &[
            (
                "eleventy.config.js",
                "export default { dir: { input: 'content' } }",
            ),
            ("content/blog/Größe.md", DATED),
            ("content/blog/2026-02-04-fog.md", DATED),
            (
                "content/news/news.json",
                "{ \"permalink\": \"/n/{{ page.fileSlug }}/\" }",
            ),
            ("content/news/tide.md", DATED),
            (
                "content/tales/tales.11tydata.js",
                "export default { permalink: '/t/{{ title | slugify }}.html' };",
            ),
            ("content/tales/moon.md", DATED),
            (
                "content/tales/sun.md",
                "---\ntitle: S\npermalink: /sun/rises/\n---\nText.\n",
            ),
        ],
        &[
            ("grosse", "/blog/Größe"),
            ("fog", "/blog/2026-02-04-fog"),
            ("tide", "/n/tide"),
            ("moon", "/t/night-ferry.html"),
            ("rises", "/sun/rises"),
        ],
    );
    assert_aliases(
        &[
            (
                "docusaurus.config.js",
                "presets: [['classic', { docs: { routeBasePath: '/' }, blog: { path: './log', routeBasePath: 'journal' } }]]",
            ),
            ("docs/01-guides/02-knots.md", PLAIN),
            ("docs/01-guides/index.md", PLAIN),
            (
                "docs/slugged.md",
                "---\ntitle: S\nslug: /else/where\n---\nText.\n",
            ),
            ("log/2026-02-07-fog.md", "---\ntitle: F\n---\nText.\n"),
            ("src/pages/about.md", PLAIN),
        ],
        &[
            ("02-knots", "/guides/knots"),
            ("01-guides", "/guides"),
            ("where", "/else/where"),
            ("fog", "/journal/2026/02/07/fog"),
            ("about", ""),
        ],
    );
    assert_aliases(
        &[
            ("astro.config.mjs", "integrations: [starlight({})]"),
            ("src/content/blog/Old Name.md", DATED),
            ("src/content/docs/guides/knots.md", PLAIN),
            ("src/pages/more/about.md", PLAIN),
        ],
        &[
            ("old-name", "/blog/old-name"),
            ("knots", "/guides/knots"),
            ("about", "/more/about"),
        ],
    );
    assert_aliases(
        &[
            (".obsidian/app.json", "{}"),
            ("Sea/Night Ferry.md", "Text.\n"),
        ],
        &[("night-ferry", "/Sea/Night+Ferry")],
    );
    assert_aliases(
        &[
            ("_config.yml", "permalink: :year/:i_month/:title/\n"),
            ("source/_posts/Night-Ferry.md", DATED),
            ("source/about/index.md", PLAIN),
            ("themes/x/README.md", "Theirs.\n"),
        ],
        &[("night-ferry", "/2026/2/Night-Ferry"), ("about", "")],
    );
    assert_aliases(
        &[
            ("book.toml", "[book]\ntitle = 'Book'\n"),
            (
                "src/SUMMARY.md",
                "# Summary\n\n- [Knots](knots/bowline.md)\n",
            ),
            ("src/knots/bowline.md", "# Bowline\n\nText.\n"),
            ("src/knots/README.md", "# Knots\n\nText.\n"),
        ],
        &[("bowline", "/knots/bowline.html"), ("knots", "")],
    );
    assert_aliases(
        &[("nanoc.yaml", ""), ("content/posts/ferry.md", DATED)],
        &[("ferry", "/posts/ferry")],
    );
}

#[test]
fn hugo_ugly_urls_apply_to_the_site_or_to_sections() {
    let files = |settings: &'static str| {
        [
            ("hugo.toml", settings),
            ("content/posts/fog.md", DATED),
            ("content/news/ferry.md", DATED),
            ("content/docs/knots.md", PLAIN),
        ]
    };
    assert_aliases(
        &files("[uglyURLs]\nposts = true\ndocs = false\n"),
        &[
            ("fog", "/posts/fog.html"),
            ("ferry", "/news/ferry"),
            ("knots", "/docs/knots"),
        ],
    );
    assert_aliases(
        &files("uglyURLs = true\n[permalinks]\nnews = '/:year/:title/'\n"),
        &[
            ("fog", "/posts/fog.html"),
            ("ferry", "/2026/night-ferry.html"),
            ("knots", "/docs/knots.html"),
        ],
    );
}

#[test]
fn astro_collections_may_be_in_any_folder() {
    let config = "import { glob } from 'astro/loaders';\nconst blog = defineCollection({ loader: glob({ pattern: '**/*.md', base: './content/articles' }), schema: z.object({}) });\nconst tagCollection = defineCollection({ loader: glob({ base: \"./content/tags\", pattern: '*.md' }) });\nexport const collections = { blog, tags: tagCollection, notes: defineCollection({ loader: glob({ base: 'notes' }) }) };\n";
    let files = [
        ("astro.config.mjs", "export default {}\n"),
        ("src/content.config.ts", config),
        ("content/articles/2026/fog.md", DATED),
        ("content/tags/sea.md", "---\ntitle: Sea\n---\nOf the sea.\n"),
        ("notes/knots.md", PLAIN),
    ];
    assert_aliases(
        &files,
        &[("fog", "/blog/2026/fog"), ("knots", "/notes/knots")],
    );
    let served = ProjectSite::of(&files);
    assert!(served.site.current().catalog.posts.by_slug("sea").is_none());
}

#[test]
fn hexo_file_names_follow_their_pattern() {
    assert_aliases(
        &[
            (
                "_config.yml",
                "new_post_name: ':year-:month-:day-:title.md'\npermalink: ':year/:month/:day/:title/'\n",
            ),
            (
                "source/_posts/2026-02-03-fog.md",
                "---\ntitle: Fog\n---\nText.\n",
            ),
            ("source/_posts/Ferry.md", DATED),
        ],
        &[("fog", "/2026/02/03/fog"), ("ferry", "/2026/02/03/Ferry")],
    );
}

#[test]
fn eleventy_permalinks_may_be_global_or_computed() {
    assert_aliases(
        &[
            (
                "eleventy.config.js",
                "export default (c) => { c.addGlobalData('permalink', '/x/{{ page.fileSlug }}/'); c.setDataFileBaseName('index'); }\n",
            ),
            ("fog.md", DATED),
            (
                "blog/index.11tydata.json",
                "{ \"permalink\": \"/b/{{ page.fileSlug }}/\" }",
            ),
            ("blog/ferry.md", DATED),
            (
                "knots.md",
                "---\ntitle: Knots\neleventyComputed:\n  permalink: '/k/{{ title | slugify }}/'\n---\nText.\n",
            ),
        ],
        &[
            ("fog", "/x/fog"),
            ("ferry", "/b/ferry"),
            ("knots", "/k/knots"),
        ],
    );
}

#[test]
fn links_to_published_paths_resolve_to_posts() {
    for (files, link) in [
        (
            &[
                (
                    "hugo.toml",
                    "baseURL = 'https://example.com/sea/'\n[permalinks]\nposts = '/:year/:slug/'\n",
                ),
                (
                    "content/posts/a.md",
                    "---\ntitle: Night Ferry\ndate: 2026-02-03\n---\nText.\n",
                ),
                (
                    "content/b.md",
                    "---\ntitle: B\n---\n[a](/2026/night-ferry/#x) [a](/sea/2026/night-ferry)\n",
                ),
            ][..],
            "__GHOST_URL__/a/",
        ),
        (
            &[
                ("_config.yml", "permalink: /log/:title.html\n"),
                (
                    "_posts/2026-02-03-a.md",
                    "---\ntitle: A\nredirect_from: /way/back/\n---\nText.\n",
                ),
                (
                    "b.md",
                    "---\ntitle: B\n---\n[a](/log/a.html#x) [a](/way/back)\n",
                ),
            ],
            "__GHOST_URL__/a/",
        ),
    ] {
        let served = ProjectSite::of(files);
        let expected = format!("<p><a href=\"{link}#x\">a</a> <a href=\"{link}\">a</a></p>\n");
        assert_eq!(served.html("b"), expected);
    }
}

#[test]
fn notes_resolve_by_alias_and_path_suffix() {
    let served = ProjectSite::of(&[
        (".obsidian/app.json", "{}"),
        (
            "Sea/Deep/Night ferry.md",
            "---\naliases: [The Boat, Fähre]\n---\nText.\n",
        ),
        (
            "List.md",
            "[[the boat|a]] [[FÄHRE]] [[deep/night FERRY|b]]\n",
        ),
    ]);
    let link = "<a href=\"__GHOST_URL__/night-ferry/\">";
    let expected = format!("<p>{link}a</a> {link}FÄHRE</a> {link}b</a></p>\n");
    assert_eq!(served.html("list"), expected);
    assert_eq!(served.problems(), Vec::<String>::new());
}

#[test]
fn dangling_reference_keeps_its_text() {
    for (files, html) in [
        (
            &[
                (".obsidian/app.json", "{}"),
                ("a.md", "One [[gone|*two*]] ![[gone.png]] three.\n"),
            ][..],
            "<p>One <em>two</em> gone.png three.</p>\n",
        ),
        (
            &[
                ("hugo.toml", ""),
                (
                    "content/a.md",
                    "[one]({{< ref \"gone.md\" >}}) <a class=\"b\" href=\"{{< relref \"gone.md\" >}}\">two</a>\n",
                ),
            ],
            "<p>one <a class=\"b\">two</a></p>\n",
        ),
        (
            &[
                ("_config.yml", ""),
                (
                    "a.md",
                    "[one]({% post_url 2026-01-01-gone %}) [two]({% link gone.md %}) [three](/gone/)\n",
                ),
            ],
            "<p>one two <a href=\"__GHOST_URL__/gone/\">three</a></p>\n",
        ),
        (
            &[
                ("config.toml", "base_url = 'https://example.com'\n"),
                ("content/a.md", "+++\ntitle = 'A'\n+++\n[one](@/gone.md)\n"),
            ],
            "<p>one</p>\n",
        ),
    ] {
        let served = ProjectSite::of(files);
        assert_eq!(served.html("a"), html);
        let problems = served.problems();
        assert!(
            problems.iter().any(|output| output.contains("gone")),
            "{problems:?}"
        );
    }
}

#[test]
fn reference_resolves_once_its_document_exists() {
    let mut served = ProjectSite::of(&[(".obsidian/app.json", "{}"), ("a.md", "[[Later]]\n")]);
    assert_eq!(served.html("a"), "<p>Later</p>\n");
    served.write("Later.md", "Text.\n");
    assert_eq!(
        served.html("a"),
        "<p><a href=\"__GHOST_URL__/later/\">Later</a></p>\n"
    );
}
