//! Compares the values of a post with those in its file, and converts differences to changes of keys.

use jiff::Timestamp;
use serde_json::Value as Json;

use crate::{
    catalog::{
        Catalog,
        fields::{POST_TEXTS, TextContent},
    },
    clock::{whole_seconds, written},
    content_files::{Reference, post_file::names_of_key, symbol_table::ResolvedName},
    content_text::{KeyChange, KeyValue, key_names::same_name},
    domain::post::{Post, PostKind, Status, Visibility},
    error::Result,
    generators::Profile,
    id::Id,
    render::urls::PLACEHOLDER,
    write_back::{
        file_reader::{FileReader, ReadPost},
        refusals::cannot_store,
    },
};

/// The values of a post in its file.
pub struct FileValues<'a> {
    reader: &'a FileReader,
    catalog: &'a Catalog,
    read: &'a ReadPost,
}

impl<'a> FileValues<'a> {
    pub fn of(reader: &'a FileReader, catalog: &'a Catalog, read: &'a ReadPost) -> Self {
        Self {
            reader,
            catalog,
            read,
        }
    }

    /// Returns the changes that make a new file readable: its title.
    pub fn first(wanted: &Post) -> Vec<KeyChange> {
        vec![text_change("title", &[], Some(&wanted.title))]
    }

    /// Returns the change of the key that marks a Markdown body with fences for nodes of the editor's documents.
    pub fn lexical_body() -> KeyChange {
        text_change("body", &[], Some("lexical"))
    }

    /// Returns the changes of keys after which the post of the file has the values of `wanted`.
    ///
    /// # Errors
    ///
    /// `Validation` for a value that no key can store.
    pub fn changes_to(&self, wanted: &Post) -> Result<Vec<KeyChange>> {
        let read = &self.read.post;
        if wanted.newsletter.is_some() {
            return Err(cannot_store(
                &self.reader.path,
                "a newsletter: posts of content files are not sent by mail",
            ));
        }
        let mut changes = Vec::new();
        if read.title != wanted.title {
            changes.push(self.text("title", Some(&wanted.title)));
        }
        self.add_texts(wanted, &mut changes);
        if read.slug != wanted.slug {
            changes.push(self.text("slug", Some(&wanted.slug)));
        }
        for (name, own, value) in [
            ("id", read.id.to_string(), wanted.id.to_string()),
            ("uuid", read.uuid.to_string(), wanted.uuid.to_string()),
            (
                "comment_id",
                read.comment_id.to_string(),
                wanted.comment_id.to_string(),
            ),
        ] {
            if own != value {
                changes.push(self.text(name, Some(&value)));
            }
        }
        self.add_status(wanted, &mut changes);
        self.add_dates(wanted, &mut changes);
        self.add_access(wanted, &mut changes);
        self.add_switches(wanted, &mut changes);
        self.add_people_and_tags(wanted, &mut changes);
        self.add_former_paths(wanted, &mut changes);
        // This is the last step, because it converts removals that the others have added.
        self.override_defaults(&mut changes);
        Ok(changes)
    }

    fn add_texts(&self, wanted: &Post, changes: &mut Vec<KeyChange>) {
        let read = &self.read.post;
        for field in POST_TEXTS {
            let (own, text) = (field.text(read), field.text(wanted));
            if own == text {
                continue;
            }
            let text = text.map(|text| match field.content {
                TextContent::Plain(_) | TextContent::Account(_) | TextContent::Scalar(_) => {
                    text.into_owned()
                }
                TextContent::Markup(_) => text.replace(PLACEHOLDER, ""),
                TextContent::Image
                | TextContent::Page
                | TextContent::Link
                | TextContent::Website => self.reader.written_url(&text),
            });
            changes.push(text_change(
                field.name,
                field.rules.aliases,
                text.as_deref(),
            ));
        }
    }

    fn add_switches(&self, wanted: &Post, changes: &mut Vec<KeyChange>) {
        let read = &self.read.post;
        for (name, own, value, default) in [
            ("featured", read.featured, wanted.featured, false),
            (
                "email_only",
                read.is_email_only(),
                wanted.is_email_only(),
                false,
            ),
            (
                "show_title_and_feature_image",
                read.show_title_and_feature_image,
                wanted.show_title_and_feature_image || wanted.kind == PostKind::Post,
                true,
            ),
        ] {
            if own != value {
                // A default value is not written.
                let value = (value != default).then_some(KeyValue::Boolean(value));
                changes.push(self.change(name, value));
            }
        }
    }

    /// Converts removals of keys with a default in the project to explicit values, because the default would apply again.
    fn override_defaults(&self, changes: &mut [KeyChange]) {
        let defaults = self.reader.conditions.layout.defaults_of(&self.reader.path);
        for change in changes.iter_mut().filter(|change| change.value.is_none()) {
            let given = defaults.iter().find_map(|(key, value)| {
                let mut names = change.names.iter();
                Some((names.position(|name| same_name(name, key))?, value))
            });
            let Some((rank, value)) = given else { continue };
            // Only the project's own key overrides its default.
            change.names[..=rank].rotate_right(1);
            change.value = Some(match value {
                Json::Bool(is_on) => KeyValue::Boolean(!is_on),
                Json::Array(_) => KeyValue::List(Vec::new()),
                _ => KeyValue::Text(String::new()),
            });
        }
    }

    fn profile(&self) -> &'static Profile {
        self.reader.conditions.layout.profile()
    }

    /// Returns the change of a key. The name that projects of the folder's generator usually use comes first.
    fn change(&self, name: &'static str, value: Option<KeyValue>) -> KeyChange {
        let mut names: Vec<String> = names_of_key(name).map(str::to_owned).collect();
        if let Some(usual) = self.profile().usual_name(name)
            && let Some(index) = names.iter().position(|known| known == usual)
        {
            names[..=index].rotate_right(1);
        }
        KeyChange { names, value }
    }

    fn text(&self, name: &'static str, text: Option<&str>) -> KeyChange {
        self.change(name, text.map(|text| KeyValue::Text(text.to_owned())))
    }

    /// Adds the changes that make the file a draft, or publish it. The date decides between published and scheduled.
    fn add_status(&self, wanted: &Post, changes: &mut Vec<KeyChange>) {
        let (own, status) = (self.read.post.status, wanted.status);
        if own == status {
            return;
        }
        let is_dated = self.read.post.published_at == wanted.published_at;
        match status {
            Status::Draft => {
                changes.push(self.change("status", None));
                changes.push(self.change("draft", Some(KeyValue::Boolean(true))));
            }
            // The date is written first, and it alone decides between published and scheduled.
            _ if own != Status::Draft && !is_dated => {}
            _ if own == Status::Draft && !self.read.file.is_in_drafts_folder => {
                changes.push(self.change("status", None));
                changes.push(self.change("draft", None));
                changes.push(self.change("published", None));
            }
            // The drafts folder makes the document a draft, so the key has to contradict it.
            _ if own == Status::Draft => {
                changes.push(self.change("draft", Some(KeyValue::Boolean(false))));
            }
            _ => changes.push(self.text("status", Some(status.name()))),
        }
    }

    fn add_dates(&self, wanted: &Post, changes: &mut Vec<KeyChange>) {
        let read = &self.read.post;
        let date = |date: Timestamp| KeyValue::Date(written(date));
        // A draft only has a separate date if the file contains it.
        if wanted.published_at.is_some() && read.published_at != wanted.published_at {
            changes.push(self.change("published_at", wanted.published_at.map(date)));
        }
        // A draft may have the date in its path, which cannot be removed.
        if wanted.published_at.is_none()
            && read.published_at.is_some()
            && !self.read.file.is_dated_by_path
        {
            changes.push(self.change("published_at", None));
        }
        if read.created_at != wanted.created_at {
            changes.push(self.change("created_at", Some(date(wanted.created_at))));
        }
    }

    /// Returns the change of the modification date; `None` for a file without that key, whose date is only in the store.
    pub fn date_of_change(&self, wanted: &Post) -> Option<KeyChange> {
        // Files store whole seconds; the store distinguishes changes within one second.
        let updated_at = whole_seconds(wanted.updated_at);
        let is_other = self.read.post.updated_at != updated_at;
        let has_key = self.read.file.fields.updated_at.is_some();
        (is_other && has_key).then(|| {
            let date = KeyValue::Date(written(updated_at));
            self.change("updated_at", Some(date))
        })
    }

    fn add_access(&self, wanted: &Post, changes: &mut Vec<KeyChange>) {
        let read = &self.read.post;
        if read.visibility != wanted.visibility {
            changes.push(self.text("visibility", Some(wanted.visibility.name())));
        }
        let is_for_tiers = wanted.visibility == Visibility::Tiers;
        if read.tiers != wanted.tiers {
            let tiers = &self.catalog.tiers;
            let slugs = wanted.tiers.iter().filter_map(|id| tiers.get(*id));
            let slugs = slugs.map(|tier| KeyValue::Text(tier.slug.to_string()));
            let value = is_for_tiers.then(|| KeyValue::List(slugs.collect()));
            changes.push(self.change("tiers", value));
        }
    }

    fn add_people_and_tags(&self, wanted: &Post, changes: &mut Vec<KeyChange>) {
        let read = &self.read.post;
        let directory = &self.reader.directory;
        let tags = wanted
            .tags
            .iter()
            .filter_map(|id| self.catalog.tags.get(*id));
        let tags: Vec<(Id, &str, &str)> =
            tags.map(|tag| (tag.id, &*tag.slug, &*tag.name)).collect();
        if !are_same("tag", &read.tags, &tags) || self.names_tag_by_former_slug() {
            // A name is written if it resolves to this tag. Another tag may have the same name, and
            // then the slug is written.
            let resolves =
                |tag: &(Id, &str, &str), name: &str| is_same("tag", directory.tag(name).id(), tag);
            let names = tags
                .iter()
                .map(|tag| if resolves(tag, tag.2) { tag.2 } else { tag.1 });
            let names: Vec<KeyValue> = names.map(|name| KeyValue::Text(name.to_owned())).collect();
            // Categories, which precede the tags, are now part of the list.
            if self.read.file.has_categories {
                changes.push(self.change("categories", None));
            }
            changes.push(self.change("tags", (!names.is_empty()).then_some(KeyValue::List(names))));
        }
        let users = wanted
            .authors
            .iter()
            .filter_map(|id| self.catalog.users.get(*id));
        let users: Vec<(Id, &str, &str)> = users
            .map(|user| (user.id, &*user.slug, &*user.name))
            .collect();
        if !are_same("user", &read.authors, &users) {
            let resolves = |user: &(Id, &str, &str), name: &str| {
                is_same("user", directory.author(name).id(), user)
            };
            let names = users.iter().map(|user| {
                if resolves(user, user.2) {
                    user.2
                } else {
                    user.1
                }
            });
            let mut names: Vec<KeyValue> =
                names.map(|name| KeyValue::Text(name.to_owned())).collect();
            let value = match names.len() {
                1 => names.pop(),
                _ => Some(KeyValue::List(names)),
            };
            changes.push(self.change("authors", value));
        }
    }

    /// Returns whether a name in the file implies a tag that has a different slug by now. In another file, the name would
    /// refer to another tag.
    fn names_tag_by_former_slug(&self) -> bool {
        let references = self.read.file.fields.tags.iter().flatten();
        let mut named = references.filter_map(|reference| match &reference.value {
            Reference::Named(name) => Some(self.reader.directory.tag(name)),
            Reference::Described(_) => None,
        });
        named.any(|named| match named {
            ResolvedName::Implied { id, slug, .. } => {
                let tag = self.catalog.tags.get(id);
                tag.is_some_and(|tag| *tag.slug != *slug)
            }
            ResolvedName::Known(_) => false,
        })
    }

    /// Adds the former paths that the file does not contain.
    fn add_former_paths(&self, wanted: &Post, changes: &mut Vec<KeyChange>) {
        let known = &self.read.post.aliases;
        let own = format!("/{}", wanted.slug);
        let new = wanted.aliases.iter();
        let new: Vec<&str> = new
            .filter(|path| !known.contains(path) && ***path != *own)
            .map(|path| &**path)
            .collect();
        if new.is_empty() {
            return;
        }
        // The path at which the generator publishes the file is an alias that follows from the
        // file, so it is not written.
        let published = self.read.file.published_path.as_deref();
        let all = known.iter().map(|path| &**path);
        let all = all.filter(|path| Some(*path) != published).chain(new);
        let all = all.map(|path| KeyValue::Text(path.to_owned()));
        changes.push(self.change("aliases", Some(KeyValue::List(all.collect()))));
    }
}

impl FileReader {
    /// Returns a URL in the form that the file uses, relative to the file if its target is in the folder.
    pub fn written_url(&self, stored: &str) -> String {
        let Some(path) = stored.strip_prefix(PLACEHOLDER) else {
            return stored.to_owned();
        };
        let inside = path.strip_prefix("/content/").unwrap_or(path);
        let folder = self.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let beside = inside
            .strip_prefix("images/")
            .and_then(|inside| inside.strip_prefix(folder)?.strip_prefix('/'));
        let up = "../".repeat(self.path.matches('/').count());
        let in_content = inside.strip_prefix("images/").unwrap_or(inside);
        // The forms are in order of preference. One counts only if reading it gives the same stored
        // URL again.
        let candidates = [
            beside.map(str::to_owned),
            self.conditions.layout.upload_link(in_content),
            Some(format!("{up}{inside}")),
            Some(relative(folder, in_content)),
            Some(format!("/{inside}")),
        ];
        candidates
            .into_iter()
            .flatten()
            .find(|written| self.resolve(written).as_deref() == Some(stored))
            .unwrap_or_else(|| stored.to_owned())
    }
}

/// Returns the relative URL of the file at `path` in a document of `folder`.
fn relative(folder: &str, path: &str) -> String {
    let folders: Vec<&str> = folder.split_terminator('/').collect();
    let parts: Vec<&str> = path.split('/').collect();
    let pairs = folders.iter().zip(&parts[..parts.len() - 1]);
    let shared = pairs.take_while(|(one, other)| one == other).count();
    let up = "../".repeat(folders.len() - shared);
    format!("{up}{}", parts[shared..].join("/"))
}

fn text_change(name: &str, aliases: &[&str], text: Option<&str>) -> KeyChange {
    let names = [name].into_iter().chain(aliases.iter().copied());
    KeyChange {
        names: names.map(str::to_owned).collect(),
        value: text.map(|text| KeyValue::Text(text.to_owned())),
    }
}

/// Returns whether a file references the record, by its identifier or by the identifier that its slug implies.
fn is_same(kind: &str, read: Id, (id, slug, _): &(Id, &str, &str)) -> bool {
    read == *id || read == Id::derive(kind, slug)
}

fn are_same(kind: &str, read: &[Id], wanted: &[(Id, &str, &str)]) -> bool {
    read.len() == wanted.len()
        && read
            .iter()
            .zip(wanted)
            .all(|(read, wanted)| is_same(kind, *read, wanted))
}
