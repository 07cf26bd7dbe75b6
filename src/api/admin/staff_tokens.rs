//! Staff access tokens: `GET` and `PUT admin/users/{}/token/` (specification 5.2, Ghost 6.65,
//! recorded).

use serde_json::json;

use super::{Reply, Request};
use crate::{
    admin::staff_tokens,
    domain::{staff_token::StaffToken, user::USERS_TOKENS_OF_OTHERS},
    error::Result,
    id::Id,
};

/// `GET admin/users/{}/token/`
pub fn read(request: &Request) -> Result<Reply> {
    let token = staff_tokens::read(request.site(), request.actor()?, user(request)?)?;
    reply(request, &token)
}

/// `PUT admin/users/{}/token/`
pub fn refresh(request: &Request) -> Result<Reply> {
    let token = staff_tokens::refresh(request.site(), request.actor()?, user(request)?)?;
    reply(request, &token)
}

/// Returns the owner of the token. A malformed identifier is treated as that of another user.
fn user(request: &Request) -> Result<Id> {
    let named = request.variable();
    let own = request.actor()?.user();
    let user = if named.eq_ignore_ascii_case("me") {
        own
    } else {
        named.parse().ok()
    };
    user.ok_or_else(|| USERS_TOKENS_OF_OTHERS.refusal())
}

fn reply(request: &Request, token: &StaffToken) -> Result<Reply> {
    let role = request.actor()?.role().unwrap_or_default();
    let body = json!({ "apiKey": {
        "id": token.key.id,
        "type": "admin",
        "secret": token.key.secret,
        "role_id": role.id(),
        "integration_id": null,
        "user_id": token.user,
        "last_seen_at": null,
        "last_seen_version": null,
        "created_at": format!("{:.3}", token.created_at),
        "updated_at": format!("{:.3}", token.updated_at),
    } });
    Ok(Reply::json(body.to_string().into_bytes()))
}
