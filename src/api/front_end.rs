//! The site's front end, where browsers are sent that open the site or a post here.

use std::str::FromStr;

use url::Url;

/// The URL of the front end, such as `https://www.example.com/blog`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontEnd(String);

/// The text is not the URL of a front end.
#[derive(Debug, thiserror::Error)]
#[error("expected a URL such as https://www.example.com, without a query")]
pub struct FrontEndError;

impl FromStr for FrontEnd {
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

impl FrontEnd {
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
