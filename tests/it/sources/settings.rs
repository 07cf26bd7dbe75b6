//! Tests of generator settings that change the visible site: each is applied or reported.

use super::projects::ProjectSite;

/// A project whose document `slug` contains `parts`, and whose diagnostics about settings contain `reported`.
struct Case {
    files: &'static [(&'static str, &'static str)],
    slug: &'static str,
    parts: &'static [&'static str],
    reported: &'static [&'static str],
}

fn assert_cases(cases: &[Case]) {
    let mut failures = Vec::new();
    for case in cases {
        let served = ProjectSite::of(case.files);
        let name = served.reconciler.layout().profile().name;
        let html = served.html(case.slug);
        let missing = case.parts.iter().filter(|part| !html.contains(**part));
        failures.extend(missing.map(|part| format!("{name}: {part}: {html}")));
        let problems = served.problems();
        let of_settings = problems.iter().filter(|problem| {
            problem.contains("the setting `") || problem.contains("is computed by a script")
        });
        let of_settings: Vec<&String> = of_settings.collect();
        let is_expected = |problem: &&&String| {
            let mut reported = case.reported.iter();
            reported.any(|reported| problem.contains(reported))
        };
        let is_complete = of_settings.len() == case.reported.len()
            && of_settings.iter().all(|problem| is_expected(&problem));
        if !is_complete {
            failures.push(format!("{name}: {problems:#?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

const HUGO: &str = "enableEmoji = true
[markup.goldmark.parser]
autoHeadingIDType = 'github-ascii'
[markup.goldmark.renderer]
hardWraps = true
unsafe = true
[markup.goldmark.extensions]
linkify = false
linkifyProtocol = 'http'
[markup.goldmark.extensions.typographer]
leftDoubleQuote = '&laquo;&nbsp;'
rightDoubleQuote = '&raquo;'
enDash = '-'
[markup.goldmark.extensions.extras.mark]
enable = true
";

#[test]
fn settings_of_data_files_are_read_or_reported() {
    assert_cases(&[
        Case {
            files: &[
                ("hugo.toml", HUGO),
                (
                    "content/fog.md",
                    "---\ntitle: F\n---\n## Über\n\nA \"b\"\nc :smile: ==d== https://a.example it's\n",
                ),
            ],
            slug: "fog",
            parts: &[
                "id=\"uber\"",
                "A «b»<br",
                "😄",
                "<mark>d</mark> https://a.example it’s",
            ],
            reported: &[
                "hugo.toml: the setting `markup.goldmark.extensions.linkifyProtocol` is not supported",
                "`markup.goldmark.extensions.typographer.enDash` is not supported: default dashes",
            ],
        },
        Case {
            files: &[
                ("content/fog.md", "---\ntitle: F\n---\n\"a\" -- b\n"),
                (
                    "config/_default/markup.toml",
                    "[goldmark.extensions.typographer]\ndisable = true\n[goldmark.extensions.cjk]\nenable = true\n",
                ),
                ("config/_default/hugo.toml", "title = 'x'\n"),
            ],
            slug: "fog",
            parts: &["\"a\" -- b"],
            reported: &[
                "config/_default/markup.toml: the setting `markup.goldmark.extensions.cjk.enable`",
            ],
        },
        Case {
            files: &[
                (
                    "_config.yml",
                    "timezone: Asia/Tokyo\nplugins: [jemoji]\nkramdown:\n  input: kramdown\n  hard_wrap: true\n  smart_quotes: apos,apos,quot,quot\n  parse_block_html: true\n  footnote_nr: 3\n  auto_ids: true\n",
                ),
                (
                    "_posts/2024-05-01-fog.md",
                    "---\ntitle: F\n---\n## 2. Boats\n\n\"a\" -- :smile: ~~s~~\nb\n\n<section>\n*c*\n</section>\n",
                ),
            ],
            slug: "fog",
            parts: &[
                "id=\"boats\"",
                "\"a\" – 😄 ~~s~~<br",
                "<section>\n<p><em>c</em></p>\n</section>",
            ],
            reported: &[
                "_config.yml: the setting `kramdown.footnote_nr` is not supported: footnotes",
            ],
        },
        Case {
            files: &[
                (
                    "_config.yml",
                    "markdown: CommonMark\ncommonmark:\n  options: [SMART, FOOTNOTES]\n  extensions: [table]\n",
                ),
                (
                    "_posts/2024-05-01-fog.md",
                    "---\ntitle: F\n---\n\"a\" ~~b~~\n",
                ),
            ],
            slug: "fog",
            parts: &["“a” ~~b~~"],
            reported: &[],
        },
        Case {
            files: &[
                (
                    "config.toml",
                    "base_url = 'https://example.org'\nignored_content = ['old.md']\n[slugify]\nanchors = 'safe'\n[markdown]\nsmart_punctuation = true\nrender_emoji = true\nexternal_links_target_blank = true\nexternal_links_no_follow = true\ngithub_alerts = true\n",
                ),
                (
                    "content/fog.md",
                    "+++\ntitle = 'F'\n+++\n\"a\" -- :smile: [b](https://other.example) [c](https://example.org/)\n\n> [!NOTE]\n> d\n",
                ),
                ("content/old.md", "+++\n+++\nOld.\n"),
            ],
            slug: "fog",
            parts: &[
                "“a” – 😄",
                "<a rel=\"noopener nofollow\" target=\"_blank\" href=\"https://other.example\">b</a>",
                "markdown-alert",
            ],
            reported: &["config.toml: the setting `slugify.anchors` is not supported"],
        },
        Case {
            files: &[
                (
                    "_config.yml",
                    "marked:\n  breaks: false\n  smartypants: false\n  modifyAnchors: 1\n",
                ),
                (
                    "source/_posts/fog.md",
                    "---\ntitle: F\ndate: 2024-05-01\n---\n\"a\"\nb\n",
                ),
            ],
            slug: "fog",
            parts: &["<p>\"a\"\nb</p>"],
            reported: &["_config.yml: the setting `marked.modifyAnchors` is not supported"],
        },
        Case {
            files: &[
                (
                    "mkdocs.yml",
                    "site_name: H\nmarkdown_extensions:\n  - smarty\n  - nl2br\n  - pymdownx.mark\n  - pymdownx.caret\n  - markdown.extensions.toc:\n      permalink: true\n      slugify: !!python/object/apply:pymdownx.slugs.slugify\n        kwds:\n          case: lower\n  - mdx_odd\nplugins:\n  - search\n  - macros\n",
                ),
                ("docs/fog.md", "## Über A\n\n## Über A\n\n\"a\" ==b==\nc\n"),
            ],
            slug: "fog",
            parts: &["id=\"über-a\"", "id=\"über-a_1\"", "“a” <mark>b</mark><br"],
            reported: &[
                "mkdocs.yml: the setting `markdown_extensions.pymdownx.caret` is not supported",
                "the setting `plugins.macros` is not supported",
                "the setting `markdown_extensions.mdx_odd` is not supported: the extension is not known",
            ],
        },
        Case {
            files: &[
                (
                    "book.toml",
                    "[book]\ntitle = 'H'\n[output.html]\nsmart-punctuation = true\n[preprocessor.odd]\ncommand = 'odd'\n",
                ),
                ("src/SUMMARY.md", "- [F](fog.md)\n"),
                ("src/fog.md", "# F\n\n\"a\"\n"),
            ],
            slug: "fog",
            parts: &["“a”"],
            reported: &["book.toml: the setting `preprocessor.odd.command` is not supported"],
        },
    ]);
}

#[test]
fn settings_of_scripts_are_read_or_reported() {
    assert_cases(&[
        Case {
            files: &[
                (
                    "astro.config.mjs",
                    "export default defineConfig({\n  markdown: { smartypants: false, gfm: false, remarkPlugins: [odd] },\n});\n",
                ),
                (
                    "src/content/blog/fog.md",
                    "---\ntitle: F\ndate: 2024-05-01\n---\n\"a\" ~~b~~ https://a.example\n",
                ),
            ],
            slug: "fog",
            parts: &["\"a\" ~~b~~ https://a.example"],
            reported: &[
                "astro.config.mjs: the setting `markdown.remarkPlugins` is not supported: plugins",
            ],
        },
        Case {
            files: &[
                (
                    "eleventy.config.js",
                    "import markdownIt from 'markdown-it';\nimport emoji from \"markdown-it-emoji\";\nexport default function (c) {\n  c.amendLibrary('md', (md) => md.set({ breaks: true, typographer: true, linkify: enabled }).use(emoji));\n  c.addDateParsing(parse);\n}\n",
                ),
                (
                    "posts/fog.md",
                    "---\ntitle: F\ndate: 2024-05-01\n---\n\"a\" -- :smile: (c) --x\nb\n",
                ),
            ],
            slug: "fog",
            parts: &["“a” – 😄 © --x<br"],
            reported: &[
                "eleventy.config.js: the value of `markdownIt.linkify` is computed by a script",
                "eleventy.config.js: the setting `addDateParsing` is not supported",
            ],
        },
        Case {
            files: &[
                (
                    "docusaurus.config.js",
                    "module.exports = {\n  url: siteUrl(),\n  markdown: { emoji: false, preprocessor: ({ fileContent }) => fileContent },\n  presets: [['classic', { docs: { remarkPlugins: [] } }]],\n};\n",
                ),
                ("docs/fog.md", "# F\n\n:smile:\n"),
            ],
            slug: "fog",
            parts: &[":smile:"],
            reported: &[
                "docusaurus.config.js: the value of `url` is computed by a script",
                "docusaurus.config.js: the setting `markdown.preprocessor` is not supported",
            ],
        },
        Case {
            files: &[
                (
                    ".vitepress/config.mts",
                    "export default defineConfig({\n  markdown: {\n    math: true,\n    breaks: true,\n    typographer: true,\n    config: (md) => md.use(odd),\n  },\n})\n",
                ),
                ("fog.md", "# F\n\n$a_b_c$ \"d\"\ne\n"),
            ],
            slug: "fog",
            parts: &["$a_b_c$ “d”<br"],
            reported: &[".vitepress/config.mts: the setting `markdown.config` is not supported"],
        },
        Case {
            files: &[
                (
                    ".vuepress/config.js",
                    "module.exports = { markdown: { emoji: false, slugify: own } }\n",
                ),
                ("fog.md", "# F\n\n:smile:\n"),
            ],
            slug: "fog",
            parts: &[":smile:"],
            reported: &[".vuepress/config.js: the setting `markdown.slugify` is not supported"],
        },
        Case {
            files: &[
                (
                    "pelicanconf.py",
                    "PATH = 'content'\nTYPOGRIFY = True\nDEFAULT_DATE = 'fs'\nMARKDOWN = {\n    'extension_configs': {\n        'markdown.extensions.nl2br': {},\n    },\n}\nPLUGINS = []\n",
                ),
                (
                    "content/fog.md",
                    "Title: Fog\nDate: 2024-05-01\n\n\"a\"\nb\n",
                ),
            ],
            slug: "fog",
            parts: &["“a”<br"],
            reported: &["pelicanconf.py: the setting `DEFAULT_DATE` is not supported"],
        },
        Case {
            files: &[
                (
                    "nuxt.config.ts",
                    "export default defineNuxtConfig({\n  content: { build: { markdown: { remarkPlugins: { odd: {} } } } },\n})\n",
                ),
                ("content/fog.md", "# F\n\nText.\n"),
            ],
            slug: "fog",
            parts: &["Text."],
            reported: &[
                "nuxt.config.ts: the setting `content.build.markdown.remarkPlugins` is not supported",
            ],
        },
    ]);
}
