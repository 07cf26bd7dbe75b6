//! Identifies clients that request endpoints which exist only in older versions of the API, for the
//! e-mail to the administrators (specification section 7).

use http::header;

use super::{Api, admin, call::Call};
use crate::{
    admin::outdated_clients::{self, Client},
    domain::actor::Actor,
};

/// Longest part of a client's `User-Agent` that is reported, in characters.
const NAME_CHARACTERS_MAX: usize = 100;

impl Api {
    /// E-mails the administrators about the sender of this request, which declares that it was made for
    /// `version`.
    ///
    /// The client gets the same response whether or not this succeeds.
    pub(super) fn report_outdated(&self, call: &Call, version: &str) {
        let (identity, name) = self.client(call);
        let client = Client {
            identity,
            name,
            version: shortened(version),
        };
        let mail_site = self.mail_site(call.snapshot, &call.cache.site_urls);
        if let Err(error) = outdated_clients::report(&self.site, &mail_site, &client) {
            tracing::error!(
                cause = error.cause(),
                "cannot notify the administrators about an outdated client"
            );
        }
    }

    /// Returns the identity and the display name of a client. Integrations are identified by their id,
    /// other clients by their `User-Agent`.
    fn client(&self, call: &Call) -> (String, String) {
        let actor = if call.path().is_admin() {
            // Authenticates as for a redirect, so that a single-use token is not consumed.
            admin::authenticate(self, call.sender(), true).ok()
        } else {
            None
        };
        if let Some(Actor::Integration { id, .. }) = actor {
            let mut integrations = call.snapshot.catalog.integrations();
            let name = integrations
                .find(|integration| integration.id == id)
                .map(|integration| integration.name.as_ref())
                .unwrap_or_default();
            return (
                format!("integration/{id}"),
                format!("The integration \"{name}\""),
            );
        }
        let user_agent = call.head.headers.get(header::USER_AGENT);
        match user_agent.and_then(|name| name.to_str().ok()) {
            Some(name) => (
                format!("client/{name}"),
                format!("The client \"{}\"", shortened(name)),
            ),
            None => (
                "client".to_owned(),
                "A client without a `User-Agent`".to_owned(),
            ),
        }
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(NAME_CHARACTERS_MAX).collect()
}
