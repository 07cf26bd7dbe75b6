//! Tests of the rules with which a theme is taken, although it breaks them.

use galley_tests::TestSite;
use serde_json::Value;

use super::{theme_with, upload};

/// The codes of the errors of a theme that is taken, and the files that they are in.
#[track_caller]
fn errors_of(site: &TestSite, files: &[(&str, &str)]) -> Vec<(String, String)> {
    let package = "{\"name\": \"tide\", \"version\": \"1.0.0\"}";
    let has_package = files.iter().any(|(path, _)| *path == "package.json");
    let package = (!has_package).then_some(("package.json", package));
    let files: Vec<(&str, &str)> = files.iter().copied().chain(package).collect();
    let response = upload(site, "tide.zip", &theme_with(&files));
    assert_eq!(response.status, 200, "{}", response.text());
    let theme = &response.json()["themes"][0];
    let errors = theme["errors"].as_array().cloned().unwrap_or_default();
    let error = |error: &Value| {
        assert_eq!(error["fatal"], false, "{error}");
        let file = &error["failures"][0]["ref"];
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&error["code"]), text(file))
    };
    errors.iter().map(error).collect()
}

#[test]
fn expressions_of_earlier_versions_are_reported() {
    let site = TestSite::staffed();
    for (file, text, code) in [
        ("post.hbs", "{{author.name}}", "GS001-DEPR-AUTH-NAME"),
        (
            "partials/card.hbs",
            "{{#if @labs.members}}{{/if}}",
            "GS001-DEPR-LABS-MEMBERS",
        ),
        ("error.hbs", "{{code}}", "GS001-DEPR-ESC"),
    ] {
        let found = errors_of(&site, &[(file, text)]);
        assert_eq!(found, [(code.to_owned(), file.to_owned())], "{text}");
    }
}

#[test]
fn variables_that_nothing_gives_are_reported_where_they_are_used() {
    let site = TestSite::staffed();
    for text in ["{{@post.title}}", "{{#if @shop}}{{/if}}"] {
        let found = errors_of(&site, &[("post.hbs", text)]);
        let expected = ("GS120-NO-UNKNOWN-GLOBALS".to_owned(), "post.hbs".to_owned());
        assert_eq!(found, [expected], "{text}");
    }
    let given = "{{@site.title}}{{#if @member}}{{/if}}{{#foreach posts}}{{@number}}{{/foreach}}";
    let as_argument = "{{#foreach posts limit=@shop}}{{/foreach}}";
    let unused = ("partials/unused.hbs", "{{@shop}}");
    for files in [
        &[("post.hbs", given)][..],
        &[("post.hbs", as_argument)],
        &[unused],
    ] {
        assert_eq!(errors_of(&site, files), []);
    }
}

#[test]
fn settings_of_templates_and_package_are_held_against_each_other() {
    const PACKAGE: &str = r#"{"name": "tide", "version": "1.0.0", "config": {"custom": {
        "navigation": {"type": "select", "options": ["Left", "Right"], "default": "Left"},
        "shelf": {"type": "text"}}}}"#;
    const FILTER: &str = "{{#get \"posts\" filter=\"tag:{{@custom.shelf}}\"}}{{/get}}";
    let site = TestSite::staffed();
    let matches = |option: &str| {
        format!("{FILTER}{{{{#match @custom.navigation \"=\" \"{option}\"}}}}{{{{/match}}}}")
    };
    for (post, code, file) in [
        (
            format!("{}{{{{@custom.header}}}}", matches("Left")),
            "GS090-NO-UNKNOWN-CUSTOM-THEME-SETTINGS",
            "post.hbs",
        ),
        (
            matches("Top"),
            "GS090-NO-UNKNOWN-CUSTOM-THEME-SELECT-VALUE-IN-MATCH",
            "post.hbs",
        ),
        (
            FILTER.to_owned(),
            "GS100-NO-UNUSED-CUSTOM-THEME-SETTING",
            "package.json",
        ),
    ] {
        let found = errors_of(&site, &[("package.json", PACKAGE), ("post.hbs", &post)]);
        assert_eq!(found, [(code.to_owned(), file.to_owned())], "{post}");
    }
    let good = matches("Right");
    let found = errors_of(&site, &[("package.json", PACKAGE), ("post.hbs", &good)]);
    assert_eq!(found, []);
}

#[test]
fn errors_of_the_package_have_ghosts_codes() {
    let site = TestSite::staffed();
    for (package, code) in [
        (
            r#""name": "tide", "version": "1.0""#,
            "GS010-PJ-VERSION-SEM",
        ),
        (
            r#""name": "tide", "version": "01.0.0""#,
            "GS010-PJ-VERSION-SEM",
        ),
        (
            r#""name": "high.tide", "version": "1.0.0""#,
            "GS010-PJ-NAME-HY",
        ),
        (
            r#""name": "tide", "version": "1.0.0", "config": {"posts_per_page": 0.5}"#,
            "GS010-PJ-CONF-PPP-INT",
        ),
    ] {
        let found = errors_of(&site, &[("package.json", &format!("{{{package}}}"))]);
        let expected = (code.to_owned(), "package.json".to_owned());
        assert_eq!(found, [expected], "{package}");
    }
    for package in [
        r#""name": "tide", "version": "v1.0.0-beta.1""#,
        r#""name": "tide", "version": "1.0.0", "config": {"posts_per_page": null}"#,
    ] {
        let found = errors_of(&site, &[("package.json", &format!("{{{package}}}"))]);
        assert_eq!(found, [], "{package}");
    }
}

#[test]
fn errors_of_settings_have_ghosts_codes() {
    let site = TestSite::staffed();
    for (setting, code) in [
        (r#""type": "color""#, Some("COLOR-DEFAULT")),
        (r##""type": "color", "default": "#AABBCC""##, None),
        (r#""type": "image", "default": """#, None),
        (
            r#""type": "image", "default": "tide.png""#,
            Some("IMAGE-DEFAULT"),
        ),
        (
            r#""type": "select", "options": ["a"], "default": "a""#,
            Some("SELECT-OPTIONS"),
        ),
        (
            r#""type": "select", "options": ["a", "b"], "default": "c""#,
            Some("SELECT-DEFAULT"),
        ),
        (
            r#""type": "select", "options": ["a", "b"], "default": "b""#,
            None,
        ),
    ] {
        let package = format!(
            r#"{{"name": "tide", "version": "1.0.0", "config": {{"custom": {{"shade": {{{setting}}}}}}}}}"#
        );
        let files = [
            ("package.json", &*package),
            ("post.hbs", "{{@custom.shade}}"),
        ];
        let expected: Vec<(String, String)> = code
            .iter()
            .map(|code| {
                let code = format!("GS010-PJ-CUST-THEME-SETTINGS-{code}");
                (code, "package.json".to_owned())
            })
            .collect();
        assert_eq!(errors_of(&site, &files), expected, "{setting}");
    }
}
