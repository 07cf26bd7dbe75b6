//! Tests of the paths of files for new posts and pages.

use std::fs;

use galley_tests::{command_line::run, folder::Folder, galley_process::GalleyProcess, wait_until};
use serde_json::{Value, json};

use crate::write_back::editing::Editor;

const TOML: &str = "+++\ntitle = \"TOML\"\ndate = 2025-01-05\n+++\nBody.\n";
const YAML: &str = "---\ntitle: YAML\ndate: 2025-01-05\n---\nBody.\n";

fn folder_with(settings: &str, files: &[(&str, &str)]) -> Folder {
    let folder = Folder::with(&[]);
    for (path, text) in files {
        folder.write(path, text);
    }
    let settings =
        format!("url = \"https://site.example\"\n[source]\nwrite_back = \"folder\"\n{settings}");
    folder.write("../galley.toml", &settings);
    folder
}

/// Adds a post or page published on 2026-02-03, waits for its file at `path`, and returns the file's text.
fn add_and_read_file(
    folder: &Folder,
    served: &GalleyProcess,
    resource: &str,
    slug: &str,
    path: &str,
) -> String {
    let record = json!({
        "title": "New", "slug": slug, "status": "published",
        "published_at": "2026-02-03T10:00:00.000Z", "html": "<p>A body.</p>"
    });
    let editor = Editor::of(folder, served);
    let (status, reply) = editor.send(
        "POST",
        &format!("{resource}/?source=html"),
        &json!({ resource: [record] }),
    );
    assert_eq!(status, 201, "{reply}");
    let file = folder.at(path);
    wait_until("the file exists", || file.exists());
    fs::read_to_string(file).expect("a text")
}

#[test]
fn new_files_are_created_at_the_configured_paths() {
    let folder = folder_with(
        "new_posts = \"posts/news/{year}/{month}-{day}-{slug}/index.md\"\nnew_pages = \"pages/{slug}.markdown\"\n",
        &[
            ("posts/a.md", TOML),
            ("posts/b.md", TOML),
            ("posts/news/c.md", YAML),
            ("pages/d.md", TOML),
        ],
    );
    let served = GalleyProcess::serve(&folder, &[]);
    let path = "posts/news/2026/02-03-new/index.md";
    let text = add_and_read_file(&folder, &served, "posts", "new", path);
    assert!(
        text.starts_with("---\n") && text.ends_with("A body.\n"),
        "expected the format of the neighbouring file: {text}"
    );
    let text = add_and_read_file(&folder, &served, "pages", "about", "pages/about.markdown");
    assert!(text.starts_with("+++\n"), "{text}");
    served.wait_for_titles(|titles| titles.contains(&"New".to_owned()));
    wait_until("no edit is pending", || {
        let status = run(&folder, &["status", "--data", "data"]).out;
        !status.contains("waiting")
    });
}

#[test]
fn file_names_contain_the_date_and_a_number_if_taken() {
    let folder = folder_with(
        "new_posts = \"content/blog/{year}-{month}-{day}-{slug}.md\"\n",
        &[
            ("hugo.toml", "title = \"Hugo\"\n"),
            ("content/posts/a.md", TOML),
            (
                "content/blog/2026-02-03-new.md",
                "---\ntitle: Old\nslug: old\n---\nOld.\n",
            ),
        ],
    );
    let served = GalleyProcess::serve(&folder, &[]);
    let path = "content/blog/2026-02-03-new-2.md";
    let text = add_and_read_file(&folder, &served, "posts", "new", path);
    assert!(text.starts_with("---\n"), "{text}");
    let post = Editor::of(&folder, &served).read("new");
    assert_eq!(post["published_at"], "2026-02-03T10:00:00.000Z");
}

#[test]
fn paths_that_are_not_read_as_posts_are_startup_errors() {
    let serve = |settings: &str, hugo: bool| {
        let folder = folder_with(settings, &[("posts/a.md", YAML)]);
        if hugo {
            folder.write("hugo.toml", "title = \"Hugo\"\n");
        }
        let served = run(
            &folder,
            &[
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--data",
                "data",
                "--content",
                "content",
            ],
        );
        assert_eq!(served.code, Some(1), "{settings}");
        served.err
    };
    for (path, part) in [
        ("posts/{title}.md", "{slug} and no other placeholders"),
        ("posts/new.md", "with {slug}"),
        ("posts/{slug}.toml", "a Markdown file"),
        ("../{slug}.md", "in the content folder"),
        (
            "notes/{slug}.md",
            "posts are not read from \"notes/{slug}.md\"",
        ),
        (
            "pages/{slug}.md",
            "posts are not read from \"pages/{slug}.md\"",
        ),
    ] {
        let error = serve(&format!("new_posts = \"{path}\"\n"), false);
        assert!(error.contains("source.new_posts"), "{error}");
        assert!(error.contains(part), "{error}");
    }
    let error = serve("new_pages = \"posts/{slug}.md\"\n", false);
    assert!(
        error.contains("source.new_pages: pages are not read"),
        "{error}"
    );
    let error = serve("new_posts = \"posts/{slug}.md\"\n", true);
    assert!(
        error.contains("source.new_posts: posts are not read"),
        "{error}"
    );
}

#[test]
fn path_that_is_no_longer_read_rejects_only_new_posts() {
    let folder = folder_with("new_posts = \"posts/{slug}.md\"\n", &[("posts/a.md", YAML)]);
    let served = GalleyProcess::serve(&folder, &[]);
    folder.write(
        "site.toml",
        "[content_files]\nignore = [\"posts/new.md\"]\n",
    );
    let editor = Editor::of(&folder, &served);
    wait_until("a new post is rejected", || {
        let record = json!({ "posts": [{ "title": "New" }] });
        let (status, reply) = editor.send("POST", "posts/", &record);
        status == 422 && reply.to_string().contains("source.new_posts")
    });
    let post = editor.read("a");
    editor.edit(&post, json!({ "title": "Edited" }));
    let (status, _) = editor.send("GET", "posts/", &Value::Null);
    assert_eq!(status, 200);
}
