//! The rules that themes are checked against. Their codes are those known to Ghost's themes and their tools (Ghost 6.65,
//! recorded). They cover all parts of a theme.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    Level, Report, Theme,
    encoding::decoded,
    encoding_rules, helper_names, old_expressions, package_rules,
    rules::{Positions, Rules},
    template_rules, text_rules, translations, variable_rules,
};
use crate::{
    templates::{BrokenRule, SyntaxError, Template, Templates},
    themes::{
        files::PACKAGE,
        limits::{ASSET_BYTES_MAX, PACKAGE_BYTES_MAX, TEMPLATE_BYTES_MAX, TEXTS_BYTES_MAX},
    },
};

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
                format!("A theme must have the template {template}"),
                "A theme shows lists with index.hbs and posts with post.hbs, and needs both.",
                vec![(template.to_owned(), None)],
            );
        }
    }
    let default = (!paths.contains("default.hbs")).then(|| ("default.hbs".to_owned(), None));
    rules.report_where(
        "GS020-DEF-REC",
        Level::Recommendation,
        "A theme should have the template default.hbs",
        "The other templates use it as their layout, the page around them.",
        default.into_iter().collect(),
    );
    let (templates, unparsed) = check_templates(&mut rules, theme, &paths);
    check_translations(&mut rules, theme, &paths);
    encoding_rules::check(&mut rules, theme);
    let package = package(theme, &paths);
    if let Err((code, message)) = &package {
        rules.break_rule(
            code,
            Level::Error,
            "A theme should have a package.json with a JSON object",
            "It contains the theme's name, settings and image widths.",
            message.clone(),
        );
    }
    // The other rules are checked against an empty package, so that all problems are reported at
    // once.
    let package = package.unwrap_or_default();
    package_rules::check(&mut rules, &package);
    text_rules::check(&mut rules, theme, paths.iter(), &package);
    template_rules::check(&mut rules, &templates, &paths);
    variable_rules::check(&mut rules, &templates.variables(), unparsed, &package);
    // As in Ghost, the rules that cause the theme to be refused come first.
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
        serde_json::from_str(&decoded(bytes)).map_err(|error| unreadable(format!("{error}.")))?;
    if package.is_object() {
        Ok(package)
    } else {
        Err(unreadable("It is not an object.".to_owned()))
    }
}

/// Returns the errors of templates that cause a theme to be refused, in order. Templates that cannot be read are skipped.
pub fn template_errors(theme: &Theme) -> Vec<SyntaxError> {
    CheckedTemplates::of(theme, &theme.paths().into_iter().collect()).errors
}

/// The templates of a theme, with their problems.
#[derive(Default)]
struct CheckedTemplates {
    templates: Templates,
    /// The paths of the templates that cannot be read.
    unread: Vec<String>,
    /// The paths of the templates that are not valid.
    unparsed: Vec<String>,
    errors: Vec<SyntaxError>,
    /// The expressions of earlier versions of Ghost: whether the theme is refused because of them, and their rule.
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
            let text = decoded(bytes);
            for found in old_expressions::find(path, &text) {
                let message = format!("line {}: {}", found.line, found.message);
                let rule = (found.is_removed, found.code);
                let positions = checked.old.entry(rule).or_default();
                positions.push((path.clone(), Some(message)));
            }
            match Template::parse(path, &text) {
                Ok(template) => checked.templates.insert(template),
                Err(error) => {
                    checked.unparsed.push(path.clone());
                    broken.push(error);
                }
            }
        }
        // After all templates are known, because partials may be in files that come later.
        checked.errors = checked.templates.check(&broken, helper_names::is_helper);
        checked
    }
}

/// The code of the rule about the template language.
const LANGUAGE: &str = "GS005-TPL-ERR";

/// Returns the code of the rule that an error of a template violates.
pub fn code_of(error: &SyntaxError) -> &'static str {
    match error.rule {
        BrokenRule::Language => LANGUAGE,
        BrokenRule::ComputedPartial => "GS005-NO-INLINE-DYNAMIC-PARTIAL",
        BrokenRule::Condition => "GS090-NO-INVALID-CONDITIONAL-ARGUMENTS",
    }
}

/// Checks the templates: their syntax, the names in them, and their layouts. Returns the templates and the paths of those that
/// are not valid.
fn check_templates(
    rules: &mut Rules,
    theme: &Theme,
    paths: &BTreeSet<String>,
) -> (Templates, Vec<String>) {
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
                "They have no value, so parts of pages would be empty.",
                positions,
            );
        } else {
            rules.report_where(
                code,
                Level::Error,
                "Templates should not use expressions of earlier versions of Ghost",
                "They may have no value, so parts of pages may be empty.",
                positions,
            );
        }
    }
    let cycles = checked.templates.layout_cycles().into_iter();
    rules.break_where(
        "GS130-NO-RECURSIVE-LAYOUT",
        "Layouts must not be circular",
        "Layouts are rendered around a template, each in the next one.",
        cycles
            .map(|paths| (paths[0].clone(), Some(format!("{}.", paths.join(" → ")))))
            .collect(),
    );
    (checked.templates, checked.unparsed)
}

/// Checks that the translations are valid JSON. Unused translations in other folders may be as large as assets.
fn check_translations(rules: &mut Rules, theme: &Theme, paths: &BTreeSet<String>) {
    let mut read = theme.text_reader();
    let paths = paths.iter().filter(|path| translations::is_checked(path));
    let broken = paths.filter_map(|path| {
        let bytes = if translations::is_translation(path) {
            read(path)
        } else {
            theme.read(path, ASSET_BYTES_MAX)
        };
        let message = match bytes.map(|bytes| translations::parse(&decoded(bytes))) {
            Some(Ok(_)) => return None,
            Some(Err(error)) => format!("{error}."),
            None => "It cannot be read, or the translations are too long.".to_owned(),
        };
        Some((path.clone(), Some(message)))
    });
    rules.break_where(
        "GS070-VALID-TRANSLATIONS",
        "Translations must be JSON",
        "A file in locales must contain one object with strings.",
        broken.collect(),
    );
}
