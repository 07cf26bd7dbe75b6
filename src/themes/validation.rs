//! The rules that themes are checked against. Their codes are those that Ghost's themes and their
//! tools know (Ghost 6.65, recorded); the rules cover the parts that a site without pages uses,
//! and the files that every theme needs.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    Finding, Level, PACKAGE, PACKAGE_BYTES_MAX, Report, RuleViolation, TEMPLATE_BYTES_MAX,
    TEXTS_BYTES_MAX, Theme, helper_names, is_translation, removed_expressions,
};
use crate::{
    domain::theme::is_color,
    templates::{SyntaxError, Template, Templates},
};

/// Most settings of a theme (Ghost 6.65, recorded).
const SETTINGS_MAX: usize = 20;

/// Most failures of one rule that are reported.
const FAILURES_MAX: usize = 20;

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
    check_templates(&mut rules, theme, &paths);
    check_translations(&mut rules, theme, &paths);
    match package(theme, &paths) {
        Ok(package) => check_package(&mut rules, &package),
        Err((code, message)) => rules.break_rule(
            code,
            Level::Error,
            "There should be a package.json with a JSON object",
            "It contains the theme's name, settings and image widths.",
            message,
        ),
    }
    rules.report
}

/// Collects the broken rules.
#[derive(Default)]
struct Rules {
    report: Report,
}

/// Files that break a rule, each with the problem in it.
type Positions = Vec<(String, Option<String>)>;

impl Rules {
    /// Adds a broken rule for which the theme is refused, if there are files that break it.
    fn break_where(&mut self, code: &'static str, rule: &str, details: &str, positions: Positions) {
        if !positions.is_empty() {
            self.break_fatal(code, rule.to_owned(), details, positions);
        }
    }

    fn break_fatal(
        &mut self,
        code: &'static str,
        rule: String,
        details: &str,
        positions: Positions,
    ) {
        let failure = |(file, message)| RuleViolation {
            file,
            message,
            rule: code,
        };
        self.report.errors.push(Finding {
            fatal: true,
            level: Level::Error,
            rule,
            details: details.to_owned(),
            failures: positions
                .into_iter()
                .take(FAILURES_MAX)
                .map(failure)
                .collect(),
            code,
        });
    }

    /// Adds a broken rule about the package, which does not prevent the theme from being used.
    fn break_rule(
        &mut self,
        code: &'static str,
        level: Level,
        rule: &str,
        details: &str,
        message: Option<String>,
    ) {
        let finding = Finding {
            fatal: false,
            level,
            rule: rule.to_owned(),
            details: details.to_owned(),
            failures: vec![RuleViolation {
                file: PACKAGE.to_owned(),
                message,
                rule: code,
            }],
            code,
        };
        match level {
            Level::Error => self.report.errors.push(finding),
            Level::Warning => self.report.warnings.push(finding),
        }
    }
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
    /// The expressions that Ghost has removed, by their rule.
    removed: BTreeMap<&'static str, Positions>,
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
            for found in removed_expressions::find(&text) {
                let message = format!("line {}: {}", found.line, found.message);
                let positions = checked.removed.entry(found.code).or_default();
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

/// Checks the templates: their language, the names in them, and their layouts.
fn check_templates(rules: &mut Rules, theme: &Theme, paths: &BTreeSet<String>) {
    let checked = CheckedTemplates::of(theme, paths);
    let unread = checked.unread.into_iter().map(|path| {
        let message = format!(
            "It cannot be read, or has more than {} KiB, or all templates have more than {} KiB.",
            TEMPLATE_BYTES_MAX >> 10,
            TEXTS_BYTES_MAX >> 10
        );
        (path, Some(message))
    });
    let errors = checked.errors.into_iter().map(|error| {
        let message = format!("line {}: {}.", error.position.line, error.reason);
        (error.position.template.to_string(), Some(message))
    });
    rules.break_where(
        "GS005-TPL-ERR",
        "Templates must be valid Handlebars",
        "Blocks must be closed in order, and partials must be in the folder partials.",
        unread.chain(errors).collect(),
    );
    for (code, positions) in checked.removed {
        rules.break_where(
            code,
            "Templates must not use expressions that Ghost has removed",
            "They have no value, so that parts of pages would be empty.",
            positions,
        );
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
        && per_page.as_u64().is_none_or(|number| number == 0)
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
    let broken = if name.is_empty() {
        Some("GS010-PJ-NAME-REQ")
    } else if name.chars().any(char::is_uppercase) {
        Some("GS010-PJ-NAME-LC")
    } else if name.contains(char::is_whitespace) || name.contains('_') {
        Some("GS010-PJ-NAME-HY")
    } else {
        None
    };
    if let Some(code) = broken {
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
/// or a plus sign.
fn is_version(version: &str) -> bool {
    let numbers = version.split(['-', '+']).next().unwrap_or_default();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
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
    let is_default = |is_good: fn(&Value) -> bool| default.is_none_or(is_good);
    match setting.get("type").and_then(Value::as_str) {
        Some("select") => {
            let options = setting.get("options").and_then(Value::as_array);
            let options = options.map_or(&[][..], Vec::as_slice);
            let is_good = !options.is_empty()
                && options.iter().all(Value::is_string)
                && default.is_some_and(|default| options.contains(default));
            (!is_good).then_some((
                "GS010-PJ-CUST-THEME-SETTINGS-SELECT-OPTIONS",
                Some("A select should have options that are texts, and one of them as its default"),
            ))
        }
        Some("boolean") => (!default.is_some_and(Value::is_boolean)).then_some((
            "GS010-PJ-CUST-THEME-SETTINGS-BOOLEAN-DEFAULT",
            Some("A boolean should have true or false as its default"),
        )),
        Some("color") => {
            (!is_default(|default| default.as_str().is_some_and(is_color))).then_some((
                "GS010-PJ-CUST-THEME-SETTINGS-COLOR-DEFAULT",
                Some("A color should have # and six hexadecimal digits as its default"),
            ))
        }
        Some("image") => (!is_default(Value::is_null)).then_some((
            "GS010-PJ-CUST-THEME-SETTINGS-IMAGE-DEFAULT",
            Some("An image should have no default"),
        )),
        Some("text") => None,
        _ => Some(("GS010-PJ-CUST-THEME-SETTINGS-TYPE", None)),
    }
}

/// Returns the beginning of a name, short enough for a message.
fn shortened(name: &str) -> String {
    name.chars().take(80).collect()
}
