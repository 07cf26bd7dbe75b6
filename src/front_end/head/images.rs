//! The images that describe a page, with their sizes.

use super::{
    icon::{DEFAULT_ICON_SIZE, default_icon_url, own_icon_url},
    page::{Page, text},
};
use crate::templates::Value;

/// The widest image for networks, in pixels; a wider one is replaced by its copy of this width.
const WIDTH_MAX: u32 = 1200;

/// The width and the height of a square logo that is larger.
const LOGO_SIDE: u32 = 60;

/// The largest logo whose size is given.
const LOGO_MAX: (u32, u32) = (600, 60);

/// An image: its URL, and its width and height if they are known.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SizedImage {
    pub url: String,
    pub size: Option<(u32, u32)>,
}

/// The images of a page.
pub(super) struct PageImages {
    /// The image of the record, or the cover of the site or author.
    pub cover: Option<SizedImage>,
    /// The profile image of the first author.
    pub author: Option<SizedImage>,
    /// The image for Open Graph.
    pub open_graph: Option<SizedImage>,
    /// The image for X.
    pub twitter: Option<SizedImage>,
    /// The logo of the site, or its icon.
    pub logo: SizedImage,
}

impl PageImages {
    /// Returns the images of a page.
    pub fn of(page: &Page) -> Self {
        let mut measured: Vec<(String, SizedImage)> = Vec::new();
        // Most pages name the same image for all of them.
        let mut sized = |url: Option<String>| {
            let url = url?;
            if let Some((_, image)) = measured.iter().find(|(own, _)| *own == url) {
                return Some(image.clone());
            }
            let image = sized(page, url.clone());
            measured.push((url, image.clone()));
            Some(image)
        };
        Self {
            cover: sized(cover(page)),
            author: sized(text(&page.primary_author().get("profile_image"))),
            open_graph: sized(shared(page, "og_image")),
            twitter: sized(shared(page, "twitter_image")),
            logo: logo(page),
        }
    }
}

/// Returns the URL of the cover.
fn cover(page: &Page) -> Option<String> {
    let property = if page.is("home") || page.is("author") {
        "cover_image"
    } else {
        "feature_image"
    };
    text(&page.record().get(property))
}

/// Returns the URL of the image for a network; `property` is its own one of records and of the site.
fn shared(page: &Page, property: &str) -> Option<String> {
    let record = page.record();
    let own = |record: &Value| {
        [property, "feature_image"]
            .into_iter()
            .find_map(|name| text(&record.get(name)))
    };
    let of_site = || page.url_setting("cover_image");
    if page.is("home") {
        page.url_setting(property).or_else(of_site)
    } else if page.is_entry() {
        own(&record)
            .or_else(|| page.url_setting(property))
            .or_else(of_site)
    } else if page.is("author") {
        text(&record.get("cover_image"))
    } else if page.is("tag") {
        own(&record).or_else(of_site)
    } else {
        None
    }
}

/// Returns an image with its size, or its smaller copy if it is wide.
fn sized(page: &Page, url: String) -> SizedImage {
    match page.state.images.size(&url) {
        Some((width, height)) if width > WIDTH_MAX => {
            let height = f64::from(WIDTH_MAX) * (f64::from(height) / f64::from(width));
            let folder = format!("/content/images/size/w{WIDTH_MAX}/");
            SizedImage {
                url: url.replacen("/content/images/", &folder, 1),
                size: Some((WIDTH_MAX, height.round() as u32)),
            }
        }
        size => SizedImage { url, size },
    }
}

/// Returns the logo of the site, else its icon. Only small and square ones have a size.
fn logo(page: &Page) -> SizedImage {
    let own = page
        .url_setting("logo")
        .or_else(|| own_icon_url(page.state));
    let (url, size) = match own {
        Some(url) => (url.clone(), page.state.images.size(&url)),
        None => (default_icon_url(page.state), Some(DEFAULT_ICON_SIZE)),
    };
    let size = size.and_then(|(width, height)| match () {
        () if width <= LOGO_MAX.0 && height <= LOGO_MAX.1 => Some((width, height)),
        () if width == height => Some((LOGO_SIDE, LOGO_SIDE)),
        () => None,
    });
    SizedImage { url, size }
}
