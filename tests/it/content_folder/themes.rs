//! Tests of `galley theme`, with and without a running server.

use galley_tests::{
    command_line::{CommandOutput, run},
    folder::Folder,
    galley_process::GalleyProcess,
};

use std::fs;

/// Returns a folder next to a theme whose style sheet contains `styles`.
fn with_theme(styles: &str) -> Folder {
    let folder = Folder::with(&[]);
    let theme = folder.top().join("tide");
    fs::create_dir_all(theme.join("assets")).expect("a folder");
    for (path, content) in [
        ("index.hbs", "{{#foreach posts}}{{title}}{{/foreach}}"),
        ("post.hbs", "{{title}}"),
        (
            "package.json",
            "{\"name\": \"tide\", \"version\": \"1.2.0\", \"keywords\": [\"ghost-theme\"]}",
        ),
        ("assets/screen.css", styles),
    ] {
        fs::write(theme.join(path), content).expect("the file is written");
    }
    folder
}

fn theme(folder: &Folder, arguments: &[&str]) -> CommandOutput {
    run(
        folder,
        &[&["theme"], arguments, &["--data", "data"]].concat(),
    )
}

#[test]
fn theme_is_installed_activated_listed_and_removed() {
    let folder = with_theme("body{}");
    let added = theme(&folder, &["add", "tide"]);
    assert_eq!(added.code, Some(0), "{}", added.err);
    let mut lines = added.out.lines();
    assert_eq!(lines.next(), Some("tide (1.2.0)"));
    assert!(lines.all(|line| line.contains("(GS0") || line.contains("(GS1")));
    let activated = theme(&folder, &["activate", "tide"]).out;
    assert_eq!(activated.lines().next(), Some("tide (1.2.0, active)"));

    let _served = GalleyProcess::serve(&folder, &["--no-content"]);

    assert_eq!(
        theme(&folder, &["list"]).out,
        "casper (1.0.0)\nsource (1.0.0)\ntide (1.2.0, active)\n"
    );
    let refused = theme(&folder, &["delete", "tide"]);
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.err.contains("it is the active one"),
        "{}",
        refused.err
    );
    theme(&folder, &["activate", "source"]);
    assert_eq!(theme(&folder, &["delete", "tide"]).out, "Deleted tide.\n");
    let listed = theme(&folder, &["list", "--json"]).json();
    assert_eq!(listed.as_array().expect("a list").len(), 2);
}

#[test]
fn invalid_theme_is_reported_with_missing_files() {
    let folder = with_theme("body{}");
    fs::remove_file(folder.top().join("tide/post.hbs")).expect("the file is removed");
    let refused = theme(&folder, &["add", "tide"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("post.hbs"), "{}", refused.err);
    let none = theme(&folder, &["activate", "tide"]);
    assert!(
        none.err.contains("Theme \"tide\" not found"),
        "{}",
        none.err
    );
}
