//! The site's front end: the active theme, none, or a site elsewhere, where browsers are sent that open the site or a post here.

use std::str::FromStr;

use url::Url;

/// The front end of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FrontEnd {
    /// The active theme, which renders the site's pages.
    #[default]
    Theme,
    /// None: the site is read through its API.
    None,
    /// A site elsewhere.
    External(ExternalFrontEnd),
}

/// The URL of a front end elsewhere, such as `https://www.example.com/blog`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalFrontEnd(String);

/// The text does not name a front end.
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
    /// Returns the front end elsewhere, if the site has one.
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
            Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
        } else {
            Err(FrontEndError)
        }
    }
}

impl ExternalFrontEnd {
    /// Returns the value that browsers send as `Origin` from its pages.
    pub fn origin(&self) -> Option<String> {
        let url = Url::parse(&self.0).ok()?;
        Some(url.origin().ascii_serialization())
    }

    /// Returns the URL of a path of the site, which begins with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }
}
