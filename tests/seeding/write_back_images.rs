//! Tests that uploads follow the content files that show them.

use std::{fs, path::PathBuf};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    folder::Folder,
    git::origin::{Origin, site_of},
    program::{Served, fetch, galley},
    write_back::{Editor, FERRY, folder_with_ferry, wait_until, with_site_url},
};

const PICTURE: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" height=\"8\" width=\"8\"/>";

impl Editor<'_> {
    /// Uploads a picture, and returns its path below `/content/`.
    fn upload(&self, name: &str) -> String {
        let body = format!(
            "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             Content-Type: image/svg+xml\r\n\r\n{PICTURE}\r\n--x--\r\n"
        );
        let kind = "Content-Type: multipart/form-data; boundary=x";
        let (status, uploaded) = self.send_as("POST", "images/upload/", kind, &body);
        assert_eq!(status, 201, "{uploaded}");
        let url = uploaded["images"][0]["url"].as_str().expect("a URL");
        let (_, path) = url.split_once("/content/").expect("a path");
        path.to_owned()
    }
}

/// Returns the document of a post with a picture at its end.
fn with_picture(read: &Value, path: &str) -> Value {
    let lexical = read["lexical"].as_str().expect("a document");
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
fn uploads_are_put_into_the_folder_with_relative_links() {
    let (folder, served) = folder_with_ferry();
    let editor = Editor::of(&folder, &served);
    let [shown, feature] = ["shown.svg", "feature.svg"].map(|name| editor.upload(name));
    let ferry = editor.read("night-ferry");
    editor.edit(
        &ferry,
        json!({
            "lexical": with_picture(&ferry, &shown),
            "feature_image": format!("https://site.example/content/{feature}"),
        }),
    );
    for path in [&shown, &feature] {
        wait_until("the picture is in the folder", || {
            fs::read_to_string(folder.at(path)).is_ok_and(|text| text == PICTURE)
        });
    }
    wait_until("the text shows both", || {
        let text = fs::read_to_string(file(&folder)).expect("a text");
        text.ends_with(&format!("The   end.\n\n![A ferry](../{shown})\n"))
            && text.contains(&format!("../{feature}"))
    });
    let answers = served.answers();
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
    let again = Served::greeted(&mut galley(&folder, &arguments));
    assert_eq!(again.answers(), answers);
    let picture = fetch(again.address(), &format!("/content/{shown}"));
    assert_eq!(picture, PICTURE);
}

#[test]
fn deleted_post_takes_the_pictures_along_that_nothing_else_shows() {
    let (folder, served) = folder_with_ferry();
    let editor = Editor::of(&folder, &served);
    let [own, shared] = ["own.svg", "shared.svg"].map(|name| editor.upload(name));
    let ferry = editor.read("night-ferry");
    let ferry = editor.edit(&ferry, json!({ "lexical": with_picture(&ferry, &own) }));
    editor.edit(&ferry, json!({ "lexical": with_picture(&ferry, &shared) }));
    let other = json!({ "posts": [{
        "title": "Other", "feature_image": format!("https://site.example/content/{shared}"),
    }] });
    let (status, added) = editor.send("POST", "posts/", &other);
    assert_eq!(status, 201, "{added}");
    for path in [&own, &shared] {
        wait_until("the picture is in the folder", || folder.at(path).exists());
    }
    wait_until("the site knows the pictures", || {
        editor.read("night-ferry")["html"]
            .to_string()
            .contains("shared")
    });
    let id = ferry["id"].as_str().expect("an identifier");
    let (status, _) = editor.send("DELETE", &format!("posts/{id}/"), &Value::Null);
    assert_eq!(status, 204);
    wait_until("the post and its picture are gone", || {
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
    let served = Served::start(&folder, &[]);
    let editor = Editor::of(&folder, &served);
    let path = editor.upload("shown.svg");
    let ferry = editor.read("night-ferry");
    editor.edit(&ferry, json!({ "lexical": with_picture(&ferry, &path) }));
    wait_until("the commit is in the branch", || {
        origin.git(&["fetch", "-q", "origin"]);
        origin
            .git(&["log", "--format=%s", "origin/main"])
            .contains("Edit \"The night ferry\"")
    });
    let changed = origin.git(&["show", "--format=", "--name-only", "origin/main"]);
    assert_eq!(changed.trim(), format!("{path}\nposts/night-ferry.md"));
    let picture = origin.git(&["show", &format!("origin/main:{path}")]);
    assert_eq!(picture.trim(), PICTURE);
}
