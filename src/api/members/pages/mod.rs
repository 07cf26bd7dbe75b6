//! Plain pages for readers below `/members/`: sign up, sign in, the own account. They do what Ghost's Portal does, work without
//! a script, and load nothing.
//!
//! They use the same operations as the scripts of pages, so no page shows whether an address belongs to a member. Their forms
//! have the token that requests for links need; those of the account apply to the member of the cookie, which browsers do not
//! send with a form of another site.

mod account;
mod form;
mod page;
mod sign_in;

use self::sign_in::SignInPage;
use super::call::Call;
use crate::{api::response::Response, domain::member_link::LinkPurpose, error::Result};

/// Returns the response to a request for a path below `/members/`; `None` if no page has it.
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
