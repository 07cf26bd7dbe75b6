//! The page that shows a post: its status, and then the post as a reader sees it.

use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use jiff::Timestamp;

use super::{PostPageKind, ReaderStatus};
use crate::{
    api::{
        headers::CacheControl,
        html_page::{self, HtmlPage},
        response::{Body, Response},
        site_urls::SiteUrls,
    },
    domain::{
        UNDATED,
        post::{Post, PostKind, Status, Visibility},
    },
    render::html_escape::{push_attribute, push_text},
    site::SiteSnapshot,
};

const STYLE: &str = concat!(
    include_str!("../html_page/base.css"),
    include_str!("post.css"),
    include_str!("cards.css")
);

/// Sandboxes the page: a draft's styles and scripts may do anything there without access to the
/// site. The admin app shows it in a frame.
const POLICY: HeaderValue = HeaderValue::from_static(
    "sandbox allow-scripts allow-popups allow-forms; frame-ancestors 'self'",
);

/// A post, its audience, and the kind of page.
pub(super) struct PostPage<'a> {
    pub snapshot: &'a SiteSnapshot,
    pub site_urls: &'a SiteUrls,
    pub post: &'a Post,
    pub kind: PostPageKind,
    pub reader: ReaderStatus,
    /// The body as this audience may see it, with served URLs.
    pub body: &'a str,
}

/// Returns the page that says that a published post is shown elsewhere, with a link to its preview.
pub(super) fn published_elsewhere(
    snapshot: &SiteSnapshot,
    site_urls: &SiteUrls,
    post: &Post,
) -> Response {
    let settings = &snapshot.catalog.settings;
    let mut body = String::from("<aside lang=\"en\">The site's front end shows ");
    body.push_str("<strong>");
    push_text(&mut body, &post.title);
    body.push_str("</strong>; this server has its content only. Read it as a ");
    push_link(
        &mut body,
        &format!("{}?preview", site_urls.post(post)),
        "preview",
    );
    body.push_str(", or see ");
    push_link(
        &mut body,
        &format!("{}/", site_urls.base()),
        "about this server",
    );
    body.push_str(".</aside>\n");
    let page = HtmlPage {
        language: &settings.text("locale").unwrap_or_default(),
        title: &post.title,
        style: STYLE,
        body: &body,
        script: None,
    };
    page.not_found(POLICY)
}

fn push_link(html: &mut String, address: &str, text: &str) {
    html.push_str("<a");
    push_attribute(html, "href", address);
    html.push('>');
    push_text(html, text);
    html.push_str("</a>");
}

impl PostPage<'_> {
    /// Returns the page as a response.
    pub(super) fn response(&self) -> Response {
        let settings = &self.snapshot.catalog.settings;
        let mut body = String::with_capacity(self.body.len() + 2048);
        self.push_note(&mut body);
        body.push_str("<article>\n");
        if self.post.show_title_and_feature_image {
            self.push_head(&mut body);
        }
        body.extend([self.body, "\n</article>\n"]);
        let page = HtmlPage {
            language: &settings.text("locale").unwrap_or_default(),
            title: &self.post.title,
            style: STYLE,
            body: &body,
            script: None,
        };
        Response {
            status: StatusCode::OK,
            headers: html_page::headers(POLICY, CacheControl::Private),
            body: Body::Bytes(Bytes::from(page.html())),
        }
    }

    /// Appends a note above the post that describes the preview.
    fn push_note(&self, html: &mut String) {
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
                format!("This is the {noun} as Galley has it, without the site's front end."),
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
        html.push_str("<aside lang=\"en\"><strong>");
        push_text(html, &state);
        html.push_str("</strong>");
        if let Some(time) = time.filter(|time| *time != UNDATED) {
            html.push(' ');
            push_text(html, &detail);
            self.push_time(html, time, "%-d %B %Y at %H:%M (%Q)");
            html.push('.');
        }
        if self.kind == PostPageKind::Preview {
            html.push_str(" Only people with this URL can see it.");
            if post.visibility != Visibility::Public {
                html.push_str(match self.reader {
                    ReaderStatus::Anonymous => " Visitors will see this.",
                    ReaderStatus::FreeMember => " Free members will see this.",
                    ReaderStatus::PayingMember => " Paid members will see this.",
                });
            }
        }
        html.push_str("</aside>\n");
    }

    fn push_head(&self, html: &mut String) {
        let post = self.post;
        html.push_str("<header class=\"post-head\">\n<h1>");
        push_text(html, &post.title);
        html.push_str("</h1>\n");
        if let Some(excerpt) = &post.custom_excerpt {
            html.push_str("<p class=\"post-excerpt\">");
            push_text(html, excerpt);
            html.push_str("</p>\n");
        }
        let users = &self.snapshot.catalog.users;
        let authors = post.authors.iter().filter_map(|author| users.get(*author));
        let authors: Vec<&str> = authors.map(|author| &*author.name).collect();
        html.push_str("<p class=\"post-byline\">");
        push_text(html, &authors.join(", "));
        if let Some(published) = post.published_at.filter(|time| *time != UNDATED) {
            if !authors.is_empty() {
                html.push_str(" · ");
            }
            self.push_time(html, published, "%-d %B %Y");
        }
        html.push_str("</p>\n</header>\n");
        self.push_feature_image(html);
    }

    fn push_feature_image(&self, html: &mut String) {
        let Some(image) = &self.post.feature_image else {
            return;
        };
        let meta = self.post.meta.as_deref();
        let described = meta.and_then(|meta| meta.feature_image_alt.as_deref());
        let caption = meta.and_then(|meta| meta.feature_image_caption.as_deref());
        html.push_str("<figure class=\"post-image\"><img");
        push_attribute(html, "src", &self.site_urls.absolute(image));
        push_attribute(html, "alt", described.unwrap_or_default());
        html.push('>');
        if let Some(caption) = caption {
            // HTML by the author, as the body is.
            let caption = self.site_urls.absolute(caption);
            html.extend(["<figcaption>", &caption, "</figcaption>"]);
        }
        html.push_str("</figure>\n");
    }

    /// Appends a time in the site's time zone.
    fn push_time(&self, html: &mut String, time: Timestamp, format: &str) {
        let zone = self.snapshot.catalog.settings.time_zone();
        html_page::push_time(html, time, &zone, format);
    }
}
