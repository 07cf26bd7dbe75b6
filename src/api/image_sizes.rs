//! The sizes that pictures are served in. No others are made, so that nobody can fill the disk by asking.

use crate::{images::ImageSize, site::Edition};

/// Widths that the editor writes into `srcset`, whatever the theme (Ghost 6.65).
const OF_TEXTS: [u32; 4] = [600, 1000, 1600, 2400];

/// Widths of pictures in letters (Ghost 6.65).
const OF_LETTERS: [u32; 2] = [200, 1200];

/// The site's icon, as `/site/` and the settings name it (Ghost 6.65, recorded).
const OF_ICONS: ImageSize = ImageSize::of_both(256, 256);

/// The sizes that pictures of the site may be asked for in: those that texts, letters and icons have, and those that the
/// active theme names.
pub fn image_sizes(edition: &Edition) -> Vec<ImageSize> {
    let of_theme = edition.catalog.image_widths.iter();
    let widths = OF_TEXTS.iter().chain(&OF_LETTERS).chain(of_theme);
    let mut sizes: Vec<ImageSize> = widths.copied().map(ImageSize::of_width).collect();
    sizes.push(OF_ICONS);
    sizes
}
