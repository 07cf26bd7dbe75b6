//! Checks the access to a repository without changing it or the data folder.

use std::{path::Path, sync::Arc, time::Duration};

use crate::repository::{
    GitError, GitOptions,
    environment::{Environment, REMOTE, RepositoryPaths},
    program::Program,
};

/// Time limit of each step.
const STEP_TIMEOUT: Duration = Duration::from_secs(20);

/// The branch that the trial would create.
const BRANCH: &str = "refs/heads/galley/doctor";

/// The author of the commit that the trial would push.
const IDENTITY: [&str; 4] = [
    "-c",
    "user.name=Galley",
    "-c",
    "user.email=galley@localhost",
];

/// Runs git with arguments, and returns its output without surrounding whitespace. The first argument describes the
/// operation.
type RunGit<'r> = dyn Fn(&'static str, &[&str]) -> Result<String, GitError> + 'r;

/// Tries to read the followed branch, and returns the identifier of its newest commit. If edits are pushed, also tries to
/// push a new branch: the repository responds whether it would accept the branch, but nothing is created there. The commits
/// for that are written into `folder`, which must be empty.
///
/// # Errors
///
/// If git is missing, the repository does not respond or refuses, or has no such branch.
pub fn try_access(options: &GitOptions, folder: &Path) -> Result<String, GitError> {
    let paths = RepositoryPaths {
        repository: folder.join("repository"),
        tree: folder.to_owned(),
        index: None,
    };
    let environment = Environment::of_clone(options, &paths);
    let git = Program::new(environment, Arc::default());
    git.check()?;
    let run = |operation, arguments: &[&str]| {
        let output = git.run(operation, arguments, STEP_TIMEOUT)?;
        Ok::<_, GitError>(String::from_utf8_lossy(&output).trim().to_owned())
    };
    run(
        "making a repository for the trial",
        &["init", "--quiet", "--template="],
    )?;
    let tip = read(options, &run)?;
    if options.pushes {
        // `mktree` reads its entries from stdin, which is empty.
        let tree = run("writing an empty tree", &["mktree"])?;
        let commit = ["commit-tree", &tree, "-m", "Try to push"];
        let commit = run("writing a commit", &[&IDENTITY[..], &commit].concat())?;
        let to = format!("{commit}:{BRANCH}");
        let push = [
            "push",
            "--quiet",
            "--dry-run",
            "--no-verify",
            "--",
            REMOTE,
            &to,
        ];
        run("trying to push", &push)?;
    }
    Ok(tip)
}

/// Returns the newest commit of the followed branch.
fn read(options: &GitOptions, run: &RunGit<'_>) -> Result<String, GitError> {
    let branch = options.branch.as_ref().map(|branch| branch.as_str());
    let wanted = branch.map(|branch| format!("refs/heads/{branch}"));
    let wanted = wanted.as_deref().unwrap_or("HEAD");
    let listed = run(
        "querying the repository",
        &["ls-remote", "--quiet", "--", REMOTE, wanted],
    )?;
    let mut lines = listed.lines().filter_map(|line| line.split_once('\t'));
    let tip = lines.find(|(_, name)| *name == wanted);
    let url = options.url.shown().to_owned();
    match (tip, branch) {
        (Some((tip, _)), _) => Ok(tip.to_owned()),
        (None, Some(branch)) => Err(GitError::NoBranch {
            url,
            branch: branch.to_owned(),
        }),
        (None, None) => Err(GitError::Empty(url)),
    }
}
