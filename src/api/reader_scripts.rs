//! Ghost's scripts for readers below `/public/reader-scripts/`, if they are installed.

use super::{Api, installed_files, request::RequestHead, response::Response};
use crate::front_end::SCRIPTS_PATH;

/// Returns the response to a request for `path`, which is relative to the site; `None` if no file is installed at that path.
pub fn respond(api: &Api, head: &RequestHead, path: &str) -> Option<Response> {
    let path = path.strip_prefix(SCRIPTS_PATH)?;
    let scripts = &api.options.reader_scripts;
    let open = |path: &str, ending: &str| scripts.file(path, ending);
    installed_files::immutable(path, open, head)
}
