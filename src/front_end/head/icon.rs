//! The icon of the site.

use crate::front_end::PageState;

/// The path of the default icon, for sites that do not set one.
const DEFAULT_ICON: &str = "/favicon.ico";

/// The size of the default icon, in pixels.
pub(super) const DEFAULT_ICON_SIZE: (u32, u32) = (48, 48);

/// The images folder in URLs.
const IMAGES: &str = "/content/images/";

/// Returns the absolute URL of the site's icon, in a small size and in a format that all browsers support. Without an icon,
/// returns the path of the default icon, including the subdirectory of the site.
pub fn icon_url(state: &PageState) -> String {
    own_icon_url(state).unwrap_or_else(|| state.site_urls.public_path(DEFAULT_ICON))
}

/// Returns the absolute URL of the default icon.
pub(super) fn default_icon_url(state: &PageState) -> String {
    format!("{}{DEFAULT_ICON}", state.site_urls.base())
}

/// Returns the URL of the icon that the site has set.
pub(super) fn own_icon_url(state: &PageState) -> Option<String> {
    let icon = state.snapshot.catalog.settings.text("icon")?;
    let icon = state.site_urls.absolute(&icon);
    let extension = icon
        .rsplit('/')
        .next()
        .and_then(|name| name.rsplit_once('.'))
        .map(|(_, extension)| extension);
    let extension = extension.unwrap_or_default().to_ascii_lowercase();
    let format = icon_format(&icon);
    Some(match extension.as_str() {
        "ico" => icon.into_owned(),
        // The format is left out of the URL if the file has it already. Icons in WebP or SVG are
        // converted, since not all browsers show them.
        extension if extension == format => {
            icon.replacen(IMAGES, "/content/images/size/w256h256/", 1)
        }
        _ => icon.replacen(
            IMAGES,
            &format!("/content/images/size/w256h256/format/{format}/"),
            1,
        ),
    })
}

/// Returns the media type of an icon.
pub(super) fn icon_type(url: &str) -> &'static str {
    match icon_format(url) {
        "ico" => "image/x-icon",
        "jpeg" => "image/jpeg",
        _ => "image/png",
    }
}

/// Returns the format in which an icon is served.
fn icon_format(url: &str) -> &'static str {
    let url = url.to_ascii_lowercase();
    match url.rsplit_once('.').map(|(_, extension)| extension) {
        Some("ico") => "ico",
        Some("jpg" | "jpeg") => "jpeg",
        _ => "png",
    }
}
