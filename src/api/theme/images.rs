//! The sizes of the site's images, for the head of its pages.

use std::{os::unix::fs::MetadataExt, sync::Arc};

use papaya::HashMap;

use crate::{
    api::files::FileRoots,
    front_end::ImageSizes,
    images::{ImageSize, Variant, shown_size},
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

/// Most images whose size is remembered; beyond that, all are measured again.
const REMEMBERED_MAX: usize = 20_000;

/// The version of a file: its inode, length and modification time.
type FileVersion = (u64, u64, i64, i64);

/// The sizes that were measured, by the path of the image: an image is read once, until its file is replaced.
#[derive(Default)]
pub struct MeasuredImages(HashMap<String, (FileVersion, Option<(u32, u32)>)>);

/// The images of a site at one commit.
pub(super) struct SiteImages {
    pub snapshot: Arc<SiteSnapshot>,
    pub site_urls: SiteUrls,
    pub files: FileRoots,
    pub measured: Arc<MeasuredImages>,
}

impl ImageSizes for SiteImages {
    fn size(&self, url: &str) -> Option<(u32, u32)> {
        let path = url.strip_prefix(self.site_urls.base())?.strip_prefix("/content/")?;
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
    /// Returns the size of the image at a path below `/content/`, measured now or before.
    fn measured(&self, path: &str) -> Option<(u32, u32)> {
        let file = self.files.open(path, &self.snapshot.catalog)?;
        let metadata = file.metadata().ok()?;
        let version = (metadata.ino(), metadata.len(), metadata.mtime(), metadata.mtime_nsec());
        let measured = self.measured.0.pin();
        if let Some((known, size)) = measured.get(path)
            && *known == version
        {
            return *size;
        }
        let size = shown_size(&file);
        if measured.len() >= REMEMBERED_MAX {
            measured.clear();
        }
        measured.insert(path.to_owned(), (version, size));
        size
    }
}
