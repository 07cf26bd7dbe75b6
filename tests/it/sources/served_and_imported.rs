//! Tests that serving and importing a folder have the same result: the same documents with the same kinds, slugs and dates.

use std::{path::Path, sync::Arc};

use galley::{
    clock::SystemClock,
    content_files::ContentFiles,
    domain::post::PostKind,
    import::{ImportSource, Options, Report, import},
    progress::NoProgress,
    site::Site,
    store::memory::MemoryStore,
    uploads::Uploads,
};
use url::Url;

use super::projects::{DATED, ProjectSite};

const UNDATED: &str = "---\ntitle: Knots\n---\nOf all kinds.\n";

/// The kind and slug of a document, and its date or an empty string.
type Row = (PostKind, String, String);

fn rows(site: &Site) -> Vec<Row> {
    let snapshot = site.current();
    let posts = snapshot.catalog.posts.iter();
    let mut rows: Vec<Row> = posts
        .map(|post| {
            let date = post.published_at.map(|date| date.to_string());
            let date = date.filter(|date| date.starts_with("2024-"));
            (post.kind, post.slug.to_string(), date.unwrap_or_default())
        })
        .collect();
    rows.sort_by(|one, other| one.1.cmp(&other.1));
    rows
}

fn imported(folder: &Path) -> (Site, Report) {
    let site = Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock)).unwrap();
    let data = tempfile::tempdir().unwrap();
    let options = Options {
        site: Url::parse("https://harbour.example/").unwrap(),
        uploads: Uploads::in_data(data.path()),
        dry_run: false,
        actor: galley::domain::actor::Actor::Operator,
        history: false,
        content_files: ContentFiles::default(),
        email_auth_secret: None,
        announces_records: true,
    };
    let source = ImportSource::at(folder).unwrap();
    let report = import(&site, &source, &options, &NoProgress).unwrap();
    (site, report)
}

/// Serves and imports the folder `content` within these files, and asserts that both have the same documents.
fn serve_and_import(files: &[(&str, &str)], content: &str) -> (ProjectSite, Report) {
    let served = ProjectSite::with(files, content, ContentFiles::default());
    let (site, report) = imported(&served.folder.path().join(content));
    assert_eq!(rows(&served.site), rows(&site), "{files:?} {content}");
    (served, report)
}

#[test]
fn serving_and_importing_agree_for_every_layout() {
    for (files, content, generator, posts, pages) in [
        // Notes by topic.
        (
            &[
                ("knots.md", UNDATED),
                ("tides/spring.md", UNDATED),
                ("tides/README.md", UNDATED),
                ("tides/2024-05-01-fog.md", "Fog.\n"),
                ("log/ferry.md", DATED),
            ][..],
            "",
            "plain",
            &["ferry", "fog"][..],
            &["knots", "tides", "tides-spring"][..],
        ),
        // Galley's own layout, in which no other files are public.
        (
            &[
                ("posts/ferry.md", DATED),
                ("posts/fog.md", UNDATED),
                ("pages/about.md", UNDATED),
                ("notes/knots.md", UNDATED),
            ],
            "",
            "galley",
            &["ferry", "fog"],
            &["about"],
        ),
        // Only folders that Galley knows by name.
        (
            &[("posts/ferry.md", DATED), ("blog/fog.md", UNDATED)],
            "",
            "galley",
            &["ferry", "fog"],
            &[],
        ),
        // A generator that is recognised but has no profile.
        (
            &[
                ("svelte.config.js", ""),
                ("blog/ferry.md", DATED),
                ("guide/knots.md", UNDATED),
            ],
            "",
            "plain",
            &["ferry"],
            &["guide-knots"],
        ),
        // A site file without `generator`.
        (
            &[
                ("site.toml", "title = \"Harbour\"\n"),
                ("hugo.toml", ""),
                ("content/posts/ferry.md", DATED),
                ("content/docs/knots.md", UNDATED),
            ],
            "",
            "hugo",
            &["ferry"],
            &["knots"],
        ),
        (
            &[
                ("site.toml", "title = \"Harbour\"\n"),
                (".obsidian/app.json", "{}"),
                ("posts/ferry.md", DATED),
            ],
            "",
            "galley",
            &["ferry"],
            &[],
        ),
        // Settings of the layout in the site file.
        (
            &[
                (
                    "site.toml",
                    "[content_files]\ngenerator = \"plain\"\nposts = [\"log/**\"]\nignore = [\"old/**\"]\n",
                ),
                ("log/ferry.md", UNDATED),
                ("old/fog.md", DATED),
                ("notes/knots.md", UNDATED),
            ],
            "",
            "plain",
            &["ferry"],
            &["notes-knots"],
        ),
        // `blog/` of a project in a subfolder, and of an enclosing project.
        (
            &[
                (
                    "website/docusaurus.config.js",
                    "blog: { path: '../blog' }, docs: { path: '../docs' }",
                ),
                ("blog/2024-05-01-ferry.md", "We left.\n"),
                ("docs/knots.md", UNDATED),
            ],
            "",
            "docusaurus",
            &["ferry"],
            &["knots"],
        ),
        (
            &[
                ("docusaurus.config.js", ""),
                ("blog/2024-05-01-ferry.md", "We left.\n"),
                ("docs/knots.md", UNDATED),
            ],
            "blog",
            "docusaurus",
            &["ferry"],
            &[],
        ),
        // Folders that only some generators ignore.
        (
            &[
                ("_config.yml", "title: Harbour\n"),
                ("_posts/2024-05-01-ferry.md", UNDATED),
                ("_includes/part.md", "Part.\n"),
                ("themes/knots.md", UNDATED),
                ("public/fog.md", "---\ntitle: Fog\n---\nFog.\n"),
            ],
            "",
            "jekyll",
            &["ferry"],
            &["fog", "knots"],
        ),
    ] {
        let (served, _) = serve_and_import(files, content);
        assert_eq!(
            served.reconciler.layout().profile().name,
            generator,
            "{files:?}"
        );
        assert_eq!(served.slugs(PostKind::Post), posts, "{files:?}");
        assert_eq!(served.slugs(PostKind::Page), pages, "{files:?}");
    }
}

#[test]
fn generator_without_a_profile_is_reported_once() {
    let files = [("svelte.config.js", ""), ("guide/knots.md", UNDATED)];
    let (served, report) = serve_and_import(&files, "");
    let message = "this is a project of SvelteKit, which has no profile: its documents are read as plain Markdown, and syntax that is not Markdown stays in their text";
    assert_eq!(served.problems(), [format!("svelte.config.js: {message}")]);
    let notes = report.left_out.notes.iter();
    let notes: Vec<String> = notes
        .map(|note| format!("{}: {}", note.subject, note.whole()))
        .collect();
    assert_eq!(notes, [format!("svelte.config.js: {message}")]);
}

#[test]
fn generators_without_a_profile_are_reported_wherever_their_files_are() {
    for (marker, title, as_what) in [
        (("_toc.yml", "root: a\n"), "Jupyter Book", "plain Markdown"),
        (
            ("index.html", "<script>window.$docsify = {}</script>"),
            "Docsify",
            "plain Markdown",
        ),
        (
            ("docs/conf.py", "project = 'a'\n"),
            "Sphinx",
            "plain Markdown",
        ),
        (("_quarto.yml", "project: {}\n"), "Quarto", "plain Markdown"),
        (
            (
                "package.json",
                "{\"dependencies\": {\"metalsmith\": \"2\"}}",
            ),
            "Metalsmith",
            "plain Markdown",
        ),
        (
            ("bridgetown.config.yml", "url: ''\n"),
            "Bridgetown",
            "those of Jekyll",
        ),
    ] {
        let mut files = vec![marker];
        match title {
            "Jupyter Book" => files.extend([("_config.yml", "title: A\n"), ("a.md", UNDATED)]),
            "Bridgetown" => files.push(("src/_posts/2024-05-01-a.md", UNDATED)),
            _ => files.push(("docs/a.md", UNDATED)),
        }
        let (served, _) = serve_and_import(&files, "");
        let (file, _) = marker;
        let message = format!(
            "this is a project of {title}, which has no profile: its documents are read as {as_what}"
        );
        let problems = served.problems();
        let named = problems
            .iter()
            .filter(|problem| problem.starts_with(file) && problem.contains(&message));
        assert_eq!(named.count(), 1, "{title}: {problems:?}");
    }
}

#[test]
fn documents_that_the_generator_ignores_are_listed_with_their_reasons() {
    for (files, expected) in [
        (
            &[
                ("hugo.toml", ""),
                ("README.md", "How to build.\n"),
                ("content/docs/knots.md", UNDATED),
                ("archetypes/default.md", "---\n---\n"),
                ("themes/tide/content/a.md", DATED),
                ("themes/tide/content/b.md", DATED),
            ][..],
            &[
                "ignored: README.md: it is about the folder, not content of the site",
                "ignored: archetypes/default.md: it is outside of the folders of documents",
                "ignored: 2 documents in themes/: it is outside of the folders of documents",
            ][..],
        ),
        (
            &[
                ("_config.yml", "exclude: [old]\n"),
                ("_includes/part.md", "Part.\n"),
                ("old/fog.md", "---\n---\nFog.\n"),
                ("vendor/bundle/ruby/a.md", "---\n---\nGem.\n"),
                ("vendor/knots.md", UNDATED),
            ],
            &[
                "ignored: _includes/part.md: `{_data,_includes,_layouts,_plugins,_sass,_site}/**` of Jekyll ignores it",
                "ignored: old/fog.md: `old/**` of the project's settings ignores it",
                "ignored: vendor/bundle/ruby/a.md: `vendor/{bundle,cache,gems,ruby}/**` of Jekyll ignores it",
            ],
        ),
    ] {
        let (served, _) = serve_and_import(files, "");
        assert_eq!(served.problems(), [""; 0]);
        assert_eq!(served.reconciler.ignored_files(), expected);
    }
}
