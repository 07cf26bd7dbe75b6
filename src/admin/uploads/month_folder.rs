//! The folders of uploads by month.

use crate::site::Site;

/// Returns the folder of the current month for a kind of files, in the site's time zone:
/// `images/2026/11`.
pub(super) fn folder_of_month(site: &Site, kind: &str) -> String {
    let settings = &site.current().catalog.settings;
    let now = site.now().to_zoned(settings.time_zone());
    format!("{kind}/{}", now.strftime("%Y/%m"))
}
