//! Pages of posts at URLs outside the public site: `/p/UUID/` for unpublished posts, `/email/UUID/`
//! for posts sent only by mail (Ghost 6.65, recorded).
//!
//! Anyone with the URL sees the post, and nothing else: the page is not indexed by search engines,
//! not cached, sends no referrer, and runs in a sandbox, so that scripts of a draft have no access
//! to the visitor's session. Once the post is published, the URL redirects to it.

mod page;
pub mod site_page;

use uuid::Uuid;

use self::page::PostPage;

use super::{
    front_end::FrontEnd, headers::CacheControl, params::Query, request::RequestHead,
    response::Response, site_urls::SiteUrls,
};
use crate::{
    domain::post::{Post, Status, Visibility},
    error::{Error, Result},
    render::paywall::{self, PublicForm},
    site::SiteSnapshot,
};

/// The kind of page that shows a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PostPageKind {
    /// The preview of a draft, for its author.
    Preview,
    /// The web version of a post sent only by mail.
    Email,
    /// The preview of a published post without the site's front end.
    Published,
}

impl PostPageKind {
    /// Parses a path into the kind of page, the identifier, and whether there is a trailing slash.
    fn of(path: &str) -> Option<(Self, Uuid, bool)> {
        let (kind, rest) = match path.strip_prefix("/p/") {
            Some(rest) => (Self::Preview, rest),
            None => (Self::Email, path.strip_prefix("/email/")?),
        };
        let (text, has_slash) = match rest.strip_suffix('/') {
            Some(text) => (text, true),
            None => (rest, false),
        };
        let uuid = Uuid::try_parse(text).ok()?;
        // A UUID has several spellings; the URL has one.
        let is_usual = uuid.hyphenated().to_string() == text.to_ascii_lowercase();
        is_usual.then_some((kind, uuid, has_slash))
    }
}

/// The audience that the body is post_page as to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReaderStatus {
    Anonymous,
    FreeMember,
    PayingMember,
}

impl ReaderStatus {
    /// Returns the audience that `member_status` requests; previews are post_page in full by
    /// default.
    fn of(kind: PostPageKind, query: &Query) -> Self {
        let requested = query.joined("member_status");
        match (kind, requested.as_deref()) {
            (PostPageKind::Preview, None | Some("paid")) => Self::PayingMember,
            (PostPageKind::Preview, Some("free")) => Self::FreeMember,
            (PostPageKind::Preview | PostPageKind::Email | PostPageKind::Published, _) => {
                Self::Anonymous
            }
        }
    }

    fn may_read(self, post: &Post) -> bool {
        match self {
            Self::Anonymous => post.visibility == Visibility::Public,
            Self::FreeMember => {
                matches!(post.visibility, Visibility::Public | Visibility::Members)
            }
            Self::PayingMember => true,
        }
    }
}

/// Returns the response to a request for `path`, which is relative to the site; `None` if there is
/// no such page.
///
/// # Errors
///
/// `BadRequest` for a malformed query; an error if the store cannot be read.
pub fn respond(
    snapshot: &SiteSnapshot,
    site_urls: &SiteUrls,
    head: &RequestHead,
    path: &str,
) -> Result<Option<Response>> {
    let Some((kind, uuid, has_slash)) = PostPageKind::of(path) else {
        return Ok(None);
    };
    let Some(post) = snapshot.catalog.posts.by_uuid(uuid) else {
        return Ok(None);
    };
    let is_email_only = post.public_status() == Status::Sent;
    let kind = match (post.status, kind) {
        (Status::Published, _) => return redirect(&site_urls.post(post)),
        (Status::Sent, PostPageKind::Preview) => {
            return redirect(&site_urls.post_or_preview_url(post));
        }
        (Status::Sent, PostPageKind::Email) => PostPageKind::Email,
        (Status::Draft | Status::Scheduled, PostPageKind::Preview) => PostPageKind::Preview,
        // A draft that will only be mailed is previewed there by its author; no other draft is.
        (Status::Draft | Status::Scheduled, PostPageKind::Email) if is_email_only => {
            PostPageKind::Preview
        }
        (Status::Draft | Status::Scheduled, PostPageKind::Email | PostPageKind::Published) => {
            return Ok(None);
        }
        (Status::Sent, PostPageKind::Published) => return Ok(None),
    };
    if !has_slash {
        let query = head.target.query().map(|query| format!("?{query}"));
        let query = query.unwrap_or_default();
        return redirect(&format!("{}{path}/{query}", site_urls.base()));
    }
    let query = Query::parse(head.target.query().unwrap_or_default())?;
    let reader = ReaderStatus::of(kind, &query);
    post_page(snapshot, site_urls, post, kind, reader).map(Some)
}

/// Returns the response to a browser that opens the URL of something published, which the site's
/// front end shows and not this program: a redirect to `front_end` or, if it is not configured, a page
/// that says so, with status 404. With `?preview`, and for the admin app, the post as anonymous readers
/// see it. `None` if nothing published has the URL, or if the client
/// is not a browser.
///
/// # Errors
///
/// If the store cannot be read.
pub fn published_response(
    snapshot: &SiteSnapshot,
    site_urls: &SiteUrls,
    front_end: Option<&FrontEnd>,
    head: &RequestHead,
    path: &str,
) -> Result<Option<Response>> {
    let is_browser = head.accepts_html() || site_page::is_requested(head);
    let slug = path.trim_matches('/');
    let post = snapshot.catalog.posts.by_slug(slug);
    let Some(post) = post.filter(|post| is_browser && post.status == Status::Published) else {
        return Ok(None);
    };
    if head.target.query() == Some("preview") || site_page::is_requested(head) {
        post_page(
            snapshot,
            site_urls,
            post,
            PostPageKind::Published,
            ReaderStatus::Anonymous,
        )
        .map(Some)
    } else if let Some(front_end) = front_end {
        redirect(&front_end.url(path))
    } else {
        Ok(Some(page::published_elsewhere(snapshot, site_urls, post)))
    }
}

/// Returns the page that shows a post.
fn post_page(
    snapshot: &SiteSnapshot,
    site_urls: &SiteUrls,
    post: &Post,
    kind: PostPageKind,
    reader: ReaderStatus,
) -> Result<Response> {
    let html = snapshot.bodies([post.id].into_iter())?.pop().flatten();
    let html = html.unwrap_or_default();
    let visible = match reader {
        ReaderStatus::PayingMember => html,
        _ => match paywall::public_form(&html, !reader.may_read(post)) {
            PublicForm::Whole => html,
            PublicForm::Part(part) => part.into_owned(),
            PublicForm::Nothing => String::new(),
        },
    };
    let page = PostPage {
        snapshot,
        site_urls,
        post,
        kind,
        reader,
        body: &site_urls.absolute(&visible),
    };
    Ok(page.response())
}

fn redirect(address: &str) -> Result<Option<Response>> {
    // A post can be unpublished.
    let cache_control = CacheControl::Public.value();
    let redirect = Response::redirect(true, address, cache_control);
    redirect.map(Some).map_err(Error::internal)
}
