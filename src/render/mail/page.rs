//! The page around the body: header, title, feature image, and footer with the unsubscribe link.

use std::borrow::Cow;

use askama::Template;

use super::{
    article::{Article, Masthead},
    design::Design,
    rewriting::for_mail,
    template::UNSUBSCRIBE_URL,
};
use crate::{reader_texts::direction_of, render::plaintext};

/// Breaks words that are wider than the mail, such as URLs. Each mail program supports one of these;
/// it must also let a cell of a table be narrower than its longest word.
const BREAKING: &str = "overflow-wrap: anywhere; word-wrap: break-word; word-break: break-word";

/// The page with the body as rewritten for mail.
#[derive(Template)]
#[template(path = "render/mail/page.html", config = "src/askama.toml")]
pub(super) struct MailPage<'a> {
    pub article: &'a Article<'a>,
    pub masthead: &'a Masthead<'a>,
    pub design: &'a Design<'a>,
    pub body: &'a str,
}

impl<'a> MailPage<'a> {
    /// Returns the excerpt, or the beginning of what the recipients may read, or the title if there
    /// is no text.
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

    /// Returns the names of the site and the newsletter, as far as they are shown.
    fn names(&self) -> String {
        let (design, masthead) = (self.design, self.masthead);
        let names = [
            (design.shows_site, masthead.site),
            (design.shows_newsletter, masthead.newsletter),
        ];
        let shown = names
            .into_iter()
            .filter(|(is_shown, name)| *is_shown && !name.is_empty());
        let shown: Vec<&str> = shown.map(|(_, name)| name).collect();
        shown.join(" – ")
    }

    /// Returns the direction of the language of the post.
    fn direction(&self) -> &'static str {
        direction_of(self.masthead.locale)
    }

    fn byline(&self) -> String {
        let authors = [("authors", self.article.authors)];
        self.masthead.texts.filled("By {authors}", &authors)
    }

    /// Returns the line about the recipient's subscription, with slots.
    fn subscription(&self) -> String {
        let slots = [
            ("status", "%%{status}%%"),
            ("date", "%%{created_at}%%"),
            ("email", "%%{email}%%"),
        ];
        let english = "You get this as a {status} member since {date}: {email}";
        self.masthead.texts.filled(english, &slots)
    }

    fn for_mail(&self, html: &str) -> String {
        for_mail(html, self.article.url, self.design)
    }
}
