//! Reads a whole site with the crate `ghost-io-api` and prints the parsed records as JSON.
//!
//! `GHOST_URL`, `GHOST_CONTENT_API_KEY` and `GHOST_ADMIN_API_KEY` select the site.

use std::env;
use std::error::Error;

use ghost_io_api::auth::admin::AdminApiKey;
use ghost_io_api::auth::content::ContentApiKey;
use ghost_io_api::client::admin::{AdminBrowsePostsParams, GhostAdminClient};
use ghost_io_api::client::content::{BrowsePostsParams, GhostContentClient};
use ghost_io_api::error::GhostError;
use serde_json::{Value, json};

/// The number of posts per request, small enough that the site has several pages.
const PAGE_SIZE: u32 = 3;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = env::var("GHOST_URL")?;
    let content = GhostContentClient::new(
        &url,
        ContentApiKey::new(env::var("GHOST_CONTENT_API_KEY")?)?,
    )?;
    let admin = GhostAdminClient::new(&url, AdminApiKey::new(env::var("GHOST_ADMIN_API_KEY")?)?)?;

    let parsed = json!({
        "posts": all_posts(&content).await?,
        "post": content.read_post_by_slug("harvest", Some("authors,tags")).await?,
        "featured": titles(&content, "featured:true").await?,
        "pages": content.browse_pages(BrowsePostsParams::default()).await?.pages,
        "page": content.read_page_by_slug("about", None).await?,
        "tags": content.browse_tags(including("count.posts")).await?.tags,
        "authors": content.browse_authors(including("count.posts")).await?.authors,
        // Benefits are only included on request (specification 2.6), and the crate's tier type requires them as a
        // list.
        "tiers": content.browse_tiers(including("benefits")).await?.tiers,
        "settings": content.get_settings().await?,
        "missing": refusal(content.read_post_by_slug("nowhere", None).await),
        "admin": refusal(admin.browse_posts(AdminBrowsePostsParams::default()).await),
    });
    println!("{parsed}");
    Ok(())
}

async fn all_posts(content: &GhostContentClient) -> Result<Vec<Value>, Box<dyn Error>> {
    let mut posts = Vec::new();
    let mut page = 1;
    loop {
        let params = BrowsePostsParams {
            page: Some(page),
            limit: Some(PAGE_SIZE),
            ..Default::default()
        };
        let response = content.browse_posts(params).await?;
        for post in &response.posts {
            posts.push(serde_json::to_value(post)?);
        }
        if !response.meta.pagination.has_next() {
            return Ok(posts);
        }
        page += 1;
    }
}

async fn titles(content: &GhostContentClient, filter: &str) -> Result<Vec<String>, GhostError> {
    let params = BrowsePostsParams {
        filter: Some(filter.to_owned()),
        order: Some("title ASC".to_owned()),
        ..Default::default()
    };
    let response = content.browse_posts(params).await?;
    Ok(response.posts.into_iter().map(|post| post.title).collect())
}

fn including(relation: &str) -> BrowsePostsParams {
    BrowsePostsParams {
        include: Some(relation.to_owned()),
        ..Default::default()
    }
}

fn refusal<T>(result: Result<T, GhostError>) -> Value {
    match result {
        Ok(_) => Value::Null,
        Err(error) => json!({ "type": error.api_error_type(), "message": error.to_string() }),
    }
}
