//! Preserves values that files do not contain, if editors also change the records: the date of the last change, and the
//! document that an editor sent.
//!
//! Editors refuse to overwrite a post that changed since they read it, which they detect by its date. The date of a post
//! therefore moves forward with each change, whatever its source, even if the file has an earlier date, as after a reverted
//! commit or a conflict that another version won.

use jiff::Timestamp;

use crate::{
    content_files::{reconcile::Reconciler, records::ConvertedRecord},
    domain::{
        post::{Body, Post},
        secret::Digest,
    },
    error::Result,
    site::Transaction,
};

impl Reconciler {
    /// Completes a record of a file with the values that the file does not contain, if edits are written back. `is_dated` is
    /// set if the file has the date of its last change.
    pub(super) fn with_preserved_values(
        &self,
        transaction: &Transaction,
        record: ConvertedRecord,
        is_dated: bool,
    ) -> Result<ConvertedRecord> {
        if !self.write_back.writes_files() {
            return Ok(record);
        }
        let catalog = transaction.catalog();
        Ok(match record {
            ConvertedRecord::Settings(values) => ConvertedRecord::Settings(values),
            ConvertedRecord::Post(mut post, body) => {
                let body = self.preserve_values_of_post(transaction, &mut post, body, is_dated)?;
                ConvertedRecord::Post(post, body)
            }
            ConvertedRecord::Tag(mut tag) => {
                if let Some(known) = catalog.tags.get(tag.id) {
                    // With equal dates, the comparison shows whether anything else has changed.
                    let own = std::mem::replace(&mut tag.updated_at, known.updated_at);
                    tag.updated_at =
                        change_date(transaction, own, known.updated_at, *tag == **known);
                }
                ConvertedRecord::Tag(tag)
            }
            ConvertedRecord::User(user) => {
                let Some(known) = catalog.users.get(user.id) else {
                    return Ok(ConvertedRecord::User(user));
                };
                let own = user.updated_at;
                // Files have no account fields, so the comparison would always find a change
                // without those of the account.
                let mut user = user.with_account_of(known);
                user.updated_at = known.updated_at;
                user.updated_at = change_date(transaction, own, known.updated_at, user == **known);
                ConvertedRecord::User(Box::new(user))
            }
            ConvertedRecord::Tier(mut tier) => {
                let known = catalog.tiers.get(tier.id);
                if let Some((known, at)) = known.and_then(|known| Some((known, known.updated_at?)))
                {
                    let own = tier.updated_at.replace(at).unwrap_or(tier.created_at);
                    tier.updated_at = Some(change_date(transaction, own, at, *tier == **known));
                }
                ConvertedRecord::Tier(tier)
            }
            ConvertedRecord::Newsletter(mut newsletter) => {
                if let Some(known) = catalog.newsletters.get(newsletter.id) {
                    let own = std::mem::replace(&mut newsletter.updated_at, known.updated_at);
                    let is_same = *newsletter == **known;
                    newsletter.updated_at =
                        change_date(transaction, own, known.updated_at, is_same);
                }
                ConvertedRecord::Newsletter(newsletter)
            }
        })
    }

    /// Sets the date of change of a post, and returns its body. The body has the document that the editor sent, if the file
    /// still converts to the same document as after that edit.
    fn preserve_values_of_post(
        &self,
        transaction: &Transaction,
        post: &mut Post,
        mut body: Body,
        is_dated: bool,
    ) -> Result<Body> {
        // The record of a file that was renamed is removed before it is added again.
        let before = self.site.current();
        let known = transaction.catalog().posts.get(post.id);
        let Some(known) = known.or_else(|| before.catalog.posts.get(post.id)) else {
            // The post may have been deleted before, and editors may still have it open.
            if !self.states.is_empty() {
                post.updated_at = transaction.changed_after(post.updated_at);
            }
            return Ok(body);
        };
        let (html, lexical) = transaction.body(post.id)?;
        let of_file = body.lexical.as_deref().map(Digest::of);
        if of_file.is_some() && of_file.as_ref() == known.document_of_file.as_deref() {
            body.lexical.clone_from(&lexical);
            post.document_of_file.clone_from(&known.document_of_file);
        }
        let is_same = (&html, &lexical) == (&body.html, &body.lexical)
            && post.equals_without_relations(known)
            && post.has_relations_of(known);
        // Without a date in the file, the date is that of its last commit, which is later than the edit in it.
        post.updated_at = if is_same && !is_dated {
            known.updated_at
        } else {
            change_date(transaction, post.updated_at, known.updated_at, is_same)
        };
        Ok(body)
    }
}

/// Returns the date of the last change of a record with the date `own` in its file and `known` in the site: never earlier than
/// `known`, and later than `known` unless the record `is_same`.
fn change_date(
    transaction: &Transaction,
    own: Timestamp,
    known: Timestamp,
    is_same: bool,
) -> Timestamp {
    if is_same || own > known {
        own.max(known)
    } else {
        transaction.changed_after(known)
    }
}
