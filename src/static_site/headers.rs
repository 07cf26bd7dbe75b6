//! Response headers for static hosts, in the format of Netlify and Cloudflare Pages.

/// The file's name, at the top of the folder.
pub const HEADERS: &str = "_headers";

/// Returns the header fields of API responses below `api` and of files below `files`, both without
/// a leading slash.
pub fn headers(api: &str, files: &str) -> String {
    format!(
        "/{api}/api/content/*\n  Content-Type: application/json; charset=utf-8\n  Access-Control-Allow-Origin: *\n  \
         X-Content-Type-Options: nosniff\n\n/{files}/*\n  Access-Control-Allow-Origin: *\n"
    )
}
