//! Responsive images.
//!
//! The server resizes the site's own images on request, and so does Unsplash. Browsers choose one
//! of the widths in `srcset`.

use std::borrow::Cow;

use url::{Url, form_urlencoded};

use super::CardFailure;
use crate::render::{
    html_escape::push_attribute,
    lexical::{
        json::Value,
        properties::{as_number, as_text, float_as_text, is_truthy},
    },
    urls::placeholder::PLACEHOLDER,
};

/// The widths that are offered, in pixels.
const WIDTHS: [u16; 4] = [600, 1000, 1600, 2400];

/// The largest width at which the site's own images are shown, in pixels.
const DISPLAY_WIDTH_MAX: f64 = 2000.0;

/// The path of images on this site and other Ghost sites.
const FOLDER: &str = "/content/images/";

/// Extensions of images that have no fixed size or are not resized.
const FIXED_EXTENSIONS: [&str; 3] = [".svg", ".svgz", ".ico"];

/// The `sizes` of an image as wide as the text.
pub(super) const REGULAR_SIZES: &str = " sizes=\"(min-width: 720px) 720px\"";

/// The `sizes` of an image wider than the text.
pub(super) const WIDE_SIZES: &str = " sizes=\"(min-width: 1200px) 1200px\"";

/// An image of a card.
pub(super) struct ResponsiveImage<'a> {
    src: &'a str,
    /// The width in pixels, as a number or a string.
    width: &'a Value<'a>,
    /// `width` as a number, if it can be converted.
    pixels: Option<f64>,
    source: ResponsiveSource,
}

/// The source of resized versions of an image.
enum ResponsiveSource {
    /// This site. The size is inserted after the image folder, which ends at this byte offset of
    /// the URL.
    Own {
        folder_end: usize,
    },
    /// Unsplash.
    Unsplash,
    None,
}

impl<'a> ResponsiveImage<'a> {
    /// Returns the image at `src` on the site with the URL `site`.
    pub(super) fn new(src: &'a str, width: &'a Value<'a>, site: &Url) -> Self {
        let source = match folder_end(src, site) {
            Some(folder_end) if !FIXED_EXTENSIONS.contains(&extension(src)) => {
                ResponsiveSource::Own { folder_end }
            }
            None if src.contains("images.unsplash.com") => ResponsiveSource::Unsplash,
            _ => ResponsiveSource::None,
        };
        Self {
            src,
            width,
            pixels: as_number(width),
            source,
        }
    }

    /// Returns whether the image is known to be at least `pixels` wide.
    pub(super) fn is_at_least(&self, pixels: f64) -> bool {
        self.pixels.is_some_and(|own| own >= pixels)
    }

    /// Appends `width` and `height` attributes, if both are known. The site's own images are shown
    /// at most [`DISPLAY_WIDTH_MAX`] wide.
    pub(super) fn push_dimensions(&self, html: &mut String, height: &Value) {
        let is_own = matches!(self.source, ResponsiveSource::Own { .. });
        if let Some(pixels) = self.pixels.filter(|own| is_own && *own > DISPLAY_WIDTH_MAX) {
            let height = as_number(height).unwrap_or(f64::NAN);
            // Rounded as by JavaScript's `Math.round` (recorded: `image/resize-rounding`). An
            // unknown height is `NaN`.
            let shown = (DISPLAY_WIDTH_MAX / (pixels / height) + 0.5).floor();
            push_attribute(html, "width", &float_as_text(DISPLAY_WIDTH_MAX));
            push_attribute(html, "height", &float_as_text(shown));
        } else if is_truthy(self.width) && is_truthy(height) {
            push_attribute(html, "width", &as_text(self.width));
            push_attribute(html, "height", &as_text(height));
        }
    }

    /// Appends a `srcset` attribute if there are resized versions; returns whether it did.
    ///
    /// # Errors
    ///
    /// If the URL refers to Unsplash but is not absolute.
    pub(super) fn push_srcset(&self, html: &mut String) -> Result<bool, CardFailure> {
        let srcset = self.srcset()?;
        if let Some(srcset) = &srcset {
            push_attribute(html, "srcset", srcset);
        }
        Ok(srcset.is_some())
    }

    /// Returns the value of the `srcset` attribute, if there are resized versions.
    ///
    /// # Errors
    ///
    /// If the URL refers to Unsplash but is not absolute.
    pub(super) fn srcset(&self) -> Result<Option<String>, CardFailure> {
        let Some(pixels) = self.pixels else {
            return Ok(None);
        };
        let offered = WIDTHS.iter().filter(|width| f64::from(**width) <= pixels);
        let widest = offered.clone().next_back().copied();
        let Some(widest) = widest.map(f64::from) else {
            return Ok(None);
        };
        let unsplash = match self.source {
            ResponsiveSource::None => return Ok(None),
            ResponsiveSource::Own { .. } => None,
            ResponsiveSource::Unsplash => Some(Url::parse(self.src).map_err(|error| {
                CardFailure(format!("the URL of the image is invalid: {error}"))
            })?),
        };
        let mut srcset = String::new();
        // An image between two offered widths is offered in its own width, too, but not beyond the
        // largest (recorded: `image/srcset-local-601`, `image/srcset-local-2401`).
        let own = (pixels > widest && pixels < f64::from(WIDTHS[WIDTHS.len() - 1])).then_some(None);
        for width in offered.map(Some).chain(own) {
            if !srcset.is_empty() {
                srcset.push_str(", ");
            }
            let text = match width {
                Some(width) => Cow::Owned(width.to_string()),
                None => as_text(self.width),
            };
            // A width that is stored as a string never equals a number, as with `===` in
            // JavaScript.
            let is_own = width.is_none_or(|width| self.width.as_f64() == Some(f64::from(*width)));
            self.push_version(&mut srcset, &text, is_own, unsplash.as_ref());
            srcset.push(' ');
            srcset.push_str(&text);
            srcset.push('w');
        }
        Ok(Some(srcset))
    }

    /// Appends the URL of the image in this width, which is that of the image itself if `is_own`.
    fn push_version(&self, srcset: &mut String, width: &str, is_own: bool, unsplash: Option<&Url>) {
        match (&self.source, unsplash) {
            (_, Some(url)) => srcset.push_str(with_width(url.clone(), width).as_str()),
            (ResponsiveSource::Own { folder_end }, None) if !is_own => {
                srcset.push_str(&self.src[..*folder_end]);
                srcset.push_str("size/w");
                srcset.push_str(width);
                srcset.push('/');
                srcset.push_str(&self.src[*folder_end..]);
            }
            _ => srcset.push_str(self.src),
        }
    }
}

/// Returns the URL with the query parameter `w`, in place of the first one of that name.
fn with_width(mut url: Url, width: &str) -> Url {
    let mut query = form_urlencoded::Serializer::new(String::new());
    let mut is_set = false;
    // As `URLSearchParams.set` does: the first `w` is replaced and further ones are dropped.
    for (name, value) in url.query_pairs() {
        if name != "w" {
            query.append_pair(&name, &value);
        } else if !std::mem::replace(&mut is_set, true) {
            query.append_pair("w", width);
        }
    }
    if !is_set {
        query.append_pair("w", width);
    }
    url.set_query(Some(&query.finish()));
    url
}

/// Returns the byte offset in `src` at which the image folder ends; `None` if `src` is not a URL of
/// this site. URLs of this site begin with its URL or with its placeholder, or are paths.
fn folder_end(src: &str, site: &Url) -> Option<usize> {
    let site = site.as_str().trim_end_matches('/');
    let path = src.strip_prefix(site).unwrap_or(src);
    // `https://site.example.org` begins with `https://site.example`, but no slash follows.
    let start = if path.starts_with('/') {
        // Ghost matches with a regular expression whose dot stops at line terminators and is
        // greedy: the last folder in the first line counts (recorded:
        // `image/src-subfolder-in-path`).
        let line = path.split(['\n', '\r', '\u{2028}', '\u{2029}']).next()?;
        line.rfind(FOLDER)?
    } else {
        path.strip_prefix(PLACEHOLDER)?.strip_prefix(FOLDER)?;
        PLACEHOLDER.len()
    };
    Some(src.len() - path.len() + start + FOLDER.len())
}

/// Returns the extension of the last segment of a path, including its dot. A dot at the beginning
/// of the segment does not start an extension.
fn extension(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or_default();
    // The case of an extension matters: `.SVG` is offered in several sizes (recorded:
    // `image/extension-svg-uppercase`).
    match name.rfind('.') {
        None | Some(0) => "",
        Some(dot) => &name[dot..],
    }
}
