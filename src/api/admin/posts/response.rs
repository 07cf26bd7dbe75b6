//! The responses to requests about posts or pages.

use crate::{
    api::{
        admin::{Request, long_reply::LongReply, reply::ReplyBody, view::View},
        json::{self, Object},
        params::{Defaults, Format, Selection},
    },
    catalog::fields::{STAFF_PAGES, STAFF_POSTS, Schema},
    domain::post::{Post, PostKind},
    error::Result,
    site::SiteSnapshot,
};

/// The serving rules of posts or of pages (Ghost 6.65, recorded).
pub struct PostResource {
    /// The kind.
    pub kind: PostKind,
    /// Its fields.
    pub schema: &'static Schema<Post>,
    /// The relations and formats by default.
    pub defaults: Defaults,
}

const FORMATS: &[Format] = &[Format::Mobiledoc, Format::Lexical];

/// Posts.
pub static POSTS: PostResource = PostResource {
    kind: PostKind::Post,
    schema: &STAFF_POSTS,
    defaults: Defaults {
        include: &[
            "tags",
            "authors",
            "authors.roles",
            "email",
            "tiers",
            "newsletter",
            "count.clicks",
            "count.positive_feedback",
            "count.negative_feedback",
        ],
        formats: FORMATS,
    },
};

/// Pages.
pub static PAGES: PostResource = PostResource {
    kind: PostKind::Page,
    schema: &STAFF_PAGES,
    defaults: Defaults {
        include: &[
            "tags",
            "authors",
            "authors.roles",
            "tiers",
            "count.signups",
            "count.paid_conversions",
            "count.positive_feedback",
            "count.negative_feedback",
        ],
        formats: FORMATS,
    },
};

impl PostResource {
    /// Returns the serving rules of `kind`.
    pub fn of(kind: PostKind) -> &'static Self {
        match kind {
            PostKind::Post => &POSTS,
            PostKind::Page => &PAGES,
        }
    }

    /// Appends a list of records to `bytes`. `keys` are the fields by which a single record was looked
    /// up.
    pub(super) fn write(
        &self,
        view: &View,
        posts: &[&Post],
        keys: &[&str],
        bytes: &mut Vec<u8>,
        reply: &mut LongReply,
    ) -> Result<()> {
        let rows = view.selection.rows(self.schema, keys);
        json::try_list(bytes, posts.iter(), |bytes, post| {
            view.post(bytes, post, &rows, reply)
        })
    }
}

/// Returns the envelope of a post or page that was added or changed, as of `snapshot`. It contains all
/// fields, and by default the relations and documents, unless `include` and `formats` select others.
/// `kind` is the kind of the endpoint.
///
/// # Errors
///
/// If the store cannot be read or the disk is full.
pub fn post_response(
    request: &Request,
    snapshot: &SiteSnapshot,
    kind: PostKind,
    post: &Post,
) -> Result<ReplyBody> {
    let resource = PostResource::of(kind);
    let selection = Selection::for_change(request.parameters, &resource.defaults);
    let view = View {
        snapshot,
        site_urls: request.site_urls,
        selection: &selection,
    };
    // The change is already committed, so its response must not be refused for lack of memory.
    let mut reply = LongReply::to_change(request);
    let mut bytes = Vec::new();
    let mut envelope = Object::begin(&mut bytes);
    let list = envelope.name(resource.schema.name);
    resource.write(&view, &[post], &[], list, &mut reply)?;
    envelope.end();
    reply.finish(bytes)
}
