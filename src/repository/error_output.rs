//! Formats git's error output for people: without secrets and general remarks, with advice on common errors.

/// The description of pushes in errors.
pub const PUSHING: &str = "pushing to the repository";

/// Maximum length of the displayed output, in characters.
const CHARACTERS_MAX: usize = 600;

/// Returns the last lines of git's `error_output`, without `secrets`. `operation` is the operation that failed.
pub fn message(operation: &str, error_output: &[u8], secrets: &[String]) -> String {
    let mut text = String::from_utf8_lossy(error_output).into_owned();
    // Before the output is truncated, so that no part of a secret remains.
    for secret in secrets {
        text = text.replace(secret.as_str(), "…");
    }
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| is_informative(line))
        .collect();
    let message = lines.join(" ");
    let start = message.chars().count().saturating_sub(CHARACTERS_MAX);
    let mut message: String = message.chars().skip(start).collect();
    if message.is_empty() {
        message = "git failed without a message".to_owned();
    }
    match advice(operation, &message, !secrets.is_empty()) {
        Some(advice) => format!("{}. {advice}", message.trim_end_matches('.')),
        None => message,
    }
}

fn is_informative(line: &str) -> bool {
    const GENERAL: [&str; 3] = [
        "Please make sure you have the correct access rights",
        "and the repository exists.",
        "fatal: Could not read from remote repository.",
    ];
    !line.is_empty() && !line.starts_with("warning:") && !GENERAL.contains(&line)
}

/// Returns advice on a common error of git. `has_secret` is set if git uses a token or a password.
fn advice(operation: &str, message: &str, has_secret: bool) -> Option<&'static str> {
    const RIGHT_TO_WRITE: &str = "The token has no write access to the repository: set a source.git.token with the permission \"Contents: read and write\" (GitHub), \"write_repository\" (GitLab) or \"repository: read and write\" (Gitea, Forgejo)";
    const KEY_TO_WRITE: &str = "The ssh key is read-only: give the deploy key write access";
    const OF_PUSHES: &[(&str, &str)] = &[
        ("could not read Username", RIGHT_TO_WRITE),
        ("Authentication failed", RIGHT_TO_WRITE),
        ("returned error: 403", RIGHT_TO_WRITE),
        ("marked as read only", KEY_TO_WRITE),
        ("not have write access", KEY_TO_WRITE),
        (
            // Without the first character, which is a capital in the messages of some hosts.
            "rotected branch",
            "Allow pushes to the branch with this token or key, or set source.push_branch to a branch for review",
        ),
    ];
    const OTHER_TOKEN: &str = "The token or password is not accepted: set a source.git.token with read access to the repository";
    const WITH_SECRET: &[(&str, &str)] = &[
        ("could not read Username", OTHER_TOKEN),
        ("returned error: 403", OTHER_TOKEN),
    ];
    const KNOWN: &[(&str, &str)] = &[
        (
            "could not read Username",
            "The repository is not public: set source.git.token",
        ),
        ("Authentication failed", OTHER_TOKEN),
        (
            "Host key verification failed",
            "The user that Galley runs as does not know this host: add it with ssh-keyscan to ~/.ssh/known_hosts",
        ),
        (
            "Permission denied (publickey",
            "The host does not accept the ssh key of the user that Galley runs as: add it there as a deploy key",
        ),
    ];
    // The first match wins, so the most specific list comes first: for a push, a token may be valid
    // and lack only the right to write.
    let of_pushes = OF_PUSHES.iter().filter(|_| operation == PUSHING);
    let with_secret = WITH_SECRET.iter().filter(|_| has_secret);
    let mut errors = of_pushes.chain(with_secret).chain(KNOWN);
    let known_error = errors.find(|(part, _)| message.contains(part));
    known_error.map(|(_, advice)| *advice)
}
