//! The site's git repository: its state, immediate sync, and push webhooks. These endpoints are
//! specific to Galley, because Ghost has no such source.

use std::path::Path;

use http::StatusCode;
use serde_json::{Value, json};

use super::{Reply, Request, reply::ReplyBody};
use crate::{
    api::listing::written_time,
    content_files::{
        Commit, CommitReport, ContentReport, GitReport, PullFailure, ReviewReport, WriteBack,
    },
    domain::file_edit::FileConflict,
    error::{Error, Kind, Result},
    repository::{Consequence, GitError, Pulls, Push, no_repository},
};

/// `GET admin/git/`: the state of the repository, or of the content folder that edits are written into.
pub fn browse(request: &Request) -> Result<Reply> {
    let report = request.options().content.load();
    if matches!(report.write_back, WriteBack::Folder | WriteBack::Commit) {
        return reply(request, &report);
    }
    reply(request, &pulls(request)?.report().load())
}

/// `POST admin/git/sync/`: syncs immediately, and responds when the newest commit is served or
/// rejected.
pub fn sync(request: &Request) -> Result<Reply> {
    let report = pulls(request)?.pull().map_err(|error| match error {
        GitError::Stopping => Error::new(Kind::Maintenance, "The server is stopping."),
        GitError::Elsewhere { node } => Error::new(
            Kind::Maintenance,
            format!("The repository is followed by the node {node}, not by this one."),
        )
        .help("Send the request to that node. It also syncs automatically."),
        other => Error::internal(other),
    })?;
    reply(request, &report)
}

/// `POST admin/git/push/`: the push webhook of GitHub, GitLab, Gitea and Forgejo. It is
/// authenticated by its signature and needs no token.
pub fn push(request: &Request) -> Result<Reply> {
    let pulls = pulls(request)?;
    let Some(secret) = pulls.secret() else {
        return Err(Error::not_found("Push webhook")
            .context("This site accepts no push webhooks.")
            .help("Set source.git.secret to the secret of the webhook."));
    };
    let headers = &request.head.headers;
    let push = Push {
        header: &|name| headers.get(name)?.to_str().ok(),
        body: request.body,
    };
    // Nothing in the body is parsed before its signature is verified.
    if !push.is_signed_with(secret, request.now) {
        return Err(
            Error::new(Kind::Unauthorized, "The webhook has no valid signature.")
                .help("Set the webhook's secret to the value of source.git.secret."),
        );
    }
    let report = pulls.report().load();
    let branch = report.git.as_ref().and_then(|git| git.branch.as_deref());
    let consequence = push.consequence(branch).map_err(|error| {
        Error::new(Kind::UnreadableBody, "The webhook cannot be read.").context(format!("{error}."))
    })?;
    let (status, outcome, reason) = match consequence {
        Consequence::Pull => {
            pulls.push()?;
            (StatusCode::ACCEPTED, "accepted", "the repository is synced")
        }
        Consequence::OtherBranch => (StatusCode::OK, "ignored", "another branch is followed"),
        Consequence::OtherEvent => (StatusCode::OK, "ignored", "not a push event"),
    };
    let body = json!({ "push": { "outcome": outcome, "reason": reason } });
    let body = body.to_string().into_bytes();
    Ok(Reply::new(status, ReplyBody::Json(body)))
}

fn pulls<'a>(request: &'a Request) -> Result<&'a Pulls> {
    let options = request.options();
    let no_repository = || no_repository(&options.content.load());
    options.pulls.as_deref().ok_or_else(no_repository)
}

fn reply(request: &Request, report: &ContentReport) -> Result<Reply> {
    // Not the snapshot of the request, because a sync may have changed the site since.
    let snapshot = request.site().current();
    let conflicts = snapshot.file_conflicts()?;
    let conflicts: Vec<Value> = conflicts.iter().map(conflict).collect();
    let state = json!({
        "url": null,
        "branch": null,
        "path": null,
        "commit": null,
        "author": null,
        "author_email": null,
        "authored_at": null,
        "message": null,
        "files": report.files,
        "problems": report.problems,
        "refused": null,
        "looked_at": null,
        "failure": null,
        "writes_files": report.write_back.writes_files(),
        "write_back": report.write_back,
        "waiting_edits": snapshot.catalog.file_edits.count(),
        "conflicts": conflicts,
        "conflict_branches": [],
        "reviews": [],
        "ignored": [],
    });
    let state = match (&report.git, &report.commits) {
        (Some(git), _) => Some(of_repository(state, git)),
        (None, Some(commits)) => Some(of_work_tree(state, commits)),
        (None, None) => {
            let folder = request.options().files.content.as_deref();
            folder.map(|folder| of_folder(state, folder))
        }
    };
    let states: Vec<Value> = state.into_iter().collect();
    Ok(Reply::value(&json!({ "git": states })))
}

/// Adds the state of a followed repository.
fn of_repository(mut state: Value, git: &GitReport) -> Value {
    state["url"] = json!(git.url);
    state["branch"] = json!(git.branch);
    state["path"] = json!(git.path);
    state["looked_at"] = json!(git.fetched_at.map(written_time));
    state["failure"] = failure(git.failure.as_ref());
    state["conflict_branches"] = json!(git.conflict_branches);
    state["reviews"] = git.reviews.iter().map(review).collect();
    if let Some(commit) = &git.served {
        describe(&mut state, commit);
    }
    if let Some(refused) = &git.refused {
        let mut of_refused = json!({ "problems": refused.problems });
        describe(&mut of_refused, &refused.commit);
        state["refused"] = of_refused;
    }
    state
}

/// Adds the state of a work tree in which edits are committed.
fn of_work_tree(mut state: Value, commits: &CommitReport) -> Value {
    state["url"] = json!(commits.work_tree);
    state["branch"] = json!(commits.branch);
    state["path"] = json!(commits.path);
    state["failure"] = failure(commits.failure.as_ref());
    state["ignored"] = json!(commits.ignored);
    if let Some(commit) = &commits.last {
        describe(&mut state, commit);
    }
    state
}

/// Adds the path of a content folder that edits are written into.
fn of_folder(mut state: Value, folder: &Path) -> Value {
    state["url"] = json!(folder.display().to_string());
    state
}

fn failure(failure: Option<&PullFailure>) -> Value {
    failure.map_or(Value::Null, |failure| {
        json!({
            "message": failure.message,
            "failed_at": written_time(failure.failed_at),
            "attempts": failure.attempts,
            "tried_again_at": written_time(failure.tried_again_at),
        })
    })
}

fn conflict(conflict: &FileConflict) -> Value {
    json!({
        "path": conflict.path,
        "title": conflict.title,
        "editor": conflict.editor,
        "other_author": conflict.other_author,
        "branch": conflict.branch,
        "edited_at": written_time(conflict.edited_at),
        "found_at": written_time(conflict.found_at),
    })
}

fn review(review: &ReviewReport) -> Value {
    json!({
        "branch": review.branch,
        "commit": review.commit,
        "edits": review.edits,
        "refused_since": written_time(review.refused_since),
        "reason": review.reason,
    })
}

fn describe(view: &mut Value, commit: &Commit) {
    view["commit"] = json!(commit.id);
    view["author"] = json!(commit.author);
    view["author_email"] = json!(commit.author_email);
    view["authored_at"] = json!(written_time(commit.authored_at));
    view["message"] = json!(commit.message);
}
