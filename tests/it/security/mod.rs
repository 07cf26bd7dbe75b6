//! What whoever means harm does not get from the Admin API: in, other people's rights, secrets, or a script into a page.

mod active_urls;
mod cookies;
mod large_bodies;
mod markup;
mod secrets;
mod sign_in;
mod super_editor;
mod timing;
mod tokens;
