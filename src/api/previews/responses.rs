//! The responses with a preview page, or with a redirect to the post.

use std::sync::Arc;

use super::{
    audience::{PostPageKind, ReaderStatus},
    page::{self, PostPage},
    site_page,
};
use crate::{
    api::{
        Api, front_end::ExternalFrontEnd, headers::CacheControl, params::QueryParameters,
        request::RequestHead, response::Response,
    },
    domain::post::{Post, Status},
    error::{Error, Result},
    render::{paywall, paywall::PublicForm},
    routing::{Resolution, editor_fragment},
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

/// The response at the URL of a preview.
pub enum Preview {
    /// A redirect to the post.
    Redirect(Response),
    /// A redirect to the post in the editor of the admin app.
    Editor(Arc<Post>),
    /// A page that shows a post.
    Page {
        /// The post.
        post: Arc<Post>,
        /// The kind of page.
        kind: PostPageKind,
        /// The kind of reader for whom the page shows the post.
        reader: ReaderStatus,
    },
}

/// Returns the response to a request for `path`, which is relative to the site; `None` if there is
/// no such page.
///
/// # Errors
///
/// The errors of [`find`], and if the store cannot be read.
pub fn respond(
    api: &Api,
    snapshot: &SiteSnapshot,
    site_urls: &SiteUrls,
    head: &RequestHead,
    path: &str,
) -> Result<Option<Response>> {
    match find(snapshot, site_urls, head, path)? {
        None => Ok(None),
        Some(Preview::Redirect(response)) => Ok(Some(response)),
        Some(Preview::Editor(post)) => {
            let location = format!("{}#{}", api.staff_url(site_urls), editor_fragment(&post));
            let moved = Response::redirect(false, &location, CacheControl::Public.value());
            moved.map(Some).map_err(Error::internal)
        }
        Some(Preview::Page { post, kind, reader }) => {
            post_page(snapshot, site_urls, &post, kind, reader).map(Some)
        }
    }
}

/// Returns the preview at `path`, which is relative to the site; `None` if it is not the path of a preview.
///
/// # Errors
///
/// `BadRequest` for a malformed query.
pub fn find(
    snapshot: &SiteSnapshot,
    site_urls: &SiteUrls,
    head: &RequestHead,
    path: &str,
) -> Result<Option<Preview>> {
    let edited = path.strip_suffix("/edit/").map(|page| format!("{page}/"));
    let Some((kind, uuid, has_slash)) = PostPageKind::of(edited.as_deref().unwrap_or(path)) else {
        return Ok(None);
    };
    let Some(post) = snapshot.catalog.posts.by_uuid(uuid) else {
        return Ok(None);
    };
    let is_email_only = post.public_status() == Status::Sent;
    if edited.is_some() {
        let is_found = match kind {
            PostPageKind::Email => is_email_only || post.status == Status::Published,
            PostPageKind::Preview | PostPageKind::Published => true,
        };
        return Ok(is_found.then(|| Preview::Editor(Arc::clone(post))));
    }
    let kind = match (post.status, kind) {
        // Links to previews that were sent to other people keep working after publication.
        (Status::Published, _) => return redirect(&site_urls.post(post)).map(Preview::redirected),
        (Status::Sent, PostPageKind::Preview) => {
            return redirect(&site_urls.post_or_preview_url(post)).map(Preview::redirected);
        }
        (Status::Sent, PostPageKind::Email) => PostPageKind::Email,
        (Status::Draft | Status::Scheduled, PostPageKind::Preview) => PostPageKind::Preview,
        // Below `/email/`, only drafts of posts that will only be mailed have a preview.
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
        let moved = redirect(&format!("{}{path}/{query}", site_urls.base()));
        return moved.map(Preview::redirected);
    }
    let query = QueryParameters::parse(head.target.query().unwrap_or_default())?;
    let reader = ReaderStatus::of(kind, &query);
    let post = Arc::clone(post);
    Ok(Some(Preview::Page { post, kind, reader }))
}

impl Preview {
    fn redirected(response: Option<Response>) -> Option<Self> {
        response.map(Self::Redirect)
    }
}

/// Returns the response to a browser that opens the URL of a published post or page on a site whose
/// pages Galley does not render. The response is a redirect to `front_end` or, if none is configured, a
/// page with status 404 that explains this. With `?preview`, and for the admin app, it is the post as
/// anonymous readers see it. `None` if no published post has the URL, or if the client is not a browser.
///
/// # Errors
///
/// If the store cannot be read.
pub fn published_response(
    snapshot: &SiteSnapshot,
    site_urls: &SiteUrls,
    front_end: Option<&ExternalFrontEnd>,
    head: &RequestHead,
    path: &str,
) -> Result<Option<Response>> {
    let is_browser = head.accepts_html() || site_page::is_requested(head);
    let catalog = &snapshot.catalog;
    let page = format!("{}/", path.trim_end_matches('/'));
    let post = match site_urls.routes().resolve(catalog, &page, None) {
        Resolution::Entry(id) if is_browser => catalog.posts.get(id),
        _ => None,
    };
    let Some(post) = post else {
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
    let html = snapshot.html(post.id)?.unwrap_or_default();
    let visible = match reader {
        ReaderStatus::PayingMember => html,
        _ => match paywall::public_form(&html, !reader.may_read(post)) {
            PublicForm::Whole => html,
            PublicForm::Part(part) => part.into_owned(),
            // A gated post without a paywall mark has no public part.
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
    // Not cached for long, because a post can be unpublished.
    let cache_control = CacheControl::Public.value();
    let redirect = Response::redirect(true, address, cache_control);
    redirect.map(Some).map_err(Error::internal)
}
