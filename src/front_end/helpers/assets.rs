//! The URLs of files that a theme brings: `asset`.

use super::{HelperRow, coercion::spelled};
use crate::{
    front_end::PageState,
    templates::{Call, RenderError, Value},
};

/// The rows of this family.
pub const HELPERS: &[HelperRow] = &[HelperRow::inline("asset", asset)];

/// Writes the path of an asset, with the sum of the file, by which browsers notice changes.
fn asset(call: &mut Call<PageState>) -> Result<Value, RenderError> {
    let path = call.argument(0);
    if !path.is_true() {
        return Err(call.error("{{asset}} needs a path"));
    }
    let mut path = spelled(&path);
    if path.ends_with("favicon.ico") || path.ends_with("favicon.png") {
        return Ok(Value::html(icon(call)));
    }
    let is_minified = call.option("hasMinFile").is_some_and(Value::is_true);
    if let Some((stem, extension)) = path.rsplit_once('.').filter(|_| is_minified) {
        path = format!("{stem}.min.{extension}");
    }
    let folder = if path.starts_with("public/") || path.starts_with("asset") { "" } else { "assets/" };
    let state = call.state();
    let (file, anchor) = path.split_once('#').map_or((path.as_str(), None), |(file, anchor)| (file, Some(anchor)));
    let sums = &state.theme.asset_sums;
    let sum = sums.get(file.strip_prefix("assets/").unwrap_or(file));
    let sum = sum.cloned().unwrap_or_else(|| sum_of_theme(state));
    let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
    let subdirectory = state.site_urls.subdirectory();
    let file = file.trim_start_matches('/');
    Ok(Value::html(format!("{subdirectory}/{folder}{file}?v={sum}{anchor}")))
}

/// Returns the sum for files that have none of their own.
fn sum_of_theme(state: &PageState) -> String {
    let theme = &state.theme;
    let version = theme.package.get("version").and_then(serde_json::Value::as_str);
    let text = format!("{} {} {}", env!("CARGO_PKG_VERSION"), theme.name, version.unwrap_or_default());
    format!("{:016x}", twox_hash::XxHash3_128::oneshot(text.as_bytes()) as u64)
}

/// Returns the URL of the site's icon, in the size for browsers.
fn icon(call: &Call<PageState>) -> String {
    let icon = call.data("site").get("icon");
    if icon.is_true() { icon.to_string() } else { call.state().site_urls.public_path("/favicon.ico") }
}
