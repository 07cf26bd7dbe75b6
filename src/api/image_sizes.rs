//! The sizes that images are served in. No others are made, so that clients cannot fill the disk.

use std::path::Path;

use crate::{domain::theme::image_widths, images::ImageSize, site::SiteSnapshot, themes::Theme};

/// Widths that the editor writes into `srcset`, whatever the theme (Ghost 6.65).
const EDITOR_WIDTHS: [u32; 4] = [600, 1000, 1600, 2400];

/// Widths of images in e-mails (Ghost 6.65).
const EMAIL_WIDTHS: [u32; 2] = [200, 1200];

/// The site's icon, as `/site/` and the settings name it (Ghost 6.65, recorded).
const ICON_SIZE: ImageSize = ImageSize::of_both(256, 256);

/// Returns the sizes in which images of the site may be requested: those of posts, e-mails and
/// icons, and those that the active theme names, and the theme of `folder`, if that is used in its place.
pub fn image_sizes(snapshot: &SiteSnapshot, folder: Option<&Path>) -> Vec<ImageSize> {
    let of_active = snapshot.catalog.image_widths.iter().copied();
    let package = folder.and_then(|folder| Theme::in_folder(folder).package());
    let of_folder = package.map(|package| image_widths(&package));
    let widths = EDITOR_WIDTHS.into_iter().chain(EMAIL_WIDTHS);
    let widths = widths
        .chain(of_active)
        .chain(of_folder.into_iter().flatten());
    let mut sizes: Vec<ImageSize> = widths.map(ImageSize::of_width).collect();
    sizes.push(ICON_SIZE);
    sizes
}
