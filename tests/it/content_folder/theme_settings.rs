//! Tests that the site file sets the settings of themes.

use galley_tests::{
    command_line::{fetch, run},
    folder::{Folder, post},
    galley_process::GalleyProcess,
    wait_until,
};
use serde_json::{Value, json};

use crate::write_back::editing::{Editor, create_owner};

const SITE: &str = "# The site
title = \"Ferries\"

[theme_settings.source]   # as in Design
layout = \"magazine\"       # or Notes
show_dates = false
dark_logo = \"./images/logo.svg\"   # its own ground
";

fn folder_with(site: &str) -> Folder {
    let folder = Folder::with(&[
        ("site.toml", site),
        ("posts/ferry.md", &post("The night ferry", "Text.")),
        (
            "images/logo.svg",
            "<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
        ),
    ]);
    folder.write(
        "../galley.toml",
        "url = \"https://site.example\"\n[staff]\ndevice_verification = false\n",
    );
    folder
}

/// Returns the diagnostics of a site file with these lines.
fn problems_of(lines: &str) -> String {
    let folder = folder_with(lines);
    run(&folder, &["check", "content"]).out
}

#[test]
fn settings_of_the_file_apply_to_the_pages() {
    let folder = folder_with(SITE);
    let served = GalleyProcess::serve(&folder, &["--content", "content"]);

    let home = fetch(served.address(), "/");
    assert!(home.contains("front-magazine"), "{home}");
    let (_, main) = home.split_once("<main").expect("a main element");
    assert!(!main.contains("<time"), "{main}");

    folder.write("site.toml", "title = \"Ferries\"\n");
    wait_until("the page shows the defaults", || {
        let home = fetch(served.address(), "/");
        home.contains("front-journal") && home.contains("<time")
    });
}

#[test]
fn unknown_settings_and_invalid_values_are_errors_that_list_the_allowed_ones() {
    for (lines, message, advice) in [
        (
            "layuot = \"Notes\"",
            "theme `source` has no setting `layuot`",
            "did you mean `layout`?",
        ),
        (
            "wings = true",
            "theme `source` has no setting `wings`",
            "write one of: title_font, body_font, header_style,",
        ),
        (
            "layout = \"Newspaper\"",
            "`theme_settings.source.layout` may not be `Newspaper`",
            "write one of: Journal, Magazine, Notes",
        ),
        (
            "show_dates = \"no\"",
            "`theme_settings.source.show_dates` must be true or false, not text",
            "show_dates = true",
        ),
        (
            "signup_heading = 5",
            "`theme_settings.source.signup_heading` must be text, not a whole number",
            "signup_heading = \"…\"",
        ),
    ] {
        let output = problems_of(&format!(
            "title = \"A\"\n[theme_settings.source]\n{lines}\n"
        ));
        assert!(output.contains(&format!("error: {message}")), "{output}");
        assert!(output.contains("site.toml:3:"), "{output}");
        assert!(output.contains(advice), "{output}");
    }
    let flat = problems_of("[theme_settings]\nlayout = \"Notes\"\n");
    assert!(
        flat.contains("`theme_settings.layout` must be a table"),
        "{flat}"
    );
    let missing = problems_of("[theme_settings.tide]\nlayout = \"Notes\"\n");
    assert!(
        missing.contains("warning: no theme `tide` is installed"),
        "{missing}"
    );
    assert!(missing.contains("casper, source"), "{missing}");
}

fn chosen(editor: &Editor, key: &str) -> Value {
    let (status, found) = editor.send("GET", "custom_theme_settings/", &Value::Null);
    assert_eq!(status, 200, "{found}");
    let settings = found["custom_theme_settings"].as_array().expect("settings");
    let setting = settings.iter().find(|setting| setting["key"] == key);
    setting.expect("the setting")["value"].clone()
}

fn choose(editor: &Editor, values: &[(&str, Value)]) -> (u16, Value) {
    let settings = values.iter();
    let settings: Vec<Value> = settings
        .map(|(key, value)| json!({ "key": key, "value": value }))
        .collect();
    let body = json!({ "custom_theme_settings": settings });
    editor.send("PUT", "custom_theme_settings/", &body)
}

#[test]
fn staff_can_change_a_setting_of_the_file_only_with_write_back() {
    let folder = folder_with(SITE);
    let served = GalleyProcess::serve(&folder, &["--content", "content"]);
    let account = create_owner(&folder);
    let password = account["password"].as_str().expect("a password");
    let editor = Editor::signed_in(&served, "o@example.com", password);

    assert_eq!(chosen(&editor, "layout"), "Magazine");
    let logo = chosen(&editor, "dark_logo");
    assert_eq!(logo, "https://site.example/content/images/logo.svg");
    let (status, refused) = choose(&editor, &[("layout", json!("Notes"))]);
    assert_eq!(status, 422, "{refused}");
    assert!(refused.to_string().contains("site.toml"), "{refused}");
    // Unchanged settings of the file are accepted, because the admin app sends all settings.
    let unchanged = [("layout", json!("Magazine")), ("drop_caps", json!(true))];
    let (status, saved) = choose(&editor, &unchanged);
    assert_eq!(status, 200, "{saved}");
    assert_eq!(chosen(&editor, "drop_caps"), true);
}

#[test]
fn edit_of_a_setting_changes_only_its_value_in_the_file() {
    let folder = folder_with(SITE);
    let served = GalleyProcess::serve(&folder, &["--content", "content", "--write-back", "folder"]);
    let account = create_owner(&folder);
    let password = account["password"].as_str().expect("a password");
    let editor = Editor::signed_in(&served, "o@example.com", password);

    let (status, saved) = choose(
        &editor,
        &[
            ("layout", json!("Notes")),
            ("drop_caps", json!(true)),
            ("show_tags", json!(true)),
            ("signup_text", Value::Null),
        ],
    );
    assert_eq!(status, 200, "{saved}");

    let expected = SITE.replace("\"magazine\"", "\"Notes\"") + "drop_caps = true\n";
    wait_until("the edit is in the file", || {
        let text = std::fs::read_to_string(folder.at("site.toml")).expect("a file");
        text == expected
    });
    assert_eq!(chosen(&editor, "layout"), "Notes");
    assert_eq!(
        chosen(&editor, "dark_logo"),
        "https://site.example/content/images/logo.svg"
    );
    assert_eq!(chosen(&editor, "show_dates"), false);
}

#[test]
fn first_edit_adds_a_section_to_the_file() {
    let folder = folder_with("title = \"Ferries\"\n");
    let served = GalleyProcess::serve(&folder, &["--content", "content", "--write-back", "folder"]);
    let account = create_owner(&folder);
    let password = account["password"].as_str().expect("a password");
    let editor = Editor::signed_in(&served, "o@example.com", password);

    let (status, saved) = choose(&editor, &[("layout", json!("Notes"))]);
    assert_eq!(status, 200, "{saved}");

    let expected = "title = \"Ferries\"\n\n[theme_settings.source]\nlayout = \"Notes\"\n";
    wait_until("the edit is in the file", || {
        std::fs::read_to_string(folder.at("site.toml")).expect("a file") == expected
    });
}

#[test]
fn exported_folder_contains_the_settings_chosen_by_staff() {
    let folder = folder_with("title = \"Ferries\"\n");
    let served = GalleyProcess::serve(&folder, &["--content", "content"]);
    let account = create_owner(&folder);
    let password = account["password"].as_str().expect("a password");
    let editor = Editor::signed_in(&served, "o@example.com", password);

    let (status, saved) = choose(&editor, &[("layout", json!("Magazine"))]);
    assert_eq!(status, 200, "{saved}");

    let output = run(&folder, &["export", "copy", "--markdown", "--data", "data"]);
    assert!(output.is_success(), "{}", output.err);
    let exported = std::fs::read_to_string(folder.top().join("copy/site.toml")).expect("a file");
    let settings: toml::Table = exported.parse().expect("TOML");
    assert_eq!(
        settings["theme_settings"]["source"]["layout"].as_str(),
        Some("Magazine"),
        "{exported}"
    );
}
