//! The repository of a site on the command line: opens it without a server, and prints its state.

use std::{fmt::Display, io, sync::Arc};

use jiff::Timestamp;

use super::{check, progress_bar::Bar, terminal::Output};
use crate::{
    app::AppError,
    config::Config,
    content_files::{Commit, CommitReport, GitReport},
    domain::file_edit::FileConflict,
    repository::{GitOptions, GitSource, Pulls},
    site::Site,
};

/// Updates a site that is not being served from its repository, as serving would. Returns the
/// thread that follows the repository, and the handle for requesting pulls.
pub fn open(
    site: &Arc<Site>,
    options: &GitOptions,
    config: &Config,
) -> Result<(GitSource, Arc<Pulls>), AppError> {
    let progress = Bar::of_files(true);
    let pulls = Arc::new(Pulls::new(site, options.secret.clone()));
    let source = GitSource::start(
        Arc::clone(site).into(),
        options.clone(),
        Arc::clone(&pulls),
        &config.data,
        &config.uploads(),
        &progress,
    )?;
    Ok((source, pulls))
}

/// Prints the served and the refused commit, and whether the repository responds.
pub fn print(out: &mut Output, git: &GitReport) -> io::Result<()> {
    out.part(format_args!("Repository: {}", git.url))?;
    if let Some(branch) = &git.branch {
        out.part(format_args!(", branch {branch}"))?;
    }
    if let Some(path) = &git.path {
        out.part(format_args!(", folder {path}"))?;
    }
    match git.fetched_at {
        Some(time) => writeln!(out, "; last fetched {}.", shown(time))?,
        None => writeln!(out, "; not fetched yet.")?,
    }
    match &git.served {
        Some(commit) => print_commit(out, "Serving", commit)?,
        None => writeln!(out, "No commit of it is served yet.")?,
    }
    if let Some(failure) = &git.failure {
        let times = match failure.attempts {
            1 => "once".to_owned(),
            count => format!("{count} times"),
        };
        writeln!(
            out,
            "The pull failed {times}, last {}, and is retried by {}:",
            shown(failure.failed_at),
            shown(failure.tried_again_at)
        )?;
        writeln!(out, "  {}", failure.message)?;
    }
    for review in &git.reviews {
        let edits = match review.edits {
            1 => "1 edit".to_owned(),
            count => format!("{count} edits"),
        };
        writeln!(
            out,
            "In branch {} for review: {edits}. The repository has refused edits since {:.0}:",
            review.branch,
            shown(review.refused_since)
        )?;
        writeln!(out, "  {}", review.reason)?;
    }
    if let Some(refused) = &git.refused {
        print_commit(out, "Refused", &refused.commit)?;
        for problem in check::summary(&refused.problems) {
            writeln!(out)?;
            out.lines(problem)?;
        }
    }
    Ok(())
}

/// Prints where edits are committed, the last commit, and the reason for waiting edits.
pub fn print_commits(out: &mut Output, commits: &CommitReport) -> io::Result<()> {
    out.part(format_args!("Work tree: {}", commits.work_tree))?;
    if let Some(branch) = &commits.branch {
        out.part(format_args!(", branch {branch}"))?;
    }
    match &commits.path {
        Some(path) => writeln!(out, ", folder {path}.")?,
        None => writeln!(out, ".")?,
    }
    if let Some(commit) = &commits.last {
        print_commit(out, "Made", commit)?;
    }
    if let Some(failure) = &commits.failure {
        writeln!(
            out,
            "Edits have been waiting to be committed since {:.0}, and are retried by {}:",
            shown(failure.failed_at),
            shown(failure.tried_again_at)
        )?;
        writeln!(out, "  {}", failure.message)?;
    }
    for path in &commits.ignored {
        writeln!(
            out,
            "Git ignores {path}: its edits are in the file and not committed."
        )?;
    }
    Ok(())
}

/// Prints the last conflicts of edits with other changes of their files.
pub fn print_conflicts(out: &mut Output, conflicts: &[FileConflict]) -> io::Result<()> {
    for conflict in conflicts {
        out.part(format_args!(
            "Conflict of {} in {}: the edit by {} and a change",
            shown(conflict.found_at),
            conflict.path,
            conflict.editor
        ))?;
        if let Some(author) = &conflict.other_author {
            out.part(format_args!(" by {author}"))?;
        }
        out.part(", which applies. The edit is in the post history")?;
        match &conflict.branch {
            Some(branch) => writeln!(out, " and in branch {branch}.")?,
            None => writeln!(out, ".")?,
        }
    }
    Ok(())
}

/// Formats a time to the second.
fn shown(time: Timestamp) -> impl Display {
    time.strftime("%F %T UTC")
}

fn print_commit(out: &mut Output, what: &str, commit: &Commit) -> io::Result<()> {
    writeln!(
        out,
        "{what} commit {} of {} by {}: {}",
        commit.short(),
        shown(commit.authored_at),
        commit.author,
        commit.subject()
    )
}
