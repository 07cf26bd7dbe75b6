//! The data model of templates: a lazy view of one snapshot.
//!
//! An object holds its record and computes a property when a template reads it, so a list of titles reads no body and no tag. The
//! fields are those of the tables in [`crate::catalog::fields`], as readers see them; lists and `{{#get}}` use the query code of
//! the Content API.

mod context;
mod custom;
mod filters;
mod get;
mod get_parameters;
mod lists;
mod member;
mod members;
mod neighbours;
mod parts;
mod post;
mod records;
mod site;
mod tier;
mod tier_filter;
mod values;

pub use self::{
    context::{ModelContext, PostBodies},
    get::{GetRequest, GetResource, GetResult, get},
    get_parameters::GetError,
    lists::{PostList, PostPage, author, page_settings, pagination, post, posts, tag},
    members::{member_count, paid_member_count},
    neighbours::{Direction, neighbour},
    post::PostView,
    site::site_data,
};
