//! The assets of the theme, the scripts and styles of `/public/` that pages load, and the icon of the site.

use std::collections::BTreeMap;

use super::{BuildError, folder::Folder, site_pages::SitePages};
use crate::{
    api::static_pages::{SiteIcon, StaticPages},
    themes::{self, ThemeFile},
};

/// The paths at which browsers and feed readers request the icon without a link to it.
pub const ICONS: [&str; 2] = ["/favicon.ico", "/favicon.png"];

/// The file from which scripts of pages read the numbers of comments.
const COMMENT_COUNTS: &str = "members/api/comments/counts/index.html";

/// The server's response to a request without posts.
const NO_COMMENT_COUNTS: &[u8] = b"{}";

/// The files that pages need, other than uploads.
pub struct SiteAssets<'a> {
    theme: &'a themes::Theme,
    /// The paths of the theme's assets below `assets/`.
    assets: Vec<String>,
    /// The other files, by path relative to the site.
    others: BTreeMap<String, Vec<u8>>,
}

impl<'a> SiteAssets<'a> {
    /// Collects the files for pages. All assets of the theme are included, because styles and scripts may refer to any of them.
    pub fn of(
        theme: &'a themes::Theme,
        pages: &StaticPages<'_>,
        site_pages: &SitePages<'_>,
    ) -> Self {
        let mut others = BTreeMap::new();
        if site_pages.features.has_comment_counts() {
            others.insert(COMMENT_COUNTS.to_owned(), NO_COMMENT_COUNTS.to_vec());
        }
        // Only files that pages load: a theme may replace all of them.
        for path in site_pages.links.below("/public/") {
            if let Some(file) = pages.public_file(path) {
                let content = file.content.into_owned().into_bytes();
                others.insert(format!("public/{path}"), content);
            }
        }
        if let SiteIcon::Default(icon) = pages.icon() {
            for path in ICONS {
                others.insert(path.trim_start_matches('/').to_owned(), icon.to_vec());
            }
        }
        Self {
            theme,
            assets: theme.asset_paths(),
            others,
        }
    }

    /// Returns the paths of the files, relative to the site.
    pub fn paths(&self) -> impl Iterator<Item = String> {
        let assets = self.assets.iter().map(|path| format!("assets/{path}"));
        assets.chain(self.others.keys().cloned())
    }

    /// Writes the files, and calls `advance` after each one. `below` prepends the path of the site.
    ///
    /// # Errors
    ///
    /// `Write`, and the errors of `advance`.
    pub fn write(
        &self,
        folder: &mut Folder,
        below: impl Fn(&str) -> String,
        advance: &mut dyn FnMut() -> Result<(), BuildError>,
    ) -> Result<(), BuildError> {
        for path in &self.assets {
            let target = below(&format!("assets/{path}"));
            match self.theme.asset(path) {
                Some(ThemeFile::BuiltIn(text)) => folder.put(&target, text.as_bytes())?,
                Some(ThemeFile::Open(file)) => drop(folder.put_file(&target, file, None)?),
                // The file was removed in the meantime.
                None => folder.release(&target),
            }
            advance()?;
        }
        for (path, content) in &self.others {
            folder.put(&below(path), content)?;
            advance()?;
        }
        Ok(())
    }
}
