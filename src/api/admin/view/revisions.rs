//! The revisions of a post, oldest first.

use super::View;
use crate::{
    api::{
        admin::long_reply::LongReply,
        json::{self, Object},
        listing::written_time,
    },
    catalog::fields::USERS,
    domain::{post::Post, post_revision::PostRevision},
    error::Result,
    render::urls::lexical_to_served,
};

impl View<'_> {
    /// Writes the revisions of a post if `include` has `post_revisions`, each with its author if it
    /// has `post_revisions.author`.
    pub(super) fn revisions(
        &self,
        object: &mut Object,
        post: &Post,
        reply: &mut LongReply,
    ) -> Result<()> {
        if !self.selection.includes("post_revisions") {
            return Ok(());
        }
        let revisions = self.snapshot.served_revisions(post.id)?;
        json::try_list(
            object.name("post_revisions"),
            revisions.iter(),
            |bytes, revision| {
                // Documents may be long, so they are read one at a time.
                let lexical = self.snapshot.revision_document(revision)?;
                reply.reserve_for(lexical.len())?;
                self.revision(bytes, revision, &lexical);
                reply.spill_to_disk(bytes)
            },
        )
    }

    fn revision(&self, bytes: &mut Vec<u8>, revision: &PostRevision, lexical: &str) {
        let image = revision.feature_image.as_deref();
        let caption = revision.feature_image_caption.as_deref();
        let mut object = Object::begin(bytes);
        object.field("id", revision.id);
        object.field("post_id", revision.post);
        object.field("lexical", lexical_to_served(lexical, self.site_urls.url()));
        object.field("created_at_ts", revision.created_at.as_millisecond());
        object.field("created_at", written_time(revision.created_at));
        object.field("title", &revision.title);
        object.field("post_status", revision.status.name());
        object.field("reason", revision.reason.name());
        object.field(
            "feature_image",
            image.map(|text| self.site_urls.absolute(text)),
        );
        object.field("feature_image_alt", &revision.feature_image_alt);
        object.field(
            "feature_image_caption",
            caption.map(|text| self.site_urls.absolute(text)),
        );
        object.field("custom_excerpt", &revision.custom_excerpt);
        if self.selection.includes("post_revisions.author") {
            self.revision_author(&mut object, revision);
        }
        object.end();
    }

    fn revision_author(&self, object: &mut Object, revision: &PostRevision) {
        let author = revision.author.and_then(|id| self.catalog().users.get(id));
        match author {
            Some(author) => {
                let mut part = Object::begin(object.name("author"));
                self.user(
                    &mut part,
                    author,
                    &USERS.rows().filter(|field| field.is_stored()).collect(),
                );
                // Ghost adds these two fields to the authors of revisions, but not to other authors.
                part.field("locale", ());
                part.field("visibility", "public");
                part.end();
            }
            None => object.field("author", ()),
        }
    }
}
