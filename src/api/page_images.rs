//! The sizes of images, for the pages of themes.

use std::{
    collections::HashMap,
    fs::Metadata,
    os::unix::fs::MetadataExt,
    sync::{Arc, Mutex, PoisonError},
};

use super::files::FileRoots;
use crate::{
    front_end::ImageSizes,
    images::{ImageSize, Variant, shown_size},
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

/// Most images whose sizes are remembered; then all are forgotten.
const IMAGES_MAX: usize = 10_000;

/// The sizes of images by their paths, as long as their files do not change.
#[derive(Debug, Default)]
pub struct MeasuredImages(Mutex<HashMap<String, MeasuredImage>>);

/// A measured file.
#[derive(Clone, Copy, Debug)]
struct MeasuredImage {
    /// Device, inode, length and time of the last change, in nanoseconds.
    version: (u64, u64, u64, i64, i64),
    size: Option<(u32, u32)>,
}

/// The images that one page may measure.
pub struct PageImages {
    /// The folders of files.
    pub files: FileRoots,
    /// The site.
    pub snapshot: Arc<SiteSnapshot>,
    /// Its URLs.
    pub site_urls: SiteUrls,
    /// The sizes that are known.
    pub measured: Arc<MeasuredImages>,
}

impl ImageSizes for PageImages {
    fn size(&self, url: &str) -> Option<(u32, u32)> {
        let path = url
            .strip_prefix(self.site_urls.base())?
            .strip_prefix("/content/")?;
        let Some(variant) = Variant::of(path) else {
            return self.measure(path);
        };
        let (width, height) = self.measure(&format!("images/{}", variant.original))?;
        let fitted = ImageSize::named(variant.size)?.fit(width, height);
        Some((fitted.width, fitted.height))
    }
}

impl PageImages {
    fn measure(&self, path: &str) -> Option<(u32, u32)> {
        if !path.starts_with("images/") {
            return None;
        }
        let file = self.files.open(path, &self.snapshot.catalog)?;
        let version = version(&file.metadata().ok()?);
        if let Some(size) = self.measured.get(path, version) {
            return size;
        }
        let size = shown_size(&file);
        self.measured.put(path, MeasuredImage { version, size });
        size
    }
}

impl MeasuredImages {
    fn get(&self, path: &str, version: (u64, u64, u64, i64, i64)) -> Option<Option<(u32, u32)>> {
        let images = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let measured = images
            .get(path)
            .filter(|measured| measured.version == version)?;
        Some(measured.size)
    }

    fn put(&self, path: &str, measured: MeasuredImage) {
        let mut images = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if images.len() >= IMAGES_MAX {
            images.clear();
        }
        images.insert(path.to_owned(), measured);
    }
}

fn version(metadata: &Metadata) -> (u64, u64, u64, i64, i64) {
    (
        metadata.dev(),
        metadata.ino(),
        metadata.len(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    )
}
