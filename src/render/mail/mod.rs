//! Rendering of a post as a mail: a page for mail programs, and equivalent plain text.
//!
//! A mail to thousands is rendered once for each audience. Values of the recipient are slots of a
//! [`Template`], and filled in by copying.
//!
//! Mail programs support little: layout by tables, inline styles, fixed image widths, no scripts.
//! So the HTML of a post is rewritten (`body`, with a form for each card), and unsupported content
//! becomes a link to the
//! web.

pub(in crate::render) mod body;
pub(in crate::render) mod design;
mod page;
pub(in crate::render) mod surface;
pub(in crate::render) mod template;
mod text;

pub use self::{
    design::{Alignment, ButtonColors, Corners, Design, LinkStyle},
    template::{Recipient, Slot, Template},
};

use super::{cards, html_tree::parse_fragment};

/// The content of a mail. All URLs are absolute.
#[derive(Clone, Debug, Default)]
pub struct Article<'a> {
    /// The title of the post.
    pub title: &'a str,
    /// The excerpt, shown below the title, and next to the subject in lists of mails. Without one, the
    /// lists show the beginning of the text.
    pub excerpt: Option<&'a str>,
    /// The URL of the post on the web.
    pub url: &'a str,
    /// The authors, in one line.
    pub authors: &'a str,
    /// The date, formatted.
    pub date: &'a str,
    /// The feature image.
    pub feature_image: Option<FeatureImage<'a>>,
    /// The body, as far as the recipients may read it.
    pub html: &'a str,
    /// True if there is more that they may not read.
    pub is_cut: bool,
    /// Titles and URLs of other posts.
    pub others: Vec<(&'a str, String)>,
}

/// An image.
#[derive(Clone, Copy, Debug)]
pub struct FeatureImage<'a> {
    /// Its URL.
    pub url: &'a str,
    /// Its alternative text.
    pub alt: &'a str,
    /// Its caption, as HTML.
    pub caption: Option<&'a str>,
}

/// The site and the newsletter that send a mail.
#[derive(Clone, Debug, Default)]
pub struct Masthead<'a> {
    /// The title of the site.
    pub site: &'a str,
    /// Its URL.
    pub url: &'a str,
    /// The URL of its icon.
    pub icon: Option<&'a str>,
    /// The name of the newsletter.
    pub newsletter: &'a str,
    /// The year, for the footer.
    pub year: i16,
}

/// A rendered mail with slots for values of the recipient.
#[derive(Clone, Debug)]
pub struct RenderedMail {
    /// The HTML page.
    pub html: Template,
    /// The same as plain text.
    pub text: Template,
}

/// Renders a mail.
pub fn render(article: &Article, masthead: &Masthead, design: &Design) -> RenderedMail {
    let body = for_mail(article.html, article.url, design);
    let text = text::of_page(article, masthead, &text::of_body(&parse_fragment(&body)));
    RenderedMail {
        html: Template::of_html(page::of(article, masthead, design, &body)),
        text: Template::of_text(text),
    }
}

/// Rewrites the HTML of a post; `url` is its URL on the web.
fn for_mail(html: &str, url: &str, design: &Design) -> String {
    body::rewritten(html, url, design, cards::mail_form)
}
