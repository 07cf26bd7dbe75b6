//! The rules for uploaded routes files about the types of settings and the names of data (Ghost 6.65, observed).
//!
//! They do not apply to a stored file: a site must not lose its routes because a later version is stricter.

use super::route_fault::{Checked, DATA, RouteFault, SETTINGS, data_fault, fault};
use crate::{
    content_text::document::{Kind as Yaml, Table, Value},
    domain::routes::RouteResource,
};

/// The code for a resource that does not exist.
const RESOURCE: &str = "INVALID_RESOURCE";

/// Reserved names of data: `author` is the author of a post, the others are settings of an entry.
pub(super) const RESERVED: [&str; 11] = [
    "author",
    "resource",
    "type",
    "slug",
    "limit",
    "order",
    "include",
    "filter",
    "status",
    "visibility",
    "redirect",
];

/// The type of a setting.
#[derive(Clone, Copy)]
enum SettingType {
    Text,
    TextOrTexts,
    NumberOrAll,
    Number,
    Boolean,
}

type SettingTypes = &'static [(&'static str, SettingType)];

/// The settings of routes.
const OF_ROUTES: SettingTypes = &[
    ("template", SettingType::TextOrTexts),
    ("filter", SettingType::Text),
    ("order", SettingType::Text),
    ("limit", SettingType::NumberOrAll),
    ("rss", SettingType::Boolean),
    ("content_type", SettingType::Text),
];

/// The settings of collections: those of routes, except for the last one.
const OF_COLLECTIONS: SettingTypes = OF_ROUTES.split_at(5).0;

/// The settings of data with a single record.
const OF_RECORDS: SettingTypes = &[
    ("slug", SettingType::Text),
    ("redirect", SettingType::Boolean),
    ("include", SettingType::Text),
    ("status", SettingType::Text),
    ("visibility", SettingType::Text),
];

/// The settings of data with a list of records.
const OF_LISTS: SettingTypes = &[
    ("limit", SettingType::NumberOrAll),
    ("page", SettingType::Number),
    ("order", SettingType::Text),
    ("filter", SettingType::Text),
    ("include", SettingType::Text),
    ("fields", SettingType::Text),
    ("status", SettingType::Text),
    ("visibility", SettingType::Text),
];

/// The settings of data that must have a value.
const NEVER_EMPTY: [&str; 2] = ["page", "redirect"];

impl SettingType {
    fn admits(self, value: &Yaml) -> bool {
        match self {
            Self::Text => matches!(value, Yaml::Text(_)),
            Self::TextOrTexts => match value {
                Yaml::List(entries) => entries
                    .iter()
                    .all(|entry| matches!(entry.value, Yaml::Text(_))),
                value => matches!(value, Yaml::Text(_)),
            },
            Self::NumberOrAll => match value {
                Yaml::Text(text) => text == "all" || text.parse::<f64>().is_ok(),
                value => Self::Number.admits(value),
            },
            Self::Number => matches!(value, Yaml::Integer(_) | Yaml::Number),
            Self::Boolean => matches!(value, Yaml::Boolean(_)),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::TextOrTexts => "text or a list of texts",
            Self::NumberOrAll => "a number or all",
            Self::Number => "a number",
            Self::Boolean => "true or false",
        }
    }
}

/// Checks a routes file whose routes have been parsed.
pub(super) fn check(file: &Table) -> Checked<()> {
    for (section, value) in &file.entries {
        let settings = match &*section.value {
            "routes" => OF_ROUTES,
            "collections" => OF_COLLECTIONS,
            _ => continue,
        };
        // Other types have been refused by `routes_of`, or are empty sections.
        let Yaml::Table(entries) = &value.value else {
            continue;
        };
        for (path, entry) in &entries.entries {
            if let Yaml::Table(table) = &entry.value {
                check_types(&path.value, table, settings, SETTINGS)?;
                check_data(&path.value, table)?;
            }
        }
    }
    Ok(())
}

fn check_types(
    subject: &str,
    table: &Table,
    settings: SettingTypes,
    code: &'static str,
) -> Checked<()> {
    for (key, value) in &table.entries {
        let setting = settings.iter().find(|(name, _)| *name == key.value);
        let Some((name, setting_type)) = setting else {
            continue;
        };
        let is_empty = matches!(value.value, Yaml::Nothing);
        // `code` also distinguishes settings of routes, all of which may be empty, from those of
        // data.
        let may_be_empty = code == SETTINGS || !NEVER_EMPTY.contains(name);
        if !(setting_type.admits(&value.value) || is_empty && may_be_empty) {
            let reason = format!(
                "\"{name}\" of \"{subject}\" is {}; expected {}",
                value.value.name(),
                setting_type.name()
            );
            return Err(fault(value, code, reason));
        }
    }
    Ok(())
}

fn check_data(path: &str, table: &Table) -> Checked<()> {
    let data = table.entries.iter().find(|(key, _)| key.value == "data");
    let Some((_, data)) = data else {
        return Ok(());
    };
    let entries = match &data.value {
        Yaml::Text(short) => return check_short(path, data, short),
        Yaml::Table(entries) => entries,
        _ => return Ok(()),
    };
    for (name, entry) in &entries.entries {
        if RESERVED.contains(&&*name.value) {
            let what = format!("uses the reserved name \"{}\"", name.value);
            return Err(RouteFault {
                // The error is at the name, not at its value.
                start: name.span.start,
                ..data_fault(path, entry, &what)
            });
        }
    }
    for (name, entry) in &entries.entries {
        match &entry.value {
            Yaml::Text(short) => check_short(path, entry, short)?,
            Yaml::Table(table) => check_long(path, &name.value, entry, table)?,
            _ => {}
        }
    }
    Ok(())
}

/// Checks data such as `tag.recipes`.
fn check_short(path: &str, value: &Value, short: &str) -> Checked<()> {
    let (resource, slug) = short.split_once('.').unwrap_or_default();
    if short.contains(char::is_whitespace) || slug.is_empty() {
        let what = "must be a resource, a dot and a slug, such as tag.recipes";
        return Err(data_fault(path, value, what));
    }
    match RouteResource::from_singular(resource) {
        Some(_) => Ok(()),
        None => Err(unknown_resource(
            path,
            value,
            resource,
            "tag, page, post or author",
        )),
    }
}

/// Checks data in a table.
fn check_long(path: &str, name: &str, entry: &Value, table: &Table) -> Checked<()> {
    let value_of = |key: &str| {
        let entry = table.entries.iter().find(|(own, _)| own.value == key);
        entry.map(|(_, value)| &value.value)
    };
    let subject = format!("{path} data {name}");
    let is_list = matches!(value_of("type"), Some(Yaml::Text(kind)) if kind == "browse");
    if is_list {
        check_types(&subject, table, OF_LISTS, DATA)?;
    } else {
        check_types(&subject, table, OF_RECORDS, DATA)?;
        let has_slug = matches!(value_of("slug"), Some(Yaml::Text(slug)) if !slug.is_empty());
        if !has_slug {
            let what = format!("has \"{name}\" of type read without a slug");
            return Err(data_fault(path, entry, &what));
        }
    }
    match value_of("resource") {
        Some(Yaml::Text(resource)) if RouteResource::from_plural(resource).is_some() => Ok(()),
        resource => {
            let resource = match resource {
                Some(Yaml::Text(text)) => text,
                other => other.map_or("nothing", Yaml::name),
            };
            let known = "tags, posts, pages or authors";
            Err(unknown_resource(path, entry, resource, known))
        }
    }
}

fn unknown_resource(path: &str, value: &Value, resource: &str, known: &str) -> RouteFault {
    let reason =
        format!("the data of \"{path}\" has the resource \"{resource}\"; expected {known}");
    fault(value, RESOURCE, reason)
}
