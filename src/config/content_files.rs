//! The settings of content files, which the `galley.toml` of the content folder may contain, too.

use std::path::Path;

use super::{ConfigError, values::Values};
use crate::content_files::ContentFiles;

/// Returns the settings of content files. Missing ones come from the `galley.toml` in the content
/// folder.
pub(super) fn of_site(
    values: &Values,
    content: Option<&Path>,
) -> Result<ContentFiles, ConfigError> {
    let of_folder = content.map(in_folder).transpose()?;
    Ok(among(values)?.or(of_folder.flatten().unwrap_or_default()))
}

/// Returns the settings of content files in the `galley.toml` of a folder, if that file exists.
pub(super) fn in_folder(folder: &Path) -> Result<Option<ContentFiles>, ConfigError> {
    let values = Values::in_folder(folder)?;
    values.map(|values| values.read(among)).transpose()
}

/// Returns the settings of content files in a configuration.
pub(super) fn among(values: &Values) -> Result<ContentFiles, ConfigError> {
    let given = |key: &str| {
        let given = values.given(key).filter(|text| !text.is_empty());
        given.map(str::to_owned)
    };
    let files = ContentFiles {
        generator: given("content_files.generator"),
        posts: values.list("content_files.posts"),
        pages: values.list("content_files.pages"),
        ignore: values.list("content_files.ignore"),
        language: given("content_files.language"),
        other_languages: values.switch("content_files.other_languages")?,
        markdown: given("content_files.markdown"),
        titles: given("content_files.titles"),
        slugs: given("content_files.slugs"),
        dates: given("content_files.dates"),
    };
    match files.check() {
        Ok(()) => Ok(files),
        Err((key, problem)) => Err(values.invalid(key, &problem)),
    }
}
