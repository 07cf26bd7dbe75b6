//! The routes file, which says where the records of the site have their pages.

use std::sync::Arc;

use super::site_files::{describe_syntax_error, line_of, record_edit, text_of};
use crate::{
    domain::actor::Actor,
    error::{Error, Kind, Result},
    routing::{self, RouteFault, RoutesFileError},
    site::{Site, SiteSnapshot},
};

/// Returns the routes as YAML.
///
/// # Errors
///
/// If the store cannot be read.
pub fn download(snapshot: &SiteSnapshot) -> Result<String> {
    Ok(snapshot
        .routes_file()?
        .unwrap_or_else(|| routing::DEFAULT_FILE.to_owned()))
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
    let routes = routing::parse(text)
        .map(Arc::new)
        .map_err(|error| match error {
            RoutesFileError::Malformed(malformed) => {
                unreadable(describe_syntax_error(text, &malformed))
            }
            RoutesFileError::Invalid(fault) => invalid(text, &fault),
        })?;
    site.write(|transaction| {
        transaction.save_routes(text, &routes)?;
        record_edit(transaction, actor, "routes")
    })
}

fn invalid(text: &str, fault: &RouteFault) -> Error {
    Error::new(
        Kind::Validation,
        "The routes file is invalid; the previous one stays in use.",
    )
    .context(format!(
        "In line {}, {}.",
        line_of(text, fault.start),
        fault.reason
    ))
    .code(fault.code)
}
