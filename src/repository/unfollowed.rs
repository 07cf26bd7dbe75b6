//! The error at a site that does not follow a repository.

use crate::{
    content_files::{ContentReport, WriteBack},
    error::Error,
};

/// Returns the error of a request that needs a repository, at a site that does not follow one.
pub fn no_repository(report: &ContentReport) -> Error {
    if report.write_back == WriteBack::Commit {
        return Error::not_found("Git repository to sync from")
            .context(
                "This site is made from a content folder in a git work tree: the folder is watched, edits become commits there, and nothing is fetched.",
            )
            .help("To get the commits of others, pull them into the work tree with git.");
    }
    Error::not_found("Git repository")
        .context("This site is not made from a git repository.")
        .help(
            "Serve it from one with `galley serve --git URL`, or set source.git.url in galley.toml.",
        )
}
