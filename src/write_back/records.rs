//! Edits of tags, authors, tiers, newsletters and settings. The keys of their records are compared with the keys in the
//! file.

use crate::{
    content_files::{
        AuthorFields, ConvertedRecord, FileKind, FileNaming, NewsletterFields, TagFields,
        TierFields, WrittenKeys,
        folder_view::FolderView,
        keys::{Key, KeySet},
        setting_keys, site_file,
        site_file::SITE_FILES,
        stem_of,
    },
    content_text::{KeyChange, KeyValue, body_of, edit_keys, url_form::UrlForm, with_body},
    domain::{origin::RecordOrigin, setting::of_site, theme::FILE_SETTINGS},
    error::Result,
    render::urls::PLACEHOLDER,
    site::{EditedRecord, FileRecord, TransactionView},
    write_back::{FolderWriter, file_reader::FileReader, naming, refusals::cannot_store},
};

impl FolderWriter {
    /// Returns the edited file of a record; `None` if the folder cannot contain such a file.
    pub(super) fn edit_record(
        &self,
        transaction: &TransactionView,
        record: FileRecord,
    ) -> Result<Option<EditedRecord>> {
        let keys = keys_of(&record, "").key_values();
        // Uploads of these records have the same paths in the content folder as in the data folder, so no URL changes. Only
        // documents may have a folder for their own images.
        let view = self.view_in(transaction)?;
        let uploads = if view.conditions.layout.is_own() {
            self.placed_uploads(&view, "", texts_of(&keys))?.new
        } else {
            Vec::new()
        };
        let view = self.view_with(transaction, &uploads)?;
        let (path, is_new) = match record.origin() {
            RecordOrigin::File { path } => (path.clone(), false),
            RecordOrigin::Store => match new_path(&view, &record) {
                Some(path) => path,
                None => return Ok(None),
            },
        };
        self.check_reach([&*path])?;
        let mut reader = self.reader(&view, transaction.now(), &path);
        let before = if is_new {
            None
        } else {
            Some(self.current_text(transaction, &mut reader)?.0)
        };
        let edit = RecordEditing {
            reader: &reader,
            is_new,
        };
        let text = before.as_deref().unwrap_or_default();
        let Some((after, record)) = edit.apply(text, record)? else {
            return Ok(None);
        };
        Ok(Some(EditedRecord {
            path,
            before,
            after,
            record,
            uploads,
        }))
    }
}

/// Returns the values of keys that are text.
fn texts_of<'k>(keys: &'k [(&'static str, KeyValue)]) -> impl Iterator<Item = &'k str> {
    keys.iter().filter_map(|(_, value)| match value {
        KeyValue::Text(text) => Some(text.as_str()),
        _ => None,
    })
}

/// Returns the path of a record's file, and whether the file is new; `None` if the folder cannot contain such a file.
fn new_path(view: &FolderView, record: &FileRecord) -> Option<(Box<str>, bool)> {
    let (kind, folder, slug) = match record {
        FileRecord::Settings(_) => {
            let paths = view.directory.paths();
            let known = SITE_FILES.iter().find(|path| paths.contains(**path));
            let path = *known.unwrap_or(&SITE_FILES[0]);
            let is_one = view.conditions.layout.kind_of(path) == Some(FileKind::Site);
            return is_one.then(|| (path.into(), known.is_none()));
        }
        FileRecord::Tag(tag) => (FileKind::Tag, "tags", &tag.slug),
        FileRecord::User(user) => (FileKind::Author, "authors", &user.slug),
        FileRecord::Tier(tier) => (FileKind::Tier, "tiers", &tier.slug),
        FileRecord::Newsletter(newsletter) => {
            (FileKind::Newsletter, "newsletters", &newsletter.slug)
        }
    };
    let path = naming::path_like_others(view, kind, folder, slug);
    (view.conditions.layout.kind_of(&path) == Some(kind)).then(|| (path.into(), true))
}

/// An edit of the file of a record other than a post.
struct RecordEditing<'a> {
    reader: &'a FileReader,
    is_new: bool,
}

impl RecordEditing<'_> {
    /// Returns the text with the values of `wanted`, and the record that is read from this text; `None` if the file cannot
    /// store any of these settings.
    fn apply(&self, text: &str, wanted: FileRecord) -> Result<Option<(String, FileRecord)>> {
        // Values derived from others may only differ after the first round, such as an identifier derived from the slug.
        const ROUNDS: usize = 3;
        let wanted = match wanted {
            FileRecord::Settings(mut changed) => {
                // Settings without a key in the site file are stored only, and do not refuse the
                // others.
                changed.retain(|key, _| key_of(&site_file::SET, key).is_some());
                if changed.is_empty() {
                    return Ok(None);
                }
                FileRecord::Settings(changed)
            }
            record => record,
        };
        let mut text = text.to_owned();
        for _ in 0..ROUNDS {
            let changes = self.changes(&text, &wanted)?;
            if changes.is_empty() {
                break;
            }
            text = self.with_changes(text, &wanted, &changes)?;
        }
        if let Some(change) = self.changes(&text, &wanted)?.first() {
            return Err(cannot_store(
                &self.reader.path,
                &format!("`{}`", change.name()),
            ));
        }
        let record = self.reader.read_record(&text)?.changed_with(&wanted);
        Ok(Some((text, record)))
    }

    /// Returns the changes after which the file has the keys of `wanted`. They include the date of the change only if the
    /// file already has that key and another value changes.
    fn changes(&self, text: &str, wanted: &FileRecord) -> Result<Vec<KeyChange>> {
        let own = match self.reader.read_record(text) {
            Ok(own) => Some(own),
            // A new file has no name yet, so it cannot be read.
            Err(_) if self.is_new => None,
            Err(error) => return Err(error),
        };
        let stem = stem_of(&self.reader.path).unwrap_or_default();
        let wanted_keys = single_keys(&keys_of(&wanted_beside(wanted, own.as_ref()), stem));
        let own_keys = match &own {
            Some(own) => single_keys(&keys_of(own, stem)),
            None => Vec::new(),
        };
        let value = |keys: &[(String, KeyValue)], name: &str| {
            let found = keys.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| value.clone())
        };
        let removed = own_keys
            .iter()
            .filter(|(name, _)| value(&wanted_keys, name).is_none());
        let names: Vec<&String> = removed.chain(&wanted_keys).map(|(name, _)| name).collect();
        let changed: Vec<&String> = names
            .into_iter()
            .filter(|name| value(&own_keys, name) != value(&wanted_keys, name))
            .collect();
        let is_dated = value(&own_keys, "updated_at").is_some() && changed != ["updated_at"];
        let set = key_set(wanted);
        let changed = changed.into_iter();
        let changed = changed.filter(|name| *name != "updated_at" || is_dated);
        let changes = changed.map(|name| KeyChange {
            names: match key_of(set, name) {
                Some(key) => key.names().map(str::to_owned).collect(),
                None => vec![name.clone()],
            },
            value: value(&wanted_keys, name).map(|value| self.as_written(value)),
        });
        Ok(changes.collect())
    }

    fn with_changes(
        &self,
        mut text: String,
        wanted: &FileRecord,
        changes: &[KeyChange],
    ) -> Result<String> {
        let shape = self.reader.shape();
        let of_body = match wanted {
            FileRecord::Tag(_) => Some("description"),
            FileRecord::User(_) => Some("bio"),
            _ => None,
        };
        for change in changes {
            let edited = |change: KeyChange| {
                let edited = edit_keys(&text, shape, &[change]);
                edited.map_err(|error| self.reader.refused(&error))
            };
            // If the removal of the key changes nothing, the front matter does not have it, so the
            // value is the body.
            let is_body =
                Some(change.name()) == of_body && !body_of(&text, shape).trim().is_empty() && {
                    let without = KeyChange {
                        value: None,
                        ..change.clone()
                    };
                    edited(without)? == text
                };
            text = match &change.value {
                Some(KeyValue::Text(value)) if is_body => {
                    with_body(&text, shape, &format!("{value}\n"))
                }
                _ if is_body => with_body(&text, shape, ""),
                _ => edited(change.clone())?,
            };
        }
        Ok(text)
    }

    /// Returns a value with its URLs in the form that the file uses.
    fn as_written(&self, value: KeyValue) -> KeyValue {
        match value {
            KeyValue::Text(text) if text.starts_with(PLACEHOLDER) => {
                KeyValue::Text(self.reader.written_url(&text))
            }
            // Other texts, such as HTML, may contain URLs of the site.
            KeyValue::Text(text) => KeyValue::Text(text.replace(PLACEHOLDER, "")),
            KeyValue::List(items) => KeyValue::List(
                items
                    .into_iter()
                    .map(|item| self.as_written(item))
                    .collect(),
            ),
            KeyValue::Table(entries) => {
                let entries = entries.into_iter();
                let entries = entries.map(|(key, value)| (key, self.as_written(value)));
                KeyValue::Table(entries.collect())
            }
            other => other,
        }
    }
}

/// Returns the new values of a file that has the values `own`. Unchanged settings are retained, and an email address that
/// the file lacks, which is that of the account, is not added.
fn wanted_beside(wanted: &FileRecord, own: Option<&FileRecord>) -> FileRecord {
    let mut wanted = wanted.clone();
    match (&mut wanted, own) {
        (FileRecord::Settings(wanted), Some(FileRecord::Settings(own))) => {
            for (key, value) in own {
                wanted.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
        (FileRecord::User(user), Some(FileRecord::User(own))) if own.email.is_some() => {
            user.email = user.email.take().or_else(|| own.email.clone());
        }
        (FileRecord::User(user), _) => user.email = None,
        _ => {}
    }
    wanted
}

/// Returns the keys with their values. Each theme setting is a separate key, such as `theme_settings.source.layout`, so that
/// an edit of one leaves the others unchanged.
fn single_keys(keys: &WrittenKeys) -> Vec<(String, KeyValue)> {
    let mut single = Vec::new();
    for (name, value) in keys.key_values() {
        match value {
            KeyValue::Table(themes)
                // A dot in the name of a theme would split its table into two.
                if name == FILE_SETTINGS && !themes.iter().any(|(theme, _)| theme.contains('.')) =>
            {
                push_single(name, KeyValue::Table(themes), &mut single);
            }
            value => single.push((name.to_owned(), value)),
        }
    }
    single
}

/// Adds the values in a table as dotted keys. Recursion is bounded, because theme settings are two tables deep.
fn push_single(name: &str, value: KeyValue, single: &mut Vec<(String, KeyValue)>) {
    match value {
        KeyValue::Table(entries) => {
            for (key, value) in entries {
                push_single(&format!("{name}.{key}"), value, single);
            }
        }
        value => single.push((name.to_owned(), value)),
    }
}

fn key_set(record: &FileRecord) -> &'static KeySet {
    match record {
        FileRecord::Settings(_) => &site_file::SET,
        FileRecord::Tag(_) => &TagFields::SET,
        FileRecord::User(_) => &AuthorFields::SET,
        FileRecord::Tier(_) => &TierFields::SET,
        FileRecord::Newsletter(_) => &NewsletterFields::SET,
    }
}

fn key_of(set: &KeySet, name: &str) -> Option<&'static Key> {
    set.all().find(|key| key.name == name)
}

/// Returns the keys of a record in a file with this name, with URLs in stored form.
fn keys_of(record: &FileRecord, stem: &str) -> WrittenKeys {
    let form = UrlForm::Stored;
    let file = FileNaming { stem, form };
    match record {
        FileRecord::Settings(values) => {
            let mut keys = WrittenKeys::new(form);
            let set = of_site().filter_map(|setting| Some((setting, values.get(setting.key)?)));
            for (setting, value) in set.filter(|(_, value)| !value.is_null()) {
                setting_keys::add(&mut keys, setting, value);
            }
            if let Some(themes) = values.get(FILE_SETTINGS).filter(|themes| !themes.is_null()) {
                setting_keys::add_theme_settings(&mut keys, themes);
            }
            keys
        }
        FileRecord::Tag(tag) => file.tag(tag),
        FileRecord::User(user) => file.author(user),
        FileRecord::Tier(tier) => file.tier(tier),
        FileRecord::Newsletter(newsletter) => file.newsletter(newsletter),
    }
}

impl FileReader {
    /// Reads a text of the file of a record other than a post.
    ///
    /// # Errors
    ///
    /// `Validation` if the text is not a valid file of such a record.
    fn read_record(&self, text: &str) -> Result<FileRecord> {
        match self.read_any(text)?.record {
            ConvertedRecord::Settings(values) => Ok(FileRecord::Settings(values)),
            ConvertedRecord::Tag(tag) => Ok(FileRecord::Tag(tag)),
            ConvertedRecord::User(user) => Ok(FileRecord::User(user)),
            ConvertedRecord::Tier(tier) => Ok(FileRecord::Tier(tier)),
            ConvertedRecord::Newsletter(newsletter) => Ok(FileRecord::Newsletter(newsletter)),
            ConvertedRecord::Post(..) => Err(self.unusable(None)),
        }
    }
}
