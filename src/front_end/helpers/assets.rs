//! The helper for URLs of theme files: `asset`.

use super::HelperRow;
use crate::{
    front_end::{PageState, head::icon_url, public_files},
    templates::{Call, HelperResult, Value},
};

/// The helpers of this family.
pub const HELPERS: &[HelperRow] = &[HelperRow::inline("asset", asset)];

/// Writes the URL path of an asset with the checksum of the file, so that browsers fetch changed
/// files.
fn asset(call: &mut Call<PageState>) -> HelperResult {
    let path = call.argument(0);
    if !path.is_true() {
        return Err(call.error("{{asset}} needs a path"));
    }
    let (Value::Text(path) | Value::Html(path)) = &path else {
        return Err(call.error("{{asset}} needs a string as its path"));
    };
    let mut path = path.to_string();
    if path.ends_with("favicon.ico") || path.ends_with("favicon.png") {
        return Ok(Value::html(icon_url(call.state())));
    }
    let is_minified = call.option("hasMinFile").is_some_and(Value::is_true);
    if let Some((stem, extension)) = path.rsplit_once('.').filter(|_| is_minified) {
        path = format!("{stem}.min.{extension}");
    }
    let state = call.state();
    let (file, anchor) = path
        .split_once('#')
        .map_or((path.as_str(), None), |(file, anchor)| (file, Some(anchor)));
    let anchor = anchor
        .map(|anchor| format!("#{anchor}"))
        .unwrap_or_default();
    let theme = &state.theme;
    let (folder, sum) = match file.strip_prefix("public/") {
        Some(name) => ("", public_files::sum_of(name, &theme.package)),
        None => (
            if file.starts_with("asset") {
                ""
            } else {
                "assets/"
            },
            None,
        ),
    };
    let sum = sum.unwrap_or_else(|| {
        theme
            .asset_sum(file.strip_prefix("assets/").unwrap_or(file))
            .to_string()
    });
    // The path is normalised after the checksum, which is that of the path as written.
    let subdirectory = state.site_urls.subdirectory();
    let path = file.trim_start_matches('/');
    let mut file = String::with_capacity(path.len());
    for character in path.chars() {
        // Doubled slashes are merged, except after a scheme (Ghost 6.65, recorded).
        let is_doubled = character == '/' && file.ends_with('/') && !file.ends_with(":/");
        if !is_doubled {
            file.push(character);
        }
    }
    Ok(Value::html(format!(
        "{subdirectory}/{folder}{file}?v={sum}{anchor}"
    )))
}
