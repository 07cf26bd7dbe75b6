//! Posts that are sent to the subscribers of newsletters: the email of a post, its batches and its
//! message template.
//!
//! An email is created in the commit that publishes its post, so no email is lost and none is sent
//! for a post that was not published. Everything after that is done by `delivery::newsletters`.

use std::ops::ControlFlow;

use serde::{Serialize, de::DeserializeOwned};
use uuid::Uuid;

use super::{CommitTopic, SiteSnapshot, Transaction};
use crate::{
    catalog::recipients::{Recipients, SegmentError},
    domain::{
        newsletter::Newsletter,
        post::Post,
        post_email::{EmailBatch, NewPostEmail, PostEmail},
    },
    error::{Error, Result},
    id::Id,
    store::{Keys, Table},
};

impl SiteSnapshot {
    /// Returns the batch of an email with this number, if it exists.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn email_batch(&self, email: Id, number: u32) -> Result<Option<EmailBatch>> {
        self.read(Table::EmailBatches, &batch_key(email, number))
    }

    /// Returns the message template of an email, once it is stored.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn templates<L: DeserializeOwned>(&self, email: Id) -> Result<Option<L>> {
        self.read(Table::EmailBatches, &template_key(email))
    }

    /// Visits the batches of an email in order until `visitor` breaks.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn visit_email_batches(
        &self,
        email: Id,
        visit: impl FnMut(EmailBatch) -> ControlFlow<()>,
    ) -> Result<()> {
        let keys = Keys::prefix(&batches_prefix(email));
        self.visit_within(Table::EmailBatches, &keys, visit)
    }
}

impl Transaction {
    /// Sends a published post to the subscribers of its newsletter, if it has one that is active.
    ///
    /// A post is sent once: if it was already sent, nothing happens. If that email failed for all
    /// recipients, sending is retried (Ghost 6.65, observed).
    ///
    /// # Errors
    ///
    /// If the store cannot be read, or the system provides no randomness.
    pub fn send_to_subscribers(&mut self, post: &Post) -> Result<()> {
        let catalog = self.catalog();
        let newsletter = post.newsletter.and_then(|id| catalog.newsletters.get(id));
        let Some(newsletter) = newsletter.filter(|newsletter| newsletter.active).cloned() else {
            return Ok(());
        };
        match catalog.emails.of_post(post.id).cloned() {
            None => self.begin_email(post, &newsletter),
            // The post was published again after a failure. If any mail reached a recipient, it
            // must not be sent twice.
            Some(email) if email.delivered == 0 && email.can_be_retried() => {
                self.retry_email(&email).map(|_| ())
            }
            Some(_) => Ok(()),
        }
    }

    fn begin_email(&mut self, post: &Post, newsletter: &Newsletter) -> Result<()> {
        let now = self.now();
        let segment = post.email_segment.as_deref();
        let recipient_count = self.count_recipients(newsletter, segment);
        let outset = NewPostEmail {
            id: Id::generate(now).map_err(Error::internal)?,
            uuid: Uuid::new_v4(),
            post: post.id,
            newsletter: newsletter.id,
            segment,
            subject: post.email_subject(),
            // An invalid segment has no recipients; the error is recorded below.
            recipients: *recipient_count.as_ref().unwrap_or(&0),
        };
        let mut email = PostEmail::new(outset, now);
        match recipient_count {
            Ok(0) => email.conclude(None),
            Ok(_) => {}
            Err(error) => email.conclude(Some(&format!(
                "The segment is not a valid filter: {error}."
            ))),
        }
        // An email without recipients, or with an invalid segment, is finished already.
        if email.is_under_way() {
            self.notify_listener(CommitTopic::Newsletters);
        }
        self.save_email(email)
    }

    fn count_recipients(
        &self,
        newsletter: &Newsletter,
        segment: Option<&str>,
    ) -> std::result::Result<u32, SegmentError> {
        let catalog = self.catalog();
        // Only counts: recipients are determined in steps after the commit, to keep the commit
        // short.
        let recipients = Recipients::of(catalog, newsletter, segment, self.now())?;
        let members = catalog.members.iter();
        let count = members.filter(|member| recipients.contains(member)).count();
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// Sends an email again to the recipients that it did not reach. Returns the updated email.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn retry_email(&mut self, email: &PostEmail) -> Result<PostEmail> {
        let mut refused = Vec::new();
        let now = self.now();
        let keys = Keys::prefix(&batches_prefix(email.id));
        // Collected first, because a scan borrows the transaction.
        self.visit_within(Table::EmailBatches, &keys, |mut batch: EmailBatch| {
            if batch.retry(now) {
                refused.push(batch);
            }
            ControlFlow::Continue(())
        })?;
        for batch in &refused {
            self.save_email_batch(email.id, batch)?;
        }
        let mut email = email.clone();
        email.retry();
        self.save_email(email.clone())?;
        self.notify_listener(CommitTopic::Newsletters);
        Ok(email)
    }

    /// Adds an email or replaces it.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn save_email(&mut self, mut email: PostEmail) -> Result<()> {
        email.updated_at = self.now_after(email.updated_at);
        self.put(Table::Emails, email.id.as_bytes(), &email)?;
        self.catalog_mut().emails.put(email);
        Ok(())
    }

    /// Adds a batch of an email or replaces it.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn save_email_batch(&mut self, email: Id, batch: &EmailBatch) -> Result<()> {
        self.put(Table::EmailBatches, &batch_key(email, batch.number), batch)
    }

    /// Returns the batch of an email with this number as changed by this transaction, if it exists.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn email_batch(&self, email: Id, number: u32) -> Result<Option<EmailBatch>> {
        self.read(Table::EmailBatches, &batch_key(email, number))
    }

    /// Stores the message template of an email.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn store_message_templates(&mut self, email: Id, templates: &impl Serialize) -> Result<()> {
        self.put(Table::EmailBatches, &template_key(email), templates)
    }

    /// Deletes the email of a post with its batches. Unsent messages are no longer sent.
    pub(super) fn delete_email_of(&mut self, post: Id) -> Result<()> {
        let Some(email) = self.catalog().emails.of_post(post).cloned() else {
            return Ok(());
        };
        let mut parts = Vec::new();
        // All rows of the email: its batches and its template.
        let keys = Keys::prefix(email.id.as_bytes());
        self.scan(Table::EmailBatches, &keys, |key, _| {
            parts.push(key.to_vec());
            ControlFlow::Continue(())
        })?;
        for key in parts {
            self.delete(Table::EmailBatches, &key);
        }
        self.delete(Table::Emails, email.id.as_bytes());
        self.catalog_mut().emails.remove(email.id);
        Ok(())
    }
}

fn batches_prefix(email: Id) -> Vec<u8> {
    [&email.as_bytes()[..], b"b"].concat()
}

fn batch_key(email: Id, number: u32) -> Vec<u8> {
    [&batches_prefix(email)[..], &number.to_be_bytes()].concat()
}

fn template_key(email: Id) -> Vec<u8> {
    [&email.as_bytes()[..], b"l"].concat()
}
