//! Pages of posts at URLs outside the public site: `/p/UUID/` for unpublished posts, `/email/UUID/`
//! for posts sent only by mail (Ghost 6.65, recorded).
//!
//! Anyone with the URL sees the post, and nothing else: the page is not indexed by search engines,
//! not cached, sends no referrer, and runs in a sandbox, so that scripts of a draft have no access
//! to the visitor's session. Once the post is published, the URL redirects to it.

mod page;

use http::{HeaderValue, StatusCode, header};
use uuid::Uuid;

use self::page::PostPage;

use super::{
    addresses::Addresses,
    headers::CacheControl,
    params::Query,
    request::RequestHead,
    response::{Body, Response},
};
use crate::{
    domain::post::{Post, Status, Visibility},
    error::Result,
    render::paywall::{self, PublicForm},
    site::Edition,
};

/// The kind of page that shows a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The preview of a draft, for its author.
    Preview,
    /// The web version of a post sent only by mail.
    Letter,
    /// The preview of a published post without the site's front end.
    Published,
}

impl Place {
    /// Parses a path into the kind of page, the identifier, and whether there is a trailing slash.
    fn of(path: &str) -> Option<(Self, Uuid, bool)> {
        let (place, rest) = match path.strip_prefix("/p/") {
            Some(rest) => (Self::Preview, rest),
            None => (Self::Letter, path.strip_prefix("/email/")?),
        };
        let (text, has_slash) = match rest.strip_suffix('/') {
            Some(text) => (text, true),
            None => (rest, false),
        };
        let uuid = Uuid::try_parse(text).ok()?;
        // A UUID has several spellings; the URL has one.
        let is_usual = uuid.hyphenated().to_string() == text.to_ascii_lowercase();
        is_usual.then_some((place, uuid, has_slash))
    }
}

/// The audience that the body is post_page as to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    Nobody,
    FreeMember,
    PayingMember,
}

impl Reader {
    /// Returns the audience that `member_status` requests; previews are post_page in full by
    /// default.
    fn of(place: Place, query: &Query) -> Self {
        let wanted = query.joined("member_status");
        match (place, wanted.as_deref()) {
            (Place::Preview, None | Some("paid")) => Self::PayingMember,
            (Place::Preview, Some("free")) => Self::FreeMember,
            (Place::Preview | Place::Letter | Place::Published, _) => Self::Nobody,
        }
    }

    fn may_read(self, post: &Post) -> bool {
        match self {
            Self::Nobody => post.visibility == Visibility::Public,
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
pub fn answer(
    edition: &Edition,
    addresses: &Addresses,
    head: &RequestHead,
    path: &str,
) -> Result<Option<Response>> {
    let Some((place, uuid, has_slash)) = Place::of(path) else {
        return Ok(None);
    };
    let Some(post) = edition.catalog.posts.by_uuid(uuid) else {
        return Ok(None);
    };
    let is_email_only = post.public_status() == Status::Sent;
    let place = match (post.status, place) {
        (Status::Published, _) => return redirect(&addresses.post(post)),
        (Status::Sent, Place::Preview) => return redirect(&addresses.post_or_preview(post)),
        (Status::Sent, Place::Letter) => Place::Letter,
        (Status::Draft | Status::Scheduled, Place::Preview) => Place::Preview,
        // A draft that will only be mailed is previewed there by its author; no other draft is.
        (Status::Draft | Status::Scheduled, Place::Letter) if is_email_only => Place::Preview,
        (Status::Draft | Status::Scheduled, Place::Letter | Place::Published) => return Ok(None),
        (Status::Sent, Place::Published) => return Ok(None),
    };
    if !has_slash {
        let query = head.target.query().map(|query| format!("?{query}"));
        let query = query.unwrap_or_default();
        return redirect(&format!("{}{path}/{query}", addresses.base()));
    }
    let query = Query::parse(head.target.query().unwrap_or_default())?;
    let reader = Reader::of(place, &query);
    post_page(edition, addresses, post, place, reader).map(Some)
}

/// Returns the response to a browser that opens the URL of something published, which the site's
/// front end shows and not this program: a page that says so, with status 404, or with `?preview`
/// the post as anonymous readers see it. `None` if nothing published has the URL, or if the client
/// is not a browser.
///
/// # Errors
///
/// If the store cannot be read.
pub fn answer_published(
    edition: &Edition,
    addresses: &Addresses,
    head: &RequestHead,
    path: &str,
) -> Result<Option<Response>> {
    let accepts = head.headers.get(header::ACCEPT);
    let accepts = accepts.and_then(|accepts| accepts.to_str().ok());
    let is_browser = accepts.is_some_and(|accepts| accepts.contains("text/html"));
    let slug = path.trim_matches('/');
    let post = edition.catalog.posts.by_slug(slug);
    let Some(post) = post.filter(|post| is_browser && post.status == Status::Published) else {
        return Ok(None);
    };
    if head.target.query() == Some("preview") {
        post_page(edition, addresses, post, Place::Published, Reader::Nobody).map(Some)
    } else {
        Ok(Some(page::elsewhere(edition, addresses, post)))
    }
}

/// Returns the page that shows a post.
fn post_page(
    edition: &Edition,
    addresses: &Addresses,
    post: &Post,
    place: Place,
    reader: Reader,
) -> Result<Response> {
    let html = edition.bodies([post.id].into_iter())?.pop().flatten();
    let html = html.unwrap_or_default();
    let visible = match reader {
        Reader::PayingMember => html,
        _ => match paywall::public_form(&html, !reader.may_read(post)) {
            PublicForm::Whole => html,
            PublicForm::Part(part) => part.into_owned(),
            PublicForm::Nothing => String::new(),
        },
    };
    let page = PostPage {
        edition,
        addresses,
        post,
        place,
        reader,
        body: &addresses.absolute(&visible),
    };
    Ok(page.response())
}

fn redirect(address: &str) -> Result<Option<Response>> {
    let location = HeaderValue::from_str(address).map_err(crate::error::Error::internal)?;
    Ok(Some(Response {
        status: StatusCode::MOVED_PERMANENTLY,
        headers: [
            (header::LOCATION, location),
            // A post can be unpublished.
            (header::CACHE_CONTROL, CacheControl::Public.value()),
        ]
        .into_iter()
        .collect(),
        body: Body::Empty,
    }))
}
