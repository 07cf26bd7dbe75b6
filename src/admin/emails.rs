//! Emails of posts: retrying failed ones.

use crate::{
    domain::post_email::PostEmail,
    error::{Error, Kind, Result},
    id::Id,
    site::Site,
};

/// Sends an email again to the recipients whose mail the mail server refused or has not accepted
/// yet.
///
/// # Errors
///
/// `NotFound` if the email does not exist, `BadRequest` if it is still being sent or has reached
/// all recipients.
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
                    "The email has reached all recipients."
                },
            ))
        }
    })
}
