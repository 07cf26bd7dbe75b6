//! The nonce that allows previews in the admin app to run the scripts of their pages.
//!
//! The app writes a previewed page into one of its frames, where the app's content security policy applies. The policy allows
//! only the app's files and scripts with a nonce. The nonce is stored in a cookie of the browser that opened the app, and is
//! added to the scripts of pages that this browser requests for a preview. So the policy need not allow the scripts of all hosts.

use http::{HeaderValue, header};

use super::request::Fields;
use crate::{
    domain::secret::{Digest, Secret},
    error::Error,
    site_urls::SiteUrls,
};

/// The name of the cookie.
const COOKIE: &str = "galley-preview";

/// The beginning of a `script` element.
const SCRIPT: &[u8] = b"<script";

/// The nonce of one browser.
pub(super) struct PreviewNonce(Digest);

impl PreviewNonce {
    /// Returns the nonce that a browser sent; `None` if it sent no valid one.
    pub fn sent(fields: Fields) -> Option<Self> {
        let mut cookies = fields
            .values(&header::COOKIE)
            .flat_map(|cookies| cookies.split(';'));
        cookies.find_map(|cookie| {
            let value = cookie.trim().strip_prefix(COOKIE)?.strip_prefix('=')?;
            Digest::from_hexadecimal(value).map(Self)
        })
    }

    /// Returns the nonce that a browser sent, or a new one.
    ///
    /// # Errors
    ///
    /// If the system's random number generator fails.
    pub fn sent_or_new(fields: Fields) -> Result<Self, Error> {
        match Self::sent(fields) {
            Some(nonce) => Ok(nonce),
            None => {
                let secret = Secret::generate().map_err(Error::internal)?;
                Ok(Self(secret.digest()))
            }
        }
    }

    /// Returns the source expression for a content security policy that allows scripts with the nonce.
    pub fn source(&self) -> String {
        format!("'nonce-{}'", self.0.to_hexadecimal())
    }

    /// Returns the header field that sets the cookie until the browser is closed.
    pub fn cookie(&self, site_urls: &SiteUrls) -> Option<HeaderValue> {
        let value = self.0.to_hexadecimal();
        let path = site_urls.subdirectory();
        let secure = if site_urls.url().scheme() == "https" {
            "; Secure"
        } else {
            ""
        };
        let cookie = format!("{COOKIE}={value}; Path={path}/; SameSite=Strict; HttpOnly{secure}");
        HeaderValue::from_str(&cookie).ok()
    }

    /// Adds the nonce to all scripts of a page. The attribute has no quotes, which could end a string in a script that writes
    /// scripts.
    pub fn mark(&self, html: &str) -> String {
        let attribute = format!(" nonce={}", self.0.to_hexadecimal());
        let mut marked = String::with_capacity(html.len() + attribute.len());
        let mut rest = html;
        while let Some(end) = script_tag(rest) {
            let (before, after) = rest.split_at(end);
            marked.push_str(before);
            marked.push_str(&attribute);
            rest = after;
        }
        marked.push_str(rest);
        marked
    }
}

/// Returns the byte offset after the name of the first `script` element.
fn script_tag(html: &str) -> Option<usize> {
    let bytes = html.as_bytes();
    memchr::memchr_iter(b'<', bytes).find_map(|start| {
        let end = start + SCRIPT.len();
        let is_script = bytes
            .get(start..end)
            .is_some_and(|name| name.eq_ignore_ascii_case(SCRIPT));
        let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
        (is_script && bytes.get(end).is_some_and(ends)).then_some(end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_script_of_a_page_gets_the_nonce() {
        let secret = "ab".repeat(32);
        let nonce = PreviewNonce(Digest::from_hexadecimal(&secret).unwrap());
        for (page, marked) in [
            ("<script>a</script>", "<script nonce=N>a</script>"),
            ("<p>é</p><SCRIPT\nsrc=a>", "<p>é</p><SCRIPT nonce=N\nsrc=a>"),
            ("<scripts><noscript><scrip", "<scripts><noscript><scrip"),
            ("<<script/>", "<<script nonce=N/>"),
            ("<script", "<script"),
        ] {
            assert_eq!(nonce.mark(page), marked.replace('N', &secret), "{page}");
        }
    }
}
