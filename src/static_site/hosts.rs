//! What hosts of files are told about the files, in the form that Netlify and Cloudflare Pages read.

/// The file's name, at the top of the folder.
pub const HEADERS: &str = "_headers";

/// What is sent along with the API's answers below `api` and with pictures below `files`, both without a slash in front.
pub fn headers(api: &str, files: &str) -> String {
    format!(
        "/{api}/api/content/*\n  Content-Type: application/json; charset=utf-8\n  Access-Control-Allow-Origin: *\n  \
         X-Content-Type-Options: nosniff\n\n/{files}/*\n  Access-Control-Allow-Origin: *\n"
    )
}
