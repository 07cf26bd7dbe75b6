//! Default values of documents in Pelican: `DEFAULT_METADATA`, and values found in paths.

use serde_json::{Map, Value as Json};

use crate::generators::{
    pelican::{
        folders::Folders,
        variables::{assignment, text, value},
    },
    profile::{DocumentKind, Role},
    settings::{
        default_values::{DefaultValues, PathPart, PathPattern},
        literals::{regex, written_regex},
    },
};

/// The key of a slug found in a path. Unlike `slug` in a document, it need not be valid in Galley.
pub(super) const SLUG_OF_PATH: &str = "slug_of_path";

/// Returns the default values in order of increasing precedence. `below` converts a path in the folder of documents to a
/// path in the project.
pub(super) fn defaults(scripts: &[String], below: &dyn Fn(&str) -> String) -> Vec<DefaultValues> {
    // These values apply to all documents. They exist even if empty, because Pelican's rules complete every document.
    let mut defaults = vec![DefaultValues {
        values: values_of_all(scripts),
        ..DefaultValues::default()
    }];
    let of_path = |pattern: &str, part| DefaultValues {
        of_path: Some(PathPattern {
            pattern: pattern.to_owned(),
            part,
        }),
        ..DefaultValues::default()
    };
    let is_off = |key: &str| {
        scripts
            .iter()
            .any(|script| value(script, key) == Some("False"))
    };
    let of_folder = || of_path("(?P<category>.+)", PathPart::Folder);
    let has_categories = !is_off("USE_FOLDER_AS_CATEGORY");
    if has_categories {
        defaults.push(of_folder());
    }
    for (key, part) in [
        ("FILENAME_METADATA", PathPart::Stem),
        ("PATH_METADATA", PathPart::Whole),
    ] {
        let pattern = scripts.iter().find_map(|script| text(script, key));
        defaults.extend(pattern.map(|pattern| of_path(&groups_of(&pattern), part)));
    }
    // Pages have no category. Between the configured folders, all documents have the same kind.
    let folders = Folders::of(scripts);
    // Roles are innermost first, whereas later default values take precedence.
    for (folder, role) in folders.roles().into_iter().rev() {
        let values = match role {
            Role::Document(DocumentKind::Page) => DefaultValues {
                values: Map::from_iter([("category".to_owned(), Json::Null)]),
                ..DefaultValues::default()
            },
            _ if has_categories => of_folder(),
            _ => continue,
        };
        defaults.push(DefaultValues {
            folder: below(folder),
            ..values
        });
    }
    defaults
}

/// Returns whether a pattern of paths is a supported regular expression.
pub(super) fn is_usable(pattern: &str) -> bool {
    written_regex(&groups_of(pattern)).is_some()
}

/// Returns a pattern with its group `slug` renamed to [`SLUG_OF_PATH`].
fn groups_of(pattern: &str) -> String {
    pattern.replace("(?P<slug>", &format!("(?P<{SLUG_OF_PATH}>"))
}

/// Returns the values of `DEFAULT_METADATA`, and the date of `DEFAULT_DATE`.
fn values_of_all(scripts: &[String]) -> Map<String, Json> {
    let mut values = Map::new();
    let pair = regex(r#"["']([A-Za-z_]+)["'][ \t]*[:,][ \t]*["']([^"'\n]*)["']"#);
    let block = regex(&format!(
        r"{}(?s)[{{(](.*?)(?:^[}})]|[}})][ \t]*$)",
        assignment("DEFAULT_METADATA")
    ));
    let found = scripts.iter().find_map(|script| block.captures(script));
    if let Some(found) = found {
        let pairs = pair.captures_iter(found.get(1).map_or("", |block| block.as_str()));
        values.extend(pairs.map(|pair| (pair[1].to_lowercase(), pair[2].into())));
    }
    let date = regex(&format!(
        r"{}\([ \t]*([0-9]{{4}}),[ \t]*([0-9]{{1,2}}),[ \t]*([0-9]{{1,2}})",
        assignment("DEFAULT_DATE")
    ));
    if let Some(date) = scripts.iter().find_map(|script| date.captures(script)) {
        let date = format!("{}-{:0>2}-{:0>2}", &date[1], &date[2], &date[3]);
        values.insert("date".to_owned(), date.into());
    }
    values
}
