//! The sizes that images are served in. No others are made, so that clients cannot fill the disk.

use crate::{images::ImageSize, site::SiteSnapshot};

/// Widths that the editor writes into `srcset`, whatever the theme (Ghost 6.65).
const EDITOR_WIDTHS: [u32; 4] = [600, 1000, 1600, 2400];

/// Widths of images in e-mails (Ghost 6.65).
const EMAIL_WIDTHS: [u32; 2] = [200, 1200];

/// The site's icon, as `/site/` and the settings name it (Ghost 6.65, recorded).
const ICON_SIZE: ImageSize = ImageSize::of_both(256, 256);

/// Returns the sizes in which images of the site may be requested: those of posts, e-mails and
/// icons, and those that the active theme names.
pub fn image_sizes(snapshot: &SiteSnapshot) -> Vec<ImageSize> {
    let of_theme = snapshot.catalog.image_widths.iter();
    let widths = EDITOR_WIDTHS.iter().chain(&EMAIL_WIDTHS).chain(of_theme);
    let mut sizes: Vec<ImageSize> = widths.copied().map(ImageSize::of_width).collect();
    sizes.push(ICON_SIZE);
    sizes
}
