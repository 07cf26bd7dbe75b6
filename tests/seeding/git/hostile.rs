//! Tests that a hostile repository cannot expose files of the machine or the data folder.

use std::{fs, os::unix::fs::symlink};

use super::origin::{Origin, site_of};
use crate::{
    folder::{Folder, post},
    program::{Served, ask, fetch},
};

#[test]
fn links_in_a_repository_cannot_leave_it() {
    let machine = Folder::new();
    machine.write("secret.md", post("Secret", "of the machine"));
    let origin = Origin::with(&[
        ("posts/first.md", &post("First", "")),
        ("images/cover.png", "a picture"),
    ]);
    let link = |target: &str, path: &str| {
        symlink(target, origin.at(path)).expect("the link is made");
    };
    let secret = machine.at("secret.md");
    let secret = secret.to_str().expect("a path in UTF-8");
    link(secret, "posts/secret.md");
    link(secret, "images/secret.png");
    // The files of the commit lie in the data folder, beside the store.
    link("../../../galley.redb", "images/store.png");
    origin.push(&[], "Look around");
    let folder = site_of(&origin.url(), 3600, "");

    let served = Served::start(&folder, &[]);

    assert_eq!(served.titles(), ["First"]);
    assert!(fs::exists(folder.data().join("galley.redb")).expect("it can be looked for"));
    assert_eq!(
        fetch(served.address(), "/content/images/cover.png"),
        "a picture"
    );
    for name in ["secret", "store"] {
        let target = format!("/content/images/{name}.png");
        let response = ask(served.address(), &target);
        assert!(response.starts_with("HTTP/1.1 404"), "{target}: {response}");
    }
}
