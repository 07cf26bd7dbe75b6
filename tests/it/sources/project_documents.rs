//! Tests of documents in other generators' projects: bodies, languages, slugs, references and diagnostics.

use std::fs;

use galley::{
    content_files::{ContentFiles, Explanation},
    content_text::DiagnosticGroup,
    domain::post::PostKind,
};

use super::projects::{DATED, ProjectSite};

#[test]
fn components_in_next_markdown_are_expanded() {
    let served = ProjectSite::of(&[
        ("next.config.js", ""),
        (
            "content/knots.md",
            "# Knots\n\n<Film src=\"/a\" />\n\nText.\n\n<Note>\n\n*Bowline*\n\n</Note>\n\n```jsx\n<Film />\n```\n",
        ),
        (
            "content/plain.md",
            "# Plain\n\n```jsx\n<Film />\n```\n\n{a}\n",
        ),
    ]);
    let html = served.html("knots");
    assert!(!html.contains("<Film") && !html.contains("<Note"), "{html}");
    assert!(html.contains("<em>Bowline</em>") && html.contains("&lt;Film /&gt;"));
    assert!(served.html("plain").contains("{a}"));
}

#[test]
fn tab_indentation_in_lists_is_not_code() {
    let served = ProjectSite::of(&[
        ("eleventy.config.js", ""),
        (
            "a.md",
            "# A\n\n* one\n\n    \ttwo\n\n\tthree\n\n\t* four\n\t\n\t\n\t\n## B\n",
        ),
        ("b.md", "# B\n\n  \t \tone\n\n    \t\n\t\ttwo\n"),
    ]);
    assert!(served.html("a").contains("four"));
    assert!(served.html("b").contains("two"));
}

#[test]
fn shortcodes_in_hugo_html_are_expanded() {
    let served = ProjectSite::of(&[
        ("hugo.toml", ""),
        (
            "content/knots.html",
            "---\ntitle: Knots\n---\n{{< cover >}}\n<p>{{< highlight go >}}x{{< /highlight >}}</p>\n",
        ),
    ]);
    let html = served.html("knots");
    assert!(!html.contains("{{"), "{html}");
}

#[test]
fn other_languages_are_optional_and_get_prefixed_slugs() {
    let files = [
        ("hugo.toml", "defaultContentLanguage = 'en'\n"),
        ("content/en/posts/ferry.md", DATED),
        ("content/de/posts/ferry.md", DATED),
        ("content/posts/fog.de.md", DATED),
        ("content/posts/fog.md", DATED),
    ];
    let served = ProjectSite::of(&files);
    assert_eq!(served.slugs(PostKind::Post), ["ferry", "fog"]);
    let left_out = "documents in content/ are left out: its language is not the site's";
    assert!(
        served.problems()[0].contains(left_out),
        "{:?}",
        served.problems()
    );

    let set = ContentFiles {
        other_languages: true,
        ..ContentFiles::default()
    };
    let served = ProjectSite::with(&files, "", set);
    assert_eq!(
        served.slugs(PostKind::Post),
        ["de-ferry", "de-fog", "ferry", "fog"]
    );
    let snapshot = served.site.current();
    assert!(snapshot.catalog.tags.by_slug("hash-de").is_some());
}

#[test]
fn language_folders_in_a_section_are_translations() {
    let text = "---\ntitle: Ferry\n---\nText.\n";
    let files = [
        (
            "_config.yml",
            "collections:\n  guides:\n    output: true\n    permalink: /:path/\n",
        ),
        ("_guides/ferry.md", text),
        ("_guides/de/ferry.md", text),
        ("_guides/zh-hant/ferry.md", text),
    ];
    let served = ProjectSite::of(&files);
    assert_eq!(served.slugs(PostKind::Page), ["ferry"]);

    let set = ContentFiles {
        other_languages: true,
        ..ContentFiles::default()
    };
    let served = ProjectSite::with(&files, "", set);
    assert_eq!(
        served.slugs(PostKind::Page),
        ["de-ferry", "ferry", "zh-hant-ferry"]
    );
}

#[test]
fn slug_in_several_sections_gets_the_section_prefix() {
    let text = "+++\n+++\nText.\n";
    let mut served = ProjectSite::of(&[
        ("config.toml", "base_url = \"https://example.com\"\n"),
        ("content/guide/start.md", text),
        ("content/guide/more/start.md", text),
    ]);
    assert_eq!(served.slugs(PostKind::Page), ["more-start", "start"]);
    // The order in which files appear makes no difference.
    served.write("content/start.md", text);
    assert_eq!(
        served.slugs(PostKind::Page),
        ["guide-start", "more-start", "start"]
    );
    fs::remove_file(served.folder.path().join("content/start.md")).unwrap();
    served.run();
    assert_eq!(served.slugs(PostKind::Page), ["more-start", "start"]);
}

#[test]
fn page_templates_are_reported_once() {
    let page = "<p>Harbour</p>\n";
    let titled = "---\nlayout: wide\n---\n<p>Harbour</p>\n";
    for (files, expected) in [
        (
            [
                (
                    "eleventy.config.js",
                    "export default { dir: { input: 'src', includes: 'parts', layouts: '../frames' } }",
                ),
                ("src/index.njk", page),
                ("src/parts/head.njk", page),
                ("frames/base.liquid", page),
                ("src/_includes/foot.html", page),
                ("src/about.html", page),
                ("src/tags.11ty.js", page),
                ("src/styles.css", page),
                ("src/hidden.njk", "---\npermalink: false\n---\n"),
            ]
            .as_slice(),
            "src/about.html: 3 files are templates of Eleventy and are not served",
        ),
        (
            &[
                (
                    ".eleventy.js",
                    "c.setTemplateFormats(['md', 'njk']); c.ignores.add('drafts/**')",
                ),
                (".eleventyignore", "# not now\nold/\n"),
                ("index.njk", page),
                ("about.liquid", page),
                ("drafts/later.njk", page),
                ("old/years.njk", page),
            ],
            "index.njk: a file is a template of Eleventy and is not served",
        ),
        (
            &[
                ("_config.yml", "title: Harbour\n"),
                ("index.html", titled),
                ("_layouts/wide.html", page),
                ("_includes/head.html", page),
                ("verification.html", page),
            ],
            "index.html: a file is a template of Jekyll and is not served",
        ),
        (
            &[
                ("astro.config.mjs", ""),
                ("src/pages/index.astro", page),
                ("src/pages/about.html", page),
                ("src/pages/posts/[slug].astro", page),
                ("src/pages/_part.astro", page),
                ("src/components/Head.astro", page),
                ("src/pages/rss.xml.js", page),
            ],
            "src/pages/about.html: 2 files are templates of Astro and are not served",
        ),
        (
            &[
                ("next.config.js", ""),
                ("app/page.tsx", page),
                ("app/layout.tsx", page),
                ("app/posts/[slug]/page.tsx", page),
                ("pages/about.jsx", page),
                ("pages/_app.jsx", page),
                ("pages/api/mail.js", page),
                ("components/head.jsx", page),
            ],
            "app/page.tsx: 2 files are templates of Next.js and are not served",
        ),
        (
            &[
                ("docusaurus.config.js", ""),
                ("src/pages/index.js", page),
                ("src/pages/index.module.css", page),
                ("src/pages/index.test.js", page),
                ("src/pages/_parts/head.js", page),
                ("src/components/Head.js", page),
            ],
            "src/pages/index.js: a file is a template of Docusaurus and is not served",
        ),
    ] {
        let served = ProjectSite::of(files);
        assert_eq!(served.problems(), [expected]);
        let content_files = ContentFiles {
            ignore: vec!["**".to_owned()],
            ..ContentFiles::default()
        };
        assert_eq!(
            ProjectSite::with(files, "", content_files).problems(),
            [""; 0],
            "{expected}"
        );
    }
}

#[test]
fn pages_named_like_files_about_a_repository_are_read() {
    let served = ProjectSite::of(&[
        ("_config.yml", "title: Harbour\n"),
        ("security.md", "---\ntitle: Safety\n---\nText.\n"),
        ("contributing.md", "---\ntitle: Helping\n---\nText.\n"),
        ("CONTRIBUTING.md", "# How to help\n"),
        ("Readme.md", "# Harbour\n"),
        ("LICENSE.md", "Free.\n"),
    ]);
    assert_eq!(served.slugs(PostKind::Page), ["contributing", "security"]);
    assert_eq!(served.problems(), [""; 0]);
}

#[test]
fn front_matter_key_that_is_not_text_is_skipped_alone() {
    let text = "---\ntitle: Ferry\nnavigation:\n  key: {{ category }}\n---\nText.\n";
    let served = ProjectSite::of(&[("eleventy.config.js", ""), ("ferry.md", text)]);
    assert_eq!(served.slugs(PostKind::Page), ["ferry"]);
    assert_eq!(
        served.problems(),
        ["ferry.md: a key must be text; this one is left out"]
    );
}

#[test]
fn changed_slugs_are_one_group_of_warnings() {
    let text = "+++\n+++\nText.\n";
    let served = ProjectSite::of(&[
        ("config.toml", "base_url = \"https://example.com\"\n"),
        ("content/start.md", text),
        ("content/guide/start.md", text),
        ("content/sea/start.md", text),
    ]);
    let problems = served.reconciler.report().problems;
    let groups = DiagnosticGroup::all(&problems);
    let shown: Vec<String> = groups.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "warning: 2 × another document has the same slug, so this one gets a different slug\n\
          --> content/guide/start.md\n = help: give one of the two another `slug`\n \
          = here: \"start\" becomes \"guide-start\"\n \
          = also at content/sea/start.md (\"start\" becomes \"sea-start\")"
        ]
    );
}

#[test]
fn references_resolve_to_the_named_documents() {
    for (files, slug, expected) in [
        (
            &[
                ("config.toml", "base_url = \"https://example.com\"\n"),
                (
                    "content/blog/ferry.md",
                    "+++\n+++\n[Knots](@/guide/knots.md#bowline)\n",
                ),
                ("content/guide/knots.md", "+++\n+++\nKnots.\n"),
            ][..],
            "ferry",
            "href=\"__GHOST_URL__/knots/#bowline\"",
        ),
        (
            &[
                ("hugo.toml", ""),
                (
                    "content/posts/ferry.md",
                    "---\ndate: 2024-05-01\n---\n[Knots]({{< ref \"knots.md#bowline\" >}})\n",
                ),
                ("content/docs/knots.md", "Knots.\n"),
            ],
            "ferry",
            "href=\"__GHOST_URL__/knots/#bowline\"",
        ),
        (
            &[
                ("_config.yml", "baseurl: /harbour\n"),
                (
                    "_posts/2024-05-01-ferry.md",
                    "---\n---\n[Fog]({% post_url 2024-05-02-fog %})\n",
                ),
                ("_posts/2024-05-02-fog.md", "---\n---\nFog.\n"),
            ],
            "ferry",
            "href=\"__GHOST_URL__/fog/\"",
        ),
        (
            &[
                (".obsidian/app.json", "{}"),
                ("Ferry.md", "[[Knots#Bowline knot|the knot]]\n"),
                ("deep/Knots.md", "## Bowline knot\n"),
            ],
            "ferry",
            "href=\"__GHOST_URL__/knots/#",
        ),
    ] {
        let served = ProjectSite::of(files);
        let html = served.html(slug);
        assert!(html.contains(expected), "{html}");
        assert!(!html.contains("galley-ref"), "{html}");
    }
}

#[test]
fn dangling_reference_is_reported_and_not_shown_in_stored_form() {
    let served = ProjectSite::of(&[
        (".obsidian/app.json", "{}"),
        ("Ferry.md", "[[No such note]]\n"),
    ]);
    assert!(!served.html("ferry").contains("galley-ref"));
    assert_eq!(
        served.problems(),
        ["Ferry.md: link target not found: No such note"]
    );
}

#[test]
fn problem_in_expanded_text_shows_the_line_as_written() {
    let served = ProjectSite::of(&[
        (".obsidian/app.json", "{}"),
        ("Ferry.md", "We left.\n\n  - [[No such note]] here\n"),
    ]);
    let report = served.reconciler.report();
    let reported = serde_json::to_value(&report.problems[0]).unwrap();
    assert_eq!(reported["line"], 3);
    assert_eq!(reported["column"], 7);
    assert_eq!(reported["line_text"], "  - [[No such note]] here");
    assert_eq!(reported["mark_length"], 12);
}

#[test]
fn slug_from_a_title_is_explained_by_the_url() {
    let served = ProjectSite::of(&[
        ("pelicanconf.py", ""),
        (
            "content/a.md",
            "Title: Night ferry\nDate: 2024-05-01\n\nWe left.\n",
        ),
    ]);
    let all = Explanation::of_folder(served.folder.path(), &ContentFiles::default());
    let post = all.iter().find(|explanation| explanation.is_text).unwrap();
    let text = post.to_string();
    assert!(
        text.contains("slug   night-ferry, from its URL in Pelican\n"),
        "{text}"
    );
}

#[test]
fn diagnostics_with_one_message_differ_in_their_details() {
    let served = ProjectSite::of(&[
        ("pelicanconf.py", ""),
        (
            "content/a.md",
            "Title: A\nDate: 2024-05-01\nSlug: Night Ferry\nStatus: odd\n\nWe left.\n",
        ),
        (
            "content/b.md",
            "Title: B\nDate: 2024-05-01\nSlug: Fog!\nStatus: strange\n\nHush.\n",
        ),
    ]);
    let report = served.reconciler.report();
    let problems = report.problems.iter().map(|problem| {
        let detail = problem.detail.as_deref().unwrap_or_default();
        (&*problem.message, detail)
    });
    let mut problems: Vec<(&str, &str)> = problems.collect();
    problems.sort_unstable();
    assert_eq!(
        problems,
        [
            ("`slug` is not a valid slug", "it becomes `fog`"),
            ("`slug` is not a valid slug", "it becomes `night-ferry`"),
            ("the value of `status` is unknown and ignored", "`odd`"),
            ("the value of `status` is unknown and ignored", "`strange`"),
        ]
    );
}

#[test]
fn role_of_a_document_is_explained() {
    let served = ProjectSite::of(&[
        ("hugo.toml", ""),
        (
            "content/posts/2024-05-01-ferry.md",
            "# Night ferry\n\nWe left.\n",
        ),
        ("content/posts/_index.md", "---\ntitle: Posts\n---\n"),
    ]);
    let all = Explanation::of_folder(served.folder.path(), &ContentFiles::default());
    let messages: Vec<String> = all
        .iter()
        .filter(|explanation| explanation.is_text)
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        messages,
        [
            "content/posts/2024-05-01-ferry.md: a post\n  \
             rule   `{_drafts,_posts,article,articles,blog,blogs,drafts,news,post,posts}/**` of Hugo\n  \
             title  Night ferry, from the first heading\n  \
             slug   ferry, from the name of the file\n  \
             date   2024-05-01T00:00:00Z, from the path content/posts/2024-05-01-ferry.md\n",
            "content/posts/_index.md: left out: it is a list page, which a theme renders\n  \
             rule   `**/_index*` of Hugo\n",
        ]
    );
}

#[test]
fn mdx_is_read_in_galley_folders() {
    let served = ProjectSite::of(&[
        ("site.toml", "title = \"Harbour\"\n"),
        (
            "posts/ferry.mdx",
            "---\ntitle: Ferry\ndate: 2024-05-01\n---\nimport X from './x';\n\n<X>We **left**.</X>\n",
        ),
    ]);
    assert!(served.html("ferry").contains("<strong>left</strong>"));
    assert_eq!(
        served.problems(),
        ["posts/ferry.mdx: the component `X` is not known; its content stays"]
    );
}
