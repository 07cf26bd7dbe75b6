//! Tests of installing themes from GitHub repositories, with a local server instead of GitHub.

use galley_tests::{
    Request, TestSite,
    http_client::HttpResponse,
    multipart::Form,
    other_site::{OtherSite, raw_response},
    owner,
    request::ADMIN,
};
use serde_json::json;

use super::{archive_of, names, theme_with, upload};

/// Starts a server that redirects from GitHub's API to archives, as GitHub does.
fn github() -> OtherSite {
    let redirect = |to: &str| raw_response("302 Found", &format!("location: {to}\r\n"), "");
    OtherSite::start(move |target| match target {
        "/repos/tryghost/solo/zipball" => redirect("/codeload/solo"),
        "/repos/tryghost/source/zipball" => redirect("/codeload/solo"),
        "/codeload/solo" => {
            let archive = archive_of(&[
                (
                    "TryGhost-Solo-1a2b3c/index.hbs",
                    "{{#foreach posts}}{{/foreach}}",
                ),
                ("TryGhost-Solo-1a2b3c/post.hbs", "{{title}}"),
                ("TryGhost-Solo-1a2b3c/assets/a.css", "a"),
            ]);
            raw_response("200 OK", "content-type: application/zip\r\n", archive)
        }
        "/repos/tryghost/words/zipball" => raw_response("200 OK", "", "no archive"),
        "/repos/tryghost/broken/zipball" => {
            raw_response("200 OK", "", theme_with(&[("index.hbs", "{{#if a}}")]))
        }
        "/repos/tryghost/long/zipball" => raw_response("200 OK", "", vec![0; (1 << 20) + 1]),
        "/repos/tryghost/loop/zipball" => redirect("/repos/tryghost/loop/zipball"),
        "/repos/tryghost/busy/zipball" => raw_response("429 Too Many Requests", "", "later"),
        _ => raw_response("404 Not Found", "", "{}"),
    })
}

fn site_of(github: &OtherSite, allows_private_addresses: bool) -> TestSite {
    TestSite::builder()
        .option("themes.github", &github.at(""))
        .option(
            "private_receivers",
            if allows_private_addresses {
                "true"
            } else {
                "false"
            },
        )
        .option("server.upload_mb", "1")
        .staffed()
        .start()
}

fn install(site: &TestSite, query: &str) -> HttpResponse {
    let request = Request::new("POST", &format!("{ADMIN}/themes/install/?{query}"));
    site.ask_as(&owner(), &request)
}

#[test]
fn theme_of_a_repository_is_installed_like_an_upload() {
    let github = github();
    let site = site_of(&github, true);
    let installed = install(&site, "source=github&ref=TryGhost%2FSolo");
    assert_eq!(installed.status, 200, "{}", installed.text());
    let theme = installed.json()["themes"][0].clone();
    assert_eq!(
        (&theme["name"], &theme["active"]),
        (&json!("solo"), &json!(false))
    );
    assert_eq!(installed.header("x-cache-invalidate"), None);
    assert_eq!(names(&site), ["casper", "solo", "source"]);
    assert_eq!(
        github.requested(),
        ["/repos/tryghost/solo/zipball", "/codeload/solo"]
    );

    super::activate(&site, "solo");
    let replaced = install(&site, "source=github&ref=TryGhost/Solo");
    assert_eq!(replaced.header("x-cache-invalidate"), Some("/*"));
    assert_eq!(replaced.json()["themes"][0]["active"], true);
    assert_eq!(super::get(&site, "/assets/a.css").text(), "a");
}

#[test]
fn repository_without_a_usable_theme_is_rejected() {
    let github = github();
    let site = site_of(&github, true);
    for (name, status, reason) in [
        (
            "missing",
            400,
            "GitHub has no public repository \"tryghost/missing\".",
        ),
        ("busy", 400, "cannot be downloaded from GitHub"),
        ("loop", 400, "cannot be downloaded from GitHub"),
        ("words", 422, "This cannot be used as a theme"),
        ("broken", 422, "The theme \"broken\" cannot be used."),
        ("long", 422, "is longer than 1 MB"),
        ("source", 422, "is built in and cannot be replaced"),
        ("casper", 422, "is built in and cannot be replaced"),
    ] {
        let refused = install(&site, &format!("source=github&ref=TryGhost/{name}"));
        assert_eq!(refused.status, status, "{name}: {}", refused.text());
        let message = refused.json()["errors"][0]["message"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(message.contains(reason), "{message}");
    }
    assert_eq!(names(&site), ["casper", "source"]);
}

#[test]
fn source_and_repository_are_checked_before_any_request() {
    let github = github();
    let site = site_of(&github, true);
    for query in [
        "",
        "source=github",
        "ref=TryGhost/Solo",
        "source=gitlab&ref=TryGhost/Solo",
        "source=github&ref=Solo",
        "source=github&ref=TryGhost/..",
        "source=github&ref=../users",
        "source=github&ref=http://127.0.0.1/",
    ] {
        let refused = install(&site, query);
        assert_eq!(refused.status, 422, "{query}: {}", refused.text());
    }
    assert!(github.requested().is_empty());
}

#[test]
fn private_addresses_are_rejected() {
    let github = github();
    let site = site_of(&github, false);
    let refused = install(&site, "source=github&ref=TryGhost/Solo");
    assert_eq!(refused.status, 400, "{}", refused.text());
    assert!(
        refused.text().contains("is not a public address"),
        "{}",
        refused.text()
    );
    assert!(github.requested().is_empty());
    assert_eq!(names(&site), ["casper", "source"]);
}

/// Returns a site with the active theme `tide`, which has a chosen setting, and the archive of the theme.
fn site_with_chosen_setting() -> (TestSite, Vec<u8>) {
    let package = r#"{"name": "tide", "version": "1.0.0", "author": {"email": "a@example.com"},
        "config": {"custom": {"word": {"type": "text", "default": "ebb"}}}}"#;
    let theme = theme_with(&[("package.json", package)]);
    let site = super::site();
    assert_eq!(upload(&site, "tide.zip", &theme).status, 200);
    super::activate(&site, "tide");
    let chosen = json!({"custom_theme_settings": [{"key": "word", "value": "flood"}]});
    site.put_as(&owner(), "/custom_theme_settings/", &chosen);
    (site, theme)
}

/// Uploads a theme with the name `copy` and the settings of the theme `source`, and returns the status.
fn upload_copy(site: &TestSite, theme: &[u8], source: &str) -> u16 {
    let form = Form::default().file("file", "copy.zip", "application/zip", theme);
    let target = format!("{ADMIN}/themes/upload/?copy_settings_from={source}");
    site.ask_as(&owner(), &Request::new("POST", &target).form(form))
        .status
}

/// Activates the theme `copy`, and returns the value of its setting.
fn setting_of_copy(site: &TestSite) -> String {
    super::activate(site, "copy");
    let settings = site.get_as(&owner(), "/custom_theme_settings/");
    let value = &settings["custom_theme_settings"][0]["value"];
    value.as_str().expect("a text").to_owned()
}

#[test]
fn uploaded_theme_can_copy_settings_of_another_theme() {
    let (site, theme) = site_with_chosen_setting();

    assert_eq!(upload_copy(&site, &theme, "nothing"), 422);
    assert_eq!(upload_copy(&site, &theme, "tide"), 200);

    assert_eq!(setting_of_copy(&site), "flood");
}

#[test]
fn refused_upload_copies_no_settings() {
    let (site, theme) = site_with_chosen_setting();
    let broken = theme_with(&[("index.hbs", "{{#if a}}")]);

    assert_eq!(upload_copy(&site, &broken, "tide"), 422);

    assert_eq!(upload(&site, "copy.zip", &theme).status, 200);
    assert_eq!(setting_of_copy(&site), "ebb");
}
