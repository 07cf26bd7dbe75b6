//! Cookies of the site with a time of expiry that browsers can neither forge nor extend.

use http::{HeaderValue, header};
use subtle::ConstantTimeEq;

use super::pages::PageCall;

/// A cookie whose value consists of its time of expiry and a digest of that time and `subject` with the site's secret.
pub(super) struct SignedCookie<'a> {
    /// The name of the cookie.
    pub name: &'static str,
    /// The permission that the cookie grants. A cookie that was signed for another subject is rejected.
    pub subject: &'a str,
}

impl SignedCookie<'_> {
    /// Returns the header field that sets the cookie for `seconds`; `None` if the site has no secret.
    pub fn field(&self, call: &PageCall, seconds: i64, now: i64) -> Option<HeaderValue> {
        let value = self.value(call, now + seconds)?;
        self.written(call, &value, seconds)
    }

    /// Returns the header field that removes the cookie.
    pub fn removal(&self, call: &PageCall) -> Option<HeaderValue> {
        self.written(call, "", 0)
    }

    /// Returns whether the browser sent a valid cookie that has not expired.
    pub fn is_sent(&self, call: &PageCall, now: i64) -> bool {
        let head = call.head.head_ref();
        let mut cookies = head
            .fields
            .values(&header::COOKIE)
            .flat_map(|cookies| cookies.split(';'));
        let sent = cookies.find_map(|cookie| {
            let rest = cookie.trim().strip_prefix(self.name)?;
            rest.strip_prefix('=')
        });
        let Some((sent, (ends, _))) = sent.and_then(|sent| Some((sent, sent.split_once('-')?)))
        else {
            return false;
        };
        let Some(ends) = ends.parse().ok().filter(|ends| *ends > now) else {
            return false;
        };
        // Compared as a whole and in constant time, so that a digest cannot be guessed byte by
        // byte.
        let own = self.value(call, ends);
        own.is_some_and(|own| own.as_bytes().ct_eq(sent.as_bytes()).into())
    }

    fn value(&self, call: &PageCall, ends: i64) -> Option<String> {
        let secret = call.snapshot.catalog.member_secret.as_ref()?;
        let digest = secret.digest_of(&format!("{} {ends} {}", self.name, self.subject));
        Some(format!("{ends}-{}", digest.to_hexadecimal()))
    }

    fn written(&self, call: &PageCall, value: &str, seconds: i64) -> Option<HeaderValue> {
        let name = self.name;
        let site_urls = &call.cache.site_urls;
        let path = format!("{}/", site_urls.subdirectory());
        let secure = if site_urls.url().scheme() == "https" {
            "; Secure"
        } else {
            ""
        };
        let cookie = format!(
            "{name}={value}; Path={path}; Max-Age={seconds}; SameSite=Lax; HttpOnly{secure}"
        );
        HeaderValue::from_str(&cookie).ok()
    }
}
