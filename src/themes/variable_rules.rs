//! The rules about the variables in templates: those that Ghost defines, and the settings of the theme (Ghost 6.65, recorded).

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{
    Level,
    rules::{Rules, shortened},
};
use crate::{
    domain::theme::described_settings,
    templates::{TemplatePosition, Variables},
    themes::files::PACKAGE,
};

/// The first names of the variables defined in templates: those of the site and its reader, and those of `{{#foreach}}`.
const GIVEN: [&str; 16] = [
    "config", "custom", "even", "first", "index", "key", "labs", "last", "member", "number", "odd",
    "page", "rowEnd", "rowStart", "setting", "site",
];

/// A file and the problem in it.
type Failure = (String, Option<String>);

/// The settings of a package, by name.
type DescribedSettings = Map<String, Value>;

/// Checks the variables in the templates of a theme with this package. `unparsed` are the paths of the templates that are not
/// valid, whose variables are unknown.
pub fn check(rules: &mut Rules, variables: &Variables, unparsed: Vec<String>, package: &Value) {
    let unparsed = unparsed.into_iter().map(|path| (path, None));
    rules.report_where(
        "GS120-NO-UNKNOWN-GLOBALS",
        Level::Error,
        "Templates should only use variables that exist",
        "Other variables have no value.",
        unknown_variables(variables).chain(unparsed).collect(),
    );
    let settings = &described_settings(package);
    rules.report_where(
        "GS090-NO-UNKNOWN-CUSTOM-THEME-SETTINGS",
        Level::Error,
        "Templates should only use settings in the package's \"config.custom\"",
        "Other settings have no value.",
        unknown_settings(variables, settings).collect(),
    );
    rules.report_where(
        "GS090-NO-UNKNOWN-CUSTOM-THEME-SELECT-VALUE-IN-MATCH",
        Level::Error,
        "Templates should compare settings with their options",
        "A setting has no other value.",
        unknown_options(variables, settings).collect(),
    );
    rules.report_where(
        "GS100-NO-UNUSED-CUSTOM-THEME-SETTING",
        Level::Error,
        "Templates should use each setting of the package",
        "Unused settings have no effect.",
        unused_settings(variables, settings).collect(),
    );
}

fn failure(position: &TemplatePosition, message: &str) -> Failure {
    let message = format!("line {}: {message}", position.line);
    (position.template.to_string(), Some(message))
}

fn unknown_variables(variables: &Variables) -> impl Iterator<Item = Failure> {
    let unknown = variables.used.iter().filter(|variable| {
        let first = variable.name.split('.').next().unwrap_or_default();
        variable.is_used_directly && !GIVEN.contains(&first)
    });
    unknown.map(|variable| {
        let message = format!("there is no {{{{@{}}}}}.", variable.name);
        failure(&variable.position, &message)
    })
}

/// Returns the settings that tags refer to, with the positions of the tags.
fn named_settings(variables: &Variables) -> impl Iterator<Item = (&TemplatePosition, &str)> {
    variables.used.iter().filter_map(|variable| {
        let name = variable.name.strip_prefix("custom.")?;
        (!name.contains('.')).then_some((&variable.position, name))
    })
}

fn unknown_settings(
    variables: &Variables,
    settings: &DescribedSettings,
) -> impl Iterator<Item = Failure> {
    let unknown = named_settings(variables).filter(|(_, name)| !settings.contains_key(*name));
    unknown.map(|(position, name)| {
        let message = format!("the package has no setting \"{name}\".");
        failure(position, &message)
    })
}

fn unknown_options(
    variables: &Variables,
    settings: &DescribedSettings,
) -> impl Iterator<Item = Failure> {
    let compared = variables.compared.iter();
    compared.filter_map(|(position, variable, text)| {
        let name = variable.strip_prefix("custom.")?;
        let options = settings.get(name)?.get("options")?.as_array()?;
        let message = format!("the setting \"{name}\" has no option \"{text}\".");
        let is_known = options.iter().any(|option| option == text);
        (!is_known).then(|| failure(position, &message))
    })
}

fn unused_settings(
    variables: &Variables,
    settings: &DescribedSettings,
) -> impl Iterator<Item = Failure> {
    let mut named: BTreeSet<&str> = named_settings(variables).map(|(_, name)| name).collect();
    let of_filters = variables.of_filters.iter();
    // A setting in the filter of a `{{#get}}` is in use, although it is in no tag.
    named.extend(of_filters.filter_map(|name| name.strip_prefix("custom.")));
    let unused = settings
        .keys()
        .filter(move |name| !named.contains(name.as_str()));
    unused.map(|name| {
        let message = format!("no template uses the setting \"{}\".", shortened(name));
        (PACKAGE.to_owned(), Some(message))
    })
}
