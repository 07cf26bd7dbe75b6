//! Tests of features of real sites: included files, links between documents, and ids of headings.

use galley::domain::post::PostKind;

use super::projects::ProjectSite;

const DATED: &str = "---\ntitle: Ferry\ndate: 2026-02-03\n---\n";

/// Serves these files and returns the HTML of the document with this slug, without the site's URL.
fn html(files: &[(&str, &str)], slug: &str) -> String {
    let served = ProjectSite::of(files);
    let slugs = [served.slugs(PostKind::Post), served.slugs(PostKind::Page)].concat();
    assert!(
        slugs.iter().any(|known| known == slug),
        "{slugs:?} {:?}",
        served.problems()
    );
    served.html(slug).replace("__GHOST_URL__", "")
}

/// Asserts the HTML of each document.
fn assert_html(files: &[(&str, &str)], expected: &[(&str, &str)]) {
    for (slug, expected) in expected {
        assert_eq!(html(files, slug).trim_end(), *expected, "{slug}");
    }
}

#[test]
fn mdbook_includes_lines_and_anchors() {
    assert_html(
        &[
            ("book.toml", "[book]\n"),
            (
                "src/ferry.md",
                "# Ferry\n\n```rust\n{{#include ../listings/main.rs:2:3}}\n```\n\n```rust\n{{#include ../listings/main.rs:deck}}\n```\n\n{{#include parts/note.md}}\n\n\\{{#include x.rs}} {{#title Sea}}\n\n```rust\n{{#rustdoc_include ../listings/main.rs:5}}\n```\n\n{{#playground ../listings/short.rs editable}}\n",
            ),
            (
                "listings/main.rs",
                "fn one() {}\nfn two() {}\nfn three() {}\n// ANCHOR: deck\nfn four() {}\n// ANCHOR: inner\nfn five() {}\n// ANCHOR_END: inner\n// ANCHOR_END: deck\n",
            ),
            ("listings/short.rs", "# use sea;\nfn six() {}\n"),
            ("src/parts/note.md", "*Mind* the {{#include gap.txt}}.\n"),
            ("src/parts/gap.txt", "gap"),
        ],
        &[(
            "ferry",
            "<pre><code class=\"language-rust\">fn two() {}\nfn three() {}\n</code></pre>\n<pre><code class=\"language-rust\">fn four() {}\nfn five() {}\n</code></pre>\n<p><em>Mind</em> the gap.</p>\n<p>{{#include x.rs}}</p>\n<pre><code class=\"language-rust\">fn four() {}\n</code></pre>\n<pre><code class=\"language-rust\">fn six() {}\n</code></pre>",
        )],
    );
}

#[test]
fn hexo_links_posts_and_files() {
    assert_html(
        &[
            ("_config.yml", "post_asset_folder: true\n"),
            (
                "source/_posts/ferry.md",
                &format!(
                    "{DATED}{{% post_link night/deck %}} {{% post_link night/deck 'the deck' %}} {{% post_link night/deck#rail Rail %}}\n\n{{% asset_img lamp.png %}}\n\n{{% asset_img wide lamp.png 100 50 '\"A lamp\" \"The lamp\"' %}}\n\n{{% asset_link tide.pdf %}} {{% asset_link tide.pdf 'All tides' %}} [tides]({{% asset_path tide.pdf %}})\n\n[deck]({{% post_path night/deck %}})\n"
                ),
            ),
            ("source/_posts/ferry/lamp.png", "png"),
            ("source/_posts/ferry/tide.pdf", "pdf"),
            (
                "source/_posts/night/deck.md",
                "---\ntitle: On Deck\ndate: 2026-02-03\n---\nText.\n",
            ),
        ],
        &[(
            "ferry",
            "<p><a href=\"/deck/\">On Deck</a> <a href=\"/deck/\">the deck</a> <a href=\"/deck/#rail\">Rail</a></p>\n<img src=\"/content/images/source/_posts/ferry/lamp.png\" alt=\"\">\n<img src=\"/content/images/source/_posts/ferry/lamp.png\" class=\"wide\" width=\"100\" height=\"50\" title=\"A lamp\" alt=\"The lamp\">\n<p><a href=\"/content/images/source/_posts/ferry/tide.pdf\">tide.pdf</a> <a href=\"/content/images/source/_posts/ferry/tide.pdf\">All tides</a> <a href=\"/content/images/source/_posts/ferry/tide.pdf\">tides</a></p>\n<p><a href=\"/deck/\">deck</a></p>",
        )],
    );
}

#[test]
fn docusaurus_reads_partials_with_their_images() {
    assert_html(
        &[
            ("docusaurus.config.js", ""),
            (
                "docs/guide/ferry.md",
                "---\ntitle: Ferry\n---\nimport Note from './_Note.md';\nimport Other, {toc} from '../_parts/_other.mdx';\nimport Ticket from '@site/docs/_parts/_ticket.mdx'\n\n<Note/>\n\n<Other />\n\n<Ticket></Ticket>\n",
            ),
            ("docs/guide/_Note.md", "Mind the ![gap](img/gap.png).\n"),
            ("docs/guide/img/gap.png", "png"),
            (
                "docs/_parts/_other.mdx",
                "import lamp from './lamp.png';\nimport Inner from './_inner.mdx';\n\n<img src={lamp} /> [deck](../deck.md)\n\n<Inner />\n",
            ),
            ("docs/_parts/_inner.mdx", "![lamp](lamp.png)\n"),
            (
                "docs/_parts/_ticket.mdx",
                "---\nx: 1\n---\n<img src={require('./lamp.png').default} alt=\"Lamp\" />\n",
            ),
            ("docs/_parts/lamp.png", "png"),
            ("docs/deck.md", "---\ntitle: Deck\n---\nText.\n"),
        ],
        &[(
            "ferry",
            "<p>Mind the <img src=\"/content/images/docs/guide/img/gap.png\" alt=\"gap\" />.</p>\n<p><img src=\"/content/images/docs/_parts/lamp.png\"> <a href=\"/deck/\">deck</a></p>\n<p><img src=\"/content/images/docs/_parts/lamp.png\" alt=\"lamp\" /></p>\n<img src=\"/content/images/docs/_parts/lamp.png\" alt=\"Lamp\">",
        )],
    );
}

#[test]
fn docusaurus_imports_escaped_paths() {
    assert_html(
        &[
            ("docusaurus.config.js", ""),
            (
                "docs/ferry.md",
                "---\ntitle: Ferry\n---\nimport Note from './\\_note.md';\n\n<Note/>\n",
            ),
            ("docs/_note.md", "Mind the gap.\n"),
        ],
        &[("ferry", "<p>Mind the gap.</p>")],
    );
}

#[test]
fn docusaurus_links_resolve_to_the_published_version() {
    assert_html(
        &[
            ("docusaurus.config.js", ""),
            ("versions.json", "[\"1.0\"]"),
            ("docs/deck.md", "---\ntitle: Next deck\n---\nText.\n"),
            (
                "versioned_docs/version-1.0/deck.md",
                "---\ntitle: Deck\n---\nText.\n",
            ),
            (
                "blog/2026-02-03-ferry.md",
                "---\ntitle: Ferry\n---\n[deck](/docs/deck#x)\n",
            ),
        ],
        &[("ferry", "<p><a href=\"/deck/#x\">deck</a></p>")],
    );
}

#[test]
fn folders_are_served_at_the_paths_that_settings_name() {
    for (settings, text) in [
        (
            "eleventy.config.js",
            "export default function (config) {\n  config.addPassthroughCopy({ \"pictures/own\": \"img\", './shared/*.svg': '/icons/' });\n}\n",
        ),
        (
            "hugo.toml",
            "[[module.mounts]]\nsource = 'pictures/own'\ntarget = 'static/img'\n[[module.mounts]]\nsource = 'shared'\ntarget = 'static/icons'\n",
        ),
    ] {
        assert_html(
            &[
                (settings, text),
                (
                    "content/posts/ferry.md",
                    "---\ntitle: Ferry\ndate: 2026-02-03\n---\n![a](/img/lamp.png) <img src=\" /img/lamp.png \"> ![c](/icons/x.svg)\n",
                ),
                ("pictures/own/lamp.png", "png"),
                ("shared/x.svg", "svg"),
            ],
            &[(
                "ferry",
                "<p><img src=\"/content/images/pictures/own/lamp.png\" alt=\"a\" /> <img src=\"/content/images/pictures/own/lamp.png\"> <img src=\"/content/images/shared/x.svg\" alt=\"c\" /></p>",
            )],
        );
    }
}

#[test]
fn docusaurus_links_files_from_the_folder_of_documents() {
    assert_html(
        &[
            (
                "docusaurus.config.js",
                "export default { presets: [['classic', { docs: { path: 'manual', routeBasePath: 'help' } }]] }",
            ),
            (
                "manual/guide/ferry.md",
                "---\ntitle: Ferry\n---\n[a](api/Store.md) [b](/manual/api/Store.md) [c](@site/manual/api/Store.md#x) [d](/api/Store.md) [e](../api/Store.md) [f](/help/api/Store) [g](./deck) [h](../api/Store)\n",
            ),
            ("manual/api/Store.md", "---\ntitle: Store\n---\nText.\n"),
            ("manual/guide/deck.md", "---\ntitle: Deck\n---\nText.\n"),
        ],
        &[(
            "ferry",
            "<p><a href=\"/store/\">a</a> <a href=\"/store/\">b</a> <a href=\"/store/#x\">c</a> <a href=\"/store/\">d</a> <a href=\"/store/\">e</a> <a href=\"/store/\">f</a> <a href=\"/deck/\">g</a> <a href=\"/store/\">h</a></p>",
        )],
    );
}

#[test]
fn mdx_headings_keep_explicit_ids() {
    let text = "---\ntitle: Ferry\ndate: 2026-02-03\n---\n## Deck {/*on-deck*/}\n\n## Rail {/* the-rail */}\n\n### Lamp {/* #a-lamp */}\n\n## Plain {/* two words */}\n";
    for (settings, path) in [
        ("docusaurus.config.js", "blog/ferry.mdx"),
        ("next.config.js", "content/blog/ferry.mdx"),
        ("astro.config.mjs", "src/content/blog/ferry.mdx"),
    ] {
        assert_html(
            &[(settings, ""), (path, text)],
            &[(
                "ferry",
                "<h2 id=\"on-deck\">Deck</h2>\n<h2 id=\"the-rail\">Rail</h2>\n<h3 id=\"a-lamp\">Lamp</h3>\n<h2 id=\"plain\">Plain</h2>",
            )],
        );
        let text = "---\ntitle: Ferry\ndate: 2026-02-03\n---\n## Deck {#on-deck}\n";
        assert_html(
            &[(settings, ""), (path, text)],
            &[("ferry", "<h2 id=\"on-deck\">Deck</h2>")],
        );
    }
}

#[test]
fn absolute_urls_of_the_site_resolve_to_its_documents() {
    let body = "[a](https://sea.example/lines/deck/) [b](http://sea.example/lines/deck/#rail) [c](//sea.example/lines/deck/) [d](https://sea.example/lines/elsewhere/) [e](https://other.example/lines/deck/) <https://sea.example/lines/deck/>\n";
    let post = format!("{DATED}{body}");
    let deck = "---\ntitle: Deck\ndate: 2026-02-03\n---\nText.\n";
    for (files, name) in [
        (
            vec![
                ("hugo.toml", "baseURL = 'https://sea.example/'\n"),
                ("content/lines/ferry.md", &*post),
                ("content/lines/deck.md", deck),
            ],
            "hugo",
        ),
        (
            vec![
                ("hugo.toml", "baseURL = 'https://sea.example/lines/'\n"),
                ("content/ferry.md", &*post),
                ("content/deck.md", deck),
            ],
            "hugo",
        ),
        (
            vec![
                (
                    "_config.yml",
                    "url: https://sea.example\npermalink: /lines/:title/\n",
                ),
                ("_posts/2026-02-03-ferry.md", &*post),
                ("_posts/2026-02-03-deck.md", deck),
            ],
            "jekyll",
        ),
        (
            vec![
                (
                    "_config.yml",
                    "url: https://sea.example/\nbaseurl: /lines\npermalink: /:title/\n",
                ),
                ("_posts/2026-02-03-ferry.md", &*post),
                ("_posts/2026-02-03-deck.md", deck),
            ],
            "jekyll",
        ),
        (
            vec![
                ("config.toml", "base_url = 'https://sea.example'\n"),
                ("content/lines/ferry.md", &*post),
                ("content/lines/deck.md", deck),
            ],
            "zola",
        ),
        (
            vec![
                (
                    "docusaurus.config.js",
                    "module.exports = { url: 'https://sea.example', baseUrl: '/lines/' }",
                ),
                ("docs/ferry.md", &*post),
                (
                    "docs/deck.md",
                    "---\ntitle: Deck\nslug: /deck\n---\nText.\n",
                ),
            ],
            "docusaurus",
        ),
        (
            vec![
                ("eleventy.config.js", ""),
                ("_data/metadata.json", "{\"url\": \"https://sea.example/\"}"),
                ("lines/ferry.md", &*post),
                ("lines/deck.md", deck),
            ],
            "eleventy",
        ),
        (
            vec![
                ("eleventy.config.js", ""),
                (
                    "_data/metadata.js",
                    "export default { title: 'x', url: \"https://sea.example\" }",
                ),
                ("lines/ferry.md", &*post),
                ("lines/deck.md", deck),
            ],
            "eleventy",
        ),
        (
            vec![
                (
                    "astro.config.mjs",
                    "export default defineConfig({ site: 'https://sea.example', })",
                ),
                ("src/pages/lines/ferry.md", &*post),
                ("src/pages/lines/deck.md", deck),
            ],
            "astro",
        ),
        (
            vec![
                (
                    "_config.yml",
                    "url: https://sea.example\npermalink: lines/:title/\n",
                ),
                ("source/_posts/ferry.md", &*post),
                ("source/_posts/deck.md", deck),
            ],
            "hexo",
        ),
    ] {
        let html = html(&files, "ferry");
        assert_eq!(
            html.trim_end(),
            "<p><a href=\"/deck/\">a</a> <a href=\"/deck/#rail\">b</a> <a href=\"/deck/\">c</a> <a href=\"https://sea.example/lines/elsewhere/\">d</a> <a href=\"https://other.example/lines/deck/\">e</a> <a href=\"/deck/\">https://sea.example/lines/deck/</a></p>",
            "{name} {files:?}"
        );
    }
}

#[test]
fn zola_leaves_relative_urls_relative_to_the_page() {
    assert_html(
        &[
            ("config.toml", "base_url = 'https://sea.example'\n"),
            (
                "content/blog/ferry.md",
                "+++\ntitle = 'Ferry'\n+++\n![a](lamp.svg) ![b](../lamp.svg) ![c](../x.svg) [d](../deck/) [e](../deck) [f](../../about/)\n",
            ),
            ("content/blog/deck.md", "+++\ntitle = 'Deck'\n+++\nText.\n"),
            ("content/about.md", "+++\ntitle = 'About'\n+++\nText.\n"),
            ("content/blog/lamp.svg", "<svg/>"),
            ("static/blog/x.svg", "<svg/>"),
        ],
        &[(
            "ferry",
            "<p><img src=\"/content/images/content/blog/lamp.svg\" alt=\"a\" /> <img src=\"/content/images/content/blog/lamp.svg\" alt=\"b\" /> <img src=\"/content/images/static/blog/x.svg\" alt=\"c\" /> <a href=\"/deck/\">d</a> <a href=\"/deck/\">e</a> <a href=\"/about/\">f</a></p>",
        )],
    );
}

#[test]
fn hugo_links_stay_in_the_language_of_the_site() {
    let served = ProjectSite::of(&[
        (
            "hugo.toml",
            "contentDir = 'content/en'\ndefaultContentLanguage = 'en'\n[languages.en]\n[languages.zh-cn]\ncontentDir = 'content/zh-cn'\n",
        ),
        (
            "content/en/ferry.md",
            "---\ntitle: Ferry\n---\n[deck](/deck/)\n",
        ),
        ("content/en/deck.md", "---\ntitle: Deck\n---\nText.\n"),
        ("content/zh-cn/deck.md", "---\ntitle: 甲板\n---\nText.\n"),
    ]);
    assert_eq!(
        served.html("ferry").replace("__GHOST_URL__", ""),
        "<p><a href=\"/deck/\">deck</a></p>\n"
    );
    let problems = served.problems();
    assert!(
        problems
            .iter()
            .all(|problem| problem.contains("its language is not")),
        "{problems:?}"
    );
}

#[test]
fn hugo_publishes_files_of_a_bundle_next_to_its_page() {
    assert_html(
        &[
            (
                "hugo.toml",
                "[permalinks]\nblog = '/:section/:year/:month/:day/:slug/'\n",
            ),
            (
                "content/blog/2026-02-03-lamps/index.md",
                "---\ntitle: Lamps\nslug: lamps\ndate: 2026-02-03\n---\n![a](/blog/2026/02/03/lamps/old%20lamp.svg) <img src=\"/blog/2026/02/03/lamps/lamp.svg\">\n",
            ),
            ("content/blog/2026-02-03-lamps/lamp.svg", "<svg/>"),
            ("content/blog/2026-02-03-lamps/old lamp.svg", "<svg/>"),
        ],
        &[(
            "lamps",
            "<p><img src=\"/content/images/content/blog/2026-02-03-lamps/old%20lamp.svg\" alt=\"a\" /> <img src=\"/content/images/content/blog/2026-02-03-lamps/lamp.svg\"></p>",
        )],
    );
}

#[test]
fn theme_keys_are_not_reported() {
    let served = ProjectSite::of(&[
        ("hugo.toml", ""),
        (
            "content/posts/ferry.md",
            "---\ntitle: Ferry\ndate: 2026-02-03\nlast: 2026-02-04\n---\nText.\n",
        ),
    ]);
    assert_eq!(served.slugs(PostKind::Post), ["ferry"]);
    assert_eq!(served.problems(), Vec::<String>::new());
}

#[test]
fn relative_urls_resolve_against_the_page_for_generators_that_do_so() {
    assert_html(
        &[
            (
                "_config.yml",
                "collections:\n  articles:\n    output: true\n",
            ),
            (
                "_articles/ferry.md",
                "---\ntitle: Ferry\npermalink: /ferry/\n---\n[deck](../deck/)\n",
            ),
            (
                "_articles/deck.md",
                "---\ntitle: Deck\npermalink: /deck/\n---\nText.\n",
            ),
            (
                "_articles/de/ferry.md",
                "---\ntitle: Fähre\npermalink: /de/ferry/\n---\n[a](../deck/) [b](../kiel/#x) [c](/de/deck/) [d](/deck/) [e](deck.md)\n",
            ),
            (
                "_articles/de/deck.md",
                "---\ntitle: Deck\npermalink: /de/deck/\n---\nText.\n",
            ),
            (
                "_articles/de/kiel.md",
                "---\ntitle: Kiel\npermalink: /de/kiel/\n---\nText.\n",
            ),
        ],
        &[
            ("ferry", "<p><a href=\"/deck/\">deck</a></p>"),
            (
                "de-ferry",
                "<p><a href=\"/de-deck/\">a</a> <a href=\"/kiel/#x\">b</a> <a href=\"/de-deck/\">c</a> <a href=\"/deck/\">d</a> <a href=\"/de-deck/\">e</a></p>",
            ),
        ],
    );
}

#[test]
fn docusaurus_setting_selects_plain_markdown() {
    let text = "---\ntitle: Ferry\n---\n:::note\nMind {the} gap.\n:::\n\n    indented {code}\n";
    let plain = "module.exports = { markdown: { mermaid: true, format: 'detect' } }";
    let html = html(
        &[("docusaurus.config.js", plain), ("docs/ferry.md", text)],
        "ferry",
    );
    assert!(html.contains("Mind {the} gap."), "{html}");
    assert!(
        html.contains("<pre><code>indented {code}\n</code></pre>"),
        "{html}"
    );
    let served = ProjectSite::of(&[("docusaurus.config.js", plain), ("docs/ferry.mdx", text)]);
    assert_eq!(
        served.problems()[0],
        "docs/ferry.mdx: the expression `{the}` is not evaluated and is left out"
    );
}
