//! Who an email goes to, fixed before the first mail leaves.
//!
//! Members are taken by rising identifier, some thousands in a commit, and the email remembers the last one. So a site of
//! any size takes little memory, and what was interrupted goes on where it was: nobody is in two batches.

use super::{
    Office, change,
    letters::{KeptLetters, LETTER_BYTES_MAX},
};
use crate::{
    catalog::recipients::Recipients,
    domain::post_email::{BATCH_RECIPIENTS_MAX, EmailBatch, EmailStatus, PostEmail},
    error::Result,
    id::Id,
    site::Edition,
};

/// How many members are put into batches in one commit.
const FIXED_AT_ONCE: usize = 100 * BATCH_RECIPIENTS_MAX;

impl Office {
    /// Puts the next members into batches, and keeps the letters with the first.
    pub(super) fn fix(&mut self, edition: &Edition, email: &PostEmail) -> Result<()> {
        let catalog = &edition.catalog;
        let newsletter = catalog.newsletters.get(email.newsletter);
        let (Some(newsletter), Some(post)) = (newsletter, catalog.posts.get(email.post)) else {
            return self.end(email, Some("The newsletter is gone."));
        };
        let now = self.site.now();
        let segment = email.segment.as_deref();
        let recipients = match Recipients::of(catalog, newsletter, segment, now) {
            Ok(recipients) => recipients,
            Err(error) => {
                return self.end(email, Some(&format!("The segment is no filter: {error}.")));
            }
        };
        let letters = match email.sending.batches {
            0 => {
                let whereabouts = &*self.whereabouts;
                let letters = KeptLetters::of(edition, post, newsletter, whereabouts, now)?;
                match self.origin(&letters) {
                    Ok(origin) => Some((letters, origin)),
                    Err(reason) => return self.end(email, Some(&reason)),
                }
            }
            _ => None,
        };
        let found: Vec<Id> = catalog
            .members
            .after(email.sending.last_recipient)
            .filter(|member| recipients.include(member))
            .map(|member| member.id)
            .take(FIXED_AT_ONCE)
            .collect();
        change(&self.site, email, |transaction, email| {
            if let Some((letters, (from, reply_to))) = &letters {
                transaction.keep_letters(email.id, letters)?;
                email.from = Some(from.as_str().into());
                email.reply_to = reply_to.as_deref().map(Into::into);
            }
            for members in found.chunks(BATCH_RECIPIENTS_MAX) {
                let number = email.sending.batches;
                let batch = EmailBatch::new(email, number, members.to_vec(), now);
                transaction.save_email_batch(email.id, &batch)?;
                email.sending.batches += 1;
                email.sending.recipients += batch.size;
            }
            email.sending.last_recipient = found.last().copied().or(email.sending.last_recipient);
            if found.len() < FIXED_AT_ONCE {
                email.sending.is_fixed = true;
                email.recipients = email.sending.recipients;
                email.status = EmailStatus::Submitting;
            }
            Ok(())
        })
    }

    /// Who the letters are from and where answers go, or why they cannot be sent.
    fn origin(&self, letters: &KeptLetters) -> Result<(String, Option<String>), String> {
        if letters.bytes() > LETTER_BYTES_MAX {
            let megabytes = LETTER_BYTES_MAX >> 20;
            return Err(format!("The letter is longer than {megabytes} MB."));
        }
        let origin = letters.origin(self.options.from.as_ref());
        origin.map_err(|error| format!("The letter cannot be sent: {error}."))
    }
}
