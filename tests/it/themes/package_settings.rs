//! Tests of a theme's configuration of pages and settings in `package.json`.

use galley_tests::{TestSite, owner};
use serde_json::{Value, json};

use super::{
    activate, get,
    pages::{publish, site_with},
    theme_with, upload,
};

/// Returns a `package.json` with this configuration.
fn package(config: &Value) -> String {
    json!({"name": "tide", "version": "1.0.0", "author": {"email": "zoe@example.com"}, "config": config}).to_string()
}

fn choose(site: &TestSite, key: &str, value: &str) {
    let chosen = json!({"custom_theme_settings": [{"key": key, "value": value}]});
    site.put_as(&owner(), "/custom_theme_settings/", &chosen);
}

/// Ghost 6.65: `visibility` applies from the first edit after an upload or an activation.
#[test]
fn settings_hide_others_after_the_first_edit() {
    let config = json!({"custom": {
        "feed": {"type": "select", "options": ["Grid", "List"], "default": "Grid"},
        "lines": {"type": "text", "default": "three", "visibility": "feed:List"},
        "columns": {"type": "text", "default": "four", "visibility": "feed:Grid"},
    }});
    let files = [
        ("package.json", &*package(&config)),
        (
            "index.hbs",
            "{{@custom.feed}}:{{@custom.lines}}:{{@custom.columns}}",
        ),
    ];
    let site = site_with(&files);
    let shown = || get(&site, "/").text().trim().to_owned();
    assert_eq!(shown(), "Grid:three:four");
    choose(&site, "feed", "Grid");
    assert_eq!(shown(), "Grid::four");
    choose(&site, "feed", "List");
    assert_eq!(shown(), "List:three:");
    activate(&site, "tide");
    assert_eq!(shown(), "List:three:four");
    choose(&site, "lines", "two");
    assert_eq!(shown(), "List:two:");
    assert_eq!(upload(&site, "tide.zip", &theme_with(&files)).status, 200);
    assert_eq!(shown(), "List:two:four");
}

#[test]
fn number_of_posts_may_be_written_as_text() {
    for (setting, shown) in [
        (json!("2"), "2:2"),
        (json!(" 2 posts"), "2: 2 posts"),
        (json!(2.5), "2:2.5"),
        (json!("many"), "3:many"),
        (json!(null), "3:"),
    ] {
        let config = package(&json!({"posts_per_page": setting}));
        let files = [
            ("package.json", &*config),
            ("index.hbs", "{{posts.length}}:{{@config.posts_per_page}}"),
        ];
        let site = site_with(&files);
        for title in ["Ebb", "Flood", "Slack"] {
            publish(&site, "posts", json!({"title": title}));
        }
        assert_eq!(get(&site, "/").text().trim(), shown, "{setting}");
    }
}

/// Ghost 6.65: such a theme can be uploaded with an error, but not activated.
#[test]
fn theme_with_a_setting_of_unknown_type_cannot_be_activated() {
    let site = site_with(&[("index.hbs", "{{json @custom}}")]);
    for custom in [
        json!({"lines": {"type": "number"}}),
        json!({"lines": {}}),
        json!({"lines": null}),
        json!({"lines": "text"}),
        json!({"": {"type": "text"}}),
        json!({"lines": {"type": "select", "options": {"two": "Two"}}}),
        json!({"columns": {"type": "text"}, "lines": {"type": "Text"}}),
        json!([{"type": "text"}, {"type": "number"}]),
        json!("lines"),
    ] {
        let package = package(&json!({ "custom": custom }));
        let files = [("package.json", &*package)];
        let uploaded = upload(&site, "ebb.zip", &theme_with(&files));
        assert_eq!(uploaded.status, 200, "{custom}: {}", uploaded.text());
        let activated = site.ask("PUT", "themes/ebb/activate/", Some(&json!({})));
        assert_eq!(activated.status, 422, "{custom}: {}", activated.text());
        let replaced = upload(&site, "tide.zip", &theme_with(&files));
        assert_eq!(replaced.status, 422, "{custom}: {}", replaced.text());
    }
}

#[test]
fn setting_defaults_are_strings_and_image_defaults_urls() {
    let config = json!({"custom": {
        "lines": {"type": "select", "options": [1, 2], "default": 1},
        "free": {"type": "select", "default": "any"},
        "logo": {"type": "image", "default": "/logo.png"},
        "text": {"type": "text", "default": 5},
    }});
    let index = "{{json @custom}}";
    let site = site_with(&[("package.json", &*package(&config)), ("index.hbs", index)]);
    let page = get(&site, "/");
    let mut custom: Value = serde_json::from_str(&page.text().replace("&quot;", "\"")).unwrap();
    let logo = custom["logo"].take();
    let logo = logo.as_str().unwrap();
    assert!(
        logo.starts_with("http") && logo.ends_with("/logo.png"),
        "{logo}"
    );
    assert_eq!(
        custom,
        json!({"lines": "1", "free": "any", "logo": null, "text": "5"})
    );
}
