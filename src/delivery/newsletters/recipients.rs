//! Determines the recipients of an email before the first mail is sent.
//!
//! Members are added by ascending identifier, some thousands per commit, and the email records the
//! last one. So memory use does not depend on the size of the site, and an interrupted run
//! continues at that member: no member is in two batches.

use super::stored_templates::{MESSAGE_BYTES_MAX, StoredTemplates};
use crate::{
    catalog::recipients::Recipients,
    delivery::newsletters::worker::{NewsletterWorker, change},
    domain::post_email::{BATCH_RECIPIENTS_MAX, EmailBatch, EmailStatus, PostEmail},
    error::Result,
    id::Id,
    site::SiteSnapshot,
};

/// Number of members that are added to batches in one commit.
const FIXED_AT_ONCE: usize = 100 * BATCH_RECIPIENTS_MAX;

impl NewsletterWorker {
    /// Adds the next members to batches, and stores the message template with the first.
    pub(super) fn fix(&mut self, snapshot: &SiteSnapshot, email: &PostEmail) -> Result<()> {
        let catalog = &snapshot.catalog;
        let newsletter = catalog.newsletters.get(email.newsletter);
        let (Some(newsletter), Some(post)) = (newsletter, catalog.posts.get(email.post)) else {
            return self.end(email, Some("The newsletter no longer exists."));
        };
        let now = self.site.now();
        let segment = email.segment.as_deref();
        let recipients = match Recipients::of(catalog, newsletter, segment, now) {
            Ok(recipients) => recipients,
            Err(error) => {
                return self.end(
                    email,
                    Some(&format!("The segment is not a valid filter: {error}.")),
                );
            }
        };
        // Rendered only once: recipients of later batches get the post as it was when sending
        // began.
        let templates = match email.sending.batches {
            0 => {
                let public_urls = &*self.public_urls;
                let templates = StoredTemplates::of(snapshot, post, newsletter, public_urls, now)?;
                match self.origin(&templates) {
                    Ok(origin) => Some((templates, origin)),
                    Err(reason) => return self.end(email, Some(&reason)),
                }
            }
            _ => None,
        };
        // From the snapshot, outside the transaction: only this thread adds batches, so the
        // position is still valid.
        let next_members: Vec<Id> = catalog
            .members
            // By identifier, so that an interrupted run continues here and no member is in two
            // batches.
            .after(email.sending.last_recipient)
            .filter(|member| recipients.contains(member))
            .map(|member| member.id)
            .take(FIXED_AT_ONCE)
            .collect();
        change(&self.site, email, |transaction, email| {
            if let Some((templates, (from, reply_to))) = &templates {
                transaction.store_message_templates(email.id, templates)?;
                email.from = Some(from.as_str().into());
                email.reply_to = reply_to.as_deref().map(Into::into);
            }
            for members in next_members.chunks(BATCH_RECIPIENTS_MAX) {
                let number = email.sending.batches;
                let batch = EmailBatch::new(email, number, members.to_vec(), now);
                transaction.save_email_batch(email.id, &batch)?;
                email.sending.batches += 1;
                email.sending.recipients += batch.size;
            }
            email.sending.last_recipient = next_members
                .last()
                .copied()
                .or(email.sending.last_recipient);
            // A full step may be followed by an empty one, which also ends the loop here.
            if next_members.len() < FIXED_AT_ONCE {
                email.sending.is_fixed = true;
                email.recipients = email.sending.recipients;
                email.status = EmailStatus::Submitting;
            }
            Ok(())
        })
    }

    /// Returns the sender and the reply address of the messages, or the reason why they cannot be
    /// sent.
    fn origin(&self, templates: &StoredTemplates) -> Result<(String, Option<String>), String> {
        if templates.bytes() > MESSAGE_BYTES_MAX {
            let megabytes = MESSAGE_BYTES_MAX >> 20;
            return Err(format!("The message is longer than {megabytes} MB."));
        }
        let origin = templates.origin(self.options.from.as_ref());
        origin.map_err(|error| format!("The message cannot be sent: {error}."))
    }
}
