//! The sizes that pictures are served in. No others are made, so that nobody can fill the disk by asking.

use crate::{images::ImageSize, site::Edition};

/// Widths that the editor writes into `srcset`, whatever the theme (Ghost 6.65).
const OF_TEXTS: [u32; 4] = [600, 1000, 1600, 2400];

/// Widths of pictures in letters (Ghost 6.65).
const OF_LETTERS: [u32; 2] = [200, 1200];

/// The site's icon, as `/site/` and the settings name it (Ghost 6.65, recorded).
const OF_ICONS: ImageSize = ImageSize::of_both(256, 256);

/// Widths that Ghost's own theme names (Source 1.5, `image_sizes` in its `package.json`).
const OF_THEME: [u32; 6] = [160, 320, 600, 960, 1200, 2000];

/// The sizes that pictures of the site may be asked for in.
pub fn image_sizes(_edition: &Edition) -> Vec<ImageSize> {
    let widths = OF_TEXTS.iter().chain(&OF_LETTERS).chain(&OF_THEME);
    let mut sizes: Vec<ImageSize> = widths.copied().map(ImageSize::of_width).collect();
    sizes.push(OF_ICONS);
    sizes
}
