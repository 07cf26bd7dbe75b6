//! Tests of default values of documents: Jekyll's `defaults`, Hugo's `cascade` and Eleventy's data files.

use std::{fs, os::unix::fs::symlink, path::Path, sync::Arc};

use galley::{
    content_files::{
        ContentFile, ContentFiles, Context, IncludedFiles, Layout, LeftOut, Reference, parse,
    },
    domain::post::PostKind,
};
use jiff::tz::TimeZone;

use super::projects::{DATED, ProjectSite};

/// The fields of a document for which a project may have defaults.
#[derive(Debug, Default, PartialEq)]
struct Values {
    author: String,
    tags: Vec<String>,
    image: String,
    is_featured: bool,
}

fn values(author: &str, tags: &[&str], image: &str) -> Values {
    Values {
        author: author.to_owned(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        image: image.to_owned(),
        is_featured: false,
    }
}

fn name_of<T>(reference: &Reference<T>) -> String {
    match reference {
        Reference::Named(name) => name.clone(),
        Reference::Described(_) => "described".to_owned(),
    }
}

/// Reads the document at `path` of a project with these files.
fn read_at(path: &str, files: &[(&str, &str)]) -> Result<Values, Option<LeftOut>> {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let paths = files.iter().map(|(path, _)| *path);
    let layout = Layout::of_content(folder.path(), paths, &ContentFiles::default());
    let context = Context {
        time_zone: TimeZone::UTC,
        layout: Arc::new(layout),
        included_files: IncludedFiles::default(),
        themes: None,
    };
    let (_, text) = files.iter().find(|(known, _)| *known == path).unwrap();
    let parsed = parse(path, text.as_bytes(), &context);
    let (Some(ContentFile::Post(file)) | Some(ContentFile::Page(file))) = parsed.value else {
        return Err(parsed.left_out);
    };
    let fields = file.fields;
    let tags = fields.tags.iter().flatten();
    let tags = tags.map(|tag| name_of(&tag.value));
    let authors = fields.authors.iter().flatten();
    let authors: Vec<String> = authors.map(|author| name_of(&author.value)).collect();
    Ok(Values {
        author: authors.join("+"),
        tags: tags.collect(),
        image: fields
            .texts
            .get("feature_image")
            .map(|image| image.value.clone())
            .unwrap_or_default(),
        is_featured: fields.featured == Some(true),
    })
}

#[test]
fn jekyll_defaults_apply_by_path_and_type() {
    let files = [
        (
            "_config.yml",
            "collections:\n  docs:\n    output: true\ndefaults:\n\
             - scope: {path: ''}\n  values: {author: Ada, featured: true}\n\
             - scope: {path: '', type: posts}\n  values: {author: Ben, tags: [sea]}\n\
             - scope: {path: _posts/ol}\n  values: {author: Cy}\n\
             - scope: {path: _posts/old, type: posts}\n  values: {author: Dee}\n\
             - scope: {path: '_posts/*/deep'}\n  values: {image: /deep.png}\n\
             - scope: {path: '', type: docs}\n  values: {author: Eve}\n\
             - scope: {path: 'about[1].md'}\n  values: {author: Flo}\n\
             - scope: {path: _posts/old/deep/late}\n  values: {author: Gil}\n\
             - scope: {path: _posts/old/deep}\n  values: {author: Hal, tags: [late], image: /late.png}\n",
        ),
        ("_posts/2024-05-01-a.md", "---\n---\nA.\n"),
        (
            "_posts/2024-05-02-b.md",
            "---\nauthor: Own\ntags: [own]\n---\nB.\n",
        ),
        ("_posts/old/2024-05-03-c.md", "---\n---\nC.\n"),
        ("_posts/old/deep/late/2024-05-05-f.md", "---\n---\nF.\n"),
        (
            "_posts/old/deep/2024-05-04-d.md",
            "---\nauthors: [Own]\n---\nD.\n",
        ),
        ("_docs/e.md", "---\nimage: /own.png\n---\nE.\n"),
        ("about[1].md", "---\ntitle: About\n---\nAbout.\n"),
        ("plain.md", "---\ntitle: Plain\nauthor:\n---\nPlain.\n"),
    ];
    let featured = |values: Values| Values {
        is_featured: true,
        ..values
    };
    for (path, expected) in [
        ("_posts/2024-05-01-a.md", values("Ben", &["sea"], "")),
        ("_posts/2024-05-02-b.md", values("Own", &["own"], "")),
        ("_posts/old/2024-05-03-c.md", values("Dee", &["sea"], "")),
        (
            "_posts/old/deep/2024-05-04-d.md",
            values("Own", &["late"], "/late.png"),
        ),
        // Values that follow a more specific scope have the lowest precedence.
        (
            "_posts/old/deep/late/2024-05-05-f.md",
            values("Gil", &["sea"], "/deep.png"),
        ),
        ("_docs/e.md", values("Eve", &[], "/own.png")),
        ("about[1].md", values("Flo", &[], "")),
        // A key without a value also overrides the default.
        ("plain.md", values("", &[], "")),
    ] {
        assert_eq!(read_at(path, &files), Ok(featured(expected)), "{path}");
    }
}

#[test]
fn hugo_cascades_of_settings_and_sections_apply_to_documents_below() {
    let files = [
        (
            "hugo.toml",
            "[[cascade]]\nauthor = 'Ada'\n[[cascade]]\nfeatured = true\n[cascade._target]\npath = '{/news,/blog/Deep/**}'\n\
             [[cascade]]\nimages = ['/dev.png']\n[cascade.target]\nenvironment = 'development'\n",
        ),
        (
            "content/blog/_index.md",
            "---\ntitle: Blog\ncascade:\n  author: Ben\n  params: {image: /blog.png}\n---\nAll of it.\n",
        ),
        (
            "content/blog/deep/_index.md",
            "+++\ntitle = 'Deep'\n[[cascade]]\nauthor = 'Cy'\n[cascade.target]\nkind = 'page'\n[[cascade]]\ntags = ['deep']\n+++\nDeep.\n",
        ),
        ("content/about.md", "---\ntitle: About\n---\n"),
        ("content/blog/a.md", DATED),
        ("content/blog/b.md", "---\ntitle: B\nauthor: Own\n---\n"),
        (
            "content/blog/deep/c.md",
            "---\ntitle: C\nparams: {other: 1}\n---\n",
        ),
        (
            "content/hidden/_index.md",
            "---\ncascade: {build: {render: never}}\n---\n",
        ),
        ("content/hidden/d.md", DATED),
        (
            "content/_notes/_index.md",
            "---\ncascade: {author: Eve}\n---\n",
        ),
        ("content/_notes/e.md", DATED),
    ];
    let deep = |author| Values {
        is_featured: true,
        ..values(author, &["deep"], "/blog.png")
    };
    for (path, expected) in [
        ("content/about.md", Ok(values("Ada", &[], ""))),
        ("content/_notes/e.md", Ok(values("Eve", &[], ""))),
        (
            "content/blog/_index.md",
            Ok(values("Ben", &[], "/blog.png")),
        ),
        ("content/blog/a.md", Ok(values("Ben", &[], "/blog.png"))),
        ("content/blog/b.md", Ok(values("Own", &[], "/blog.png"))),
        ("content/blog/deep/c.md", Ok(deep("Cy"))),
        ("content/hidden/d.md", Err(Some(LeftOut::NotBuilt))),
    ] {
        assert_eq!(read_at(path, &files), expected, "{path}");
    }
}

#[test]
fn hugo_cascades_apply_within_their_language() {
    let files = [
        (
            "hugo.toml",
            "defaultContentLanguage = 'en'\n[languages.en]\n[languages.fr]\n\
             [[cascade]]\ntags = ['mer']\n[cascade._target]\nlang = 'fr'\n\
             [[cascade]]\nimage = '/mer.png'\n[cascade.target]\nenvironment = '{staging,production}'\n\
             [cascade.target.sites.matrix]\nlanguages = ['fr', 'br']\n",
        ),
        (
            "content/blog/_index.md",
            "---\ncascade: {author: Ada}\n---\n",
        ),
        (
            "content/blog/_index.fr.md",
            "---\ncascade: {author: Aude}\n---\n",
        ),
        ("content/blog/a.md", DATED),
        ("content/blog/a.en.md", DATED),
        ("content/blog/b.fr.md", DATED),
    ];
    for path in ["content/blog/a.md", "content/blog/a.en.md"] {
        assert_eq!(read_at(path, &files), Ok(values("Ada", &[], "")), "{path}");
    }
    let settings = ContentFiles {
        other_languages: true,
        ..ContentFiles::default()
    };
    let served = ProjectSite::with(&files, "", settings);
    assert_eq!(served.authors("fr-b"), ["Aude"]);
    assert_eq!(served.tags("fr-b"), ["mer", "#fr"]);
    assert!(served.image("fr-b").ends_with("/mer.png"));
}

#[test]
fn eleventy_data_files_apply_to_their_folder() {
    let files = [
        ("eleventy.config.js", "export default {};\n"),
        (
            "blog/blog.json",
            r#"{"author": "Ada", "tags": ["posts", "sea"], "permalink": "/b/{{ page.fileSlug }}/"}"#,
        ),
        (
            "blog/blog.11tydata.js",
            "export default {\n  author: \"Ben\",\n  image: '/blog.png',\n};\n",
        ),
        ("blog/deep/deep.11tydata.json", r#"{"author": "Cy"}"#),
        ("blog/deep/c.11tydata.json", r#"{"featured": true}"#),
        (
            "run/run.11tydata.js",
            "module.exports = { author: \"Dee\", eleventyComputed: { title: (data) => data.x } };\n",
        ),
        ("blog/a.md", DATED),
        ("blog/b.md", "---\ntitle: B\nauthor: Own\ntags: own\n---\n"),
        ("blog/deep/c.md", DATED),
        ("run/d.md", DATED),
    ];
    for (path, expected) in [
        ("blog/a.md", values("Ben", &["#sea"], "/blog.png")),
        ("blog/b.md", values("Own", &["own", "#sea"], "/blog.png")),
        (
            "blog/deep/c.md",
            Values {
                is_featured: true,
                ..values("Cy", &["#sea"], "/blog.png")
            },
        ),
        // The title would have to be computed.
        ("run/d.md", values("Dee", &[], "")),
    ] {
        assert_eq!(read_at(path, &files), Ok(expected), "{path}");
    }
}

#[test]
fn unused_default_values_are_reported_with_their_file() {
    let eleventy = ProjectSite::of(&[
        ("eleventy.config.js", ""),
        (
            "blog/blog.11tydata.js",
            "const author = 'Dee';\nmodule.exports = {\n  author,\n  permalink: (data) => `/${data.page.fileSlug}/`,\n  ...shared,\n};\n",
        ),
        ("blog/ferry.md", DATED),
        (
            "notes/notes.11tydata.js",
            "export default () => ({ author: 'Eve' });\n",
        ),
        ("notes/notes.json", "{\"author\": \"Eve\"\n"),
        ("notes/a.md", "---\ntitle: A\ndate: 2024-05-02\n---\n"),
    ]);
    assert_eq!(eleventy.authors("ferry"), ["Dee"]);
    let expected = [
        "blog/blog.11tydata.js: this script is not run, so the values that it computes are missing from documents: `permalink`, `...shared`",
        "notes/notes.11tydata.js: this script is not run, so its values are missing from documents",
    ];
    let problems = eleventy.problems();
    for expected in expected {
        assert!(
            problems.iter().any(|problem| problem == expected),
            "{problems:?}"
        );
    }
    let malformed = "notes/notes.json: file ignored: ";
    assert!(
        problems
            .iter()
            .any(|problem| problem.starts_with(malformed)),
        "{problems:?}"
    );

    let jekyll = ProjectSite::of(&[
        ("_config.yml", "title: [\ndefaults: {\n"),
        ("_posts/2024-05-01-ferry.md", "---\n---\n"),
    ]);
    let [problem] = &jekyll.problems()[..] else {
        panic!("{:?}", jekyll.problems())
    };
    assert!(
        problem.starts_with("_config.yml: file ignored: "),
        "{problem}"
    );
}

#[test]
fn sections_with_too_many_values_are_reported() {
    let text = "x".repeat(400 << 10);
    let section = format!("---\ncascade: {{author: Ada, note: {text}}}\n---\n");
    let mut files = vec![("hugo.toml".to_owned(), String::new())];
    files.extend((10..24).map(|number| (format!("content/s{number}/_index.md"), section.clone())));
    files.extend((10..24).map(|number| {
        let document = format!("---\ntitle: D\ndate: 2024-05-01\nslug: d{number}\n---\n");
        (format!("content/s{number}/a.md"), document)
    }));
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let hugo = ProjectSite::of(&files);
    let problems = hugo.problems();
    let limit = "/_index.md: the default values of this file and of those after it are ignored: such files may have 4 MiB in total";
    let reported = problems.iter().filter(|problem| problem.ends_with(limit));
    assert_eq!(reported.count(), 1, "{problems:?}");
    assert_eq!(hugo.authors("d10"), ["Ada"]);
}

#[test]
fn documents_are_read_again_when_their_values_change() {
    let mut hugo = ProjectSite::of(&[
        ("hugo.toml", ""),
        (
            "content/blog/_index.md",
            "---\ncascade: {author: Ada}\n---\n",
        ),
        ("content/blog/ferry.md", DATED),
    ]);
    assert_eq!(hugo.authors("ferry"), ["Ada"]);
    hugo.write_with_hint(
        "content/blog/_index.md",
        "---\ncascade: {author: Ben}\n---\n",
    );
    assert_eq!(hugo.authors("ferry"), ["Ben"]);
    hugo.write_with_hint(
        "content/blog/_index.md",
        "---\ncascade: {draft: true}\n---\n",
    );
    assert_eq!(hugo.slugs(PostKind::Post), ["ferry"]);
    assert!(hugo.is_draft("ferry"));

    let mut jekyll = ProjectSite::of(&[
        ("_config.yml", ""),
        ("_posts/2024-05-01-ferry.md", "---\n---\n"),
    ]);
    jekyll.write_with_hint(
        "_config.yml",
        "defaults: [{scope: {path: ''}, values: {author: Cy}}]\n",
    );
    assert_eq!(jekyll.authors("ferry"), ["Cy"]);

    let mut eleventy = ProjectSite::of(&[("eleventy.config.js", ""), ("blog/ferry.md", DATED)]);
    eleventy.write_with_hint("blog/blog.json", r#"{"author": "Dee"}"#);
    assert_eq!(eleventy.authors("ferry"), ["Dee"]);
    eleventy.write_with_hint("blog/ferry.11tydata.json", r#"{"author": "Eve"}"#);
    assert_eq!(eleventy.authors("ferry"), ["Eve"]);
}

#[test]
fn linked_settings_are_used_only_if_the_target_is_in_the_project() {
    const DEFAULTS: &str = "defaults:\n- scope:\n    path: ''\n  values:\n    author: Eve\n";
    let mut served = ProjectSite::of(&[
        ("_config.yml", "title: Harbour\n"),
        ("_posts/2025-01-05-a.md", DATED),
        ("shared/config.yml", DEFAULTS),
    ]);
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("config.yml"), DEFAULTS).unwrap();
    let config = served.folder.path().join("_config.yml");
    let mut link_to = |target: &Path| {
        fs::remove_file(&config).unwrap();
        symlink(target, &config).unwrap();
        served.run();
        (served.authors("a"), served.problems())
    };
    let (authors, problems) = link_to(&outside.path().join("config.yml"));
    assert_ne!(authors, ["Eve"]);
    let [problem] = &problems[..] else {
        panic!("{problems:?}")
    };
    assert!(
        problem.starts_with("_config.yml: the symbolic link points outside"),
        "{problem}"
    );
    let (authors, problems) = link_to(Path::new("shared/config.yml"));
    assert_eq!(
        (&authors[..], &problems[..]),
        (&["Eve".to_owned()][..], &[][..])
    );
}

#[test]
fn linked_settings_above_the_content_folder_are_reported() {
    let files = [("content/posts/a.md", DATED), ("archetypes/x.md", "")];
    let mut served = ProjectSite::with(&files, "content", ContentFiles::default());
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("x.toml"), "title = 'Outside'\n").unwrap();
    let link = served.folder.path().join("hugo.toml");
    symlink(outside.path().join("x.toml"), link).unwrap();
    served.run();
    let problems = served.problems();
    let expected = "hugo.toml: the symbolic link hugo.toml points outside the folder or to a hidden file; it is not followed";
    assert!(
        problems.iter().any(|problem| problem.starts_with(expected)),
        "{problems:?}"
    );
}
