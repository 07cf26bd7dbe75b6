//! Posts that went out by mail: sending one again to those whom it has not reached.

use crate::{
    domain::post_email::PostEmail,
    error::{Error, Kind, Result},
    id::Id,
    site::Site,
};

/// Has an email sent once more: to those for whom the mail server refused it, and to those whom it never came to.
///
/// # Errors
///
/// `NotFound` when there is none, `BadRequest` when it is still under way or reached everybody.
pub fn retry(site: &Site, id: Option<Id>) -> Result<PostEmail> {
    site.write(|transaction| {
        let email = id.and_then(|id| transaction.catalog().emails.get(id));
        let email = email.cloned().ok_or_else(|| Error::not_found("email"))?;
        if email.can_be_retried() {
            transaction.retry_email(&email)
        } else {
            Err(Error::new(
                Kind::BadRequest,
                if email.is_under_way() {
                    "The email is being sent."
                } else {
                    "The email has reached everybody whom it was for."
                },
            ))
        }
    })
}
