//! Tests of attacks on the Admin API: unauthorised access, privilege escalation, secrets, and script injection.

mod active_urls;
mod cookies;
mod large_bodies;
mod markup;
mod promises;
mod secrets;
mod sign_in;
mod super_editor;
mod timing;
mod tokens;
