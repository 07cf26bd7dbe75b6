//! Tests of the choice of a folder's generator: by marker files, and by the documents that each candidate would publish.

use galley::domain::post::PostKind;

use super::projects::ProjectSite;

fn generator(served: &ProjectSite) -> &'static str {
    served.reconciler.layout().profile().name
}

#[test]
fn notes_around_a_code_project_are_plain() {
    let served = ProjectSite::of(&[
        ("go/maps.md", "# Maps\n"),
        ("go/slices.md", "# Slices\n"),
        ("demos/shop/next.config.js", "module.exports = {}\n"),
        ("demos/shop/README.md", "# Shop\n"),
    ]);
    assert_eq!(generator(&served), "plain");
    assert_eq!(
        served.slugs(PostKind::Page),
        ["demos-shop", "go-maps", "go-slices"]
    );
}

#[test]
fn subfolder_project_with_most_documents_is_used() {
    let served = ProjectSite::of(&[
        ("website/hugo.toml", "title = 'Harbour'\n"),
        ("website/content/ferry.md", "# Ferry\n"),
        ("website/content/fog.md", "# Fog\n"),
        ("design.md", "# Design\n"),
        ("tests/fixtures/a.md", "a\n"),
        ("tests/fixtures/b.md", "b\n"),
    ]);
    assert_eq!(generator(&served), "hugo");
    assert_eq!(served.slugs(PostKind::Page), ["ferry", "fog"]);
}

#[test]
fn readme_in_each_folder_is_a_page_of_a_plain_folder() {
    let served = ProjectSite::of(&[
        ("ropes/README.md", "# Ropes\n"),
        ("ropes/knots/README.md", "# Knots\n"),
    ]);
    assert_eq!(generator(&served), "plain");
    assert_eq!(served.slugs(PostKind::Page), ["ropes", "ropes-knots"]);
}

#[test]
fn generator_with_more_documents_is_used_and_the_other_reported() {
    let served = ProjectSite::of(&[
        ("gatsby-config.js", "module.exports = {}\n"),
        ("mkdocs.yml", "site_name: Harbour\n"),
        ("docs/index.md", "# About\n"),
        ("content/blog/ferry.md", "---\ndate: 2024-05-01\n---\nA\n"),
        ("content/blog/fog.md", "---\ndate: 2024-05-02\n---\nB\n"),
    ]);
    assert_eq!(generator(&served), "gatsby");
    assert_eq!(served.slugs(PostKind::Post), ["ferry", "fog"]);
    let problems = served.problems();
    assert!(
        problems.iter().any(|problem| problem
            .contains("the folder is read as a project of Gatsby; it also has settings of MkDocs")),
        "{problems:?}"
    );
}

#[test]
fn editor_folders_and_shared_settings_do_not_indicate_a_second_generator() {
    for files in [
        &[
            ("hugo.toml", "title = 'Harbour'\n"),
            (".obsidian/app.json", "{}"),
            ("content/ferry.md", "# Ferry\n"),
        ][..],
        &[
            ("_config.yml", "title: Harbour\n"),
            ("source/_posts/ferry.md", "---\ndate: 2024-05-01\n---\nA\n"),
        ],
    ] {
        let served = ProjectSite::of(files);
        assert!(served.problems().is_empty(), "{:?}", served.problems());
    }
}

#[test]
fn project_without_documents_is_reported_with_its_document_folders() {
    let served = ProjectSite::of(&[
        ("hugo.toml", "title = 'Harbour'\n"),
        ("notes/ferry.md", "# Ferry\n"),
    ]);
    assert_eq!(
        served.reconciler.absence().as_deref(),
        Some(
            "it is read as a project of Hugo, whose documents are in content/; the only Markdown file is notes/ferry.md. Set `generator` below `[content_files]`, for example to \"plain\", to read it otherwise"
        )
    );
}

#[test]
fn readme_in_a_subfolder_is_published_at_the_generators_path() {
    let paths = |served: &ProjectSite, slug: &str| {
        let snapshot = served.site.current();
        let post = snapshot.catalog.posts.by_slug(slug);
        post.and_then(|post| post.aliases.first().map(ToString::to_string))
    };
    for (files, path) in [
        (
            &[
                ("hugo.toml", "title = 'Harbour'\n"),
                ("content/ropes/README.md", "---\ntitle: Ropes\n---\nA\n"),
            ],
            "/ropes/readme",
        ),
        (
            &[
                ("_config.yml", "title: Harbour\n"),
                ("ropes/README.md", "---\ntitle: Ropes\n---\nA\n"),
            ],
            "/ropes/README.html",
        ),
        (
            &[
                (".eleventy.js", "module.exports = {}\n"),
                ("ropes/README.md", "---\ntitle: Ropes\n---\nA\n"),
            ],
            "/ropes/README",
        ),
    ] {
        let served = ProjectSite::of(files);
        assert_eq!(
            paths(&served, "readme").as_deref(),
            Some(path),
            "{:?}",
            served.problems()
        );
    }
}

#[test]
fn jekyll_readme_without_front_matter_is_not_a_page() {
    let served = ProjectSite::of(&[
        ("_config.yml", "title: Harbour\n"),
        ("about.md", "---\ntitle: About\n---\nA\n"),
        ("images/README.md", "# Images\n"),
    ]);
    assert_eq!(served.slugs(PostKind::Page), ["about"]);
}

#[test]
fn single_ignored_file_is_reported() {
    let served = ProjectSite::of(&[
        (".obsidian/app.json", "{}"),
        ("templates/day.md", "a\n"),
        ("ferry.md", "b\n"),
    ]);
    let ignored = served.reconciler.ignored_files();
    assert!(
        ignored[0].starts_with("ignored: templates/day.md: "),
        "{ignored:?}"
    );
}

#[test]
fn note_title_is_from_front_matter_or_the_file_name() {
    let served = ProjectSite::of(&[
        (".obsidian/app.json", "{}"),
        ("My Note.md", "Intro text\n\n# Set up\n"),
        ("other.md", "---\ntitle: Own\n---\n# Set up\n"),
    ]);
    assert_eq!(served.title("my-note"), "My Note");
    assert_eq!(served.title("other"), "Own");
    assert!(served.html("my-note").contains("Set up"));
}

#[test]
fn dates_in_paths_follow_each_generators_rules() {
    let date = |served: &ProjectSite, slug: &str| {
        let snapshot = served.site.current();
        let post = snapshot.catalog.posts.by_slug(slug);
        let post = post.unwrap_or_else(|| panic!("no {slug}"));
        post.published_at
            .map(|date| date.to_string()[..10].to_owned())
    };
    let notes = ProjectSite::of(&[
        ("2025-02-17 Initial Plans.md", "a\n"),
        ("2024/03/05.md", "b\n"),
        ("2024/03/06-fog.md", "c\n"),
        ("2024/13/06-rain.md", "d\n"),
    ]);
    assert_eq!(notes.slugs(PostKind::Page), ["2024-13-06-rain"]);
    for (slug, expected) in [
        ("initial-plans", "2025-02-17"),
        ("05", "2024-03-05"),
        ("fog", "2024-03-06"),
    ] {
        assert_eq!(date(&notes, slug).as_deref(), Some(expected), "{slug}");
    }
    // The dates and slugs of Eleventy 3.1.8.
    let eleventy = ProjectSite::of(&[
        (".eleventy.js", "module.exports = {}\n"),
        ("blog/trip-2024-03-08.md", "a\n"),
        ("blog/2024-03-09 Title.md", "b\n"),
        ("notes/v2024-03-11.md", "c\n"),
        ("notes/2024-03-12-fog.md", "d\n"),
    ]);
    for (slug, expected) in [
        ("trip-2024-03-08", "2024-03-08"),
        ("2024-03-09-title", "2024-03-09"),
        ("v2024-03-11", "2024-03-11"),
        ("fog", "2024-03-12"),
    ] {
        assert_eq!(date(&eleventy, slug).as_deref(), Some(expected), "{slug}");
    }
}

#[test]
fn references_outside_links_expand_to_target_urls() {
    let hugo = ProjectSite::of(&[
        ("hugo.toml", "title = 'Harbour'\n"),
        (
            "content/a.md",
            "See {{< ref \"b.md\" >}}. <{{< ref \"b.md\" >}}>\n\n<p data-to=\"{{< relref \"b.md\" >}}\">c</p>\n\n{{< ref \"none.md\" >}}\n",
        ),
        ("content/b.md", "# B\n"),
    ]);
    let html = hugo.html("a").replace("__GHOST_URL__", "");
    assert!(
        html.contains("See /b/. <a href=\"/b/\">/b/</a>")
            && html.contains("data-to=\"/b/\"")
            && !html.contains("galley-ref"),
        "{html}"
    );
    let problems = hugo.problems();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("none.md"), "{problems:?}");
    let jekyll = ProjectSite::of(&[
        ("_config.yml", "url: https://example.org\n"),
        (
            "_posts/2020-01-02-b.md",
            "---\ntitle: B\n---\n{{ site.url }}{% post_url 2020-01-01-a %}\n",
        ),
        ("_posts/2020-01-01-a.md", "---\ntitle: A\n---\nA\n"),
    ]);
    let html = jekyll.html("b").replace("__GHOST_URL__", "");
    assert!(html.contains("<p>/a/</p>"), "{html}");
}

#[test]
fn shortcodes_in_html_expand_to_html() {
    let served = ProjectSite::of(&[
        ("hugo.toml", "title = 'Harbour'\n"),
        (
            "content/a.md",
            "<div align=\"center\">{{< btn href=\"/team\" >}}Learn{{< /btn >}}\n{{< button href=\"/b\" text=\"B\" >}}</div>\n\n{{< btn href=\"/c\" >}}*C*{{< /btn >}}\n",
        ),
    ]);
    let html = served.html("a");
    for part in [
        "/team\">Learn</a>",
        "/b\">B</a></div>",
        "/c\"><em>C</em></a>",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
}

#[test]
fn aliases_of_quartz_are_former_urls() {
    let served = ProjectSite::of(&[
        ("quartz.config.ts", "export default {}\n"),
        (
            "content/notes/ferry.md",
            "---\naliases: [Night boat, old/ferry]\n---\nA\n",
        ),
    ]);
    let snapshot = served.site.current();
    let post = snapshot.catalog.posts.by_slug("ferry").unwrap();
    let aliases: Vec<&str> = post.aliases.iter().map(|alias| &**alias).collect();
    assert_eq!(aliases, ["/notes/ferry", "/Night-boat", "/old/ferry"]);
}

#[test]
fn nuxt_content_names_mark_drafts_and_order() {
    let served = ProjectSite::of(&[
        ("nuxt.config.ts", "export default {}\n"),
        ("content/secret.draft.md", "# Secret\n"),
        ("content/03.guide/02.vue.md", "# Vue\n"),
        ("content/04.api/02.vue.md", "# Vue\n"),
    ]);
    assert_eq!(
        served.slugs(PostKind::Page),
        ["api-vue", "secret", "vue"],
        "{:?}",
        served.problems()
    );
    assert!(served.is_draft("secret"));
}

#[test]
fn nuxt_content_collections_select_documents_and_urls() {
    let files = |source: &str| {
        let config = format!(
            "export default defineContentConfig({{ collections: {{\n docs: defineCollection({{\n  source: {source},\n }}) }} }})\n"
        );
        ProjectSite::of(&[
            ("nuxt.config.ts", "export default {}\n"),
            ("content.config.ts", config.as_str()),
            ("content/docs/knots.md", "# Knots\n"),
            ("content/docs/part.md", "# Part\n"),
            ("content/other/fog.md", "# Fog\n"),
        ])
    };
    let served = files("{ include: 'docs/**/*.md', prefix: '/guide', exclude: ['docs/part.md'] }");
    assert_eq!(served.slugs(PostKind::Page), ["knots"]);
    let snapshot = served.site.current();
    let knots = snapshot.catalog.posts.by_slug("knots").unwrap();
    assert_eq!(&*knots.aliases[0], "/guide/knots");
    assert!(served.problems().is_empty(), "{:?}", served.problems());
    let computed = files("{ include: `${locale}/**` }");
    assert_eq!(computed.slugs(PostKind::Page), ["fog", "knots", "part"]);
    assert_eq!(
        computed.problems(),
        [
            "content.config.ts: the value of `source.include` is computed by a script, which is not run"
        ]
    );
}

#[test]
fn plus_signs_in_titles_become_hyphens_in_hugo_urls() {
    // The paths of Hugo 0.111.
    for (title, path) in [
        ("3+4", "/3-4"),
        ("x + y", "/x--y"),
        ("a/b", "/a/b"),
        ("C++ & C#", "/c-c"),
        ("前言+SWIG", "/前言-swig"),
    ] {
        let text = format!("---\ntitle: \"{title}\"\n---\nA\n");
        let served = ProjectSite::of(&[
            ("hugo.toml", "[permalinks]\np = '/:slug/'\n"),
            ("content/p/one.md", text.as_str()),
        ]);
        let snapshot = served.site.current();
        let post = snapshot.catalog.posts.iter().next().unwrap();
        assert_eq!(&*post.aliases[0], path, "{title}");
    }
}
