//! The rules that themes are checked against. Their codes are those that Ghost's themes and their
//! tools know (Ghost 6.65, recorded); the rules cover the parts that a site without pages uses,
//! and the files that every theme needs.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    Level, PACKAGE, PACKAGE_BYTES_MAX, Report, TEMPLATE_BYTES_MAX, TEXTS_BYTES_MAX, Theme,
    helper_names, is_translation, old_expressions,
    rules::{Positions, Rules, shortened},
    variable_rules,
};
use crate::{
    domain::theme::is_color,
    templates::{BrokenRule, SyntaxError, Template, Templates},
};

/// Most settings of a theme (Ghost 6.65, recorded).
const SETTINGS_MAX: usize = 20;

/// Templates that every theme needs, and the codes of the rules.
const REQUIRED: [(&str, &str); 2] = [
    ("index.hbs", "GS020-INDEX-REQ"),
    ("post.hbs", "GS020-POST-REQ"),
];

/// Checks a theme against the rules.
pub fn validate(theme: &Theme) -> Report {
    let mut rules = Rules::default();
    let paths: BTreeSet<String> = theme.paths().into_iter().collect();
    for (template, code) in REQUIRED {
        if !paths.contains(template) {
            rules.break_fatal(
                code,
                format!("There must be a template {template}"),
                "A theme shows lists with index.hbs and posts with post.hbs, and needs both.",
                vec![(template.to_owned(), None)],
            );
        }
    }
    let templates = check_templates(&mut rules, theme, &paths);
    check_translations(&mut rules, theme, &paths);
    let package = package(theme, &paths);
    match &package {
        Ok(package) => check_package(&mut rules, package),
        Err((code, message)) => rules.break_rule(
            code,
            Level::Error,
            "There should be a package.json with a JSON object",
            "It contains the theme's name, settings and image widths.",
            message.clone(),
        ),
    }
    variable_rules::check(
        &mut rules,
        &templates.variables(),
        &package.unwrap_or_default(),
    );
    // Those for which the theme is refused come first, as in Ghost.
    rules.report.errors.sort_by_key(|finding| !finding.fatal);
    rules.report
}

fn package(
    theme: &Theme,
    paths: &BTreeSet<String>,
) -> Result<Value, (&'static str, Option<String>)> {
    if !paths.contains(PACKAGE) {
        return Err(("GS010-PJ-REQ", None));
    }
    let unreadable = |message: String| ("GS010-PJ-PARSE", Some(message));
    let bytes = theme.read(PACKAGE, PACKAGE_BYTES_MAX).ok_or_else(|| {
        unreadable(format!(
            "It cannot be read, or has more than {} KiB.",
            PACKAGE_BYTES_MAX >> 10
        ))
    })?;
    let package: Value =
        serde_json::from_slice(&bytes).map_err(|error| unreadable(format!("{error}.")))?;
    if package.is_object() {
        Ok(package)
    } else {
        Err(unreadable("It is not an object.".to_owned()))
    }
}

/// Returns the errors of the templates of a theme for which it is refused, in order. Templates that cannot be read are left out.
pub fn template_errors(theme: &Theme) -> Vec<SyntaxError> {
    CheckedTemplates::of(theme, &theme.paths().into_iter().collect()).errors
}

/// The templates of a theme, and what is wrong with them.
#[derive(Default)]
struct CheckedTemplates {
    templates: Templates,
    /// The paths of those that cannot be read.
    unread: Vec<String>,
    errors: Vec<SyntaxError>,
    /// The expressions of earlier versions of Ghost: whether the theme is refused for them, and their rule.
    old: BTreeMap<(bool, &'static str), Positions>,
}

impl CheckedTemplates {
    fn of(theme: &Theme, paths: &BTreeSet<String>) -> Self {
        let mut checked = Self::default();
        let mut broken = Vec::new();
        let mut read = theme.text_reader();
        for path in paths.iter().filter(|path| path.ends_with(".hbs")) {
            let Some(bytes) = read(path) else {
                checked.unread.push(path.clone());
                continue;
            };
            let text = String::from_utf8_lossy(&bytes);
            for found in old_expressions::find(path, &text) {
                let message = format!("line {}: {}", found.line, found.message);
                let rule = (found.is_removed, found.code);
                let positions = checked.old.entry(rule).or_default();
                positions.push((path.clone(), Some(message)));
            }
            match Template::parse(path, &text) {
                Ok(template) => checked.templates.insert(template),
                Err(error) => broken.push(error),
            }
        }
        checked.errors = checked.templates.check(&broken, helper_names::is_helper);
        checked
    }
}

/// The code of the rule about the language of templates.
const LANGUAGE: &str = "GS005-TPL-ERR";

/// Returns the code of the rule that an error of a template breaks.
pub fn code_of(error: &SyntaxError) -> &'static str {
    match error.rule {
        BrokenRule::Language => LANGUAGE,
        BrokenRule::ComputedPartial => "GS005-NO-INLINE-DYNAMIC-PARTIAL",
        BrokenRule::Condition => "GS090-NO-INVALID-CONDITIONAL-ARGUMENTS",
    }
}

/// Checks the templates: their language, the names in them, and their layouts. Returns them.
fn check_templates(rules: &mut Rules, theme: &Theme, paths: &BTreeSet<String>) -> Templates {
    let checked = CheckedTemplates::of(theme, paths);
    let unread = checked.unread.into_iter().map(|path| {
        let message = format!(
            "It cannot be read, or has more than {} KiB, or all templates have more than {} KiB.",
            TEMPLATE_BYTES_MAX >> 10,
            TEXTS_BYTES_MAX >> 10
        );
        (path, Some(message))
    });
    let mut errors = BTreeMap::from([(LANGUAGE, unread.collect::<Positions>())]);
    for error in checked.errors {
        let message = format!("line {}: {}.", error.position.line, error.reason);
        let positions = errors.entry(code_of(&error)).or_default();
        positions.push((error.position.template.to_string(), Some(message)));
    }
    for (code, positions) in errors {
        rules.break_where(
            code,
            "Templates must be valid Handlebars",
            "Blocks must be closed in order, and partials must be in the folder partials.",
            positions,
        );
    }
    for ((is_removed, code), positions) in checked.old {
        if is_removed {
            rules.break_where(
                code,
                "Templates must not use expressions that Ghost has removed",
                "They have no value, so that parts of pages would be empty.",
                positions,
            );
        } else {
            rules.report_where(
                code,
                "Templates should not use expressions of earlier versions of Ghost",
                "They may have no value, so that parts of pages are empty.",
                positions,
            );
        }
    }
    let circles = checked.templates.layout_circles().into_iter();
    rules.break_where(
        "GS130-NO-RECURSIVE-LAYOUT",
        "A template must not be in its own layout",
        "Layouts are rendered around a template, each in the next one.",
        circles
            .map(|paths| (paths[0].clone(), Some(format!("{}.", paths.join(" → ")))))
            .collect(),
    );
    checked.templates
}

/// Checks that the translations are JSON.
fn check_translations(rules: &mut Rules, theme: &Theme, paths: &BTreeSet<String>) {
    let mut read = theme.text_reader();
    let translations = paths.iter().filter(|path| is_translation(path));
    let broken = translations.filter_map(|path| {
        let parsed = read(path).map(|bytes| serde_json::from_slice::<Value>(&bytes));
        match parsed {
            Some(Ok(_)) => None,
            Some(Err(error)) => Some((path.clone(), Some(format!("{error}.")))),
            None => Some((
                path.clone(),
                Some("It cannot be read, or the translations are too long.".to_owned()),
            )),
        }
    });
    rules.break_where(
        "GS070-VALID-TRANSLATIONS",
        "Translations must be JSON",
        "A file in locales has one object with texts.",
        broken.collect(),
    );
}

fn check_package(rules: &mut Rules, package: &Value) {
    let text = |key: &str| package.get(key).and_then(Value::as_str);
    check_name(rules, text("name").unwrap_or_default());
    check_version(rules, text("version"));
    if let Some(per_page) = package.pointer("/config/posts_per_page")
        && !per_page.is_null()
        && per_page.as_f64().is_none_or(|number| number < 1.0)
    {
        rules.break_rule(
            "GS010-PJ-CONF-PPP-INT",
            Level::Error,
            "The package's \"config.posts_per_page\" should be a number above 0",
            "It is the number of posts on a page of a list.",
            None,
        );
    }
    let keywords = package.get("keywords").and_then(Value::as_array);
    if !keywords.is_some_and(|words| words.iter().any(|word| word == "ghost-theme")) {
        rules.break_rule(
            "GS010-PJ-KEYWORDS",
            Level::Warning,
            "The package's \"keywords\" should name ghost-theme",
            "Theme directories require it.",
            None,
        );
    }
    if package.pointer("/engines/ghost-api").is_some() {
        rules.break_rule(
            "GS010-PJ-GHOST-API-PRESENT",
            Level::Warning,
            "The package's \"engines.ghost-api\" can be removed",
            "It is no longer used.",
            None,
        );
    }
    if let Some(custom) = package.pointer("/config/custom") {
        check_settings(rules, custom);
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

fn check_version(rules: &mut Rules, version: Option<&str>) {
    const RULE: &str = "The package's \"version\" should be three numbers, as in 1.0.0";
    const DETAILS: &str = "Users of the theme identify its releases by it.";
    let broken = match version {
        None => Some("GS010-PJ-VERSION-REQ"),
        Some(version) if !is_version(version) => Some("GS010-PJ-VERSION-SEM"),
        Some(_) => None,
    };
    if let Some(code) = broken {
        rules.break_rule(code, Level::Error, RULE, DETAILS, None);
    }
}

/// Returns whether a version is three numbers with dots between them, and any suffix after a dash
/// or a plus sign, perhaps after a `v`.
fn is_version(version: &str) -> bool {
    let version = version.trim_start_matches('v');
    let numbers = version.split(['-', '+']).next().unwrap_or_default();
    let is_number = |part: &str| {
        let is_plain = part == "0" || !part.starts_with('0');
        is_plain && !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    numbers.split('.').count() == 3 && numbers.split('.').all(is_number)
}

fn check_settings(rules: &mut Rules, custom: &Value) {
    let mut reported = BTreeSet::new();
    let mut report = |code: &'static str, rule: &str, key: Option<&str>| {
        let message = key.map(|key| format!("The setting is \"{}\".", shortened(key)));
        if reported.insert(code) {
            let details = "The other settings of the theme can be used.";
            rules.break_rule(code, Level::Error, rule, details, message);
        }
    };
    const KIND: &str = "A setting in the package's \"config.custom\" should have a type: select, boolean, color, image or text";
    let Some(settings) = custom.as_object() else {
        return report("GS010-PJ-CUST-THEME-SETTINGS-TYPE", KIND, None);
    };
    if settings.len() > SETTINGS_MAX {
        let rule =
            format!("The package's \"config.custom\" should have at most {SETTINGS_MAX} settings");
        report("GS010-PJ-CUST-THEME-TOTAL-SETTINGS", &rule, None);
    }
    for (key, setting) in settings {
        let is_usual =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if key.is_empty() || !key.bytes().all(is_usual) {
            let rule =
                "A setting's name should consist of lower-case words with underscores between them";
            report("GS010-PJ-CUST-THEME-SETTINGS-CASE", rule, Some(key));
        }
        if let Some((code, rule)) = fault_of_setting(setting) {
            report(code, rule.unwrap_or(KIND), Some(key));
        }
    }
}

/// Returns the code of the rule that a setting breaks, and the rule, unless it is the one about
/// types.
fn fault_of_setting(setting: &Value) -> Option<(&'static str, Option<&'static str>)> {
    let default = setting.get("default");
    match setting.get("type").and_then(Value::as_str) {
        Some("select") => fault_of_select(setting, default),
        Some("boolean") => (!default.is_some_and(Value::is_boolean)).then_some((
            "GS010-PJ-CUST-THEME-SETTINGS-BOOLEAN-DEFAULT",
            Some("A boolean should have true or false as its default"),
        )),
        Some("color") => {
            let is_good = default.and_then(Value::as_str).is_some_and(is_color);
            (!is_good).then_some((
                "GS010-PJ-CUST-THEME-SETTINGS-COLOR-DEFAULT",
                Some("A color should have # and six hexadecimal digits as its default"),
            ))
        }
        Some("image") => {
            let is_good = default.is_none_or(|default| default.is_null() || default == "");
            (!is_good).then_some((
                "GS010-PJ-CUST-THEME-SETTINGS-IMAGE-DEFAULT",
                Some("An image should have no default"),
            ))
        }
        Some("text") => None,
        _ => Some(("GS010-PJ-CUST-THEME-SETTINGS-TYPE", None)),
    }
}

/// Returns the code and the rule that a setting with options breaks.
fn fault_of_select(
    setting: &Value,
    default: Option<&Value>,
) -> Option<(&'static str, Option<&'static str>)> {
    let options = setting.get("options").and_then(Value::as_array);
    let options = options.map_or(&[][..], Vec::as_slice);
    if options.len() < 2 || !options.iter().all(Value::is_string) {
        return Some((
            "GS010-PJ-CUST-THEME-SETTINGS-SELECT-OPTIONS",
            Some("A select should have at least two options, which are texts"),
        ));
    }
    let is_good = default.is_some_and(|default| options.contains(default));
    (!is_good).then_some((
        "GS010-PJ-CUST-THEME-SETTINGS-SELECT-DEFAULT",
        Some("A select should have one of its options as its default"),
    ))
}
