//! Tests that uploads are stored with the content files that show them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use galley_tests::{
    command_line::{fetch, galley},
    content_responses::without_dates,
    folder::Folder,
    galley_process::GalleyProcess,
    wait_until,
};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    repository::origin::{Origin, site_of},
    write_back::editing::{Editor, FERRY, folder_with_ferry, with_site_url},
};

const SVG_IMAGE: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" height=\"8\" width=\"8\"/>";

impl Editor<'_> {
    /// Uploads an image and returns its path below `/content/`.
    pub fn upload(&self, name: &str) -> String {
        let body = format!(
            "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             Content-Type: image/svg+xml\r\n\r\n{SVG_IMAGE}\r\n--x--\r\n"
        );
        let kind = "Content-Type: multipart/form-data; boundary=x";
        let (status, uploaded) = self.send_as("POST", "images/upload/", kind, &body);
        assert_eq!(status, 201, "{uploaded}");
        let url = uploaded["images"][0]["url"].as_str().expect("a URL");
        let (_, path) = url.split_once("/content/").expect("a path");
        path.to_owned()
    }
}

/// Returns the Lexical document of a post with an image appended.
pub fn with_image(post: &Value, path: &str) -> Value {
    let lexical = post["lexical"].as_str().expect("a document");
    let mut document: Value = serde_json::from_str(lexical).expect("JSON");
    let blocks = document["root"]["children"].as_array_mut().expect("blocks");
    blocks.push(json!({
        "type": "image", "version": 1, "src": format!("https://site.example/content/{path}"),
        "alt": "A ferry", "title": "", "caption": "", "cardWidth": "regular", "href": ""
    }));
    Value::String(document.to_string())
}

fn file(folder: &Folder) -> PathBuf {
    folder.at("posts/2025-01-05-night-ferry.md")
}

#[test]
fn uploads_are_stored_in_the_folder_with_relative_links() {
    let (folder, served) = folder_with_ferry();
    let editor = Editor::of(&folder, &served);
    let [shown, feature] = ["shown.svg", "feature.svg"].map(|name| editor.upload(name));
    let ferry = editor.read("night-ferry");
    editor.edit(
        &ferry,
        json!({
            "lexical": with_image(&ferry, &shown),
            "feature_image": format!("https://site.example/content/{feature}"),
        }),
    );
    for path in [&shown, &feature] {
        wait_until("the image is in the folder", || {
            fs::read_to_string(folder.at(path)).is_ok_and(|text| text == SVG_IMAGE)
        });
    }
    wait_until("the text contains both images", || {
        let text = fs::read_to_string(file(&folder)).expect("a text");
        text.ends_with(&format!("The   end.\n\n![A ferry](../{shown})\n"))
            && text.contains(&format!("../{feature}"))
    });
    let responses = served.responses();
    served.stop(Signal::TERM);
    let arguments = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--data",
        "elsewhere",
        "--content",
        "content",
    ];
    let again = GalleyProcess::from_command(&mut galley(&folder, &arguments));
    assert_eq!(without_dates(&again.responses()), without_dates(&responses));
    let image = fetch(again.address(), &format!("/content/{shown}"));
    assert_eq!(image, SVG_IMAGE);
}

#[test]
fn deleting_a_post_removes_its_unshared_images() {
    let (folder, served) = folder_with_ferry();
    let editor = Editor::of(&folder, &served);
    let [own, shared] = ["own.svg", "shared.svg"].map(|name| editor.upload(name));
    let ferry = editor.read("night-ferry");
    let ferry = editor.edit(&ferry, json!({ "lexical": with_image(&ferry, &own) }));
    editor.edit(&ferry, json!({ "lexical": with_image(&ferry, &shared) }));
    let other = json!({ "posts": [{
        "title": "Other", "feature_image": format!("https://site.example/content/{shared}"),
    }] });
    let (status, added) = editor.send("POST", "posts/", &other);
    assert_eq!(status, 201, "{added}");
    for path in [&own, &shared] {
        wait_until("the image is in the folder", || folder.at(path).exists());
    }
    wait_until("the site has read the images", || {
        editor.read("night-ferry")["html"]
            .to_string()
            .contains("shared")
    });
    let id = ferry["id"].as_str().expect("an identifier");
    let (status, _) = editor.send("DELETE", &format!("posts/{id}/"), &Value::Null);
    assert_eq!(status, 204);
    wait_until("the post and its image are removed", || {
        !file(&folder).exists() && !folder.at(&own).exists()
    });
    assert!(folder.at(&shared).exists());
}

#[test]
fn uploads_are_part_of_the_commit_of_the_edit() {
    let origin = Origin::with(&[("posts/night-ferry.md", FERRY)]);
    let settings = "[source]\nwrite_back = \"push\"\nwrite_back_settle_s = 1\n";
    let folder = site_of(&origin.url(), 1, settings);
    with_site_url(&folder);
    let served = GalleyProcess::serve(&folder, &[]);
    let editor = Editor::of(&folder, &served);
    let path = editor.upload("shown.svg");
    let ferry = editor.read("night-ferry");
    editor.edit(&ferry, json!({ "lexical": with_image(&ferry, &path) }));
    wait_until("the commit is in the branch", || {
        origin.git(&["fetch", "-q", "origin"]);
        origin
            .git(&["log", "--format=%s", "origin/main"])
            .contains("Edit \"The night ferry\"")
    });
    let changed = origin.git(&["show", "--format=", "--name-only", "origin/main"]);
    assert_eq!(changed.trim(), format!("{path}\nposts/night-ferry.md"));
    let image = origin.git(&["show", &format!("origin/main:{path}")]);
    assert_eq!(image.trim(), SVG_IMAGE);
}

/// Adds an uploaded image to the post at `file`, and returns the paths of the images in the folder and the text of the file.
fn image_paths_and_text(files: &[(&str, &str)], file: &str) -> (Vec<String>, String) {
    let folder = Folder::new();
    for (path, text) in files {
        folder.write(&format!("../content/{path}"), text);
    }
    folder.write("../galley.toml", "url = \"https://site.example\"\n");
    let served = GalleyProcess::serve(&folder, &["--content", "content", "--write-back", "folder"]);
    let editor = Editor::of(&folder, &served);
    let path = editor.upload("shown.svg");
    let ferry = editor.read("ferry");
    let document = with_image(&ferry, &path);
    let url = format!("https://site.example/content/{path}");
    let saved = editor.edit(&ferry, json!({ "lexical": document, "feature_image": url }));
    let feature = saved["feature_image"].as_str().expect("a URL");
    let shown = feature
        .split_once("site.example")
        .expect("a URL of the site")
        .1;
    // The image is served even before it is in the folder.
    assert_eq!(fetch(served.address(), shown), SVG_IMAGE);
    let document_path = folder.at(&format!("../content/{file}"));
    wait_until("the text contains the image", || {
        fs::read_to_string(&document_path).is_ok_and(|text| text.contains("![A ferry]("))
    });
    // Until it reads the post again, the editor sends the upload's original URL.
    let document = with_image(&ferry, &path);
    let again = editor.edit(
        &saved,
        json!({ "title": "Again", "lexical": document, "feature_image": url }),
    );
    assert_eq!(again["feature_image"], feature);
    wait_until("the title is in the file", || {
        fs::read_to_string(&document_path).is_ok_and(|text| text.contains("Again"))
    });
    let images = images_in(&folder.at("../content"));
    (images, fs::read_to_string(&document_path).expect("a text"))
}

/// Returns the relative paths of all images below a folder.
fn images_in(folder: &Path) -> Vec<String> {
    let mut images = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("a file").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            let below = images_in(&path).into_iter();
            images.extend(below.map(|path| format!("{name}/{path}")));
        } else if name.ends_with(".svg") {
            images.push(name);
        }
    }
    images
}

const DOCUMENT: &str = "---\ntitle: Ferry\ndate: 2025-01-05\n---\n\nA ferry.\n";

/// Returns the year and month in the path of an upload.
fn month() -> String {
    jiff::Timestamp::now().strftime("%Y/%m").to_string()
}

#[test]
fn uploads_of_a_document_with_a_folder_are_stored_next_to_it() {
    let file = "posts/ferry/index.md";
    let (images, text) = image_paths_and_text(&[(file, DOCUMENT)], file);
    assert_eq!(images, ["posts/ferry/shown.svg"]);
    assert!(text.contains("\n\n![A ferry](shown.svg)\n"), "{text}");
    assert!(text.contains("feature_image: shown.svg\n"), "{text}");
    // An existing image with the same name is preserved.
    let other = "<svg xmlns=\"http://www.w3.org/2000/svg\"/>";
    let files = [(file, DOCUMENT), ("posts/ferry/shown.svg", other)];
    let (images, text) = image_paths_and_text(&files, file);
    assert_eq!(images.len(), 2, "{images:?}");
    assert!(text.contains("![A ferry](shown-2.svg)"), "{text}");
}

#[test]
fn uploads_are_stored_where_the_generator_serves_them() {
    type File = (&'static str, &'static str);
    let cases: [(File, &str, &str, &str); 6] = [
        (
            (
                "hugo.toml",
                "title = \"Hugo\"\nbaseURL = \"https://example.org/blog/\"\n",
            ),
            "content/posts/ferry.md",
            "static/images/MONTH/shown.svg",
            "/blog/images/MONTH/shown.svg",
        ),
        (
            ("hugo.toml", "title = \"Hugo\"\n"),
            "content/posts/ferry/index.md",
            "content/posts/ferry/shown.svg",
            "shown.svg",
        ),
        (
            ("_config.yml", "title: Jekyll\n"),
            "_posts/2025-01-05-ferry.md",
            "assets/images/MONTH/shown.svg",
            "/assets/images/MONTH/shown.svg",
        ),
        (
            ("astro.config.mjs", "export default {}\n"),
            "src/content/blog/ferry.md",
            "public/images/MONTH/shown.svg",
            "/images/MONTH/shown.svg",
        ),
        (
            (
                "docusaurus.config.js",
                "module.exports = { baseUrl: '/docs/' };\n",
            ),
            "blog/2025-01-05-ferry.md",
            "static/images/MONTH/shown.svg",
            "/images/MONTH/shown.svg",
        ),
        (
            (".obsidian/app.json", "{}\n"),
            "notes/ferry.md",
            "images/MONTH/shown.svg",
            "../images/MONTH/shown.svg",
        ),
    ];
    for (settings, file, path, link) in cases {
        let files = [settings, (file, DOCUMENT)];
        let (images, text) = image_paths_and_text(&files, file);
        let [path, link] = [path, link].map(|text| text.replace("MONTH", &month()));
        assert_eq!(images, [path], "{text}");
        assert!(text.contains(&format!("![A ferry]({link})")), "{text}");
    }
}

#[test]
fn deleting_a_generators_document_removes_uploads_that_no_other_file_names() {
    for file in ["content/posts/ferry.md", "content/posts/ferry/index.md"] {
        let folder = Folder::new();
        folder.write("hugo.toml", "title = \"Hugo\"\n");
        folder.write(file, DOCUMENT);
        folder.write("content/posts/other.md", DOCUMENT.replace("Ferry", "Other"));
        let old = "static/images/2020/01/old.svg";
        folder.write(old, SVG_IMAGE);
        folder.write("../galley.toml", "url = \"https://site.example\"\n");
        let served =
            GalleyProcess::serve(&folder, &["--content", "content", "--write-back", "folder"]);
        let editor = Editor::of(&folder, &served);
        let file_of = |name: &str| {
            if file.ends_with("index.md") {
                folder.at(&format!("content/posts/ferry/{name}"))
            } else {
                folder.at(&format!("static/images/{}/{name}", month()))
            }
        };
        let names = ["own.svg", "themed.svg", "shared.svg"];
        for name in names {
            let path = editor.upload(name);
            let ferry = editor.read("ferry");
            editor.edit(&ferry, json!({ "lexical": with_image(&ferry, &path) }));
            wait_until("the image is in the folder", || file_of(name).exists());
        }
        let ferry = editor.read("ferry");
        let old_image = format!("images/{old}");
        editor.edit(&ferry, json!({ "lexical": with_image(&ferry, &old_image) }));
        let document_path = folder.at(file);
        wait_until("the text contains all images", || {
            let text = fs::read_to_string(&document_path).expect("a text");
            names
                .iter()
                .chain(&["old.svg"])
                .all(|name| text.contains(name))
        });
        folder.write("layouts/index.html", "<img src=\"/images/themed.svg\">\n");
        let shared = if file.ends_with("index.md") {
            "/posts/ferry/shared.svg".to_owned()
        } else {
            format!("/images/{}/shared.svg", month())
        };
        let other = DOCUMENT.replace("Ferry", "Other") + &format!("\n![]({shared})\n");
        folder.write("content/posts/other.md", &other);
        wait_until("the site has read the images", || {
            let shown = editor.read("other")["html"].to_string();
            shown.contains("/content/images/")
                && shown.contains("shared.svg")
                && editor.read("ferry")["html"].to_string().contains("old.svg")
        });
        let id = ferry["id"].as_str().expect("an identifier");
        let (status, _) = editor.send("DELETE", &format!("posts/{id}/"), &Value::Null);
        assert_eq!(status, 204);
        wait_until("the post and its image are removed", || {
            !document_path.exists() && !file_of("own.svg").exists()
        });
        for other in [file_of("themed.svg"), file_of("shared.svg"), folder.at(old)] {
            assert!(other.exists(), "{}", other.display());
        }
    }
}
