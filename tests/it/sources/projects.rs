//! Tests of the detection of other generators' projects, and of the effect of project and operator settings.

use std::{fs, path::Path, sync::Arc};

use galley::{
    clock::SystemClock,
    content_files::{ContentFiles, Reconciler},
    domain::post::{PostKind, Status},
    progress::NoProgress,
    site::Site,
    store::memory::MemoryStore,
};
use tempfile::TempDir;

/// A site that serves a content folder.
pub struct ProjectSite {
    pub folder: TempDir,
    pub site: Arc<Site>,
    pub reconciler: Reconciler,
}

impl ProjectSite {
    pub fn of(files: &[(&str, &str)]) -> Self {
        Self::with(files, "", ContentFiles::default())
    }

    /// Serves the folder `content` within these files, with the operator's settings `set`.
    pub fn with(files: &[(&str, &str)], content: &str, set: ContentFiles) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            write(folder.path(), path, text);
        }
        let site = Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock)).unwrap();
        let site = Arc::new(site);
        let root = folder.path().join(content);
        let reconciler = Reconciler::new(Arc::clone(&site), root).unwrap();
        let mut served = Self {
            folder,
            site,
            reconciler: reconciler.with_content_files(set),
        };
        served.run();
        served
    }

    /// Writes a file and reconciles with its path as the only change hint.
    pub fn write_with_hint(&mut self, path: &str, text: &str) {
        write(self.folder.path(), path, text);
        let hints = [path.to_owned()].into();
        self.reconciler.run(Some(&hints), &NoProgress).unwrap();
    }

    pub fn remove(&mut self, path: &str) {
        fs::remove_file(self.folder.path().join(path)).unwrap();
        self.run();
    }

    pub fn run(&mut self) {
        self.reconciler.run(None, &NoProgress).unwrap();
    }

    pub fn write(&mut self, path: &str, text: &str) {
        write(self.folder.path(), path, text);
        self.run();
    }

    pub fn slugs(&self, kind: PostKind) -> Vec<String> {
        let snapshot = self.site.current();
        let posts = snapshot.catalog.posts.iter();
        let mut slugs: Vec<String> = posts
            .filter(|post| post.kind == kind)
            .map(|post| post.slug.to_string())
            .collect();
        slugs.sort();
        slugs
    }

    pub fn title(&self, slug: &str) -> String {
        let snapshot = self.site.current();
        snapshot
            .catalog
            .posts
            .by_slug(slug)
            .unwrap()
            .title
            .to_string()
    }

    pub fn authors(&self, slug: &str) -> Vec<String> {
        let snapshot = self.site.current();
        let post = snapshot.catalog.posts.by_slug(slug).unwrap();
        let authors = post.authors.iter();
        let authors = authors.map(|id| snapshot.catalog.users.get(*id).unwrap().name.to_string());
        authors.collect()
    }

    pub fn tags(&self, slug: &str) -> Vec<String> {
        let snapshot = self.site.current();
        let post = snapshot.catalog.posts.by_slug(slug).unwrap();
        let tags = post.tags.iter();
        let tags = tags.map(|id| snapshot.catalog.tags.get(*id).unwrap().name.to_string());
        tags.collect()
    }

    pub fn image(&self, slug: &str) -> String {
        let snapshot = self.site.current();
        let post = snapshot.catalog.posts.by_slug(slug).unwrap();
        post.feature_image.as_deref().unwrap_or_default().to_owned()
    }

    pub fn is_draft(&self, slug: &str) -> bool {
        let snapshot = self.site.current();
        snapshot.catalog.posts.by_slug(slug).unwrap().status == Status::Draft
    }

    pub fn html(&self, slug: &str) -> String {
        let snapshot = self.site.current();
        let id = snapshot.catalog.posts.by_slug(slug).unwrap().id;
        snapshot.html(id).unwrap().unwrap_or_default()
    }

    pub fn problems(&self) -> Vec<String> {
        let problems = self.reconciler.report().problems;
        let problems = problems.iter();
        problems
            .map(|problem| match &problem.detail {
                Some(detail) => format!("{}: {}: {detail}", problem.file, problem.message),
                None => format!("{}: {}", problem.file, problem.message),
            })
            .collect()
    }
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub const DATED: &str = "---\ntitle: Ferry\ndate: 2024-05-01\n---\nWe left.\n";

#[test]
fn generators_are_detected_by_their_files_and_folders() {
    for (generator, files, posts, pages) in [
        (
            "hugo",
            &[
                ("hugo.toml", ""),
                ("content/about.md", "About.\n"),
                ("content/posts/ferry/index.md", DATED),
                ("content/posts/ferry/notes.md", "Part of the page.\n"),
                ("content/docs/knots.md", "Knots.\n"),
                ("themes/x/content/posts/theirs.md", DATED),
            ][..],
            &["ferry"][..],
            &["about", "knots"][..],
        ),
        (
            "zola",
            &[
                ("config.toml", "base_url = \"https://example.com\"\n"),
                ("content/_index.md", "+++\n+++\n"),
                (
                    "content/docs/_index.md",
                    "+++\ntitle = \"Docs\"\n+++\nWhat they are.\n",
                ),
                (
                    "content/a.md",
                    "+++\ntitle = \"A\"\npath = \"2025/09/18/ferry\"\n+++\nWe left.\n",
                ),
                ("content/knots/index.md", "+++\n+++\nKnots.\n"),
                ("content/knots/bowline/index.md", "+++\n+++\nBowline.\n"),
                ("content/knots/hitch.md", "+++\n+++\nHitch.\n"),
            ],
            &["ferry"],
            &["bowline", "docs", "hitch", "knots"],
        ),
        (
            "jekyll",
            &[
                (
                    "_config.yml",
                    "collections:\n  docs:\n    output: true\n  notes: {}\nexclude: [old]\n",
                ),
                ("_posts/2024-05-01-ferry.markdown", "---\n---\nWe left.\n"),
                ("_docs/knots.md", "---\n---\nKnots.\n"),
                ("_notes/own.md", "---\n---\nNot built.\n"),
                ("old/a.md", "---\n---\nNot built.\n"),
                ("about.md", "---\n---\nAbout.\n"),
                ("_includes/a.md", "Part.\n"),
            ],
            &["ferry"],
            &["about", "knots"],
        ),
        (
            "eleventy",
            &[
                (
                    "eleventy.config.js",
                    "export const config = { dir: { input: \"site\" } };",
                ),
                ("site/blog/ferry.md", DATED),
                ("site/about/index.md", "About.\n"),
                ("docs/internal.md", "Not built.\n"),
            ],
            &["ferry"],
            &["about"],
        ),
        (
            "astro",
            &[
                ("astro.config.mjs", ""),
                (
                    "src/content.config.ts",
                    "const log = defineCollection({ loader: glob({ pattern: '**/*.md', base: './src/log' }) });",
                ),
                (
                    "src/content/blog/ferry.mdx",
                    "---\ntitle: Ferry\n---\nexport const a = 1;\n\nWe **left**.\n",
                ),
                ("src/content/blog/_part.md", "Part.\n"),
                ("src/log/tides.md", DATED),
                ("src/pages/about.md", "About.\n"),
            ],
            &["ferry", "tides"],
            &["about"],
        ),
        (
            "next",
            &[
                ("apps/site/next.config.mjs", ""),
                ("apps/site/pages/en/blog/ferry.md", DATED),
                (
                    "apps/site/pages/en/about.mdx",
                    "export const meta = { title: 'About us' };\n\nAbout.\n",
                ),
                ("apps/site/pages/de/about.mdx", "Über.\n"),
            ],
            &["ferry"],
            &["about"],
        ),
        (
            "docusaurus",
            &[
                (
                    "website/docusaurus.config.js",
                    "docs: { path: '../docs' }, i18n: { defaultLocale: 'en' }",
                ),
                ("website/blog/2024-05-01-ferry/index.md", "We left.\n"),
                ("docs/knots.md", "# Knots\n\nOf all kinds.\n"),
                (
                    "website/i18n/fr/docusaurus-plugin-content-docs/current/knots.md",
                    "Noeuds.\n",
                ),
            ],
            &["ferry"],
            &["knots"],
        ),
        (
            "obsidian",
            &[
                (".obsidian/app.json", "{}"),
                ("Night Ferry.md", "We left.\n"),
                ("2024-05-01.md", "Fog.\n"),
            ],
            &["2024-05-01"],
            &["night-ferry"],
        ),
    ] {
        let served = ProjectSite::of(files);
        assert_eq!(served.reconciler.layout().profile().name, generator);
        assert_eq!(served.slugs(PostKind::Post), posts, "{generator}");
        assert_eq!(
            served.slugs(PostKind::Page),
            pages,
            "{generator}: {:?}",
            served.problems()
        );
    }
}

#[test]
fn content_folder_inside_a_project_is_read_as_the_project() {
    let files = [
        ("config.toml", "base_url = \"https://example.com\"\n"),
        ("content/guide/ferry.md", "+++\n+++\nWe left.\n"),
    ];
    let served = ProjectSite::with(&files, "content", ContentFiles::default());
    assert_eq!(served.slugs(PostKind::Page), ["ferry"]);
    assert_eq!(served.reconciler.layout().profile().name, "zola");
}

#[test]
fn subfolder_of_a_project_is_read_by_its_rules() {
    for (settings, folder, file, generator, posts) in [
        (
            "next.config.js",
            "content",
            "tokio/ferry.md",
            "next",
            &["ferry"][..],
        ),
        (
            "docusaurus.config.js",
            "site/blog",
            "2025-01-05-ferry.md",
            "docusaurus",
            &["ferry"],
        ),
        (".eleventy.js", "posts", "ferry.md", "eleventy", &["ferry"]),
        (
            "_config.yml",
            "_posts",
            "2025-01-05-ferry.md",
            "jekyll",
            &["ferry"],
        ),
        // `notes/` is unknown to Docusaurus, `posts/` is a folder of Galley's, and the README is about the folder.
        (
            "docusaurus.config.js",
            "notes",
            "ferry.md",
            "plain",
            &["ferry"],
        ),
        (
            "next.config.js",
            "content",
            "posts/ferry.md",
            "galley",
            &["ferry"],
        ),
        ("next.config.js", "content", "README.md", "galley", &[]),
    ] {
        let project = folder.strip_suffix("/blog").unwrap_or_default();
        let settings = format!("{project}/{settings}");
        let path = format!("{folder}/{file}");
        let files = [(settings.trim_start_matches('/'), ""), (&*path, DATED)];
        let served = ProjectSite::with(&files, folder, ContentFiles::default());
        let profile = served.reconciler.layout().profile().name;
        assert_eq!(profile, generator, "{path} with {settings}");
        assert_eq!(served.slugs(PostKind::Post), posts, "{path}");
        assert_eq!(served.slugs(PostKind::Page), [""; 0], "{path}");
    }
}

#[test]
fn enclosing_project_is_ignored_outside_the_repository_or_next_to_galley_folders() {
    let files = [
        ("next.config.js", ""),
        ("content/tokio/ferry.md", DATED),
        ("content/authors/ada.toml", "name = \"Ada\"\n"),
    ];
    let served = ProjectSite::with(&files, "content", ContentFiles::default());
    assert_eq!(served.reconciler.layout().profile().name, "galley");
    let files = [
        ("next.config.js", ""),
        ("site/.git/HEAD", ""),
        ("site/content/tokio/ferry.md", DATED),
    ];
    let served = ProjectSite::with(&files, "site/content", ContentFiles::default());
    assert_eq!(served.reconciler.layout().profile().name, "plain");
}

#[test]
fn folder_of_language_folders_is_read_as_the_project() {
    let files = [
        (
            "hugo.toml",
            "contentDir = \"content/en\"\n[languages.en]\n[languages.de]\ncontentDir = \"content/de\"\n",
        ),
        ("content/en/guide/ferry.md", "---\n---\nWe left.\n"),
        ("content/de/guide/ferry.md", "---\n---\nWir gingen.\n"),
    ];
    for folder in ["", "content", "content/en"] {
        let served = ProjectSite::with(&files, folder, ContentFiles::default());
        assert_eq!(served.slugs(PostKind::Page), ["ferry"], "{folder}");
        assert_eq!(served.reconciler.layout().profile().name, "hugo");
    }
}

#[test]
fn settings_file_takes_precedence_over_common_folders() {
    for (settings, text, generator) in [
        ("hugo.yml", "contentDir: src/content\n", "hugo"),
        (".eleventy.js", "", "eleventy"),
        ("next.config.js", "", "next"),
        ("astro.config.mjs", "", "astro"),
        ("package.json", "{}", "astro"),
    ] {
        let served = ProjectSite::of(&[(settings, text), ("src/content/posts/ferry.md", DATED)]);
        let profile = served.reconciler.layout().profile().name;
        assert_eq!(profile, generator, "{settings}");
        assert_eq!(served.slugs(PostKind::Post), ["ferry"], "{settings}");
    }
}

#[test]
fn explicit_settings_take_precedence_over_detection() {
    let files = [
        ("journal/ferry.md", "We left.\n"),
        ("journal/draft/fog.md", "Fog.\n"),
        ("handbook/knots.md", "# All knots\n\nOf all kinds.\n"),
    ];
    let set = ContentFiles {
        posts: vec!["journal/**".to_owned()],
        pages: vec!["handbook/**".to_owned()],
        ignore: vec!["**/draft/**".to_owned()],
        ..ContentFiles::default()
    };
    let served = ProjectSite::with(&files, "", set);
    assert_eq!(served.slugs(PostKind::Post), ["ferry"]);
    assert_eq!(served.slugs(PostKind::Page), ["knots"]);
    assert_eq!(served.title("knots"), "All knots");

    let unset = ProjectSite::of(&files);
    assert_eq!(unset.slugs(PostKind::Post), [""; 0]);
    assert_eq!(
        unset.slugs(PostKind::Page),
        ["handbook-knots", "journal-draft-fog", "journal-ferry"]
    );
    assert_eq!(unset.problems(), [""; 0]);
}

#[test]
fn configured_sources_of_title_slug_and_date_apply() {
    let files = [
        ("hugo.toml", ""),
        (
            "content/docs/2024-05-01-knots/index.md",
            "---\ndate: 2020-01-01\n---\n# All knots\n",
        ),
    ];
    let set = ContentFiles {
        titles: Some("file_name".to_owned()),
        slugs: Some("path".to_owned()),
        dates: Some("path".to_owned()),
        ..ContentFiles::default()
    };
    let served = ProjectSite::with(&files, "", set);
    assert_eq!(served.slugs(PostKind::Post), ["docs-knots"]);
    assert_eq!(served.title("docs-knots"), "Knots");
    let snapshot = served.site.current();
    let post = snapshot.catalog.posts.by_slug("docs-knots");
    let date = post.unwrap().published_at.unwrap().to_string();
    assert_eq!(date, "2024-05-01T00:00:00Z");
}

#[test]
fn site_file_may_configure_the_layout() {
    let mut served = ProjectSite::of(&[
        ("journal/ferry.md", "We left.\n"),
        ("site.toml", "title = \"Harbour\"\n"),
    ]);
    assert_eq!(served.slugs(PostKind::Post), [""; 0]);
    served.write(
        "site.toml",
        "title = \"Harbour\"\n[content_files]\nposts = [\"journal/**\"]\n",
    );
    assert_eq!(served.slugs(PostKind::Post), ["ferry"]);
    served.write("site.toml", "title = \"Harbour\"\n");
    assert_eq!(served.slugs(PostKind::Post), [""; 0]);
}
