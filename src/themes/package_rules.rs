//! The rules about the package of a theme (Ghost 6.65).

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;
use serde_json::{Map, Value};

use super::{
    Level,
    rules::{Rules, shortened},
};
use crate::{
    domain::{
        email,
        theme::{described_settings, is_color},
    },
    nql,
};

/// Maximum number of settings of a theme (Ghost 6.65, recorded).
const SETTINGS_MAX: usize = 20;

/// Maximum length of the description of a setting, in characters.
const DESCRIPTION_CHARACTERS_MAX: usize = 100;

/// Checks the package of a theme.
pub fn check(rules: &mut Rules, package: &Value) {
    let text = |key: &str| package.get(key).and_then(Value::as_str);
    check_name(rules, text("name").unwrap_or_default());
    check_version(rules, package.get("version"));
    check_author(rules, package);
    check_config(rules, package);
    let keywords = package.get("keywords").and_then(Value::as_array);
    if !keywords.is_some_and(|words| words.iter().any(|word| word == "ghost-theme")) {
        rules.break_rule(
            "GS010-PJ-KEYWORDS",
            Level::Warning,
            "The package's \"keywords\" should include ghost-theme",
            "Theme directories require it.",
            None,
        );
    }
    if package.pointer("/engines/ghost-api").is_some_and(is_set) {
        rules.break_rule(
            "GS010-PJ-GHOST-API-PRESENT",
            Level::Warning,
            "The package's \"engines.ghost-api\" can be removed",
            "Ghost ignores it since version 5.",
            None,
        );
    }
    check_settings(rules, &described_settings(package));
}

/// Returns whether a value in a package counts as set.
fn is_set(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Bool(true) | Value::Array(_) | Value::Object(_) => true,
    }
}

fn check_author(rules: &mut Rules, package: &Value) {
    let address = package
        .pointer("/author/email")
        .filter(|email| is_set(email));
    let is_address = |address: &Value| address.as_str().is_some_and(email::is_address);
    let code = match address {
        None => "GS010-PJ-AUT-EM-REQ",
        Some(address) if !is_address(address) => "GS010-PJ-AUT-EM-VAL",
        Some(_) => return,
    };
    rules.break_rule(
        code,
        Level::Error,
        "The package's \"author.email\" should be an e-mail address",
        "It is the contact address for users of the theme.",
        None,
    );
}

fn check_config(rules: &mut Rules, package: &Value) {
    const NUMBER: &str = "It is the number of posts on a page of a list.";
    let per_page = package.pointer("/config/posts_per_page");
    match per_page.filter(|number| !number.is_null()) {
        None => rules.break_rule(
            "GS010-PJ-CONF-PPP",
            Level::Recommendation,
            "The package should have \"config.posts_per_page\"",
            NUMBER,
            None,
        ),
        Some(number) if number.as_f64().is_none_or(|number| number < 1.0) => rules.break_rule(
            "GS010-PJ-CONF-PPP-INT",
            Level::Error,
            "The package's \"config.posts_per_page\" should be a number above 0",
            NUMBER,
            None,
        ),
        Some(_) => {}
    }
    let has_card_assets = match package.pointer("/config/card_assets") {
        Some(Value::Bool(_)) => true,
        Some(Value::Object(lists)) => !lists.is_empty(),
        Some(Value::Array(names)) => !names.is_empty(),
        Some(Value::String(text)) => !text.is_empty(),
        _ => false,
    };
    if !has_card_assets {
        rules.break_rule(
            "GS010-PJ-GHOST-CARD-ASSETS-NOT-PRESENT",
            Level::Warning,
            "The package should have \"config.card_assets\"",
            "It selects the cards of the editor that use the built-in styles. Without it, all of them do.",
            None,
        );
    }
}

fn check_name(rules: &mut Rules, name: &str) {
    const RULE: &str =
        "The package's \"name\" should consist of lower-case words with dashes between them";
    let is_of_word = |byte: u8| byte.is_ascii_alphanumeric();
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(is_of_word);
    let broken = [
        (name.is_empty(), "GS010-PJ-NAME-REQ"),
        (name.chars().any(char::is_uppercase), "GS010-PJ-NAME-LC"),
        (
            !name.is_empty() && !name.split('-').all(is_word),
            "GS010-PJ-NAME-HY",
        ),
    ];
    for (_, code) in broken.into_iter().filter(|(is_broken, _)| *is_broken) {
        rules.break_rule(code, Level::Error, RULE, "For example my-theme.", None);
    }
}

fn check_version(rules: &mut Rules, version: Option<&Value>) {
    const RULE: &str = "The package's \"version\" should be three numbers, as in 1.0.0";
    const DETAILS: &str = "It identifies the releases of the theme.";
    let broken = match version.filter(|version| is_set(version)) {
        None => Some("GS010-PJ-VERSION-REQ"),
        Some(version) if !version.as_str().is_some_and(is_version) => Some("GS010-PJ-VERSION-SEM"),
        Some(_) => None,
    };
    if let Some(code) = broken {
        rules.break_rule(code, Level::Error, RULE, DETAILS, None);
    }
}

/// Returns whether a version consists of three numbers separated by dots, with an optional `v`
/// before them and an optional suffix after a dash or a plus sign.
fn is_version(version: &str) -> bool {
    // Ghost's check uses the package semver, which accepts these spellings.
    let version = version.trim().trim_start_matches('v');
    let mut parts = version.splitn(2, ['-', '+']);
    let numbers = parts.next().unwrap_or_default();
    if parts.next().is_some_and(str::is_empty) {
        return false;
    }
    let is_number = |part: &str| {
        let is_plain = part == "0" || !part.starts_with('0');
        is_plain && !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    numbers.split('.').count() == 3 && numbers.split('.').all(is_number)
}

fn check_settings(rules: &mut Rules, settings: &Map<String, Value>) {
    const KIND: &str = "A setting in the package's \"config.custom\" should have a type: select, boolean, color, image or text";
    let mut reported = BTreeSet::new();
    let mut report = |(code, level): (&'static str, Level), rule: &str, key: Option<&str>| {
        let message = key.map(|key| format!("The setting is \"{}\".", shortened(key)));
        // Each rule is reported once, with the first setting that violates it.
        if reported.insert(code) {
            let details = "The other settings of the theme can be used.";
            rules.break_rule(code, level, rule, details, message);
        }
    };
    let error = |code| (code, Level::Error);
    if settings.len() > SETTINGS_MAX {
        let rule =
            format!("The package's \"config.custom\" should have at most {SETTINGS_MAX} settings");
        report(error("GS010-PJ-CUST-THEME-TOTAL-SETTINGS"), &rule, None);
    }
    for (key, setting) in settings {
        let is_usual =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if key.is_empty() || key.starts_with('_') || !key.bytes().all(is_usual) {
            let rule =
                "A setting's name should consist of lower-case words with underscores between them";
            report(error("GS010-PJ-CUST-THEME-SETTINGS-CASE"), rule, Some(key));
        }
        if let Some((code, rule)) = fault_of_setting(setting) {
            report(error(code), rule.unwrap_or(KIND), Some(key));
        }
        for (code, level, rule) in faults_of_display(settings, setting) {
            report((code, level), rule, Some(key));
        }
    }
}

/// Returns the violated rules about the group, description and visibility of a setting.
fn faults_of_display(
    settings: &Map<String, Value>,
    setting: &Value,
) -> Vec<(&'static str, Level, &'static str)> {
    // The first setting in the filter, which is the only one that is checked (Ghost 6.65).
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        // Invariant: the expression is a constant, and a test compiles it.
        Regex::new("([a-zA-Z_][a-zA-Z0-9_.]+):").expect("the expression of a setting compiles")
    });
    let mut faults = Vec::new();
    if setting
        .get("group")
        .is_some_and(|group| group != "post" && group != "homepage")
    {
        faults.push((
            "GS010-PJ-CUST-THEME-SETTINGS-GROUP",
            Level::Recommendation,
            "A setting's group should be homepage or post",
        ));
    }
    let text = |key: &str| setting.get(key).and_then(Value::as_str);
    if text("description").unwrap_or_default().chars().count() > DESCRIPTION_CHARACTERS_MAX {
        faults.push((
            "GS010-PJ-CUST-THEME-SETTINGS-DESCRIPTION-LENGTH",
            Level::Warning,
            "A setting's description should have at most 100 characters",
        ));
    }
    let visibility = text("visibility").filter(|visibility| !visibility.is_empty());
    if visibility.is_some_and(|visibility| nql::parse(visibility).is_err()) {
        faults.push((
            "GS010-PJ-CUST-THEME-SETTINGS-VISIBILITY-SYNTAX",
            Level::Error,
            "A setting's visibility should be a filter, such as layout:Journal",
        ));
    }
    let named = visibility.and_then(|visibility| NAMED.captures(visibility)?.get(1));
    if named.is_some_and(|named| !settings.contains_key(named.as_str())) {
        faults.push((
            "GS010-PJ-CUST-THEME-SETTINGS-VISIBILITY-VALUE",
            Level::Error,
            "A setting's visibility should refer to another setting",
        ));
    }
    faults
}

/// Returns the code and the text of the rule that a setting violates. There is no text for the rule
/// about types.
fn fault_of_setting(setting: &Value) -> Option<(&'static str, Option<&'static str>)> {
    let default = setting.get("default");
    match setting.get("type").and_then(Value::as_str) {
        Some("select") => fault_of_select(setting, default),
        Some("boolean") => (!default.is_some_and(Value::is_boolean)).then_some((
            "GS010-PJ-CUST-THEME-SETTINGS-BOOLEAN-DEFAULT",
            Some("The default of a boolean should be true or false"),
        )),
        Some("color") => {
            let is_good = default.and_then(Value::as_str).is_some_and(is_color);
            (!is_good).then_some((
                "GS010-PJ-CUST-THEME-SETTINGS-COLOR-DEFAULT",
                Some("The default of a color should be # and six hexadecimal digits"),
            ))
        }
        Some("image") => {
            let is_good = default.is_none_or(|default| default.is_null() || default == "");
            (!is_good).then_some((
                "GS010-PJ-CUST-THEME-SETTINGS-IMAGE-DEFAULT",
                Some("An image should not have a default"),
            ))
        }
        Some("text") => None,
        _ => Some(("GS010-PJ-CUST-THEME-SETTINGS-TYPE", None)),
    }
}

/// Returns the code and the text of the rule that a setting with options violates.
fn fault_of_select(
    setting: &Value,
    default: Option<&Value>,
) -> Option<(&'static str, Option<&'static str>)> {
    let options = setting.get("options").and_then(Value::as_array);
    let options = options.map_or(&[][..], Vec::as_slice);
    if options.len() < 2 {
        return Some((
            "GS010-PJ-CUST-THEME-SETTINGS-SELECT-OPTIONS",
            Some("A select should have at least two options"),
        ));
    }
    let is_good = default.is_some_and(|default| options.contains(default));
    (!is_good).then_some((
        "GS010-PJ-CUST-THEME-SETTINGS-SELECT-DEFAULT",
        Some("The default of a select should be one of its options"),
    ))
}
