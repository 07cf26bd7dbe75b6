//! The routes file, which assigns URLs to posts in a theme. Galley's front ends have routes of
//! their own, so the file is stored for clients and for moving the site, and checked by Ghost's
//! rules (Ghost 6.65, observed).

use super::site_files::{describe_syntax_error, line_of, record_edit, text_of};
use crate::{
    content_text::document::{self, Kind as Yaml, Language, Table, Value},
    domain::actor::Actor,
    error::{Error, Kind, Result},
    site::{Site, SiteSnapshot},
};

/// The routes before any were uploaded: Ghost's defaults.
const DEFAULT: &str = "routes:\n\ncollections:\n  /:\n    permalink: /{slug}/\n    template: index\n\ntaxonomies:\n  tag: /tag/{slug}/\n  author: /author/{slug}/\n";

/// Returns the routes as YAML.
///
/// # Errors
///
/// If the store cannot be read.
pub fn download(snapshot: &SiteSnapshot) -> Result<String> {
    Ok(snapshot
        .routes_file()?
        .unwrap_or_else(|| DEFAULT.to_owned()))
}

/// Replaces the routes.
///
/// # Errors
///
/// `IncorrectUsage` if the file cannot be read, `Validation`, naming the setting, for an invalid
/// route. The current ones stay then.
pub fn upload(site: &Site, actor: &Actor, content: &[u8]) -> Result<()> {
    let unreadable = |context: String| {
        Error::new(Kind::IncorrectUsage, "The file of routes cannot be read.")
            .context(context)
            .code("YAML_PARSER_ERROR")
    };
    let text = text_of(content).map_err(unreadable)?;
    let table = document::parse(Language::Yaml, text, 0)
        .map_err(|malformed| unreadable(describe_syntax_error(text, &malformed)))?;
    check(&table).map_err(|fault| fault.into_error(text))?;
    site.write(|transaction| {
        transaction.save_routes(text)?;
        record_edit(transaction, actor, "routes")
    })
}

/// An error in a routes file.
#[derive(Debug)]
struct RouteFault {
    /// Its position, in bytes.
    start: usize,
    /// The code for programs.
    code: &'static str,
    reason: String,
}

impl RouteFault {
    fn into_error(self, text: &str) -> Error {
        Error::new(
            Kind::Validation,
            "The routes file is invalid; the previous one stays in use.",
        )
        .context(format!(
            "In line {}, {}.",
            line_of(text, self.start),
            self.reason
        ))
        .code(self.code)
    }
}

fn fault(value: &Value, code: &'static str, reason: String) -> RouteFault {
    RouteFault {
        start: value.span.start,
        code,
        reason,
    }
}

fn check(file: &Table) -> Result<(), RouteFault> {
    for (key, value) in &file.entries {
        let check_entry = match &*key.value {
            "routes" => check_route,
            "collections" => check_collection,
            "taxonomies" => check_taxonomy,
            // Ghost ignores other keys.
            _ => continue,
        };
        match &value.value {
            // An empty section, as in Ghost's default file.
            Yaml::Nothing => {}
            Yaml::Table(table) => {
                for (name, entry) in &table.entries {
                    check_entry(&name.value, entry)?;
                }
            }
            other => {
                let reason = format!("\"{}\" is {}, and is a table", key.value, other.name());
                return Err(fault(value, SETTINGS, reason));
            }
        }
    }
    Ok(())
}

/// Code for a value that must be a table.
const SETTINGS: &str = "INVALID_ROUTE_SETTINGS";
const PATH: &str = "INVALID_PATH";
const PERMALINK: &str = "INVALID_PERMALINK";
const TEMPLATE: &str = "INVALID_TEMPLATE";
const TAXONOMY: &str = "INVALID_TAXONOMY";
const DATA: &str = "INVALID_DATA";

fn check_route(path: &str, route: &Value) -> Result<(), RouteFault> {
    check_path(path, route, PATH)?;
    match &route.value {
        Yaml::Text(_) => Ok(()),
        Yaml::Table(table) => {
            if let Some(controller) = find(table, "controller")
                // Ghost has no other controller.
                && !matches!(&controller.value, Yaml::Text(text) if text == "channel")
            {
                let reason = format!("the controller of \"{path}\" can be channel only");
                return Err(fault(controller, SETTINGS, reason));
            }
            find(table, "data").map_or(Ok(()), |data| check_data(path, data))
        }
        _ => Err(fault(
            route,
            TEMPLATE,
            format!("the route \"{path}\" has no template"),
        )),
    }
}

fn check_data(path: &str, data: &Value) -> Result<(), RouteFault> {
    let wrong = |value: &Value, what: &str| {
        Err(fault(value, DATA, format!("the data of \"{path}\" {what}")))
    };
    match &data.value {
        Yaml::Text(short) => match short.split('.').collect::<Vec<_>>()[..] {
            [resource, slug] if !resource.is_empty() && !slug.is_empty() => Ok(()),
            _ => wrong(data, "is a resource, a dot and a slug, such as tag.recipes"),
        },
        Yaml::Table(table) => {
            for (_, entry) in &table.entries {
                let (Yaml::Text(_) | Yaml::Table(_)) = &entry.value else {
                    return wrong(entry, "has an entry that is neither a text nor a table");
                };
                let Yaml::Table(entry_table) = &entry.value else {
                    check_data(path, entry)?;
                    continue;
                };
                let is_known = |value: &Value| matches!(&value.value, Yaml::Text(text) if matches!(&**text, "read" | "browse"));
                if !find(entry_table, "type").is_some_and(is_known) {
                    return wrong(entry, "has an entry whose type is neither read nor browse");
                }
                if find(entry_table, "resource").is_none() {
                    return wrong(entry, "has an entry without a resource");
                }
            }
            Ok(())
        }
        _ => wrong(data, "is neither a text nor a table"),
    }
}

fn check_collection(path: &str, collection: &Value) -> Result<(), RouteFault> {
    check_path(path, collection, PATH)?;
    let Yaml::Table(table) = &collection.value else {
        let reason = format!(
            "the collection \"{path}\" is {}, and is a table",
            collection.value.name()
        );
        return Err(fault(collection, SETTINGS, reason));
    };
    let Some(permalink) = find(table, "permalink") else {
        let reason = format!("the collection \"{path}\" has no permalink, such as /{{slug}}/");
        return Err(fault(collection, PERMALINK, reason));
    };
    check_permalink(permalink)
}

fn check_taxonomy(name: &str, permalink: &Value) -> Result<(), RouteFault> {
    match name {
        "tag" | "author" => check_permalink(permalink),
        _ => {
            let reason = format!("there is no taxonomy \"{name}\": there are tag and author");
            Err(fault(permalink, TAXONOMY, reason))
        }
    }
}

fn check_permalink(permalink: &Value) -> Result<(), RouteFault> {
    match &permalink.value {
        Yaml::Text(path) => check_path(path, permalink, PERMALINK),
        other => {
            let reason = format!(
                "a permalink is {}, and is a text such as /{{slug}}/",
                other.name()
            );
            Err(fault(permalink, PERMALINK, reason))
        }
    }
}

/// Checks that a path begins and ends with a slash, and has its variables in braces.
fn check_path(path: &str, setting: &Value, code: &'static str) -> Result<(), RouteFault> {
    let what = if !path.starts_with('/') {
        "does not begin with a slash"
    } else if !path.ends_with('/') {
        "does not end with a slash"
    } else if path.contains("/:") {
        "has a variable behind a colon; it belongs in braces, as in /{slug}/"
    } else {
        return Ok(());
    };
    Err(fault(setting, code, format!("\"{path}\" {what}")))
}

fn find<'t>(table: &'t Table, key: &str) -> Option<&'t Value> {
    let found = table.entries.iter().find(|(own, _)| own.value == key);
    found.map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code_of(text: &str) -> Option<&'static str> {
        let table = document::parse(Language::Yaml, text, 0).unwrap();
        check(&table).err().map(|fault| fault.code)
    }

    #[test]
    fn valid_routes_files_are_accepted() {
        for text in [
            DEFAULT,
            "",
            "routes:\n",
            "unknown: 1\n",
            "routes:\n  /about/: about\n  /f/:\n    controller: channel\n    filter: tag:a\n",
            "routes:\n  /f/{slug}/:\n    template: x\n    data: page.about\n    content_type: application/json\n",
            "routes:\n  /f/:\n    data:\n      x:\n        type: read\n        resource: pages\n        slug: a\n      y: tag.b\n",
            "taxonomies:\n  tag: /x/\n",
        ] {
            assert_eq!(code_of(text), None, "{text}");
        }
    }

    #[test]
    fn invalid_routes_are_rejected_with_a_code() {
        for (text, code) in [
            ("collections:\n  /:\n", SETTINGS),
            ("collections:\n  /:\n    permalink: no-slashes\n", PERMALINK),
            ("collections:\n  /:\n    permalink: /no-end\n", PERMALINK),
            ("collections:\n  /:\n    permalink: /:slug/\n", PERMALINK),
            ("collections:\n  blog:\n    permalink: /{slug}/\n", PATH),
            ("collections:\n  /blog/:\n    template: x\n", PERMALINK),
            ("collections: [1]\n", SETTINGS),
            ("routes: x\n", SETTINGS),
            ("routes:\n  about/: about\n", PATH),
            ("routes:\n  /about: about\n", PATH),
            ("routes:\n  /about/:\n", TEMPLATE),
            ("routes:\n  /f/:\n    controller: other\n", SETTINGS),
            ("routes:\n  /f/:\n    data: a.b.c\n", DATA),
            (
                "routes:\n  /f/:\n    data:\n      x:\n        type: write\n        resource: pages\n",
                DATA,
            ),
            ("taxonomies:\n  other: /x/{slug}/\n", TAXONOMY),
            ("taxonomies:\n  tag: x\n", PERMALINK),
            ("taxonomies:\n  tag:\n", PERMALINK),
        ] {
            assert_eq!(code_of(text), Some(code), "{text}");
        }
    }
}
