//! Tests of folders with several generator projects, and of projects whose documents are in a sibling folder.

use galley::domain::post::PostKind;

use super::projects::ProjectSite;

const ARTICLE: &str = "Title: Ferry\nDate: 2026-02-03\n\nText.\n";

/// Returns two Pelican projects, each with a folder of articles and one of pages.
fn pelican_projects() -> [(&'static str, &'static str); 7] {
    [
        ("README.md", "# Two sites\n"),
        (
            "harbour/pelicanconf.py",
            "SITEURL = 'https://example.org'\nARTICLE_URL = 'log/{slug}.html'\nARTICLE_SAVE_AS = 'log/{slug}.html'\n",
        ),
        ("harbour/content/ferry.md", ARTICLE),
        ("harbour/content/pages/about.md", "Title: About\n\nText.\n"),
        (
            "island/pelicanconf.py",
            "PATH = 'texts'\nPAGE_PATHS = ['leaves']\nARTICLE_URL = 'isle/{slug}/'\nARTICLE_SAVE_AS = 'isle/{slug}/index.html'\n",
        ),
        (
            "island/texts/fog.md",
            "Title: Fog\nDate: 2026-02-04\n\n![Lamp]({static}/images/lamp.png)\n",
        ),
        ("island/texts/leaves/map.md", "Title: Map\n\nText.\n"),
    ]
}

#[test]
fn several_projects_of_one_generator_are_one_site() {
    let files = pelican_projects();
    let mut files = files.to_vec();
    files.push(("island/texts/images/lamp.png", "png"));
    let served = ProjectSite::of(&files);
    assert_eq!(served.reconciler.layout().profile().name, "pelican");
    assert_eq!(served.slugs(PostKind::Post), ["ferry", "fog"]);
    assert_eq!(served.slugs(PostKind::Page), ["about", "map"]);
    let html = served.html("fog");
    assert!(
        html.contains("island/texts/images/lamp.png\" alt=\"Lamp\""),
        "{html}"
    );
    let snapshot = served.site.current();
    for (slug, path) in [("ferry", "/log/ferry.html"), ("fog", "/isle/fog")] {
        let post = snapshot.catalog.posts.by_slug(slug).unwrap();
        let first = post.aliases.first().map(|alias| &**alias);
        assert_eq!(first, Some(path), "{slug}");
    }
    assert_eq!(
        served.problems(),
        [
            "harbour: the folder has several projects of Pelican, which are read as one site with the Markdown dialect and the URL of the first: harbour/, island/"
        ]
    );
}

#[test]
fn each_project_keeps_its_document_folders() {
    let hugo = ProjectSite::of(&[
        ("a/hugo.toml", ""),
        (
            "a/content/posts/ferry.md",
            "---\ntitle: Ferry\ndate: 2026-02-03\n---\nText.\n",
        ),
        ("b/hugo.toml", "contentDir = 'texts'\n"),
        (
            "b/texts/posts/fog.md",
            "---\ntitle: Fog\ndate: 2026-02-04\n---\nText.\n",
        ),
        ("b/content/none.md", "---\ntitle: None\n---\nText.\n"),
    ]);
    assert_eq!(hugo.slugs(PostKind::Post), ["ferry", "fog"]);
    assert_eq!(hugo.slugs(PostKind::Page), [] as [&str; 0]);

    let mkdocs = ProjectSite::of(&[
        ("api/mkdocs.yml", "site_name: A\n"),
        ("api/docs/ferry.md", "# Ferry\n"),
        ("guide/mkdocs.yml", "site_name: B\ndocs_dir: texts\n"),
        ("guide/texts/fog.md", "# Fog\n"),
    ]);
    assert_eq!(mkdocs.slugs(PostKind::Page), ["ferry", "fog"]);
}

#[test]
fn project_of_another_generator_is_reported_as_ignored() {
    let served = ProjectSite::of(&[
        ("a/pelicanconf.py", ""),
        ("a/content/ferry.md", ARTICLE),
        ("b/hugo.toml", ""),
        ("b/content/fog.md", "---\ntitle: Fog\n---\nText.\n"),
    ]);
    assert_eq!(served.slugs(PostKind::Post), ["ferry"]);
    let problems = served.problems();
    assert!(
        problems.iter().any(|problem| problem
            == "b: the project of Hugo in b/ is ignored; the project of Pelican in a/ is used"),
        "{problems:?}"
    );
}

#[test]
fn documents_in_a_sibling_folder_of_the_project_are_read() {
    let served = ProjectSite::of(&[
        ("site/pelicanconf.py", "PATH = '../content'\n"),
        ("content/ferry.md", ARTICLE),
        ("content/pages/about.md", "Title: About\n\nText.\n"),
        ("notes/none.md", "Title: None\nDate: 2026-02-03\n\nText.\n"),
    ]);
    assert_eq!(served.slugs(PostKind::Post), ["ferry"]);
    assert_eq!(served.slugs(PostKind::Page), ["about"]);
}
