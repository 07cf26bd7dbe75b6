//! Themes in GitHub repositories, downloaded as archives of the default branch.

use std::{fmt, fs::File, io::Seek};

use url::Url;

use super::name::{is_name, name_of_file};
use crate::{
    error::{Error, Kind, Result},
    outbound::{MediaClient, MediaError},
};

/// A GitHub repository, by owner and name in lower case (Ghost 6.65).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitHubRepository {
    owner: String,
    name: String,
}

impl GitHubRepository {
    /// Parses a repository such as `TryGhost/Solo`.
    ///
    /// # Errors
    ///
    /// `Validation` if `text` is not an owner and a name.
    pub fn parse(text: &str) -> Result<Self> {
        let lower = text.to_ascii_lowercase();
        match lower.split_once('/') {
            Some((owner, name)) if is_name(owner) && is_name(name) => Ok(Self {
                owner: owner.to_owned(),
                name: name.to_owned(),
            }),
            _ => Err(Error::new(
                Kind::Validation,
                "\"ref\" must be a repository of GitHub, such as TryGhost/Solo.",
            )),
        }
    }

    /// Returns the name for the theme in the repository.
    ///
    /// # Errors
    ///
    /// `Validation` if it is not a valid theme name.
    pub fn theme_name(&self) -> Result<String> {
        name_of_file(&format!("{}.zip", self.name))
    }

    /// Downloads the archive of the repository through the API at `github`, which redirects to it, into `file`, and rewinds the
    /// file.
    ///
    /// # Errors
    ///
    /// `BadRequest` if the repository does not exist or GitHub cannot be reached; `Validation` if the archive is longer than
    /// `bytes_max`.
    pub fn download(
        &self,
        client: &MediaClient,
        github: &Url,
        bytes_max: u64,
        file: &mut File,
    ) -> Result<()> {
        let base = github.as_str().trim_end_matches('/');
        let url = format!("{base}/repos/{self}/zipball");
        match client.get(&url, bytes_max, file) {
            Ok(_) => file.rewind().map_err(Error::internal),
            Err(MediaError::Output(error)) => Err(Error::internal(error)),
            Err(MediaError::TooLong(bytes)) => Err(Error::new(
                Kind::Validation,
                format!(
                    "The archive of the repository \"{self}\" is longer than {} MB.",
                    bytes >> 20
                ),
            )),
            Err(error) if error.status() == Some(404) => Err(Error::new(
                Kind::BadRequest,
                format!("GitHub has no public repository \"{self}\"."),
            )
            .context(url)),
            Err(error) => Err(Error::new(
                Kind::BadRequest,
                format!("The repository \"{self}\" cannot be downloaded from GitHub."),
            )
            .context(format!("{url}: {error}."))
            .help("Try again later, or download the archive and upload it.")),
        }
    }
}

impl fmt::Display for GitHubRepository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repository_is_an_owner_and_a_name() {
        let solo = GitHubRepository::parse("TryGhost/Solo").unwrap();
        assert_eq!(solo.to_string(), "tryghost/solo");
        assert_eq!(solo.theme_name().unwrap(), "solo");
        for text in [
            "",
            "solo",
            "tryghost/",
            "/solo",
            "tryghost/../users",
            "tryghost/..",
            "tryghost/solo/zipball",
            "tryghost/solo?a",
            "tryghost/so%2flo",
            "http://example.com/a",
        ] {
            assert!(GitHubRepository::parse(text).is_err(), "{text}");
        }
    }
}
