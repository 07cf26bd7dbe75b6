//! Tests of `galley build`: the Content API as files.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    time::SystemTime,
};

use galley_tests::{
    command_line::{CommandOutput, run},
    folder::{Folder, post, post_with},
    galley_process::GalleyProcess,
};
use image::{ImageFormat, RgbImage};
use serde_json::Value;
use walkdir::WalkDir;

pub const URL: &str = "https://harbour.example";

/// Returns a site with every kind of content that a build can contain.
fn content() -> Folder {
    let folder = Folder::with(&[
        ("site.toml", "title = \"Harbour\"\n"),
        ("authors/ada.toml", "name = \"Ada\"\n"),
        (
            "posts/a.md",
            &post_with(
                "A",
                "tags = [\"Sea\"]",
                "![](a.png)\n\n![](/images/harbour.png)",
            ),
        ),
        ("posts/b.md", &post("B", "[A list](/files/list.pdf)")),
        ("posts/c.md", &post("C", "")),
        ("drafts/d/index.md", &post("Secret draft", "![](d.png)")),
        ("pages/p.md", &post("P", "")),
        ("files/list.pdf", "a list"),
    ]);
    for path in ["posts/a.png", "drafts/d/d.png", "images/harbour.png"] {
        image(&folder, path, 1200);
    }
    folder
}

fn image(folder: &Folder, path: &str, width: u32) {
    let target = folder.at(path);
    fs::create_dir_all(target.parent().expect("a folder")).expect("folders");
    let image = RgbImage::from_fn(width, 30, |x, y| image::Rgb([x as u8, y as u8, 7]));
    image
        .save_with_format(target, ImageFormat::Png)
        .expect("an image");
}

pub fn build(folder: &Folder, arguments: &[&str]) -> CommandOutput {
    run(
        folder,
        &[&["build", "public", "--json"], arguments].concat(),
    )
}

fn built(folder: &Folder) -> Value {
    let output = build(folder, &["--url", URL]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    output.json()
}

pub fn public(folder: &Folder) -> PathBuf {
    folder.top().join("public")
}

/// Returns the contents of all files below a folder, by their relative paths.
pub fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = WalkDir::new(root)
        .into_iter()
        .map(|entry| entry.expect("readable"));
    entries
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path = entry
                .path()
                .strip_prefix(root)
                .expect("a path below the root");
            (
                path.to_str().expect("UTF-8").to_owned(),
                fs::read(entry.path()).expect("readable"),
            )
        })
        .collect()
}

fn times(root: &Path) -> BTreeMap<String, SystemTime> {
    let paths = files(root).into_keys();
    paths
        .map(|path| {
            let metadata = root.join(&path).metadata().expect("the file exists");
            (path, metadata.modified().expect("a time"))
        })
        .collect()
}

/// Returns the built document of a path of the Content API.
fn document(folder: &Folder, path: &str) -> Value {
    let file = public(folder).join(format!("ghost/api/content/{path}/index.html"));
    let bytes = fs::read(&file).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert!(!bytes.contains(&b'<'), "{path} could be detected as HTML");
    serde_json::from_slice(&bytes).expect("JSON")
}

fn titles(response: &Value) -> Vec<&str> {
    let posts = response["posts"].as_array().expect("a list").iter();
    posts
        .map(|post| post["title"].as_str().expect("a title"))
        .collect()
}

#[test]
fn build_writes_complete_lists_and_pages() {
    let folder = content();
    let output = build(&folder, &["--url", URL, "--page-size", "2"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    let all = document(&folder, "posts");
    assert_eq!(titles(&all).len(), 3);
    let pagination = &all["meta"]["pagination"];
    assert_eq!(pagination["total"], 3);
    assert_eq!(
        (&pagination["pages"], &pagination["next"]),
        (&1.into(), &Value::Null)
    );
    let a = all["posts"]
        .as_array()
        .unwrap()
        .iter()
        .find(|post| post["title"] == "A");
    let a = a.expect("post A is published");
    assert_eq!(a["tags"][0]["name"], "Sea");
    assert_eq!(a["primary_author"]["name"], "Ada");
    assert_eq!(a["url"], format!("{URL}/a/"));

    let second = document(&folder, "posts/page/2");
    assert_eq!(titles(&second).len(), 1);
    assert_eq!(second["meta"]["pagination"]["prev"], 1);
    assert_eq!(
        document(&folder, "posts/page/1")["meta"]["pagination"]["next"],
        2
    );
    for path in [
        "tags",
        "authors",
        "tiers",
        "newsletters",
        "recommendations",
        "pages/page/1",
    ] {
        assert!(
            document(&folder, path)["meta"]["pagination"].is_object(),
            "{path}"
        );
    }
    assert_eq!(
        document(&folder, "authors")["authors"][0]["count"]["posts"],
        3
    );
}

#[test]
fn static_documents_equal_server_responses() {
    let folder = content();
    built(&folder);
    let served = GalleyProcess::serve(&folder, &["--url", URL]);
    for (path, query) in [
        (
            "posts/page/1",
            "posts/?include=tags,authors,tiers&limit=15&page=1",
        ),
        ("posts/slug/a", "posts/slug/a/?include=tags,authors,tiers"),
        ("pages/slug/p", "pages/slug/p/?include=tags,authors,tiers"),
        ("tags/slug/sea", "tags/slug/sea/?include=count.posts"),
        ("authors/slug/ada", "authors/slug/ada/?include=count.posts"),
        ("settings", "settings/"),
        ("search-index/posts", "search-index/posts/"),
    ] {
        assert_eq!(document(&folder, path), served.get(query), "{path}");
    }
    let id = document(&folder, "posts/slug/a")["posts"][0]["id"].clone();
    let by_id = document(&folder, &format!("posts/{}", id.as_str().expect("a text")));
    assert_eq!(by_id["posts"][0]["title"], "A");
    assert!(
        by_id.get("meta").is_none(),
        "clients would read the post as a list"
    );
}

#[test]
fn build_copies_served_files_except_those_of_drafts() {
    let folder = content();
    let draft = post_with("Plan", "draft = true", "[The plan](/files/plan.zip)");
    folder.write("posts/plan.md", draft);
    for path in [
        "files/plan.zip",
        "files/unlinked.pdf",
        "images/keys.toml",
        "images/all.zip",
    ] {
        folder.write(path, "Secret");
    }
    built(&folder);
    let files = files(&public(&folder));
    let original = fs::read(folder.at("posts/a.png")).expect("the file exists");
    assert_eq!(files["content/images/posts/a.png"], original);
    assert!(files.contains_key("content/images/harbour.png"));
    assert_eq!(files["content/files/list.pdf"], b"a list");
    assert!(!files.contains_key("content/files/unlinked.pdf"));
    for (path, content) in &files {
        assert!(!path.contains("drafts"), "{path}");
        let text = String::from_utf8_lossy(content);
        assert!(!text.contains("Secret"), "{path} reveals a draft");
    }
    let headers = String::from_utf8_lossy(&files["_headers"]).into_owned();
    assert!(
        headers.contains("/ghost/api/content/*\n  Content-Type: application/json"),
        "{headers}"
    );
}

#[test]
fn build_writes_the_referenced_image_sizes() {
    let folder = content();
    let body = r#"<img src="/content/images/harbour.png" srcset="/content/images/size/w600/harbour.png 600w, /content/images/size/w1000/format/webp/harbour.png 1000w">"#;
    folder.write("posts/e.html", post("E", body));
    built(&folder);
    let files = files(&public(&folder));
    let small = &files["content/images/size/w600/harbour.png"];
    let small = image::load_from_memory(small).expect("an image");
    assert_eq!(small.width(), 600);
    let webp = &files["content/images/size/w1000/format/webp/harbour.png"];
    assert_eq!(
        image::guess_format(webp).expect("an image"),
        ImageFormat::WebP
    );
    assert_eq!(built(&folder)["written"], 0);
    image(&folder, "images/harbour.png", 1100);
    let report = built(&folder);
    assert_eq!(report["written"], 3, "{report}");
}

#[test]
fn build_is_deterministic() {
    let (one, other) = (content(), Folder::new());
    // The same files, written in reverse order to another folder.
    for (path, bytes) in files(&one.content()).into_iter().rev() {
        other.write(&path, bytes);
    }
    built(&one);
    GalleyProcess::serve(&other, &[]).stop(rustix::process::Signal::TERM);
    let output = build(&other, &["--url", URL, "--data", "data"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    let (one, other) = (files(&public(&one)), files(&public(&other)));
    assert_eq!(
        one.keys().collect::<Vec<_>>(),
        other.keys().collect::<Vec<_>>()
    );
    for (path, bytes) in &one {
        assert!(bytes == &other[path], "{path} differs");
    }
}

#[test]
fn incremental_build_writes_changes_and_removes_stale_files() {
    let folder = content();
    let first = built(&folder);
    assert_eq!(first["unchanged"], 0);
    fs::write(public(&folder).join("index.html"), "the site").expect("the file is written");
    let before = times(&public(&folder));
    let second = built(&folder);
    assert_eq!(
        (&second["written"], &second["removed"]),
        (&0.into(), &0.into())
    );
    assert_eq!(second["unchanged"], first["written"]);
    assert_eq!(
        times(&public(&folder)),
        before,
        "an unchanged file was rewritten"
    );

    folder.remove("posts/c.md");
    let third = built(&folder);
    assert_eq!(third["removed"], 2, "{third}");
    let after = times(&public(&folder));
    assert!(!after.contains_key("ghost/api/content/posts/slug/c/index.html"));
    assert!(
        !public(&folder)
            .join("ghost/api/content/posts/slug/c")
            .exists()
    );
    assert_eq!(titles(&document(&folder, "posts")).len(), 2);
    for path in [
        "index.html",
        "content/images/posts/a.png",
        "ghost/api/content/posts/slug/a/index.html",
    ] {
        assert_eq!(after[path], before[path], "{path}");
    }
}

#[test]
fn interrupted_build_is_completed_by_the_next() {
    let folder = content();
    built(&folder);
    let whole = files(&public(&folder));
    let manifest = public(&folder).join(".galley-build.json");
    let text = fs::read_to_string(&manifest).expect("the file exists");
    let interrupted = text.replacen("\"files\"", "\"is_unfinished\": true,\n  \"files\"", 1);
    fs::write(&manifest, interrupted).expect("the file is written");
    let half = public(&folder).join("ghost/api/content/posts/index.html");
    fs::write(&half, "half").expect("the file is written");
    fs::write(public(&folder).join(".galley-build-x1"), "half").expect("the file is written");
    assert_eq!(built(&folder)["written"], 1);
    assert_eq!(files(&public(&folder)), whole);
}

#[test]
fn files_not_from_a_build_are_replaced_only_with_force() {
    let folder = content();
    let existing = public(&folder).join("content/files/list.pdf");
    fs::create_dir_all(existing.parent().expect("a folder")).expect("folders");
    fs::write(&existing, "mine").expect("the file is written");
    let output = build(&folder, &["--url", URL]);
    assert_eq!(output.code, Some(1));
    assert!(
        output.err.contains("content/files/list.pdf"),
        "{}",
        output.err
    );
    assert_eq!(files(&public(&folder)).len(), 1, "a file was written");
    let output = build(&folder, &["--url", URL, "--force"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    assert_eq!(
        fs::read_to_string(&existing).expect("the file exists"),
        "a list"
    );
}

#[test]
fn links_out_of_the_output_folder_are_not_followed() {
    for (link, target) in [
        ("content", "../outside"),
        ("ghost/api", "../../outside"),
        ("content/images", "../../outside"),
        ("content/files/list.pdf", "../../../outside/known"),
        ("content/files/list.pdf", "../../../outside/missing"),
    ] {
        let folder = content();
        built(&folder);
        let outside = folder.top().join("outside");
        fs::create_dir_all(&outside).expect("a folder");
        fs::write(outside.join("known"), "known").expect("the file is written");
        let link_path = public(&folder).join(link);
        fs::rename(&link_path, folder.top().join("aside")).expect("the path is moved");
        symlink(target, &link_path).expect("a link");
        // The build has files to write and to remove.
        folder.write("files/list.pdf", "another list");
        folder.write("posts/c.md", post("New", "![](/images/harbour.png)"));
        folder.remove("posts/a.md");
        for arguments in [&["--url", URL][..], &["--url", URL, "--force"]] {
            let output = build(&folder, arguments);
            let is_done = output.code == Some(0) || output.err.contains(link);
            assert!(is_done, "{link}: {}", output.err);
        }
        assert!(link_path.is_symlink(), "{link} is no longer a link");
        let outside = files(&outside);
        let known = outside.get("known").map(Vec::as_slice);
        assert_eq!((outside.len(), known), (1, Some(&b"known"[..])), "{link}");
    }
}

#[test]
fn existing_headers_file_is_preserved_and_missing_rules_are_reported() {
    let folder = content();
    fs::create_dir(public(&folder)).expect("a folder");
    fs::write(public(&folder).join("_headers"), "mine").expect("the file is written");
    let report = built(&folder);
    let remark = report["remarks"][0].as_str().expect("a remark");
    assert!(
        remark.contains("Content-Type: application/json"),
        "{remark}"
    );
    let headers = fs::read_to_string(public(&folder).join("_headers"));
    assert_eq!(headers.expect("the file exists"), "mine");
}

#[test]
fn site_in_a_subdirectory_is_built_in_that_folder() {
    let folder = content();
    let output = build(&folder, &["--url", "https://host.example/blog/"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    let files = files(&public(&folder));
    assert!(files.contains_key("blog/ghost/api/content/posts/index.html"));
    assert!(files.contains_key("blog/content/images/posts/a.png"));
    let headers = String::from_utf8_lossy(&files["_headers"]).into_owned();
    assert!(
        headers.starts_with("/blog/ghost/api/content/*"),
        "{headers}"
    );
}

#[test]
fn running_server_builds_the_content_it_serves() {
    let folder = content();
    built(&folder);
    let from_files = files(&public(&folder));
    let _served = GalleyProcess::serve(&folder, &["--url", URL]);
    let output = build(&folder, &["--data", "data"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    assert_eq!(output.json()["written"], 0, "{}", output.out);
    assert_eq!(files(&public(&folder)), from_files);
}

#[test]
fn build_errors_are_reported_and_nothing_is_written() {
    let folder = content();
    let output = build(&folder, &[]);
    assert_eq!(output.code, Some(1));
    assert!(output.err.contains("--url"), "{}", output.err);
    let output = build(&folder, &["--url", "harbour"]);
    assert!(
        output.err.contains("is not a valid site URL"),
        "{}",
        output.err
    );
    folder.write("posts/odd.md", post("Odd", "[nowhere](nowhere.md)"));
    let output = build(&folder, &["--url", URL, "--strict"]);
    assert_eq!(output.code, Some(1));
    assert!(
        output.err.contains("nothing is written (--strict)"),
        "{}",
        output.err
    );
    assert!(!public(&folder).exists());
    for target in ["content/public", "."] {
        let output = run(&folder, &["build", target, "--url", URL, "--force"]);
        assert_eq!(output.code, Some(1), "{target}");
        assert!(
            output.err.contains("from which the site is served"),
            "{target}: {}",
            output.err
        );
    }
    assert!(folder.at("images/harbour.png").exists());
}

#[test]
fn svg_images_are_sanitised() {
    let folder = content();
    let svg =
        "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>harm()</script><circle r=\"5\"/></svg>";
    folder.write("images/a.svg", svg);
    folder.write("images/broken.svg", "<svg><script>harm()</script>");
    let output = build(&folder, &["--url", URL]);

    assert_eq!(output.code, Some(0), "{}", output.err);
    let target = public(&folder).join("content/images/a.svg");
    let written = fs::read_to_string(target).expect("the image");
    assert!(
        written.contains("<circle") && !written.contains("harm"),
        "{written}"
    );
}

#[test]
fn build_writes_feeds_and_sitemaps_and_keeps_those_of_a_generator() {
    let folder = content();
    fs::create_dir_all(public(&folder)).expect("a folder");
    fs::write(public(&folder).join("robots.txt"), "of the generator").expect("the file is written");
    let report = built(&folder);
    let remarks = report["remarks"][0].as_str().expect("a remark");
    assert!(remarks.contains("robots.txt"), "{remarks}");
    let text = |path: &str| fs::read_to_string(public(&folder).join(path)).expect(path);
    assert_eq!(text("robots.txt"), "of the generator");
    assert!(text("rss/index.html").contains("<link>https://harbour.example/a/</link>"));
    assert!(text("tag/sea/rss/index.html").contains("<title><![CDATA[Sea - Harbour]]></title>"));
    let feed: Value = serde_json::from_str(&text("feed.json")).expect("JSON");
    assert_eq!(feed["items"].as_array().map(Vec::len), Some(3));
    assert!(text("sitemap-posts.xml").contains("<loc>https://harbour.example/c/</loc>"));
    assert!(text("_headers").contains("/tag/:slug/rss/\n  Content-Type: application/rss+xml"));
    assert_eq!(built(&folder)["written"], 0);
    assert_eq!(text("robots.txt"), "of the generator");
}
