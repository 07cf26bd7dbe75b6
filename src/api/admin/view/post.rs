//! Posts and pages as staff see them: the whole body in the requested formats, and the relations.

use std::borrow::Cow;

use super::View;
use crate::{
    api::{
        admin::long_reply::LongReply,
        json::{self, Object},
        params::Rows,
    },
    catalog::fields::{EMAILS, FieldSource, STAFF_TAGS, USERS, ViewField},
    domain::{
        post::{Post, PostKind, Visibility},
        tag::Tag,
        user::User,
    },
    error::Result,
    render::{
        html_to_lexical, lexical,
        paywall::{self, PublicForm},
        plaintext,
        urls::lexical_to_served,
    },
};

/// The counts of posts that `include` can name. They are always 0: clicks are not tracked, and
/// there is no feedback.
const POST_COUNTS: &[&str] = &[
    "conversions",
    "signups",
    "paid_conversions",
    "clicks",
    "positive_feedback",
    "negative_feedback",
];

/// The counts of pages.
const PAGE_COUNTS: &[&str] = &["signups", "paid_conversions"];

/// The counts that accompany every other count (Ghost 6.65, observed).
const FEEDBACK_COUNTS: [&str; 2] = ["positive_feedback", "negative_feedback"];

/// The first row after the relations of a post.
const FIRST_AFTER_RELATIONS: [&str; 2] = ["email_segment", "url"];

impl View<'_> {
    /// Appends a post or a page to `bytes`. If `bytes` becomes too long, its contents move to disk.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, the disk is full, or other requests use the required memory
    /// (`Maintenance`).
    pub fn post(
        &self,
        bytes: &mut Vec<u8>,
        post: &Post,
        rows: &Rows<Post>,
        reply: &mut LongReply,
    ) -> Result<()> {
        let body = PostBody::read(self, post, rows)?;
        // Reserved before the body is written, so that a response that is refused does not allocate
        // the memory first.
        reply.reserve_for(body.bytes())?;
        // With a quarter for escaped characters. While the response grows, it is in memory twice.
        bytes.reserve(body.bytes() + body.bytes() / 4);
        let mut object = Object::begin(bytes);
        let index = rows
            .iter()
            .position(|field| FIRST_AFTER_RELATIONS.contains(&field.name))
            .unwrap_or(rows.len());
        let write = |object: &mut Object, rows: &[_]| {
            self.fields(object, post, &rows.to_vec(), |object, name, view| {
                self.computed(object, name, view, post, &body);
            });
        };
        write(&mut object, &rows[..index]);
        self.relations(&mut object, post);
        self.revisions(&mut object, post, reply)?;
        write(&mut object, &rows[index..]);
        self.mail(&mut object, post);
        object.end();
        reply.spill_to_disk(bytes)
    }

    fn computed(
        &self,
        object: &mut Object,
        name: &str,
        view: ViewField,
        post: &Post,
        body: &PostBody,
    ) {
        match view {
            ViewField::Html => object.field(name, body.html(self)),
            // The key is absent if there is no text (Ghost 6.65, recorded).
            ViewField::Plaintext => {
                if let Some(text) = body.plaintext(self) {
                    object.field(name, text);
                }
            }
            ViewField::Lexical => object.field(name, body.lexical(self)),
            ViewField::Excerpt => object.field(name, &body.excerpt),
            ViewField::Url => object.field(name, self.site_urls.post_or_preview_url(post)),
            // The key is absent without a body, which has no reading time (Ghost 6.65, recorded).
            ViewField::ReadingTime => {
                if let Some(minutes) = post.reading_time {
                    object.field(name, minutes);
                }
            }
            // Mobiledoc documents are converted to Lexical on input, so none is stored.
            ViewField::Mobiledoc
            | ViewField::Access
            | ViewField::Comments
            | ViewField::Benefits
            | ViewField::MonthlyPrice
            | ViewField::YearlyPrice
            | ViewField::AlwaysNull => object.field(name, ()),
        }
    }

    /// Writes the relations requested with `include` or included by default. With `fields`, lists are
    /// still written, but the primary tag and author only if `fields` names them.
    fn relations(&self, object: &mut Object, post: &Post) {
        let catalog = self.catalog();
        let names = |name| !self.selection.is_restricted() || self.selection.names(name);
        let tags = catalog.tags.all(&post.tags);
        let tag_rows = self.selection.related_rows(&STAFF_TAGS);
        let write_tag = |bytes: &mut Vec<u8>, tag: &Tag| {
            let mut object = Object::begin(bytes);
            self.tag(&mut object, tag, &tag_rows);
            object.end();
        };
        let authors = catalog.users.all(&post.authors);
        let author_rows = self.selection.related_rows(&USERS);
        let write_author = |bytes: &mut Vec<u8>, author: &User| {
            let mut object = Object::begin(bytes);
            self.user(&mut object, author, &author_rows);
            if self.selection.includes("authors.roles") {
                self.roles(&mut object, author);
            }
            object.end();
        };
        if self.selection.includes("tags") {
            json::list(object.name("tags"), tags.iter(), |bytes, tag| {
                write_tag(bytes, tag);
            });
        }
        if self.selection.includes("authors") {
            json::list(object.name("authors"), authors.iter(), |bytes, author| {
                write_author(bytes, author);
            });
        }
        if self.selection.includes("tiers") {
            let tiers = self.catalog().tiers_of_post(post);
            json::list(object.name("tiers"), tiers.iter(), |bytes, tier| {
                let mut object = Object::begin(bytes);
                self.tier_of_post(&mut object, tier, post.visibility == Visibility::Tiers);
                object.end();
            });
        }
        self.counts(object, post.kind);
        if self.selection.includes("authors") && names("primary_author") {
            match authors.first() {
                Some(author) => write_author(object.name("primary_author"), author),
                None => object.field("primary_author", ()),
            }
        }
        if self.selection.includes("tags") && names("primary_tag") {
            // If the first tag is internal, Ghost has no primary tag, even if a public tag follows
            // (recorded).
            match tags.first().filter(|tag| !tag.internal) {
                Some(tag) => write_tag(object.name("primary_tag"), tag),
                None => object.field("primary_tag", ()),
            }
        }
    }

    fn counts(&self, object: &mut Object, kind: PostKind) {
        let names = match kind {
            PostKind::Post => POST_COUNTS,
            PostKind::Page => PAGE_COUNTS,
        };
        let is_requested = |name: &str| self.selection.includes(&format!("count.{name}"));
        if !names.iter().any(|name| is_requested(name)) {
            return;
        }
        let mut counts = Object::begin(object.name("count"));
        let others = names.iter().filter(|name| !FEEDBACK_COUNTS.contains(name));
        let requested = others.filter(|name| is_requested(name));
        for name in requested.chain(&FEEDBACK_COUNTS) {
            counts.field(name, 0);
        }
        counts.end();
    }

    /// Writes the email and newsletter of a post; pages have none.
    fn mail(&self, object: &mut Object, post: &Post) {
        if post.kind == PostKind::Page {
            return;
        }
        if self.selection.includes("email") {
            match self.catalog().emails.of_post(post.id) {
                Some(email) => {
                    let mut part = Object::begin(object.name("email"));
                    let rows = EMAILS.rows().collect();
                    self.fields(&mut part, email.as_ref(), &rows, |_, _, _| {});
                    part.end();
                }
                None => object.field("email", ()),
            }
        }
        if self.selection.includes("newsletter") {
            let newsletter = post
                .newsletter
                .and_then(|id| self.catalog().newsletters.get(id));
            match newsletter {
                Some(newsletter) => {
                    let mut part = Object::begin(object.name("newsletter"));
                    self.newsletter(&mut part, newsletter);
                    part.end();
                }
                None => object.field("newsletter", ()),
            }
        }
        if self.selection.includes("sentiment") {
            object.field("sentiment", 0);
        }
    }
}

/// The parts of a post's body that the rows of a response need, in stored form.
struct PostBody {
    html: Option<String>,
    lexical: Option<String>,
    /// The excerpt, in served form.
    excerpt: Option<String>,
}

impl PostBody {
    fn read(view: &View, post: &Post, rows: &Rows<Post>) -> Result<Self> {
        let needs = |field: ViewField| {
            let is_needed = |source: &FieldSource<Post>| matches!(source, FieldSource::View(view) if *view == field);
            rows.iter().any(|row| is_needed(&row.source))
        };
        let needs_excerpt = needs(ViewField::Excerpt);
        let lexical = if needs(ViewField::Lexical) {
            view.snapshot.lexical(post.id)?
        } else {
            None
        };
        // Without an editor's document, one is derived from the HTML.
        let serves_html = needs(ViewField::Html)
            || needs(ViewField::Plaintext)
            || (needs(ViewField::Lexical) && lexical.is_none());
        let html = if serves_html || (needs_excerpt && post.custom_excerpt.is_none()) {
            view.snapshot.html(post.id)?
        } else {
            None
        };
        let excerpt = if needs_excerpt {
            excerpt(view, post, html.as_deref())
        } else {
            None
        };
        Ok(Self {
            // Released before the response is written, because a body may take much memory.
            html: html.filter(|_| serves_html),
            lexical,
            excerpt,
        })
    }

    fn bytes(&self) -> usize {
        let texts = [&self.html, &self.lexical].into_iter().flatten();
        texts.map(String::len).sum()
    }

    fn html<'b>(&'b self, view: &View) -> Option<Cow<'b, str>> {
        let html = self.html.as_deref()?;
        Some(view.site_urls.absolute(html))
    }

    fn plaintext(&self, view: &View) -> Option<String> {
        let text = plaintext::from_html(&self.html(view)?);
        (!text.is_empty()).then_some(text)
    }

    /// Returns the editor's document, or an equivalent document for a body from another source.
    fn lexical<'b>(&'b self, view: &View) -> Cow<'b, str> {
        let site = view.site_urls.url();
        match (&self.lexical, &self.html) {
            (Some(lexical), _) => lexical_to_served(lexical, site),
            (None, Some(html)) => {
                let lexical = html_to_lexical::to_lexical_faithfully(html, site);
                Cow::Owned(lexical_to_served(&lexical, site).into_owned())
            }
            (None, None) => Cow::Borrowed(lexical::EMPTY_DOCUMENT),
        }
    }
}

/// Returns the custom excerpt, or the start of the whole text, regardless of access. Only the latter needs the HTML.
fn excerpt(view: &View, post: &Post, html: Option<&str>) -> Option<String> {
    if let Some(summary) = post.custom_excerpt.as_deref() {
        return Some(view.site_urls.absolute(summary).into_owned());
    }
    let html = html?;
    match paywall::public_form(html, post.is_gated()) {
        // The public excerpt is then the start of the whole text, and is already stored.
        PublicForm::Whole => {
            let excerpt = post.public_excerpt.as_deref()?;
            Some(view.site_urls.absolute(excerpt).into_owned())
        }
        // Staff see the start of the whole text, parts of which the public excerpt omits.
        PublicForm::Part(_) | PublicForm::Nothing => {
            let text = plaintext::from_html(&view.site_urls.absolute(html));
            let excerpt = plaintext::excerpt(&text).to_owned();
            (!excerpt.is_empty()).then_some(excerpt)
        }
    }
}
