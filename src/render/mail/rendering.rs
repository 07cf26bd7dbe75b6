//! Renders a mail.

use super::{
    article::{Article, Masthead, RenderedMail},
    design::Design,
    page::MailPage,
    rewriting::for_mail,
    template::Template,
    text,
};
use crate::render::html_tree::parse_fragment;

/// Renders a mail.
pub fn render(article: &Article, masthead: &Masthead, design: &Design) -> RenderedMail {
    let body = for_mail(article.html, article.url, design);
    // The text is derived from the rewritten body, so that both parts of the mail have the same
    // content.
    let text = text::of_body(&parse_fragment(&body));
    let text = text::of_page(article, masthead, design, &text);
    let page = MailPage {
        article,
        masthead,
        design,
        body: &body,
    };
    RenderedMail {
        html: Template::of_html(page.to_string()),
        text: Template::of_text(text),
    }
}
