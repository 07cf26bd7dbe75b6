//! Checks the site's repository.

use super::{examined_site::ExaminedSite, finding::UnnamedFinding};
use crate::{
    atomic_file,
    repository::{GitError, try_access},
};

/// Reads the followed branch. Tries a push if edits are pushed.
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    let Some(options) = &examined.config.git else {
        return vec![UnnamedFinding::skipped("source.git.url is not set")];
    };
    let url = options.url.shown();
    let folder = match atomic_file::temporary_folder("galley-doctor-") {
        Ok(folder) => folder,
        Err(error) => {
            let message = format!("cannot create a temporary folder: {error}");
            return vec![UnnamedFinding::error(message, "Free some space in /tmp.")];
        }
    };
    let mut outcomes = vec![match try_access(options, folder.path()) {
        Ok(tip) => {
            let short = tip.get(..9).unwrap_or(&tip);
            let how = if options.pushes {
                "it can be read and accepts pushes"
            } else {
                "it can be read"
            };
            UnnamedFinding::ok(format!("{url}: {how}, newest commit {short}"))
        }
        Err(error) => {
            UnnamedFinding::error(format!("{url}: {error}"), advice(&error, options.pushes))
        }
    }];
    let git = examined
        .examination()
        .and_then(|site| site.status.git.as_ref());
    if let Some(refused) = git.and_then(|git| git.refused.as_ref()) {
        outcomes.push(UnnamedFinding::warning(
            format!(
                "commit {} is not served, because its content files have errors",
                refused.commit.short()
            ),
            "`galley status` shows them; push a commit that corrects them.",
        ));
    }
    outcomes
}

fn advice(error: &GitError, pushes: bool) -> &'static str {
    match error {
        GitError::Missing | GitError::TooOld(_) => "Install a newer git.",
        GitError::NoBranch { .. } | GitError::Empty(_) => {
            "Correct source.git.branch, or push the branch."
        }
        GitError::Failed { operation, .. } if pushes && *operation == "trying to push" => {
            "Give the token or the key the right to write. If the branch is protected, set source.push_branch."
        }
        _ => {
            "Check source.git.url and source.git.token. For ssh, the user that Galley runs as needs the key and the host in known_hosts."
        }
    }
}
