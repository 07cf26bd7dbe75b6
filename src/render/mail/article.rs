//! The content of a mail, its sender, and the rendered mail.

use super::template::Template;
use crate::reader_texts::ReaderTexts;

/// The content of a mail. All URLs are absolute.
#[derive(Clone, Debug, Default)]
pub struct Article<'a> {
    /// The title of the post.
    pub title: &'a str,
    /// The excerpt, shown below the title, and next to the subject in lists of mails. Without an
    /// excerpt, the lists show the beginning of the text.
    pub excerpt: Option<&'a str>,
    /// The URL of the post on the web.
    pub url: &'a str,
    /// The authors, in one line.
    pub authors: &'a str,
    /// The date, formatted.
    pub date: &'a str,
    /// The feature image.
    pub feature_image: Option<FeatureImage<'a>>,
    /// The part of the body that the recipients may read.
    pub html: &'a str,
    /// True if the recipients may not read the rest of the body.
    pub is_cut: bool,
    /// Other posts.
    pub others: Vec<OtherPost<'a>>,
}

/// Another post, to which a mail links.
#[derive(Clone, Debug)]
pub struct OtherPost<'a> {
    /// The title of the post.
    pub title: &'a str,
    /// The URL of the post.
    pub url: String,
    /// The beginning of its excerpt.
    pub excerpt: Option<String>,
    /// The URL of the post's image, in a small size if it is one of the site's images.
    pub image: Option<String>,
}

/// An image.
#[derive(Clone, Copy, Debug)]
pub struct FeatureImage<'a> {
    /// The URL of the image.
    pub url: &'a str,
    /// The alternative text.
    pub alt: &'a str,
    /// The caption as HTML.
    pub caption: Option<&'a str>,
}

/// The site and the newsletter that send a mail.
#[derive(Clone, Debug, Default)]
pub struct Masthead<'a> {
    /// The title of the site.
    pub site: &'a str,
    /// The URL of the site.
    pub url: &'a str,
    /// The URL of the site's icon.
    pub icon: Option<&'a str>,
    /// The name of the newsletter.
    pub newsletter: &'a str,
    /// The year, for the footer.
    pub year: i16,
    /// The language of the site and its posts, such as `de`.
    pub locale: &'a str,
    /// The texts in the language of the site.
    pub texts: ReaderTexts,
}

impl Masthead<'_> {
    /// Returns the sentence for readers who may not read the rest of a post.
    pub(super) fn invitation(&self) -> String {
        let site = [("site", self.site)];
        self.texts
            .filled("The rest of this is for paying members of {site}.", &site)
    }
}

/// A rendered mail with slots for values of the recipient.
#[derive(Clone, Debug)]
pub struct RenderedMail {
    /// The HTML page.
    pub html: Template,
    /// The same as plain text.
    pub text: Template,
}
