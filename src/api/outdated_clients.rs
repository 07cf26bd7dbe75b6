//! Clients that ask for what only an older version of the API had: who they are, for the letter to the administrators
//! (specification section 7).

use http::header;

use super::{Api, admin, call::Call};
use crate::{
    admin::outdated_clients::{self, Client},
    domain::actor::Actor,
};

/// Longest part of a client's own name that is told, in characters.
const NAME_CHARACTERS_MAX: usize = 100;

impl Api {
    /// Tells the administrators of who sent this request, which says that it is made for `version`.
    ///
    /// Who asks gets the same answer whether or not that succeeds.
    pub(super) fn report_outdated(&self, call: &Call, version: &str) {
        let (identity, name) = self.client(call);
        let client = Client {
            identity,
            name,
            version: shortened(version),
        };
        let place = self.place(call.edition, &call.answers.addresses);
        if let Err(error) = outdated_clients::report(&self.site, &place, &client) {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "the administrators could not be told that a client is too old"
            );
        }
    }

    /// What a client is known again by, and what it is called: an integration by itself, others by what they say they are.
    fn client(&self, call: &Call) -> (String, String) {
        let actor = match call.path.is_admin() {
            true => admin::authenticate(self, call, true).ok(),
            false => None,
        };
        if let Some(Actor::Integration { id, .. }) = actor {
            let mut integrations = call.edition.catalog.integrations();
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
                "A client that does not say what it is".to_owned(),
            ),
        }
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(NAME_CHARACTERS_MAX).collect()
}
