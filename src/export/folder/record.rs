//! The records to be exported, each to a separate file.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::names::FileNames;
use crate::{
    catalog::Catalog,
    content_files::{FileKind, FileNaming, FileOutput, WrittenKeys, setting_keys, stem_of},
    content_text::url_form::UrlForm,
    domain::{
        newsletter::Newsletter,
        post::{Post, PostKind},
        setting::Settings,
        tag::Tag,
        theme::{ChosenValues, FILE_SETTINGS},
        tier::Tier,
        user::User,
    },
    error::Result,
    id::Id,
    site::SiteSnapshot,
    store::Table,
};

/// A record of the site, or its settings.
#[derive(Clone)]
pub enum ExportedRecord {
    Site(Arc<Settings>),
    Post(Arc<Post>),
    Tag(Arc<Tag>),
    Author(Arc<User>),
    Tier(Arc<Tier>),
    Newsletter(Arc<Newsletter>),
}

impl ExportedRecord {
    /// Returns all records of a site.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn all(snapshot: &SiteSnapshot) -> Result<Vec<Self>> {
        let catalog = &snapshot.catalog;
        let mut all = vec![Self::Site(settings_of(snapshot)?)];
        all.extend(catalog.users.iter().cloned().map(Self::Author));
        all.extend(catalog.tags.iter().cloned().map(Self::Tag));
        all.extend(catalog.tiers.iter().cloned().map(Self::Tier));
        all.extend(catalog.newsletters.iter().cloned().map(Self::Newsletter));
        all.extend(catalog.posts.iter().cloned().map(Self::Post));
        Ok(all)
    }

    /// Returns the plural name of records of this kind in reports.
    pub fn noun(&self) -> &'static str {
        match self {
            Self::Site(_) => "settings",
            Self::Post(post) if post.kind == PostKind::Page => "pages",
            Self::Post(_) => "posts",
            Self::Tag(_) => "tags",
            Self::Author(_) => "authors",
            Self::Tier(_) => "tiers",
            Self::Newsletter(_) => "newsletters",
        }
    }

    /// Returns the path of the content file that the record comes from, if any.
    pub fn source(&self) -> Option<&str> {
        match self {
            Self::Site(_) => Some("site.toml"),
            Self::Post(post) => post.origin.path(),
            Self::Tag(tag) => tag.origin.path(),
            Self::Author(user) => user.origin.path(),
            Self::Tier(tier) => tier.origin.path(),
            Self::Newsletter(newsletter) => newsletter.origin.path(),
        }
    }

    /// Returns whether the file of the record is a document with front matter, which can be
    /// rewritten under any name.
    pub fn is_text(&self) -> bool {
        matches!(self, Self::Post(_))
    }

    /// Returns the identifier of the record.
    pub fn id(&self) -> Id {
        self.identity().id
    }

    /// Returns the identity by which other files refer to the file of the record.
    pub fn identity(&self) -> FileOutput {
        let output = |kind, id, slug: &str, name: &str| FileOutput {
            kind,
            id,
            slug: slug.into(),
            name: name.into(),
            email: None,
            wanted: None,
            aliases: Box::default(),
            names: Box::default(),
            is_at_slug: false,
            is_stub: false,
        };
        match self {
            Self::Site(_) => output(FileKind::Site, Id::derive("site", ""), "", ""),
            Self::Post(post) => FileOutput {
                aliases: post.aliases.clone(),
                ..output(kind_of(post), post.id, &post.slug, "")
            },
            Self::Tag(tag) => output(FileKind::Tag, tag.id, &tag.slug, &tag.name),
            Self::Author(user) => FileOutput {
                email: user.email.clone(),
                ..output(FileKind::Author, user.id, &user.slug, &user.name)
            },
            Self::Tier(tier) => output(FileKind::Tier, tier.id, &tier.slug, &tier.name),
            Self::Newsletter(newsletter) => {
                let (id, slug, name) = (newsletter.id, &newsletter.slug, &newsletter.name);
                output(FileKind::Newsletter, id, slug, name)
            }
        }
    }

    /// Reserves a free path for the file of the record.
    pub fn path(&self, names: &mut FileNames) -> String {
        match self {
            Self::Site(_) => {
                names.take("site.toml");
                "site.toml".to_owned()
            }
            Self::Post(post) if post.kind == PostKind::Page => {
                names.choose("pages", &post.slug, "md")
            }
            Self::Post(post) => names.choose("posts", &post.slug, "md"),
            Self::Tag(tag) => names.choose("tags", &tag.slug, "toml"),
            Self::Author(user) => names.choose("authors", &user.slug, "toml"),
            Self::Tier(tier) => names.choose("tiers", &tier.slug, "toml"),
            Self::Newsletter(newsletter) => names.choose("newsletters", &newsletter.slug, "toml"),
        }
    }

    /// Returns the keys of the file of the record, at `path`.
    pub fn keys(
        &self,
        path: &str,
        form: UrlForm,
        catalog: &Catalog,
        now: Timestamp,
    ) -> WrittenKeys {
        let file = FileNaming {
            stem: stem_of(path).unwrap_or_default(),
            form,
        };
        match self {
            Self::Site(settings) => setting_keys::keys(settings, form),
            Self::Post(post) => file.post(post, catalog, now),
            Self::Tag(tag) => file.tag(tag),
            Self::Author(user) => file.author(user),
            Self::Tier(tier) => file.tier(tier),
            Self::Newsletter(newsletter) => file.newsletter(newsletter),
        }
    }

    /// Returns the name of the record in remarks: `tag "letters"`.
    pub fn subject(&self) -> String {
        let name = match self {
            Self::Site(_) => return "the settings".to_owned(),
            Self::Post(post) => post.kind.name(),
            Self::Tag(_) => "tag",
            Self::Author(_) => "author",
            Self::Tier(_) => "tier",
            Self::Newsletter(_) => "newsletter",
        };
        format!("{name} \"{}\"", self.identity().slug)
    }
}

/// Returns the settings of a site, including the settings of its themes.
fn settings_of(snapshot: &SiteSnapshot) -> Result<Arc<Settings>> {
    let settings = &snapshot.catalog.settings;
    let mut themes = match settings.get(FILE_SETTINGS).into_owned() {
        Value::Object(themes) => themes,
        _ => Map::new(),
    };
    snapshot.visit(Table::ThemeSettings, |theme, chosen: ChosenValues| {
        // The keys of this table are names of themes, which are UTF-8.
        let theme = String::from_utf8_lossy(theme).into_owned();
        let values = chosen.with_file(settings, &theme).values.into_iter();
        // TOML has no null; themes treat a missing value as null.
        let values: Map<String, Value> = values.filter(|(_, value)| !value.is_null()).collect();
        if !values.is_empty() {
            themes.insert(theme, Value::Object(values));
        }
        Ok(())
    })?;
    if themes.is_empty() {
        return Ok(Arc::clone(settings));
    }
    // The values come from the file and the store; sorted, the same site gives the same bytes.
    themes.sort_keys();
    let settings = Settings::clone(settings);
    Ok(Arc::new(
        settings.with(FILE_SETTINGS, Value::Object(themes)),
    ))
}

fn kind_of(post: &Post) -> FileKind {
    match post.kind {
        PostKind::Post => FileKind::Post,
        PostKind::Page => FileKind::Page,
    }
}
