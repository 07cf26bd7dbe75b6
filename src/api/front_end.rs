//! The site's front end: the active theme, none, or a separate site, to which browsers are redirected when they open the
//! site or a post.

use std::str::FromStr;

use url::Url;

/// The front end of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FrontEnd {
    /// The active theme, which renders the site's pages.
    #[default]
    Theme,
    /// None: clients read the site through its API.
    None,
    /// A separate site.
    External(ExternalFrontEnd),
}

/// The URL of a separate front end, such as `https://www.example.com/blog`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalFrontEnd(String);

/// The error for a text that does not name a front end.
#[derive(Debug, thiserror::Error)]
#[error("theme, none, or a URL such as https://www.example.com, without a query")]
pub struct FrontEndError;

impl FromStr for FrontEnd {
    type Err = FrontEndError;

    fn from_str(text: &str) -> Result<Self, FrontEndError> {
        match text {
            "theme" => Ok(Self::Theme),
            "none" => Ok(Self::None),
            url => url.parse().map(Self::External),
        }
    }
}

impl FrontEnd {
    /// Returns the separate front end, if the site has one.
    pub fn external(&self) -> Option<&ExternalFrontEnd> {
        match self {
            Self::External(front_end) => Some(front_end),
            Self::Theme | Self::None => None,
        }
    }
}

impl FromStr for ExternalFrontEnd {
    type Err = FrontEndError;

    fn from_str(text: &str) -> Result<Self, FrontEndError> {
        let url = Url::parse(text).map_err(|_| FrontEndError)?;
        let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
        if is_web && url.query().is_none() && url.fragment().is_none() {
            // `url` appends paths that begin with a slash.
            Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
        } else {
            Err(FrontEndError)
        }
    }
}

impl ExternalFrontEnd {
    /// Returns the value of `Origin` that browsers send from pages of the front end.
    pub fn origin(&self) -> Option<String> {
        let url = Url::parse(&self.0).ok()?;
        Some(url.origin().ascii_serialization())
    }

    /// Returns the URL of `path`, which must begin with a slash, on the front end.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }
}
