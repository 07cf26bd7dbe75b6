//! The dimensions of the site's images, for the `head` of its pages.

use std::sync::Arc;

use crate::{
    api::files::FileRoots,
    front_end::ImageSizes,
    images::{ImageSize, Variant, shown_size},
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

/// The images of a site at one commit. Only the first bytes of a file are read.
pub(super) struct SiteImages {
    pub snapshot: Arc<SiteSnapshot>,
    pub site_urls: SiteUrls,
    pub files: FileRoots,
}

impl ImageSizes for SiteImages {
    fn size(&self, url: &str) -> Option<(u32, u32)> {
        let path = url
            .strip_prefix(self.site_urls.base())?
            .strip_prefix("/content/")?;
        let path = path.split(['?', '#']).next()?;
        let Some(variant) = Variant::of(path) else {
            return self.measured(path);
        };
        let (width, height) = self.measured(&format!("images/{}", variant.original))?;
        let fitted = ImageSize::named(variant.size)?.fit(width, height);
        Some((fitted.width, fitted.height))
    }
}

impl SiteImages {
    /// Returns the dimensions of the original image at a path below `/content/`, in pixels.
    fn measured(&self, path: &str) -> Option<(u32, u32)> {
        shown_size(&self.files.open(path, &self.snapshot.catalog)?)
    }
}
