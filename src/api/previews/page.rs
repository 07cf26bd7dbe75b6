//! The page that shows a post: its status, and then the post as a reader sees it.

use askama::Template;
use http::{HeaderValue, StatusCode};
use jiff::Timestamp;

use super::audience::{PostPageKind, ReaderStatus};
use crate::{
    api::{error, html_page, html_page::Time, response::Response},
    domain::{
        UNDATED,
        post::{Post, PostKind, Status, Visibility},
    },
    error::Kind,
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

const STYLE: &str = concat!(
    include_str!("../html_page/base.css"),
    include_str!("post.css"),
    include_str!("cards.css")
);

/// Sandboxes the page, so that the styles and scripts of a draft have no access to the site. Frames are
/// allowed on the same origin, because the admin app shows the page in a frame.
const POLICY: HeaderValue = HeaderValue::from_static(
    "sandbox allow-scripts allow-popups allow-forms; frame-ancestors 'self'",
);

/// The page that explains that the site's front end shows a published post, with a link to a preview.
#[derive(Template)]
#[template(path = "api/previews/elsewhere.html", config = "src/askama.toml")]
struct ElsewherePage<'a> {
    language: String,
    site_urls: &'a SiteUrls,
    post: &'a Post,
}

/// Returns the page that explains that the site's front end shows a published post, with status 404.
pub(super) fn published_elsewhere(
    snapshot: &SiteSnapshot,
    site_urls: &SiteUrls,
    post: &Post,
) -> Response {
    let language = snapshot.catalog.settings.text("locale").unwrap_or_default();
    let page = ElsewherePage {
        language,
        site_urls,
        post,
    };
    html_page::response(&page, error::status(Kind::NotFound), POLICY)
}

/// The page that shows a post to an audience.
#[derive(Template)]
#[template(path = "api/previews/post.html", config = "src/askama.toml")]
pub(super) struct PostPage<'a> {
    pub snapshot: &'a SiteSnapshot,
    pub site_urls: &'a SiteUrls,
    pub post: &'a Post,
    pub kind: PostPageKind,
    pub reader: ReaderStatus,
    /// The part of the body that this audience may read, with absolute URLs.
    pub body: &'a str,
}

/// The note above the post that describes the page.
struct Note {
    state: String,
    /// The event at `time`, as the beginning of a sentence that ends with the time.
    detail: String,
    time: Option<Timestamp>,
}

impl PostPage<'_> {
    /// Returns the page as a response.
    pub(super) fn response(&self) -> Response {
        html_page::response(self, StatusCode::OK, POLICY)
    }

    fn language(&self) -> String {
        let settings = &self.snapshot.catalog.settings;
        settings.text("locale").unwrap_or_default()
    }

    fn note(&self) -> Note {
        let post = self.post;
        let is_email_only = post.public_status() == Status::Sent;
        let noun = match post.kind {
            _ if is_email_only => "newsletter",
            PostKind::Post => "post",
            PostKind::Page => "page",
        };
        let due = if is_email_only {
            "will be sent"
        } else {
            "appears"
        };
        let (state, detail, time) = match post.status {
            Status::Published => (
                format!("Preview of a published {noun}, without the site's front end."),
                "It was published on ".to_owned(),
                post.published_at,
            ),
            Status::Scheduled => (
                format!("Preview of a scheduled {noun}."),
                format!("It {due} on "),
                post.published_at,
            ),
            Status::Sent => (
                "This newsletter was sent by mail.".to_owned(),
                "It was sent on ".to_owned(),
                post.published_at,
            ),
            Status::Draft => (
                format!("Preview of a draft of a {noun}."),
                "It was last changed on ".to_owned(),
                Some(post.updated_at),
            ),
        };
        Note {
            state,
            detail,
            // Records without a known date have this one (`domain::UNDATED`).
            time: time.filter(|time| *time != UNDATED),
        }
    }

    fn published(&self) -> Option<Timestamp> {
        self.post.published_at.filter(|time| *time != UNDATED)
    }

    fn authors(&self) -> String {
        let users = &self.snapshot.catalog.users;
        let authors = self.post.authors.iter();
        let authors = authors.filter_map(|author| users.get(*author));
        let authors: Vec<&str> = authors.map(|author| &*author.name).collect();
        authors.join(", ")
    }

    fn image_alt(&self) -> &str {
        let meta = self.post.meta.as_deref();
        meta.and_then(|meta| meta.feature_image_alt.as_deref())
            .unwrap_or_default()
    }

    fn image_caption(&self) -> Option<&str> {
        self.post.meta.as_deref()?.feature_image_caption.as_deref()
    }

    /// Formats a time in the site's time zone as HTML.
    fn time(&self, time: &Timestamp, format: &str) -> String {
        let time = *time;
        let zone = &self.snapshot.catalog.settings.time_zone();
        Time { time, zone, format }.to_string()
    }
}
