//! Addresses of posts that have none among readers: `/p/UUID/` of what is not published, `/email/UUID/` of what went out by
//! mail alone (Ghost 6.65, recorded).
//!
//! Whoever knows the address is shown the post, and nothing else: it is not for search engines, is kept nowhere, does not
//! tell the sites that it links to where it is, and runs apart from the site, so that scripts of a draft reach no session
//! of whoever looks at it. Once the post is published, the address leads to it.

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

/// The two kinds of address, and what comes before the identifier in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Where whoever writes a post sees it.
    Preview,
    /// Where a letter can be read that is not on the site.
    Letter,
    /// Where what is published can be read without the site's front end.
    Published,
}

impl Place {
    /// The place, the identifier in it, and whether the path ends as it should.
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
        // An identifier can be written in other ways, too; an address is written in one.
        let is_usual = uuid.hyphenated().to_string() == text.to_ascii_lowercase();
        is_usual.then_some((place, uuid, has_slash))
    }
}

/// Whom the body is shown as to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    Nobody,
    FreeMember,
    PayingMember,
}

impl Reader {
    /// As whom `member_status` asks; whoever writes the post sees all of it unless told otherwise.
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

/// The answer to a request for `path`, which is relative to the site; `None` when nothing is there.
///
/// # Errors
///
/// `BadRequest` for a broken query, and when the store cannot be read.
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
    let is_letter = post.public_status() == Status::Sent;
    let place = match (post.status, place) {
        (Status::Published, _) => return redirect(&addresses.post(post)),
        (Status::Sent, Place::Preview) => return redirect(&addresses.post_or_preview(post)),
        (Status::Sent, Place::Letter) => Place::Letter,
        (Status::Draft | Status::Scheduled, Place::Preview) => Place::Preview,
        // What is to be a letter is seen there by whoever writes it, and nothing else is.
        (Status::Draft | Status::Scheduled, Place::Letter) if is_letter => Place::Preview,
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
    shown(edition, addresses, post, place, reader).map(Some)
}

/// Returns the answer to a browser that opens the address of something published, which the site's front end shows and not this
/// program: a sentence that says so, with status 404, or with `?preview` the post as anybody may read it. `None` when nothing
/// published has the address, or a program asks for it.
///
/// # Errors
///
/// When the store cannot be read.
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
    match head.target.query() == Some("preview") {
        true => shown(edition, addresses, post, Place::Published, Reader::Nobody).map(Some),
        false => Ok(Some(page::elsewhere(edition, addresses, post))),
    }
}

/// Returns the page that shows a post.
fn shown(
    edition: &Edition,
    addresses: &Addresses,
    post: &Post,
    place: Place,
    reader: Reader,
) -> Result<Response> {
    let html = edition.bodies([post.id].into_iter())?.pop().flatten();
    let html = html.unwrap_or_default();
    let shown = match reader {
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
        body: &addresses.absolute(&shown),
    };
    Ok(page.response())
}

fn redirect(address: &str) -> Result<Option<Response>> {
    let location = HeaderValue::from_str(address).map_err(crate::error::Error::internal)?;
    Ok(Some(Response {
        status: StatusCode::MOVED_PERMANENTLY,
        headers: [
            (header::LOCATION, location),
            // A post can be taken back.
            (header::CACHE_CONTROL, CacheControl::Public.value()),
        ]
        .into_iter()
        .collect(),
        body: Body::Empty,
    }))
}
