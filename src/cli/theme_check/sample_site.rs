//! The sample site that templates are rendered with: a Ghost export that is generated for the templates of one theme
//! and imported into a site in memory.
//!
//! It has content for every kind of template: a post with every card, gated posts, and posts with and without tags and
//! images. There are enough posts for lists to have a second page, and there is a record or a route for each template
//! that serves only one.

use std::{collections::BTreeSet, fs, path::Path, sync::Arc};

use serde_json::{Map, Value, json};

use crate::{
    clock::SystemClock,
    domain::actor::Actor,
    error::{Error, Result},
    front_end::{Theme, pages::TEMPLATE_FIELD},
    import::{self, ImportSource},
    progress::NoProgress,
    routing,
    site::Site,
    site_urls::SiteUrls,
    store::memory::MemoryStore,
    uploads::Uploads,
};

/// The body of a post with every card.
const CARDS: &str = include_str!("cards.json");

/// Templates that the pages of every site use, or that are not pages themselves.
const USUAL: [&str; 10] = [
    "amp", "author", "error", "home", "index", "page", "post", "private", "robots", "tag",
];

/// Maximum number of plain posts.
const FURTHER_POSTS_MAX: usize = 100;

/// Creates the sample site for the templates of a theme. The export is written into `folder`.
///
/// # Errors
///
/// If the folder cannot be written.
pub(super) fn create(theme: &Theme, site_urls: &SiteUrls, folder: &Path) -> Result<Arc<Site>> {
    let site = Arc::new(Site::open(
        Box::new(MemoryStore::new()),
        Arc::new(SystemClock),
    )?);
    let templates = SpecialTemplates::of(theme);
    let export = folder.join("sample.json");
    let text = Export::of(theme, &templates).json().to_string();
    fs::write(&export, text).map_err(Error::internal)?;
    let options = import::Options {
        site: site_urls.url().clone(),
        uploads: Uploads::in_data(folder),
        dry_run: false,
        actor: Actor::Operator,
        history: false,
        content_files: Default::default(),
        email_auth_secret: None,
        announces_records: false,
    };
    import::import(&site, &ImportSource::at(&export)?, &options, &NoProgress)?;
    let routes = templates.routes_file();
    let (_, parsed) = routing::read_routes(routes.as_bytes())?;
    let parsed = Arc::new(parsed);
    site.write(|transaction| {
        transaction.add_first_integration("Sample")?;
        transaction.save_routes(&routes, &parsed)
    })?;
    Ok(site)
}

/// The templates of a theme that serve one record or one route.
#[derive(Default)]
struct SpecialTemplates {
    /// Templates that posts and pages choose, such as `custom-wide`.
    custom: Vec<String>,
    /// The slugs of `post-SLUG`, `page-SLUG`, `tag-SLUG` and `author-SLUG`.
    posts: Vec<String>,
    pages: Vec<String>,
    tags: Vec<String>,
    authors: Vec<String>,
    /// Templates that a route may name.
    routes: Vec<String>,
}

impl SpecialTemplates {
    fn of(theme: &Theme) -> Self {
        let templates = &theme.templates;
        let layouts = templates
            .names()
            .filter_map(|name| templates.get(name)?.layout());
        let layouts: BTreeSet<&str> = layouts.collect();
        let mut special = Self::default();
        let names = templates.names().filter(|name| !name.contains('/'));
        for name in names.filter(|name| !USUAL.contains(name) && !layouts.contains(name)) {
            let slug = |kind| name.strip_prefix(kind).map(str::to_owned);
            if name.starts_with("custom-") {
                special.custom.push(name.to_owned());
            } else if let Some(slug) = slug("post-") {
                special.posts.push(slug);
            } else if let Some(slug) = slug("page-") {
                special.pages.push(slug);
            } else if let Some(slug) = slug("tag-") {
                special.tags.push(slug);
            } else if let Some(slug) = slug("author-") {
                special.authors.push(slug);
            } else if !name.starts_with("error-") && name != "default" {
                special.routes.push(name.to_owned());
            }
        }
        special
    }

    /// Returns the routes file of the site: a list of posts for each template that a route may name.
    fn routes_file(&self) -> String {
        let routes: String = self
            .routes
            .iter()
            .map(|template| {
                let name = json!(template);
                format!(
                    "  {}:\n    controller: channel\n    template: {name}\n",
                    json!(format!("/{template}/"))
                )
            })
            .collect();
        let routes = match &*routes {
            "" => "routes:\n".to_owned(),
            routes => format!("routes:\n{routes}"),
        };
        format!(
            "{routes}collections:\n  /:\n    permalink: /{{slug}}/\n    template: index\ntaxonomies:\n  tag: /tag/{{slug}}/\n  author: /author/{{slug}}/\n"
        )
    }
}

/// A Ghost export under construction.
#[derive(Default)]
struct Export {
    posts: Vec<Value>,
    tags: Vec<Value>,
    users: Vec<Value>,
    posts_tags: Vec<Value>,
    posts_authors: Vec<Value>,
}

/// The kinds of generated identifiers.
#[derive(Clone, Copy)]
enum IdKind {
    Post,
    Tag,
    User,
    Relation,
}

fn id(kind: IdKind, number: usize) -> String {
    // The first eight digits are the time of an identifier. A different one for each kind prevents
    // equal identifiers.
    format!("{:08x}{number:016x}", 0x6a00_0000 + kind as u32)
}

impl Export {
    fn of(theme: &Theme, templates: &SpecialTemplates) -> Self {
        let mut export = Self::default();
        export.add_user(
            "ada",
            json!({
                "name": "Ada Quay", "bio": "Writes about the harbour.", "location": "The quay",
                "website": "https://example.com/", "twitter": "@ada", "facebook": "ada",
                "profile_image": IMAGE, "cover_image": IMAGE,
            }),
        );
        export.add_user("ben", json!({ "name": "Ben" }));
        export.add_tag("news", json!({
            "name": "News", "description": "What is new.", "feature_image": IMAGE, "accent_color": "#336699",
        }));
        export.add_tag(
            "hash-internal",
            json!({ "name": "#internal", "visibility": "internal" }),
        );
        for slug in &templates.authors {
            export.add_user(slug, json!({ "name": slug }));
        }
        for slug in &templates.tags {
            export.add_tag(slug, json!({ "name": slug }));
        }
        export.add_posts(templates);
        let further = theme.posts_per_page().min(FURTHER_POSTS_MAX) + 2;
        for number in 1..=further {
            let title = format!("Post {number}");
            export.add_post(
                &format!("post-{number}"),
                json!({ "title": title, "html": "<p>Short.</p>" }),
            );
        }
        export
    }

    fn add_posts(&mut self, templates: &SpecialTemplates) {
        let with_cards = |more: Value| {
            let mut post = json!({
                "title": "Every card", "lexical": CARDS, "feature_image": IMAGE, "custom_excerpt": "An excerpt.",
            });
            merge(&mut post, more);
            post
        };
        self.add_post("every-card", with_cards(json!({ "featured": 1 })));
        for visibility in ["members", "paid"] {
            let title = format!("For {visibility}");
            self.add_post(
                visibility,
                with_cards(json!({ "title": title, "visibility": visibility })),
            );
        }
        let page = json!({ "type": "page", "title": "About" });
        self.add_post("about", with_cards(page.clone()));
        let without_title = json!({ "type": "page", "title": "Without a title", "show_title_and_feature_image": 0 });
        self.add_post("without-title", with_cards(without_title));
        self.add_post(
            "draft",
            with_cards(json!({ "title": "Draft", "status": "draft", "published_at": null })),
        );
        for slug in &templates.posts {
            self.add_post(slug, with_cards(json!({ "title": slug })));
        }
        for slug in &templates.pages {
            self.add_post(slug, with_cards(json!({ "type": "page", "title": slug })));
        }
        for template in &templates.custom {
            for kind in ["post", "page"] {
                let record = json!({ "type": kind, "title": template, TEMPLATE_FIELD: template });
                self.add_post(&format!("{kind}-with-{template}"), with_cards(record));
            }
        }
    }

    /// Adds a post with the first tags and authors.
    fn add_post(&mut self, slug: &str, values: Value) {
        let number = self.posts.len();
        let post_id = id(IdKind::Post, number);
        // The dates span several months, newest first.
        let (month, day) = (12 - number / 28 % 12, 28 - number % 28);
        let date = format!("2025-{month:02}-{day:02}T08:30:00.000Z");
        let mut post = json!({
            "id": post_id, "slug": slug, "type": "post", "status": "published", "visibility": "public",
            "published_at": date, "created_at": date, "updated_at": date,
        });
        merge(&mut post, values);
        let is_plain = post.get("lexical").is_none();
        let relation = |first: &str, second: &str, second_id: &Value, order: usize| {
            json!({
                "id": id(IdKind::Relation, number * 1000 + order),
                first: post_id, second: second_id, "sort_order": order,
            })
        };
        if !is_plain {
            let tags = self.tags.iter().enumerate();
            let tags = tags.map(|(order, tag)| relation("post_id", "tag_id", &tag["id"], order));
            self.posts_tags.extend(tags);
        }
        let count = if is_plain { 1 } else { self.users.len() };
        let users = self.users.iter().take(count).enumerate();
        let users =
            users.map(|(order, user)| relation("post_id", "author_id", &user["id"], 500 + order));
        self.posts_authors.extend(users);
        self.posts.push(post);
    }

    fn add_tag(&mut self, slug: &str, values: Value) {
        let mut tag =
            json!({ "id": id(IdKind::Tag, self.tags.len()), "slug": slug, "visibility": "public" });
        merge(&mut tag, values);
        self.tags.push(tag);
    }

    fn add_user(&mut self, slug: &str, values: Value) {
        let mut user = json!({
            "id": id(IdKind::User, self.users.len()), "slug": slug, "status": "active",
            "email": format!("{slug}@sample.example"),
        });
        merge(&mut user, values);
        self.users.push(user);
    }

    fn json(self) -> Value {
        let settings: Map<String, Value> = json!({
            "title": "Sample site", "description": "For the check of a theme", "locale": "en",
            "accent_color": "#336699", "cover_image": IMAGE, "comments_enabled": "all",
            "members_signup_access": "all", "announcement_content": "<p>An announcement</p>",
            "announcement_visibility": "[\"visitors\"]", "recommendations_enabled": "true",
            "facebook": "sample", "twitter": "@sample",
            "navigation": "[{\"label\":\"Home\",\"url\":\"/\"},{\"label\":\"About\",\"url\":\"/about/\"}]",
            "secondary_navigation": "[{\"label\":\"News\",\"url\":\"/tag/news/\"}]",
        })
        .as_object()
        .cloned()
        .unwrap_or_default();
        let settings: Vec<Value> = settings
            .into_iter()
            .map(|(key, value)| json!({ "key": key, "value": value }))
            .collect();
        json!({ "db": [{ "meta": { "exported_on": 0, "version": "6.65.0" }, "data": {
            "posts": self.posts, "tags": self.tags, "users": self.users,
            "posts_tags": self.posts_tags, "posts_authors": self.posts_authors, "settings": settings,
        }}]})
    }
}

/// The image of the records of the site.
const IMAGE: &str = "__GHOST_URL__/content/images/sample.png";

/// Adds values to an object. They replace existing values of the same key.
fn merge(object: &mut Value, values: Value) {
    if let (Value::Object(object), Value::Object(values)) = (object, values) {
        object.extend(values);
    }
}
