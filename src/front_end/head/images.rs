//! The images that represent a page, with their sizes.

use super::{
    icon::{DEFAULT_ICON_SIZE, default_icon_url, own_icon_url},
    page::{Page, text},
};
use crate::templates::Value;

/// Maximum width of an image for social networks, in pixels. A wider image is replaced by its copy
/// with this width.
const WIDTH_MAX: u32 = 1200;

/// The side length given for a square logo that exceeds [`LOGO_MAX`], in pixels.
const LOGO_SIDE: u32 = 60;

/// Maximum width and height of a logo whose actual size is given, in pixels.
const LOGO_MAX: (u32, u32) = (600, 60);

/// The URL of an image, and its width and height in pixels if they are known.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SizedImage {
    pub url: String,
    pub size: Option<(u32, u32)>,
}

/// The images of a page.
pub(super) struct PageImages {
    /// The feature image of the record, or the cover image of the site or author.
    pub cover: Option<SizedImage>,
    /// The profile image of the first author.
    pub author: Option<SizedImage>,
    /// The image for Open Graph.
    pub open_graph: Option<SizedImage>,
    /// The image for X.
    pub twitter: Option<SizedImage>,
    /// The logo of the site, else its icon.
    pub logo: SizedImage,
}

impl PageImages {
    /// Returns the images of a page.
    pub fn of(page: &Page) -> Self {
        let mut measured: Vec<(String, SizedImage)> = Vec::new();
        // Most pages use the same image for several purposes.
        let mut sized = |url: Option<String>| {
            let url = url?;
            if let Some((_, image)) = measured.iter().find(|(own, _)| *own == url) {
                return Some(image.clone());
            }
            let image = sized(page, url.clone());
            // Measuring an image reads the beginning of its file.
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

/// Returns the URL of the image for a social network; `property` contains the image for that
/// network in records and settings.
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

/// Returns an image with its size or, if it is too wide, its smaller copy.
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

/// Returns the logo of the site, else its icon. The size is given only for a small or square image.
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
