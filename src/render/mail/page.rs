//! The page around the body: header, title, feature image, and footer with the unsubscribe link.

use std::borrow::Cow;

use askama::Template;

use super::{
    article::{Article, Masthead},
    design::Design,
    rewriting::for_mail,
    template::{ACCOUNT_URL, SUBSCRIPTION, UNSUBSCRIBE_URL, details},
};
use crate::{
    reader_texts::direction_of,
    render::{html_escape, plaintext},
};

/// Breaks words that are wider than the mail, such as URLs. Each mail program supports one of these
/// properties. The property must also permit that a table cell is narrower than its longest word.
const BREAKING: &str = "overflow-wrap: anywhere; word-wrap: break-word; word-break: break-word";

/// The page with the rewritten body.
#[derive(Template)]
#[template(path = "render/mail/page.html", config = "src/askama.toml")]
pub(super) struct MailPage<'a> {
    pub article: &'a Article<'a>,
    pub masthead: &'a Masthead<'a>,
    pub design: &'a Design<'a>,
    pub body: &'a str,
}

impl<'a> MailPage<'a> {
    /// Returns the excerpt, the beginning of the text that the recipients may read, or the title if
    /// there is no text.
    fn preview(&self) -> Cow<'a, str> {
        let article = self.article;
        if let Some(excerpt) = article.excerpt.filter(|excerpt| !excerpt.trim().is_empty()) {
            return Cow::Borrowed(excerpt);
        }
        let text = plaintext::from_html(article.html);
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            [] => Cow::Borrowed(article.title),
            words => Cow::Owned(plaintext::excerpt(&words.join(" ")).to_owned()),
        }
    }

    fn icon(&self) -> Option<&str> {
        self.masthead.icon.filter(|_| self.design.shows_icon)
    }

    /// Returns whether the name of the site is shown.
    fn shows_site(&self) -> bool {
        self.design.shows_site && !self.masthead.site.is_empty()
    }

    /// Returns whether the name of the newsletter is shown.
    fn shows_newsletter(&self) -> bool {
        self.design.shows_newsletter && !self.masthead.newsletter.is_empty()
    }

    fn shows_names(&self) -> bool {
        self.shows_site() || self.shows_newsletter()
    }

    /// Returns whether there is anything above the body.
    fn has_header(&self) -> bool {
        let design = self.design;
        let has_image = design.shows_feature_image && self.article.feature_image.is_some();
        design.header_image.is_some()
            || self.icon().is_some()
            || self.shows_names()
            || design.shows_title
            || has_image
    }

    /// Returns the space below a header with its own background, as in CSS.
    fn space_below_header(&self) -> &'static str {
        if self.design.has_header_band() {
            "8px"
        } else {
            "0"
        }
    }

    /// Returns the space between the header and the body, as in CSS.
    fn space_above(&self) -> &'static str {
        if self.design.has_header_band() {
            "32px"
        } else {
            "16px"
        }
    }

    /// Returns the writing direction of the language of the post.
    fn direction(&self) -> &'static str {
        direction_of(self.masthead.locale)
    }

    fn byline(&self) -> String {
        let authors = [("authors", self.article.authors)];
        self.masthead.texts.filled("By {authors}", &authors)
    }

    /// Returns the side at which lines in the language of the post end.
    fn end(&self) -> &'static str {
        match self.direction() {
            "rtl" => "left",
            _ => "right",
        }
    }

    /// Returns the details that are shown with the subscription: names, and values that contain
    /// slots.
    fn details(&self) -> [(&'static str, &'static str); 3] {
        details(self.masthead.texts)
    }

    /// Returns the sentence about the recipient's subscription, as HTML with slots.
    fn subscription(&self) -> String {
        let mut site = String::new();
        html_escape::push_text(&mut site, self.masthead.site);
        let slots = [
            ("site", site.as_str()),
            ("status", "<strong>%%{status}%%</strong>"),
        ];
        self.masthead.texts.filled(SUBSCRIPTION, &slots)
    }

    fn for_mail(&self, html: &str) -> String {
        for_mail(html, self.article.url, self.design)
    }
}
