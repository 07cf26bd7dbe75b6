//! The sizes in which images are served. Images in other sizes are never created, so that clients cannot
//! fill the disk.

use std::path::Path;

use crate::{domain::theme::image_widths, images::ImageSize, site::SiteSnapshot, themes::Theme};

/// Widths that the editor writes into `srcset`, independent of the theme (Ghost 6.65).
const EDITOR_WIDTHS: [u32; 4] = [600, 1000, 1600, 2400];

/// Widths of images in e-mails (Ghost 6.65).
const EMAIL_WIDTHS: [u32; 2] = [200, 1200];

/// The size of the site's icon in `/site/` and the settings (Ghost 6.65, recorded).
const ICON_SIZE: ImageSize = ImageSize::of_both(256, 256);

/// Returns the sizes in which images of the site may be requested: the sizes for posts, e-mails and
/// icons, those of the active theme, and those of the theme in `folder`, if it is used instead.
pub fn image_sizes(snapshot: &SiteSnapshot, folder: Option<&Path>) -> Vec<ImageSize> {
    let of_active = snapshot.catalog.image_widths.iter().copied();
    // A theme in a folder is being edited, so its package is read each time.
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
