//! Renders a post as a message for subscribers of a newsletter: the part that they may read, in the design of
//! the newsletter.

use jiff::Timestamp;
use serde_json::Value;
use url::Url;

use crate::{
    domain::{
        newsletter::Newsletter,
        newsletter_design::{DESIGN, DesignChoice},
        post::{Post, PostKind, Visibility},
    },
    error::Result,
    images::Variant,
    reader_texts::ReaderTexts,
    render::{
        lexical::{self, Context},
        mail::{
            self, Alignment, Article, Corners, Design, FeatureImage, LinkStyle, Masthead,
            OtherPost, RenderedMail,
        },
        paywall::{self, Reader},
        plaintext, urls,
    },
    routing::BoundRoutes,
    site::SiteSnapshot,
};

/// The width of the feature image, in pixels: twice the width of the page, for high-resolution screens (Ghost
/// 6.65, recorded).
const IMAGE_WIDTH: u32 = 1200;

/// The width of the images of other posts, in pixels: twice the width at which they are shown.
const SMALL_IMAGE_WIDTH: u32 = 200;

/// Maximum length of the excerpt of another post, in characters.
const EXCERPT_CHARACTERS_MAX: usize = 120;

/// Maximum number of other posts that a message links to.
const LATEST_POSTS_MAX: usize = 3;

/// The data for a message that is not in the site's records.
#[derive(Clone, Copy, Debug)]
pub struct RenderContext<'a> {
    /// The site's public URL.
    pub site: &'a Url,
    /// The post's URL.
    pub post_url: &'a str,
    /// The time of rendering.
    pub now: Timestamp,
}

/// Renders a post for `readers` of a newsletter.
///
/// Readers without access to the whole post get the part before its paywall. Without a paywall they only get
/// the header, to avoid sending too much.
///
/// # Errors
///
/// If the store cannot be read.
pub fn of_post(
    snapshot: &SiteSnapshot,
    post: &Post,
    newsletter: &Newsletter,
    readers: Reader,
    surroundings: &RenderContext,
) -> Result<RenderedMail> {
    let served = |stored: &str| urls::to_served(stored, surroundings.site).into_owned();
    let catalog = &snapshot.catalog;
    let settings = &catalog.settings;
    let routes = BoundRoutes::of(catalog);
    let html = body(snapshot, post, &routes, surroundings.site)?;
    let is_gated = matches!(post.visibility, Visibility::Paid | Visibility::Tiers);
    let (html, is_cut) = paywall::member_form(&html, readers, is_gated);

    let title = settings.text("title").unwrap_or_default();
    let texts = settings.reader_texts();
    let locale = settings.text("locale").unwrap_or_default();
    let icon = settings.text("icon").map(|icon| served(&icon));
    let published_at = post.published_at.unwrap_or(surroundings.now);
    let published = published_at.to_zoned(settings.time_zone());
    let authors = post.authors.iter().filter_map(|id| catalog.users.get(*id));
    let authors: Vec<&str> = authors.map(|author| &*author.name).collect();
    let wide_image = |stored: &str| image_url(stored, surroundings.site, IMAGE_WIDTH);
    let image = post.feature_image.as_deref().map(wide_image);
    let image_meta = post.meta.as_ref();
    let caption = image_meta.and_then(|meta| meta.feature_image_caption.as_deref());
    let article = Article {
        title: &post.title,
        excerpt: post.custom_excerpt.as_deref(),
        url: surroundings.post_url,
        authors: &byline(&authors, texts),
        date: &texts.date(published.date()),
        feature_image: image.as_deref().map(|url| FeatureImage {
            url,
            alt: image_meta
                .and_then(|meta| meta.feature_image_alt.as_deref())
                .unwrap_or_default(),
            caption,
        }),
        html: &html,
        is_cut,
        others: latest_posts(snapshot, post, &routes, surroundings.site),
    };
    let masthead = Masthead {
        site: &title,
        url: surroundings.site.as_str(),
        icon: icon.as_deref(),
        newsletter: &newsletter.name,
        year: surroundings.now.to_zoned(settings.time_zone()).year(),
        locale: &locale,
        texts,
    };
    let accent = settings.text("accent_color");
    let chosen = DesignValues::of(newsletter, wide_image);
    Ok(mail::render(
        &article,
        &masthead,
        &chosen.design(accent.as_deref()),
    ))
}

/// Returns the authors in one line: one or two authors by name; for more, the name of the first and the number
/// of the others (Ghost 6.65, observed).
fn byline(authors: &[&str], texts: ReaderTexts) -> String {
    match authors {
        [first, others @ ..] if others.len() > 1 => {
            let count = others.len().to_string();
            let values = [("author", *first), ("count", &*count)];
            texts.filled("{author} & {count} others", &values)
        }
        few => few.join(" & "),
    }
}

/// Returns the body with its email-only parts, with absolute URLs.
fn body(snapshot: &SiteSnapshot, post: &Post, routes: &BoundRoutes, site: &Url) -> Result<String> {
    if let Some(document) = snapshot.lexical(post.id)? {
        let current = routes.current_links(&document);
        let served = urls::lexical_to_served(&current, site);
        match lexical::to_mail_html(&served, Context { site }) {
            Ok(rendering) => return Ok(rendering.html),
            // The HTML for the web is used as a fallback.
            Err(error) => {
                tracing::warn!(post = %post.id, %error, "a document cannot be rendered for mail")
            }
        }
    }
    let html = snapshot.html(post.id)?.unwrap_or_default();
    Ok(urls::to_served(&routes.current_links(&html), site).into_owned())
}

/// Returns the URL of an image, with this width in pixels if it is an image of the site that can be resized.
fn image_url(stored: &str, site: &Url, width: u32) -> String {
    let url = urls::to_served(stored, site).into_owned();
    Variant::url_of_width(&url, site.as_str(), width).unwrap_or(url)
}

/// Returns the latest published posts except this one.
fn latest_posts<'e>(
    snapshot: &'e SiteSnapshot,
    post: &Post,
    routes: &BoundRoutes,
    site: &Url,
) -> Vec<OtherPost<'e>> {
    let base = site.as_str().trim_end_matches('/');
    let small = |stored: &str| image_url(stored, site, SMALL_IMAGE_WIDTH);
    snapshot
        .catalog
        .posts
        .listed(PostKind::Post)
        .iter()
        .filter(|other| other.id != post.id)
        .filter_map(|other| {
            let excerpt = other.shown_excerpt().filter(|text| !text.is_empty());
            Some(OtherPost {
                title: &other.title,
                url: format!("{base}{}", routes.post_path(other)?),
                excerpt: excerpt.map(|text| plaintext::beginning(text, EXCERPT_CHARACTERS_MAX)),
                image: other.feature_image.as_deref().map(small),
            })
        })
        .take(LATEST_POSTS_MAX)
        .collect()
}

/// The values of a newsletter's design, by name.
struct DesignValues {
    values: Vec<(&'static str, Value)>,
    header_image: Option<String>,
}

impl DesignValues {
    fn of(newsletter: &Newsletter, served: impl Fn(&str) -> String) -> Self {
        let chosen = |choice: &DesignChoice| Some((choice.name, newsletter.chosen(choice.name)?));
        let values: Vec<(&str, Value)> = DESIGN.iter().filter_map(chosen).collect();
        let mut chosen = Self {
            values,
            header_image: None,
        };
        chosen.header_image = chosen.text("header_image").map(served);
        chosen
    }

    fn value(&self, name: &str) -> Option<&Value> {
        let found = self.values.iter().find(|(own, _)| *own == name);
        found.map(|(_, value)| value)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.value(name)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    }

    fn is_on(&self, name: &str) -> bool {
        self.value(name) == Some(&Value::Bool(true))
    }

    /// Comments and feedback are not supported, so these parts are never shown.
    fn design<'a>(&'a self, accent: Option<&'a str>) -> Design<'a> {
        let is = |name: &str, word: &str| self.text(name) == Some(word);
        Design {
            accent,
            background: self.text("background_color"),
            header_background: self.text("header_background_color"),
            title_color: self.text("post_title_color"),
            heading_color: self.text("section_title_color"),
            divider_color: self.text("divider_color"),
            button_color: self.text("button_color"),
            link_color: self.text("link_color"),
            links: match self.text("link_style") {
                Some("regular") => LinkStyle::Regular,
                Some("bold") => LinkStyle::Bold,
                _ => LinkStyle::Underline,
            },
            buttons: match self.text("button_corners") {
                Some("square") => Corners::Square,
                Some("pill") => Corners::Pill,
                _ => Corners::Rounded,
            },
            has_outlined_buttons: is("button_style", "outline"),
            has_rounded_images: is("image_corners", "rounded"),
            has_serif_titles: is("title_font_category", "serif"),
            has_serif_text: is("body_font_category", "serif"),
            title_weight: match self.text("title_font_weight") {
                Some("normal") => "400",
                Some("medium") => "500",
                Some("semibold") => "600",
                _ => "700",
            },
            alignment: match self.text("title_alignment") {
                Some("left") => Alignment::Left,
                _ => Alignment::Center,
            },
            header_image: self.header_image.as_deref(),
            shows_icon: self.is_on("show_header_icon"),
            shows_site: self.is_on("show_header_title"),
            shows_newsletter: self.is_on("show_header_name"),
            shows_title: self.is_on("show_post_title_section"),
            shows_excerpt: self.is_on("show_excerpt"),
            shows_feature_image: self.is_on("show_feature_image"),
            shows_share: self.is_on("show_share_button"),
            shows_others: self.is_on("show_latest_posts"),
            shows_subscription: self.is_on("show_subscription_details"),
            shows_badge: self.is_on("show_badge"),
            footer: self.text("footer_content"),
        }
    }
}

/// Returns the name of a message's sender: that of the newsletter, or else the title of the site.
pub fn sender_name(newsletter: &Newsletter, title: &str) -> String {
    let name = newsletter.chosen("sender_name");
    let name = name.as_ref().and_then(Value::as_str);
    let name = name.filter(|name| !name.is_empty());
    name.unwrap_or(title).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_authors_are_named_and_more_are_counted() {
        for (authors, line) in [
            (&[][..], ""),
            (&["Ada"], "Ada"),
            (&["Ada", "Ben"], "Ada & Ben"),
            (&["Ada", "Ben", "Cy"], "Ada & 2 others"),
            (&["Ada", "Ben", "Cy", "Di"], "Ada & 3 others"),
        ] {
            assert_eq!(byline(authors, ReaderTexts::default()), line);
        }
    }
}
