//! A post as an e-mail: a page that programs for mail can show, and a text that says the same.
//!
//! What is sent to thousands is rendered once for each kind of reader. What differs from one to the next is left open, as
//! slots of a [`Template`], and filled in by copying.
//!
//! Programs for mail know little: tables are for layout, styles stand in each element, pictures have a width, nothing
//! moves and nothing runs. So the HTML of a post is taken apart and written anew ([`body`]), and what cannot be shown
//! becomes a link to where it can.

mod body;
mod cards;
mod design;
mod page;
mod template;
mod text;

pub(in crate::render) use self::template::with_slots;
pub use self::{
    design::{Alignment, Corners, Design, LinkStyle},
    template::{Recipient, Slot, Template},
};

use super::html_tree::parse_fragment;

/// What of a post is sent. All addresses are absolute.
#[derive(Clone, Debug, Default)]
pub struct Article<'a> {
    /// What it is called.
    pub title: &'a str,
    /// What is shown below its title, and beside the subject before the mail is opened.
    pub excerpt: Option<&'a str>,
    /// Where it is on the web.
    pub url: &'a str,
    /// Who wrote it, in one line.
    pub authors: &'a str,
    /// When, as it is shown.
    pub date: &'a str,
    /// The picture above it.
    pub picture: Option<Picture<'a>>,
    /// The body, as far as those may read it who get the mail.
    pub html: &'a str,
    /// Whether there is more that they may not read.
    pub is_cut: bool,
    /// What else there is to read: titles and addresses.
    pub others: Vec<(&'a str, String)>,
}

/// A picture.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    /// Where it is.
    pub url: &'a str,
    /// What it shows, in words.
    pub alt: &'a str,
    /// HTML below it.
    pub caption: Option<&'a str>,
}

/// Who sends it.
#[derive(Clone, Debug, Default)]
pub struct Masthead<'a> {
    /// What the site is called.
    pub site: &'a str,
    /// Where it is.
    pub url: &'a str,
    /// The site's picture, if it has one.
    pub icon: Option<&'a str>,
    /// What the newsletter is called.
    pub newsletter: &'a str,
    /// The year, for the foot.
    pub year: i16,
}

/// A mail that only its recipients are missing from.
#[derive(Clone, Debug)]
pub struct Letter {
    /// The page.
    pub html: Template,
    /// The same as plain text.
    pub text: Template,
}

/// Renders a mail.
pub fn render(article: &Article, masthead: &Masthead, design: &Design) -> Letter {
    let body = body::for_mail(article.html, article.url, design);
    let text = text::of_page(article, masthead, &text::of_body(&parse_fragment(&body)));
    Letter {
        html: Template::of_html(page::of(article, masthead, design, &body)),
        text: Template::of_text(text),
    }
}
