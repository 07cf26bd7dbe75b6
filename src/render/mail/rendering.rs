//! Renders a mail.

use super::{
    article::{Article, Masthead, RenderedMail},
    design::Design,
    page,
    rewriting::for_mail,
    template::Template,
    text,
};
use crate::render::html_tree::parse_fragment;

/// Renders a mail.
pub fn render(article: &Article, masthead: &Masthead, design: &Design) -> RenderedMail {
    let body = for_mail(article.html, article.url, design);
    // From the body for mails, so that both parts of a mail show the same.
    let text = text::of_page(article, masthead, &text::of_body(&parse_fragment(&body)));
    RenderedMail {
        html: Template::of_html(page::of(article, masthead, design, &body)),
        text: Template::of_text(text),
    }
}
