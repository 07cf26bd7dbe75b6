//! Tests of check rules that a theme may break and still be accepted.

use galley_tests::TestSite;
use serde_json::{Value, json};

use super::{STYLE, flawless_theme_with, upload};

/// Returns the code and file of each error of an accepted theme.
#[track_caller]
fn errors_of(site: &TestSite, files: &[(&str, &str)]) -> Vec<(String, String)> {
    findings_of(site, "errors", files)
}

/// Returns the code and file of each finding of an accepted theme, of the level `errors` or `warnings`.
#[track_caller]
fn findings_of(site: &TestSite, level: &str, files: &[(&str, &str)]) -> Vec<(String, String)> {
    let response = upload(site, "tide.zip", &flawless_theme_with(files));
    assert_eq!(response.status, 200, "{}", response.text());
    let theme = &response.json()["themes"][0];
    let findings = theme[level].as_array().cloned().unwrap_or_default();
    let found = |finding: &Value| {
        assert_eq!(finding["fatal"], false, "{finding}");
        assert_eq!(format!("{}s", finding["level"].as_str().unwrap()), level);
        let file = &finding["failures"][0]["ref"];
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&finding["code"]), text(file))
    };
    findings.iter().map(found).collect()
}

fn found(code: &str, file: &str) -> (String, String) {
    (code.to_owned(), file.to_owned())
}

/// Returns a valid `package.json` with these fields overridden.
fn package_with(fields: &Value) -> String {
    let mut package = json!({"name": "tide", "version": "1.0.0", "keywords": ["ghost-theme"],
        "author": {"email": "zoe@example.com"}, "config": {"posts_per_page": 5, "card_assets": true}});
    for (key, value) in fields.as_object().unwrap() {
        match (key.as_str(), value) {
            ("config", Value::Object(config)) => {
                package["config"]
                    .as_object_mut()
                    .unwrap()
                    .extend(config.clone());
            }
            _ => package[key] = value.clone(),
        }
    }
    package.to_string()
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
fn unknown_variables_are_reported_where_they_are_used() {
    let site = TestSite::staffed();
    for text in ["{{@post.title}}", "{{#if @shop}}{{/if}}"] {
        let found = errors_of(&site, &[("post.hbs", text)]);
        let expected = ("GS120-NO-UNKNOWN-GLOBALS".to_owned(), "post.hbs".to_owned());
        assert_eq!(found, [expected], "{text}");
    }
    let known = "{{@site.title}}{{#if @member}}{{/if}}{{#foreach posts}}{{@number}}{{/foreach}}";
    let as_argument = "{{#foreach posts limit=@shop}}{{/foreach}}";
    let unused = ("partials/unused.hbs", "{{@shop}}");
    for files in [
        &[("post.hbs", known)][..],
        &[("post.hbs", as_argument)],
        &[unused],
    ] {
        assert_eq!(errors_of(&site, files), []);
    }
}

#[test]
fn custom_settings_of_templates_and_package_must_match() {
    let package = package_with(&json!({"config": {"custom": {
        "navigation": {"type": "select", "options": ["Left", "Right"], "default": "Left"},
        "shelf": {"type": "text"}}}}));
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
        let found = errors_of(&site, &[("package.json", &package), ("post.hbs", &post)]);
        assert_eq!(found, [(code.to_owned(), file.to_owned())], "{post}");
    }
    let good = matches("Right");
    let found = errors_of(&site, &[("package.json", &package), ("post.hbs", &good)]);
    assert_eq!(found, []);
}

#[test]
fn errors_of_the_package_have_ghosts_codes() {
    let site = TestSite::staffed();
    for (fields, code) in [
        (json!({"version": "1.0"}), "VERSION-SEM"),
        (json!({"version": "01.0.0"}), "VERSION-SEM"),
        (json!({"version": 1}), "VERSION-SEM"),
        (json!({"version": null}), "VERSION-REQ"),
        (json!({"name": "high.tide"}), "NAME-HY"),
        (json!({"config": {"posts_per_page": 0.5}}), "CONF-PPP-INT"),
        (json!({"author": "Zoe <zoe@example.com>"}), "AUT-EM-REQ"),
        (json!({"author": {"email": "zoe"}}), "AUT-EM-VAL"),
        (json!({"author": {"email": 5}}), "AUT-EM-VAL"),
    ] {
        let errors = errors_of(&site, &[("package.json", &package_with(&fields))]);
        let expected = found(&format!("GS010-PJ-{code}"), "package.json");
        assert_eq!(errors, [expected], "{fields}");
    }
    for fields in [
        json!({"version": "v1.0.0-beta.1"}),
        json!({"config": {"posts_per_page": null}}),
    ] {
        let errors = errors_of(&site, &[("package.json", &package_with(&fields))]);
        assert_eq!(errors, [], "{fields}");
    }
}

#[test]
fn warnings_of_the_package_have_ghosts_codes() {
    let site = TestSite::staffed();
    let long = "x".repeat(101);
    for (fields, code) in [
        (json!({"keywords": []}), "KEYWORDS"),
        (json!({"engines": {"ghost-api": "v4"}}), "GHOST-API-PRESENT"),
        (
            json!({"config": {"card_assets": null}}),
            "GHOST-CARD-ASSETS-NOT-PRESENT",
        ),
        (
            json!({"config": {"custom": {"shade": {"type": "text", "description": long}}}}),
            "CUST-THEME-SETTINGS-DESCRIPTION-LENGTH",
        ),
    ] {
        let package = package_with(&fields);
        let files = [
            ("package.json", &*package),
            ("post.hbs", "{{#if @custom.shade}}{{/if}}"),
        ];
        let warnings = findings_of(&site, "warnings", &files).into_iter();
        let warnings: Vec<_> = warnings
            .filter(|(code, _)| !code.starts_with("GS050"))
            .collect();
        let expected = found(&format!("GS010-PJ-{code}"), "package.json");
        assert_eq!(warnings, [expected], "{fields}");
    }
}

#[test]
fn card_styles_are_required_unless_the_package_includes_them() {
    let site = TestSite::staffed();
    let errors = errors_of(&site, &[("assets/screen.css", "h1 { color: red }")]);
    let wide_and_full = [
        found("GS050-CSS-KGWW", "styles"),
        found("GS050-CSS-KGWF", "styles"),
    ];
    assert_eq!(errors, wide_and_full);
    let cases = [
        (json!(true), false),
        (json!({"exclude": ["toggle"]}), false),
        (json!({"include": ["bookmark"]}), false),
        (json!({"exclude": ["bookmark"]}), true),
        (json!({"include": ["toggle"]}), true),
        (json!(false), true),
    ];
    for (card_assets, is_needed) in cases {
        let package = package_with(&json!({"config": {"card_assets": card_assets}}));
        let errors = errors_of(&site, &[("package.json", &package)]);
        let bookmark = found("GS050-CSS-KGBMTH", "styles");
        assert_eq!(errors.contains(&bookmark), is_needed, "{card_assets}");
        let style = format!("{STYLE} .kg-bookmark-thumbnail {{}}");
        let files = [("package.json", &*package), ("assets/screen.css", &style)];
        assert!(!errors_of(&site, &files).contains(&bookmark));
    }
}

#[test]
fn usages_that_ghosts_check_reports_are_reported() {
    let site = TestSite::staffed();
    for (level, file, text, code) in [
        ("errors", "assets/a.js", "ghost.url.api()", "GS060-JS-GUA"),
        (
            "errors",
            "post.hbs",
            "{{t \"\"}}",
            "GS080-NO-EMPTY-TRANSLATIONS",
        ),
        (
            "warnings",
            "post.hbs",
            "{{#each tags}}{{/each}}",
            "GS001-DEPR-EACH",
        ),
        (
            "warnings",
            "post.hbs",
            "<img src=\"/assets/a.png\">",
            "GS030-ASSET-REQ",
        ),
        (
            "warnings",
            "post.hbs",
            "{{@page.colour}}",
            "GS110-NO-UNKNOWN-PAGE-BUILDER-USAGE",
        ),
        (
            "errors",
            "post.hbs",
            "{{#post}}{{author}}{{/post}}",
            "GS090-NO-AUTHOR-HELPER-IN-POST-CONTEXT",
        ),
        (
            "warnings",
            "post.hbs",
            "{{#if img_url}}{{/if}}",
            "GS090-NO-IMG-URL-IN-CONDITIONALS",
        ),
        (
            "warnings",
            "post.hbs",
            "{{#get \"posts\" limit=\"all\"}}{{/get}}",
            "GS090-NO-LIMIT-ALL-IN-GET-HELPER",
        ),
        (
            "warnings",
            "post.hbs",
            "{{#get \"posts\" limit=101}}{{/get}}",
            "GS090-NO-LIMIT-OVER-100-IN-GET-HELPER",
        ),
        (
            "errors",
            "post.hbs",
            "{{products}}",
            "GS090-NO-PRODUCTS-HELPER",
        ),
        (
            "errors",
            "post.hbs",
            "{{@member.products}}",
            "GS090-NO-MEMBER-PRODUCTS-DATA-HELPER",
        ),
        (
            "errors",
            "post.hbs",
            "{{#get \"tiers\"}}{{monthly_price.amount}}{{/get}}",
            "GS090-NO-TIER-PRICE-AS-OBJECT",
        ),
        (
            "errors",
            "post.hbs",
            "{{#foreach tiers}}{{#if @price.currency}}{{/if}}{{/foreach}}",
            "GS090-NO-PRICE-DATA-CURRENCY-CONTEXT",
        ),
    ] {
        let findings = findings_of(&site, level, &[(file, text)]).into_iter();
        // Some of these variables are also reported as unknown or as deprecated.
        let is_other = |code: &str| !code.starts_with("GS120") && code != "GS001-DEPR-AUTH";
        let findings: Vec<_> = findings.filter(|(code, _)| is_other(code)).collect();
        assert_eq!(findings, [found(code, file)], "{text}");
    }
    for (files, code, file) in [
        (
            [(
                "default.hbs",
                "{{{body}}}{{@page.show_title_and_feature_image}}",
            )],
            "GS040-GH-REQ",
            "default.hbs",
        ),
        (
            [("default.hbs", "{{ghost_head}}{{ghost_foot}}")],
            "GS110-NO-MISSING-PAGE-BUILDER-USAGE",
            "page.hbs",
        ),
        (
            [("assets/screen.css", ".kg-width-wide .kg-width-full")],
            "GS051-CUSTOM-FONTS",
            "styles",
        ),
    ] {
        let warnings = findings_of(&site, "warnings", &files);
        assert_eq!(warnings.first(), Some(&found(code, file)), "{files:?}");
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
        (
            r#""type": "text", "visibility": "shade:(""#,
            Some("VISIBILITY-SYNTAX"),
        ),
        (
            r#""type": "text", "visibility": "tide:high""#,
            Some("VISIBILITY-VALUE"),
        ),
        (r#""type": "text", "visibility": "shade:high""#, None),
        (r#""type": "text", "group": "site""#, None),
        (r#""type": "select", "options": [1, 2], "default": 1"#, None),
    ] {
        let setting: Value = serde_json::from_str(&format!("{{{setting}}}")).unwrap();
        let package = package_with(&json!({"config": {"custom": {"shade": setting}}}));
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

/// Ghost 6.65: all variables of an invalid template are unknown.
#[test]
fn invalid_template_is_also_reported_for_unknown_variables() {
    let site = TestSite::staffed();
    for text in ["{{#if posts}}", "{{/if}}", "{{a=b}}", "{{{a}}"] {
        let files = [("tag.hbs", text)];
        let refused = upload(&site, "tide.zip", &flawless_theme_with(&files));
        assert_eq!(refused.status, 422, "{text}");
        let report = &refused.json()["errors"][0]["details"]["errors"];
        let findings = report.as_array().unwrap().iter();
        let found = findings.map(|finding| {
            let code = finding["code"].as_str().unwrap().to_owned();
            let file = finding["failures"][0]["ref"].as_str().unwrap().to_owned();
            (code, file, finding["fatal"] == true)
        });
        let expected = [
            ("GS005-TPL-ERR".to_owned(), "tag.hbs".to_owned(), true),
            (
                "GS120-NO-UNKNOWN-GLOBALS".to_owned(),
                "tag.hbs".to_owned(),
                false,
            ),
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected, "{text}");
    }
}
