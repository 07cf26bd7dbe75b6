//! A request from a reader's page.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::session;
use crate::{
    admin::{auth_mails::MailSite, member_sign_in::SignInContext},
    api::{
        Api, SnapshotCache, client_address::client_address, params::QueryParameters,
        request::Request,
    },
    domain::{member::Member, setting::Settings},
    error::{Error, Kind, Result},
    reader_texts::ReaderTexts,
    site::SiteSnapshot,
};

/// Longest accepted text in a request, in bytes.
const TEXT_BYTES_MAX: usize = 2000;

/// A request from a reader's page.
pub struct Call<'a> {
    pub(super) api: &'a Api,
    pub(super) snapshot: &'a SiteSnapshot,
    pub(super) cache: &'a SnapshotCache,
    pub(super) request: &'a Request,
    pub(super) query: QueryParameters,
}

impl Call<'_> {
    pub(super) fn settings(&self) -> &Settings {
        &self.snapshot.catalog.settings
    }

    /// Returns the signed-in member; `None` if the client is not signed in.
    pub(super) fn member(&self) -> Option<Arc<Member>> {
        session::of_cookie(
            self.api,
            self.snapshot,
            self.cache,
            &self.request.head.head_ref(),
        )
    }

    /// Returns the signed-in member.
    ///
    /// # Errors
    ///
    /// `Unauthorized` if the client is not signed in.
    pub(super) fn signed_in(&self) -> Result<Arc<Member>> {
        self.member()
            .ok_or_else(|| Error::new(Kind::Unauthorized, "You must be signed in to do this."))
    }

    /// Returns the JSON object in the body; an empty one for an empty body.
    pub(super) fn body(&self) -> Result<Map<String, Value>> {
        if self.request.body.is_empty() {
            return Ok(Map::new());
        }
        serde_json::from_slice(&self.request.body).map_err(|error| {
            Error::new(Kind::BadRequest, "The body is not a JSON object.")
                .context(error.to_string())
        })
    }

    pub(super) fn mail_site(&self) -> MailSite {
        self.api.mail_site(self.snapshot, &self.cache.site_urls)
    }

    /// Returns the texts for readers, in the language of the site.
    pub(super) fn texts(&self) -> ReaderTexts {
        self.settings().reader_texts()
    }

    pub(super) fn sign_in<'c>(&'c self, mail_site: &'c MailSite) -> SignInContext<'c> {
        SignInContext {
            site: &self.api.site,
            rate_limits: &self.api.rate_limits,
            mail_site,
            client: client_address(&self.request.head.head_ref()),
        }
    }

    /// Returns the URL of the site for readers, without a trailing slash: that of the front end if one
    /// is configured.
    pub(super) fn front(&self) -> String {
        match self.api.options.front_end.external() {
            Some(front_end) => front_end.url(""),
            None => self.cache.site_urls.base().to_owned(),
        }
    }
}

/// Returns the text of a field in a body; `None` if it is missing, not a text, or too long.
pub(super) fn text_of<'b>(body: &'b Map<String, Value>, name: &str) -> Option<&'b str> {
    let text = body.get(name)?.as_str()?;
    (text.len() <= TEXT_BYTES_MAX).then_some(text)
}
