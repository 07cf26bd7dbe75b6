//! URLs of repositories: the accepted schemes, and the displayed form without secrets.
//!
//! Other transports of git are rejected: `ext::` runs any program, and git would parse a URL that begins with a dash as an
//! option. Credentials in a URL are sent in a header, so that no list of processes shows them.

use std::{fmt, path, str::FromStr};

use data_encoding::BASE64;
use percent_encoding::percent_decode_str;
use url::Url;

/// The user name for a token if the URL has none. Most hosts accept any name with a token; the other hosts document this
/// one.
const TOKEN_USER: &str = "x-access-token";

/// The URL of a repository.
#[derive(Clone, PartialEq, Eq)]
pub struct RepositoryUrl {
    /// The URL that git gets.
    plain: String,
    /// The URL that is displayed.
    shown: String,
    user: Option<String>,
    password: Option<String>,
    is_web: bool,
}

/// The URL of a repository is invalid. The text itself is not shown: it may contain a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RepositoryUrlError {
    /// The scheme is not supported.
    #[error(
        "a repository must be written as https://…, http://…, ssh://…, git://…, file:///…, user@host:path or the path of a folder"
    )]
    Kind,
    /// The URL begins with a dash.
    #[error("the URL of a repository, its host and its user must not begin with a dash")]
    Dash,
    /// The URL contains control characters.
    #[error("the URL of the repository contains a line break or another control character")]
    Control,
    /// The URL has a password that cannot be sent.
    #[error(
        "a password in a URL is for https only; ssh uses the keys of the user that Galley runs as"
    )]
    Password,
}

impl RepositoryUrl {
    /// Returns the URL without password and user, for display.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Returns the URL for git, without a password.
    pub(super) fn plain(&self) -> &str {
        &self.plain
    }

    /// Returns whether the repository is on this machine.
    pub(super) fn is_local(&self) -> bool {
        self.plain.starts_with("file://")
    }

    /// Returns whether a token can be sent: the transport is HTTP.
    pub fn takes_token(&self) -> bool {
        self.is_web
    }

    /// Returns the value of HTTP's Basic scheme; `None` without a user.
    pub(super) fn authorization(&self, token: Option<&str>) -> Option<String> {
        let password = token.or(self.password.as_deref());
        let user = self.user.as_deref();
        let (user, password) = match (user, password) {
            (None, None) => return None,
            (user, Some(password)) => (user.unwrap_or(TOKEN_USER), password),
            (Some(user), None) => (user, ""),
        };
        Some(BASE64.encode(format!("{user}:{password}").as_bytes()))
    }

    /// Returns the values that must never be shown.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.password.as_deref().into_iter()
    }

    fn open(plain: &str) -> Self {
        Self {
            plain: plain.to_owned(),
            shown: plain.to_owned(),
            user: None,
            password: None,
            is_web: false,
        }
    }
}

impl FromStr for RepositoryUrl {
    type Err = RepositoryUrlError;

    fn from_str(text: &str) -> Result<Self, RepositoryUrlError> {
        let text = text.trim();
        if text.chars().any(char::is_control) {
            return Err(RepositoryUrlError::Control);
        }
        if text.starts_with('-') {
            return Err(RepositoryUrlError::Dash);
        }
        if text.contains("://") {
            return of_url(text);
        }
        let is_scheme_character =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let runs_helper = text
            .split_once("::")
            .is_some_and(|(before, _)| before.bytes().all(is_scheme_character));
        if text.is_empty() || runs_helper {
            return Err(RepositoryUrlError::Kind);
        }
        // As for git, a colon after a slash belongs to a path: `./a:b` is a folder.
        let first_part = text.split('/').next().unwrap_or_default();
        match first_part.rfind(':') {
            Some(end) => of_host(text, &first_part[..end]),
            None => of_path(text),
        }
    }
}

fn of_url(text: &str) -> Result<RepositoryUrl, RepositoryUrlError> {
    let mut url = Url::parse(text).map_err(|_| RepositoryUrlError::Kind)?;
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let host = url.host_str().unwrap_or_default();
    // ssh would read such a host or user as an option (CVE-2017-1000117).
    if host.starts_with('-') || decoded(url.username()).starts_with('-') {
        return Err(RepositoryUrlError::Dash);
    }
    match url.scheme() {
        "https" | "http" => {
            let user = Some(decoded(url.username())).filter(|user| !user.is_empty());
            let password = url.password().map(decoded);
            // These calls fail only for URLs without a host, and this URL has one.
            let _ = url.set_username("");
            let _ = url.set_password(None);
            let plain = url.to_string();
            // `shown` has no query, which may contain a token.
            url.set_query(None);
            url.set_fragment(None);
            Ok(RepositoryUrl {
                plain,
                shown: url.to_string(),
                user,
                password,
                is_web: true,
            })
        }
        "ssh" | "git" if url.password().is_some() => Err(RepositoryUrlError::Password),
        "ssh" | "git" if !host.is_empty() => Ok(RepositoryUrl::open(text)),
        "file" if matches!(host, "" | "localhost") => Ok(RepositoryUrl::open(text)),
        _ => Err(RepositoryUrlError::Kind),
    }
}

/// Parses `user@host:path` of ssh.
fn of_host(text: &str, user_and_host: &str) -> Result<RepositoryUrl, RepositoryUrlError> {
    let host = user_and_host.rsplit('@').next().unwrap_or_default();
    if host.starts_with('-') {
        return Err(RepositoryUrlError::Dash);
    }
    if host.is_empty() {
        return Err(RepositoryUrlError::Kind);
    }
    if user_and_host
        .split_once('@')
        .is_some_and(|(user, _)| user.contains(':'))
    {
        return Err(RepositoryUrlError::Password);
    }
    Ok(RepositoryUrl::open(text))
}

fn of_path(text: &str) -> Result<RepositoryUrl, RepositoryUrlError> {
    let absolute = path::absolute(text).map_err(|_| RepositoryUrlError::Kind)?;
    let url = Url::from_file_path(absolute).map_err(|()| RepositoryUrlError::Kind)?;
    Ok(RepositoryUrl::open(url.as_str()))
}

impl fmt::Debug for RepositoryUrl {
    /// Formats the displayed form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RepositoryUrl").field(&self.shown).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> RepositoryUrl {
        text.parse().unwrap()
    }

    fn refused(text: &str) -> RepositoryUrlError {
        text.parse::<RepositoryUrl>().unwrap_err()
    }

    #[test]
    fn credentials_in_a_url_are_neither_shown_nor_passed_to_git() {
        let secret = url("https://ada:s%40cret@git.example/ada/site.git?token=x");
        assert_eq!(secret.shown(), "https://git.example/ada/site.git");
        assert_eq!(secret.plain(), "https://git.example/ada/site.git?token=x");
        assert!(!format!("{secret:?}").contains("cret"));
        let sent = secret.authorization(None).unwrap();
        assert_eq!(BASE64.decode(sent.as_bytes()).unwrap(), b"ada:s@cret");
    }

    #[test]
    fn token_replaces_the_password() {
        let sent = |url: &RepositoryUrl, token| {
            let text = url.authorization(token)?;
            Some(String::from_utf8(BASE64.decode(text.as_bytes()).unwrap()).unwrap())
        };
        let open = url("https://git.example/site.git");
        assert_eq!(sent(&open, None), None);
        assert_eq!(sent(&open, Some("t")).unwrap(), "x-access-token:t");
        let named = url("https://deploy@git.example/site.git");
        assert_eq!(sent(&named, Some("t")).unwrap(), "deploy:t");
    }

    #[test]
    fn transports_that_run_no_program_are_accepted() {
        for text in [
            "ssh://git@git.example:2222/site.git",
            "git@git.example:ada/site.git",
            "git.example:site.git",
            "ada@[::1]:site.git",
            "git://git.example/site.git",
            "file:///srv/site.git",
        ] {
            assert_eq!(url(text).shown(), text);
        }
        assert_eq!(url("/srv/my site.git").shown(), "file:///srv/my%20site.git");
        assert!(url("site.git").shown().ends_with("/site.git"));
    }

    #[test]
    fn transports_that_run_programs_and_options_are_refused() {
        for text in [
            "",
            "ext::sh -c touch% /tmp/x",
            "fd::7",
            "ftp://git.example/x",
            "ext://x/y",
        ] {
            assert_eq!(refused(text), RepositoryUrlError::Kind, "{text}");
        }
        for text in [
            "--upload-pack=touch",
            "ssh://-oProxyCommand=x/y",
            "-oProxyCommand=x:y",
            "git@-oProxyCommand=x:y",
        ] {
            assert_eq!(refused(text), RepositoryUrlError::Dash, "{text}");
        }
        assert_eq!(refused("https://a\n/b"), RepositoryUrlError::Control);
    }
}
