//! The page around the body: header, title, feature image, and footer with the unsubscribe link.

use std::borrow::Cow;

use super::{Article, FeatureImage, Masthead, design::Design, for_mail, template::UNSUBSCRIBE_URL};
use crate::render::{
    html_escape::{push_attribute, push_text},
    plaintext,
};

/// A table for layout, without meaning.
const LAYOUT: &str =
    "<table role=\"presentation\" border=\"0\" cellpadding=\"0\" cellspacing=\"0\" width=\"100%\"";

/// Breaks words that are wider than the mail, such as URLs. Each mail program supports one of these;
/// it must also let a cell of a table be narrower than its longest word.
const BREAKING: &str = "overflow-wrap: anywhere; word-wrap: break-word; word-break: break-word";

/// The style sheet, for rules that the `style` of an element cannot express. Ghost's admin app needs one in
/// each preview, and adds to it.
const STYLE_SHEET: &str = "body { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }\n\
    @media (max-width: 480px) { h1 a { font-size: 28px !important; } }\n";

/// Returns the page with the body as rewritten for mail.
pub(super) fn of(article: &Article, masthead: &Masthead, design: &Design, body: &str) -> String {
    let mut page = MailPage {
        html: String::with_capacity(body.len() + 8192),
        article,
        masthead,
        design,
    };
    page.begin();
    page.header();
    page.body(body);
    page.footer();
    page.html
        .push_str("</table>\n</td></tr></table>\n</body>\n</html>\n");
    page.html
}

/// Returns the excerpt, or the beginning of the text that the recipients may read, or the title if there is no
/// text.
fn preview<'a>(article: &Article<'a>) -> Cow<'a, str> {
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

struct MailPage<'a> {
    html: String,
    article: &'a Article<'a>,
    masthead: &'a Masthead<'a>,
    design: &'a Design<'a>,
}

impl MailPage<'_> {
    fn begin(&mut self) {
        self.html.push_str(
            "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>",
        );
        push_text(&mut self.html, self.article.title);
        self.html.push_str("</title>\n<style>\n");
        self.html.push_str(STYLE_SHEET);
        self.html.push_str("</style>\n</head>\n<body");
        let background = self.design.background();
        self.style(&format!(
            "margin: 0; padding: 0; background: {background}; color: {}; {BREAKING}",
            self.design.text()
        ));
        self.html.push_str(">\n");
        self.preheader();
        self.html.push_str(LAYOUT);
        push_attribute(&mut self.html, "bgcolor", background);
        self.html.push_str("><tr><td align=\"center\"");
        self.style(&format!("padding: 0 16px; {BREAKING}"));
        self.html.push_str(">\n");
        // Some mail programs ignore `max-width`, and use the width of the table.
        self.html.push_str(
            "<table role=\"presentation\" border=\"0\" cellpadding=\"0\" cellspacing=\"0\" width=\"600\" \
             style=\"width: 100%; max-width: 600px\">\n",
        );
    }

    /// The text next to the subject in lists of mails; hidden in the mail itself.
    fn preheader(&mut self) {
        self.html.push_str(
            "<div style=\"display: none; max-height: 0; overflow: hidden; font-size: 1px; line-height: 1px\">",
        );
        push_text(&mut self.html, &preview(self.article));
        // Prevents the list from showing the beginning of the mail after it.
        self.html.push_str(&"&#847; ".repeat(80));
        self.html.push_str("</div>\n");
    }

    fn header(&mut self) {
        let (design, masthead) = (self.design, self.masthead);
        if let Some(image) = design.header_image {
            self.row("padding: 24px 0 0", |page| {
                page.image(image, "", 600);
            });
        }
        let background = design.header_background();
        let centred = format!("padding: 24px 0 0; text-align: center; background: {background}");
        if let Some(icon) = masthead.icon.filter(|_| design.shows_icon) {
            self.row(&centred, |page| {
                page.html.push_str("<a");
                push_attribute(&mut page.html, "href", masthead.url);
                page.html.push_str("><img");
                push_attribute(&mut page.html, "src", icon);
                push_attribute(&mut page.html, "alt", masthead.site);
                page.html.push_str(
                    " width=\"44\" height=\"44\" style=\"border: 0; border-radius: 3px\"></a>",
                );
            });
        }
        let names = [masthead.site.to_owned(), masthead.newsletter.to_owned()];
        let shown = [design.shows_site, design.shows_newsletter];
        let names: Vec<&str> = names
            .iter()
            .zip(shown)
            .filter(|(name, is_shown)| *is_shown && !name.is_empty())
            .map(|(name, _)| name.as_str())
            .collect();
        if !names.is_empty() {
            self.row(&centred, |page| {
                let style = format!(
                    "color: {}; font: 700 16px/1.4 {}; text-decoration: none",
                    design.title(),
                    design.title_font()
                );
                page.link(masthead.url, &style, &names.join(" – "));
            });
        }
        if design.shows_title {
            self.title();
        }
        if let Some(image) = self
            .article
            .feature_image
            .filter(|_| design.shows_feature_image)
        {
            self.feature_image(image);
        }
    }

    fn title(&mut self) {
        let (design, article) = (self.design, self.article);
        let (background, side) = (design.header_background(), design.title_alignment());
        let cell = format!("padding: 32px 0 8px; text-align: {side}; background: {background}");
        self.row(&cell, |page| {
            page.html.push_str("<h1");
            page.style("margin: 0");
            page.html.push('>');
            let style = format!(
                "color: {}; font: {} 36px/1.15 {}; text-decoration: none",
                design.title(),
                design.weight(),
                design.title_font()
            );
            page.link(article.url, &style, article.title);
            page.html.push_str("</h1>");
        });
        let cell = format!(
            "padding: 0 0 16px; text-align: {side}; background: {background}; color: {}; font: 14px/1.5 {}",
            design.faint_text(),
            design.text_font()
        );
        if let Some(excerpt) = article.excerpt.filter(|_| design.shows_excerpt) {
            self.row(&cell.replace("14px", "18px"), |page| {
                push_text(&mut page.html, excerpt);
            });
        }
        self.row(&cell, |page| {
            if !article.authors.is_empty() {
                push_text(&mut page.html, &format!("By {} • ", article.authors));
            }
            push_text(&mut page.html, &format!("{} • ", article.date));
            let style = format!("color: {}", design.faint_text());
            page.link(article.url, &style, "View in browser");
        });
    }

    fn feature_image(&mut self, image: FeatureImage) {
        self.row("padding: 0 0 24px", |page| {
            page.image(image.url, image.alt, 600);
            if let Some(caption) = image.caption {
                let style = format!(
                    "margin: 8px 0 0; color: {}; font: 13px/1.4 {}; text-align: center",
                    page.design.faint_text(),
                    page.design.text_font()
                );
                page.html.push_str("<p");
                page.style(&style);
                page.html.push('>');
                let caption = for_mail(caption, page.article.url, page.design);
                page.html.push_str(&caption);
                page.html.push_str("</p>");
            }
        });
    }

    fn body(&mut self, body: &str) {
        let design = self.design;
        let style = format!(
            "padding: 16px 0 0; color: {}; font: 18px/1.6 {}",
            design.text(),
            design.text_font()
        );
        self.row(&style, |page| page.html.push_str(body));
        if self.article.is_cut {
            let style = format!(
                "padding: 24px 0 32px; text-align: center; border-top: 1px solid {}; color: {}; font: 18px/1.6 {}",
                design.divider(),
                design.text(),
                design.text_font()
            );
            self.row(&style, |page| {
                page.html.push_str("<p style=\"margin: 0 0 16px\">");
                push_text(
                    &mut page.html,
                    &format!(
                        "The rest of this is for paying members of {}.",
                        page.masthead.site
                    ),
                );
                page.html.push_str("</p>");
                page.link(page.article.url, &design.button_style(), "Read on");
            });
        }
        if design.shows_others && !self.article.others.is_empty() {
            let style = format!(
                "padding: 24px 0; border-top: 1px solid {}; font: 16px/1.5 {}",
                design.divider(),
                design.text_font()
            );
            self.row(&style, |page| {
                page.html
                    .push_str("<p style=\"margin: 0 0 8px; font-weight: 700\">Keep reading</p>");
                for (title, url) in &page.article.others {
                    page.html.push_str("<p style=\"margin: 0 0 8px\">");
                    page.link(url, &design.link_style(), title);
                    page.html.push_str("</p>");
                }
            });
        }
    }

    fn footer(&mut self) {
        let design = self.design;
        let style = format!(
            "padding: 24px 0 32px; border-top: 1px solid {}; text-align: center; color: {}; font: 13px/1.5 {}",
            design.divider(),
            design.faint_text(),
            design.text_font()
        );
        let faint = format!("color: {}; text-decoration: underline", design.faint_text());
        self.row(&style, |page| {
            if let Some(footer) = design.footer {
                let footer = for_mail(footer, page.article.url, design);
                page.html.push_str(&footer);
            }
            if design.shows_subscription {
                page.html.push_str(
                    "<p style=\"margin: 0 0 12px\">You get this as a %%{status}%% member since %%{created_at}%%: \
                     %%{email}%%</p>",
                );
            }
            page.html.push_str("<p style=\"margin: 0\">");
            push_text(
                &mut page.html,
                &format!("{} © {} – ", page.masthead.site, page.masthead.year),
            );
            page.html.extend(["<a href=\"", UNSUBSCRIBE_URL, "\""]);
            page.style(&faint);
            page.html.push_str(">Unsubscribe</a></p>");
            if design.shows_badge {
                page.html
                    .push_str("<p style=\"margin: 12px 0 0\">Published with Galley</p>");
            }
        });
    }

    /// Writes a row of the page.
    fn row(&mut self, style: &str, content: impl FnOnce(&mut Self)) {
        self.html.push_str("<tr><td");
        self.style(style);
        self.html.push('>');
        content(self);
        self.html.push_str("</td></tr>\n");
    }

    fn image(&mut self, url: &str, alt: &str, width: u32) {
        self.html.push_str("<img");
        push_attribute(&mut self.html, "src", url);
        push_attribute(&mut self.html, "alt", alt);
        push_attribute(&mut self.html, "width", &width.to_string());
        push_attribute(&mut self.html, "style", self.design.image_style());
        self.html.push('>');
    }

    fn link(&mut self, url: &str, style: &str, text: &str) {
        self.html.push_str("<a");
        push_attribute(&mut self.html, "href", url);
        self.style(style);
        self.html.push('>');
        push_text(&mut self.html, text);
        self.html.push_str("</a>");
    }

    fn style(&mut self, style: &str) {
        push_attribute(&mut self.html, "style", style);
    }
}
