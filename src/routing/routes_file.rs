//! The routes file, validated by Ghost's rules (Ghost 6.65, observed).

use super::{
    file_text::{describe_syntax_error, line_of, text_of},
    route_fault::{Checked, RouteFault, SETTINGS, data_fault, fault},
    upload_rules,
};
use crate::{
    content_text::document::{self, DocumentError, Kind as Yaml, Language, Table, Value},
    domain::routes::{
        Collection, Controller, Limit, PostList, RouteData, RouteResource, Routes, Selection,
        StaticRoute,
    },
    error::{self, Error, Kind},
};

/// The reason why a routes file is rejected.
#[derive(Debug)]
pub enum RoutesFileError {
    /// The file is not valid YAML.
    Malformed(DocumentError),
    /// A route is invalid.
    Invalid(RouteFault),
}

impl From<RouteFault> for RoutesFileError {
    fn from(fault: RouteFault) -> Self {
        Self::Invalid(fault)
    }
}

/// The default routes file, for sites without one, which is also Ghost's.
pub const DEFAULT_FILE: &str = "routes:\n\ncollections:\n  /:\n    permalink: /{slug}/\n    template: index\n\ntaxonomies:\n  tag: /tag/{slug}/\n  author: /author/{slug}/\n";

const PATH: &str = "INVALID_PATH";
const PERMALINK: &str = "INVALID_PERMALINK";
const TEMPLATE: &str = "INVALID_TEMPLATE";
const TAXONOMY: &str = "INVALID_TAXONOMY";

/// Parses a routes file.
///
/// # Errors
///
/// If the file is not valid YAML, or a route is invalid.
pub fn parse(text: &str) -> Result<Routes, RoutesFileError> {
    Ok(routes_of(&read(text)?)?)
}

fn read(text: &str) -> Result<Table, RoutesFileError> {
    document::parse(Language::Yaml, text, 0).map_err(RoutesFileError::Malformed)
}

fn routes_of(file: &Table) -> Checked<Routes> {
    let mut routes = Routes {
        routes: Vec::new(),
        collections: Vec::new(),
        tag: None,
        author: None,
    };
    for (key, value) in &file.entries {
        // Ghost ignores other keys.
        let read_entry = match &*key.value {
            "routes" => read_route,
            "collections" => read_collection,
            "taxonomies" => read_taxonomy,
            _ => continue,
        };
        match &value.value {
            // Sections may be empty, as in Ghost's default file.
            Yaml::Nothing => {}
            Yaml::Table(table) => {
                for (name, entry) in &table.entries {
                    read_entry(&mut routes, &name.value, entry)?;
                }
            }
            other => {
                let reason = format!("\"{}\" is {}; expected a table", key.value, other.name());
                return Err(fault(value, SETTINGS, reason));
            }
        }
    }
    Ok(routes)
}

/// Reads an uploaded routes file. Returns its text and its routes.
///
/// # Errors
///
/// `IncorrectUsage` if the file cannot be read; `Validation`, with the name of the setting, if a
/// route is invalid.
pub fn read_routes(content: &[u8]) -> error::Result<(&str, Routes)> {
    let unreadable = |context: String| {
        Error::new(Kind::IncorrectUsage, "The routes file cannot be read.")
            .context(context)
            .code("YAML_PARSER_ERROR")
    };
    let text = text_of(content).map_err(unreadable)?;
    // The stricter rules for uploads are checked last: a stored file is read by `parse` only, so
    // that it stays in use if a later version adds rules.
    let checked = || -> Result<Routes, RoutesFileError> {
        let file = read(text)?;
        let routes = routes_of(&file)?;
        upload_rules::check(&file)?;
        Ok(routes)
    };
    let routes = checked().map_err(|error| match error {
        RoutesFileError::Malformed(malformed) => {
            unreadable(describe_syntax_error(text, &malformed))
        }
        RoutesFileError::Invalid(fault) => invalid(text, &fault),
    })?;
    Ok((text, routes))
}

fn invalid(text: &str, fault: &RouteFault) -> Error {
    Error::new(
        Kind::Validation,
        "The routes file is invalid; the previous one stays in use.",
    )
    .context(format!(
        "Line {}: {}.",
        line_of(text, fault.start),
        fault.reason
    ))
    .code(fault.code)
}

fn read_route(routes: &mut Routes, path: &str, route: &Value) -> Checked<()> {
    check_mount(path, route)?;
    let (templates, data, controller) = match &route.value {
        Yaml::Text(template) => {
            let controller = Controller::Static { content_type: None };
            (vec![template.clone()], Vec::new(), controller)
        }
        Yaml::Table(table) => (
            templates(table),
            data(path, table)?,
            controller(path, table)?,
        ),
        _ => {
            let reason = format!("the route \"{path}\" has no template");
            return Err(fault(route, TEMPLATE, reason));
        }
    };
    routes.routes.push(StaticRoute {
        path: path.to_owned(),
        templates,
        data,
        controller,
    });
    Ok(())
}

fn controller(path: &str, route: &Table) -> Checked<Controller> {
    match find(route, "controller") {
        None => Ok(Controller::Static {
            content_type: text(route, "content_type"),
        }),
        Some(value) if matches!(&value.value, Yaml::Text(text) if text == "channel") => {
            Ok(Controller::Channel(post_list(route)))
        }
        Some(value) => {
            let reason = format!("the controller of \"{path}\" must be channel");
            Err(fault(value, SETTINGS, reason))
        }
    }
}

fn read_collection(routes: &mut Routes, path: &str, collection: &Value) -> Checked<()> {
    check_mount(path, collection)?;
    let Yaml::Table(table) = &collection.value else {
        let reason = format!(
            "the collection \"{path}\" is {}; expected a table",
            collection.value.name()
        );
        return Err(fault(collection, SETTINGS, reason));
    };
    let Some(permalink) = find(table, "permalink") else {
        let reason = format!("the collection \"{path}\" needs a permalink, such as /{{slug}}/");
        return Err(fault(collection, PERMALINK, reason));
    };
    routes.collections.push(Collection {
        path: path.to_owned(),
        permalink: read_permalink(permalink)?,
        templates: templates(table),
        data: data(path, table)?,
        posts: post_list(table),
    });
    Ok(())
}

fn read_taxonomy(routes: &mut Routes, name: &str, permalink: &Value) -> Checked<()> {
    let taxonomy = match name {
        "tag" => &mut routes.tag,
        "author" => &mut routes.author,
        _ => {
            let reason = format!("unknown taxonomy \"{name}\"; expected tag or author");
            return Err(fault(permalink, TAXONOMY, reason));
        }
    };
    *taxonomy = Some(read_permalink(permalink)?);
    Ok(())
}

fn read_permalink(permalink: &Value) -> Checked<String> {
    match &permalink.value {
        Yaml::Text(path) => {
            check_path(path, permalink, PERMALINK)?;
            // Colons mark variables in paths of routes, braces in permalinks. Ghost refuses the
            // former in a permalink, too.
            if path.contains("/:") {
                let reason = format!(
                    "\"{path}\" has a variable after a colon; use braces, as in /{{slug}}/"
                );
                return Err(fault(permalink, PERMALINK, reason));
            }
            Ok(path.clone())
        }
        other => {
            let reason = format!(
                "a permalink is {}; expected text such as /{{slug}}/",
                other.name()
            );
            Err(fault(permalink, PERMALINK, reason))
        }
    }
}

/// Checks the path of a route or collection, in which colons mark variables.
fn check_mount(path: &str, setting: &Value) -> Checked<()> {
    check_path(path, setting, PATH)
}

/// Checks that a path begins and ends with a slash.
fn check_path(path: &str, setting: &Value, code: &'static str) -> Checked<()> {
    let what = if !path.starts_with('/') {
        "does not begin with a slash"
    } else if !path.ends_with('/') {
        "does not end with a slash"
    } else {
        return Ok(());
    };
    Err(fault(setting, code, format!("\"{path}\" {what}")))
}

fn templates(table: &Table) -> Vec<String> {
    let text = |value: &Value| match &value.value {
        Yaml::Text(text) => Some(text.clone()),
        _ => None,
    };
    match find(table, "template") {
        None => Vec::new(),
        Some(value) => match &value.value {
            Yaml::List(list) => list.iter().filter_map(text).collect(),
            _ => text(value).into_iter().collect(),
        },
    }
}

fn post_list(table: &Table) -> PostList {
    PostList {
        filter: text(table, "filter"),
        order: text(table, "order"),
        limit: limit(table),
        rss: !is_false(table, "rss"),
    }
}

fn limit(table: &Table) -> Option<Limit> {
    let number = match &find(table, "limit")?.value {
        Yaml::Integer(number) => usize::try_from(*number).ok()?,
        Yaml::Text(text) if text == "all" => return Some(Limit::All),
        // A number in quotes is a limit, too.
        Yaml::Text(text) => text.parse().ok()?,
        _ => return None,
    };
    // Ghost ignores a limit of 0.
    (number > 0).then_some(Limit::Number(number))
}

fn data(path: &str, table: &Table) -> Checked<Vec<RouteData>> {
    let Some(value) = find(table, "data") else {
        return Ok(Vec::new());
    };
    match &value.value {
        Yaml::Text(short) => {
            let resource = short.split('.').next().unwrap_or_default();
            Ok(short_data(path, resource, value, short)?
                .into_iter()
                .collect())
        }
        Yaml::Table(entries) => {
            let mut all = Vec::new();
            for (name, entry) in &entries.entries {
                all.extend(data_entry(path, &name.value, entry)?);
            }
            Ok(all)
        }
        _ => Err(data_fault(path, value, "is neither text nor a table")),
    }
}

fn data_entry(path: &str, name: &str, entry: &Value) -> Checked<Option<RouteData>> {
    match &entry.value {
        Yaml::Text(short) => short_data(path, name, entry, short),
        Yaml::Table(table) => long_data(path, name, entry, table),
        _ => {
            let what = "has an entry that is neither text nor a table";
            Err(data_fault(path, entry, what))
        }
    }
}

/// Parses data such as `tag.recipes`; `None` if the resource does not exist.
fn short_data(path: &str, name: &str, value: &Value, short: &str) -> Checked<Option<RouteData>> {
    match short.split('.').collect::<Vec<_>>()[..] {
        [resource, slug] if !resource.is_empty() && !slug.is_empty() => Ok(
            RouteResource::from_singular(resource).map(|resource| RouteData {
                name: name.to_owned(),
                resource,
                selection: Selection::Read {
                    slug: slug.to_owned(),
                    redirects: true,
                },
                include: None,
            }),
        ),
        _ => {
            let what = "must be a resource, a dot and a slug, such as tag.recipes";
            Err(data_fault(path, value, what))
        }
    }
}

/// Parses data in a table; `None` if its resource does not exist.
fn long_data(path: &str, name: &str, entry: &Value, table: &Table) -> Checked<Option<RouteData>> {
    let selection = match text(table, "type").as_deref() {
        Some("read") => text(table, "slug").map(|slug| Selection::Read {
            slug,
            redirects: !is_false(table, "redirect"),
        }),
        Some("browse") => Some(Selection::Browse {
            filter: text(table, "filter"),
            order: text(table, "order"),
            limit: limit(table),
            page: page(table),
        }),
        _ => {
            let what = "has an entry whose type is neither read nor browse";
            return Err(data_fault(path, entry, what));
        }
    };
    if find(table, "resource").is_none() {
        return Err(data_fault(path, entry, "has an entry without a resource"));
    }
    let resource = text(table, "resource");
    let resource = resource.and_then(|name| RouteResource::from_plural(&name));
    Ok(resource
        .zip(selection)
        .map(|(resource, selection)| RouteData {
            name: name.to_owned(),
            resource,
            selection,
            include: text(table, "include"),
        }))
}

fn page(table: &Table) -> usize {
    let number = match find(table, "page").map(|value| &value.value) {
        Some(Yaml::Integer(number)) => usize::try_from(*number).ok(),
        _ => None,
    };
    // An unusable `page` means the first page instead of an error, because stored files must stay
    // usable.
    number.unwrap_or(1).max(1)
}

fn text(table: &Table, key: &str) -> Option<String> {
    match &find(table, key)?.value {
        // An empty text counts as a missing setting.
        Yaml::Text(text) if !text.is_empty() => Some(text.clone()),
        _ => None,
    }
}

fn is_false(table: &Table, key: &str) -> bool {
    let value = find(table, key);
    value.is_some_and(|value| matches!(value.value, Yaml::Boolean(false)))
}

fn find<'t>(table: &'t Table, key: &str) -> Option<&'t Value> {
    let found = table.entries.iter().find(|(own, _)| own.value == key);
    // Tables are lists of entries in the order of the file, because the order of routes and
    // collections matters.
    found.map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::{super::route_fault::DATA, *};

    fn code_of(text: &str) -> Option<&'static str> {
        match parse(text) {
            Ok(_) => None,
            Err(RoutesFileError::Invalid(fault)) => Some(fault.code),
            Err(RoutesFileError::Malformed(error)) => panic!("{error:?}"),
        }
    }

    #[test]
    fn default_file_has_the_default_routes() {
        assert_eq!(parse(DEFAULT_FILE).unwrap(), Routes::default());
    }

    #[test]
    fn valid_routes_files_are_accepted() {
        for text in [
            DEFAULT_FILE,
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
