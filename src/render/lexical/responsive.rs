//! Pictures in several sizes.
//!
//! The server makes smaller versions of the site's own pictures when they are asked for, and so does
//! Unsplash. Browsers choose by the widths in `srcset`.

use std::borrow::Cow;

use super::json::Value;
use url::{Url, form_urlencoded};

use super::cards::CardFailure;
use super::properties::{as_number, as_text, float_as_text, is_truthy};
use crate::render::html_escape::push_attribute;
use crate::render::urls::PLACEHOLDER;

/// The widths that are offered, in pixels.
const WIDTHS: [u16; 4] = [600, 1000, 1600, 2400];

/// The width at which the site's own pictures are shown at most, in pixels.
const SHOWN_WIDTH_MAX: f64 = 2000.0;

/// Where pictures lie on this site and on any other of its kind.
const FOLDER: &str = "/content/images/";

/// Endings of pictures that have no size or are not resized.
const FIXED_EXTENSIONS: [&str; 3] = [".svg", ".svgz", ".ico"];

/// The `sizes` of a picture as wide as the text.
pub(super) const REGULAR_SIZES: &str = " sizes=\"(min-width: 720px) 720px\"";

/// The `sizes` of a picture wider than the text.
pub(super) const WIDE_SIZES: &str = " sizes=\"(min-width: 1200px) 1200px\"";

/// A picture of a card.
pub(super) struct Picture<'a> {
    src: &'a str,
    /// How wide it is: pixels, as a number or in a text.
    width: &'a Value<'a>,
    /// `width` as a number; none if it is not one.
    pixels: Option<f64>,
    source: Source,
}

/// Where smaller versions of a picture are to be had.
enum Source {
    /// On this site, by naming the size behind the picture folder, which ends at this byte.
    Own {
        folder_end: usize,
    },
    /// On Unsplash.
    Unsplash,
    None,
}

impl<'a> Picture<'a> {
    /// The picture at `src` on the site with the address `site`.
    pub(super) fn new(src: &'a str, width: &'a Value<'a>, site: &Url) -> Self {
        let source = match folder_end(src, site) {
            Some(folder_end) if !FIXED_EXTENSIONS.contains(&extension(src)) => {
                Source::Own { folder_end }
            }
            None if src.contains("images.unsplash.com") => Source::Unsplash,
            _ => Source::None,
        };
        Self {
            src,
            width,
            pixels: as_number(width),
            source,
        }
    }

    /// Whether it is so many pixels wide.
    pub(super) fn is_at_least(&self, pixels: f64) -> bool {
        self.pixels.is_some_and(|own| own >= pixels)
    }

    /// Appends `width` and `height` attributes, if both are known. A large picture of the site is
    /// shown smaller than it is.
    pub(super) fn push_dimensions(&self, html: &mut String, height: &Value) {
        let is_own = matches!(self.source, Source::Own { .. });
        if let Some(pixels) = self.pixels.filter(|own| is_own && *own > SHOWN_WIDTH_MAX) {
            let height = as_number(height).unwrap_or(f64::NAN);
            let shown = (SHOWN_WIDTH_MAX / (pixels / height) + 0.5).floor();
            push_attribute(html, "width", &float_as_text(SHOWN_WIDTH_MAX));
            push_attribute(html, "height", &float_as_text(shown));
        } else if is_truthy(self.width) && is_truthy(height) {
            push_attribute(html, "width", &as_text(self.width));
            push_attribute(html, "height", &as_text(height));
        }
    }

    /// Appends a `srcset` attribute if smaller versions are to be had, and returns whether it did.
    ///
    /// # Errors
    ///
    /// When the address names Unsplash but is not absolute.
    pub(super) fn push_srcset(&self, html: &mut String) -> Result<bool, CardFailure> {
        let srcset = self.srcset()?;
        if let Some(srcset) = &srcset {
            push_attribute(html, "srcset", srcset);
        }
        Ok(srcset.is_some())
    }

    /// The value of the `srcset` attribute, if smaller versions are to be had.
    ///
    /// # Errors
    ///
    /// When the address names Unsplash but is not absolute.
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
            Source::None => return Ok(None),
            Source::Own { .. } => None,
            Source::Unsplash => Some(Url::parse(self.src).map_err(|error| {
                CardFailure(format!("the address of the picture is not one: {error}"))
            })?),
        };
        let mut srcset = String::new();
        let own = (pixels > widest && pixels < f64::from(WIDTHS[WIDTHS.len() - 1])).then_some(None);
        for width in offered.map(Some).chain(own) {
            if !srcset.is_empty() {
                srcset.push_str(", ");
            }
            let text = match width {
                Some(width) => Cow::Owned(width.to_string()),
                None => as_text(self.width),
            };
            let is_own = width.is_none_or(|width| self.width.as_f64() == Some(f64::from(*width)));
            self.push_version(&mut srcset, &text, is_own, unsplash.as_ref());
            srcset.push(' ');
            srcset.push_str(&text);
            srcset.push('w');
        }
        Ok(Some(srcset))
    }

    /// Appends the address of this picture so many pixels wide.
    fn push_version(&self, srcset: &mut String, width: &str, is_own: bool, unsplash: Option<&Url>) {
        match (&self.source, unsplash) {
            (_, Some(address)) => srcset.push_str(with_width(address.clone(), width).as_str()),
            (Source::Own { folder_end }, None) if !is_own => {
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

/// The address with `w=…` in its query, in place of the first that is there.
fn with_width(mut address: Url, width: &str) -> Url {
    let mut query = form_urlencoded::Serializer::new(String::new());
    let mut is_told = false;
    for (name, value) in address.query_pairs() {
        if name != "w" {
            query.append_pair(&name, &value);
        } else if !std::mem::replace(&mut is_told, true) {
            query.append_pair("w", width);
        }
    }
    if !is_told {
        query.append_pair("w", width);
    }
    address.set_query(Some(&query.finish()));
    address
}

/// Where the picture folder ends in `src`, if that is an address on this site: one with the site's
/// own beginning, with the placeholder of it, or a path.
fn folder_end(src: &str, site: &Url) -> Option<usize> {
    let site = site.as_str().trim_end_matches('/');
    let path = src.strip_prefix(site).unwrap_or(src);
    let start = if path.starts_with('/') {
        let line = path.split(['\n', '\r', '\u{2028}', '\u{2029}']).next()?;
        line.rfind(FOLDER)?
    } else {
        path.strip_prefix(PLACEHOLDER)?.strip_prefix(FOLDER)?;
        PLACEHOLDER.len()
    };
    Some(src.len() - path.len() + start + FOLDER.len())
}

/// The ending of the last name in a path, with its dot; none of a name that begins with its only
/// dot.
fn extension(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rfind('.') {
        None | Some(0) => "",
        Some(dot) => &name[dot..],
    }
}
