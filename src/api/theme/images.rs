//! The sizes of the site's images, for the head of its pages.

use std::{fs::File, io::Read, os::unix::fs::MetadataExt, sync::Arc};

use papaya::HashMap;

use crate::{
    api::files::FileRoots,
    front_end::ImageSizes,
    images::Header,
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

/// Largest image that is measured, in bytes.
const BYTES_MAX: u64 = 32 << 20;

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
        let file = self.files.open(path, &self.snapshot.catalog)?;
        let metadata = file.metadata().ok()?;
        let version = (metadata.ino(), metadata.len(), metadata.mtime(), metadata.mtime_nsec());
        let measured = self.measured.0.pin();
        if let Some((known, size)) = measured.get(path)
            && *known == version
        {
            return *size;
        }
        let size = measure(file);
        if measured.len() >= REMEMBERED_MAX {
            measured.clear();
        }
        measured.insert(path.to_owned(), (version, size));
        size
    }
}

fn measure(file: File) -> Option<(u32, u32)> {
    let mut content = Vec::new();
    file.take(BYTES_MAX + 1).read_to_end(&mut content).ok()?;
    if content.len() as u64 > BYTES_MAX {
        return None;
    }
    let header = Header::read(&content).ok()?;
    Some((header.width, header.height))
}
