//! Plain pages for readers below `/members/`: sign-up, sign-in and the member's account. They replace Ghost's Portal, work
//! without JavaScript, and load no other resources.
//!
//! They use the same operations as the API, so no page reveals whether an address belongs to a member. Forms that request a
//! link contain the required integrity token. The forms of the account apply to the member of the cookie, which browsers do
//! not send with a form of another site.

mod account;
mod form;
mod page;
mod sign_in;

use self::sign_in::SignInPage;
use super::call::Call;
use crate::{api::response::Response, domain::member_link::LinkPurpose, error::Result};

/// Returns the response to a request for a path below `/members/`; `None` if there is no page at that path.
///
/// # Errors
///
/// If the site cannot be read or written.
pub(super) fn respond(call: &Call, verb: &str, path: &str) -> Result<Option<Response>> {
    let response = match (verb, path) {
        ("GET", "signup") => SignInPage::open(call, LinkPurpose::SignUp),
        ("GET", "signin") => SignInPage::open(call, LinkPurpose::SignIn),
        ("POST", "signup") => SignInPage::submit(call, LinkPurpose::SignUp),
        ("POST", "signin") => SignInPage::submit(call, LinkPurpose::SignIn),
        ("POST", "signin/code") => sign_in::submit_code(call),
        ("GET", "account") => account::open(call),
        ("POST", "account") => account::submit(call),
        _ => return Ok(None),
    };
    response.map(Some)
}
