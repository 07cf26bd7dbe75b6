//! The first pass over an export, which reads all tables but the posts into memory.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

use super::{
    export_reader::{ExportError, RawRow, TableVisitor},
    keys::RowKey,
    rows::{ColumnNames, Row},
};
use crate::import::ghost::pass_progress::PassProgress;

/// Maximum memory for the tables other than posts, in bytes.
const TABLES_BYTES_MAX: usize = 128 << 20;

/// Estimated memory of a row in addition to its text, in bytes.
const ROW_BYTES: usize = 512;

/// Estimated memory of a name, or of the first link of a row, in bytes.
const LINK_BYTES: usize = 192;

/// Estimated memory of each further link of a row, in bytes.
const FURTHER_LINK_BYTES: usize = 64;

/// Estimated memory of the record for a row, in bytes: in the catalog, and in the transaction that adds it.
const RECORD_BYTES: usize = 2048;

/// Maximum number of posts, which are counted in the first pass.
const POSTS_MAX: u64 = 200_000;

/// Maximum number of unknown tables, and of unknown columns of each table, that the report names.
const NAMES_MAX: usize = 50;

/// Longest name of a table or column in the report, in characters.
const NAME_CHARACTERS_MAX: usize = 60;

/// Links between rows, with the file's `sort_order`.
pub type OrderedLinks = HashMap<RowKey, Vec<(i64, RowKey)>>;

/// A price in an export of Ghost 4.
pub struct StripePrice {
    /// In the smallest unit of the currency.
    pub amount: u64,
    /// ISO 4217 code.
    pub currency: Option<Box<str>>,
}

/// All tables but the posts.
#[derive(Default)]
pub struct Tables {
    /// The version of Ghost that made the export, as its `meta` says.
    pub version: Option<String>,
    /// Settings: key and value.
    pub settings: Vec<Row<'static>>,
    /// Staff.
    pub users: Vec<Row<'static>>,
    /// Tags.
    pub tags: Vec<Row<'static>>,
    /// Tiers.
    pub tiers: Vec<Row<'static>>,
    /// Newsletters.
    pub newsletters: Vec<Row<'static>>,
    /// Offers.
    pub offers: Vec<Row<'static>>,
    /// Recommendations of other sites.
    pub recommendations: Vec<Row<'static>>,
    /// Snippets.
    pub snippets: Vec<Row<'static>>,
    /// Integrations.
    pub integrations: Vec<Row<'static>>,
    /// Theme settings.
    pub theme_settings: Vec<Row<'static>>,
    /// Names of roles.
    pub roles: HashMap<RowKey, Box<str>>,
    /// Roles of users.
    pub roles_of_users: HashMap<RowKey, Vec<RowKey>>,
    /// Texts of the benefits.
    pub benefits: HashMap<RowKey, Box<str>>,
    /// Benefits of tiers.
    pub benefits_of_tiers: OrderedLinks,
    /// Prices at the payment provider.
    pub stripe_prices: HashMap<RowKey, StripePrice>,
    /// Tags of posts.
    pub tags_of_posts: OrderedLinks,
    /// Authors of posts.
    pub authors_of_posts: OrderedLinks,
    /// Tiers that may read a post.
    pub tiers_of_posts: OrderedLinks,
    /// Metadata of posts for search engines, social networks and mail.
    pub meta_of_posts: HashMap<RowKey, Row<'static>>,
    /// Number of posts and pages.
    pub posts: u64,
    /// Number of rows of the tables that are not read, by table.
    pub left_out: BTreeMap<String, u64>,
    /// Unknown columns of the tables of links and names, by table.
    pub unknown_columns: UnknownColumns,
    /// Number of elements that are not objects, by table.
    pub not_rows: BTreeMap<String, u64>,
    /// Number of repaired rows, by table.
    pub repaired: BTreeMap<String, u64>,
    /// Number of rows that refer to no post, or to a post that an earlier row describes, by table.
    pub repeated: BTreeMap<String, u64>,
    column_names: ColumnNames,
    tables_bytes: usize,
    /// Estimated memory of the tables and records so far, in bytes.
    records_bytes: usize,
}

/// Unknown columns that hold values, by table.
#[derive(Default)]
pub struct UnknownColumns(pub BTreeMap<String, BTreeSet<String>>);

impl UnknownColumns {
    /// Adds unknown columns of a row of `table`.
    pub fn add(&mut self, table: &str, columns: Vec<String>) {
        if columns.is_empty() {
            return;
        }
        let known = match self.0.get_mut(table) {
            Some(known) => known,
            None => self.0.entry(table.to_owned()).or_default(),
        };
        for column in columns {
            if known.len() < NAMES_MAX {
                known.insert(shortened(&column));
            }
        }
    }

    /// Adds all of `others`.
    pub fn extend(&mut self, others: &Self) {
        for (table, columns) in &others.0 {
            self.add(table, columns.iter().cloned().collect());
        }
    }
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow)]
    version: Option<&'a RawValue>,
}

/// Collects all tables but the posts, which are only counted.
pub struct FirstPass<'p> {
    /// The tables read so far.
    pub tables: Tables,
    progress: PassProgress<'p>,
    memory_max: Option<usize>,
    is_of_posts: bool,
}

impl<'p> FirstPass<'p> {
    /// Returns a pass that reports to `progress`. The tables and records may take `memory_max` bytes.
    pub fn new(progress: PassProgress<'p>, memory_max: Option<usize>) -> Self {
        Self {
            tables: Tables::default(),
            progress,
            memory_max,
            is_of_posts: false,
        }
    }

    /// Checks that the tables and records so far are within the memory limit.
    fn account(&self) -> Result<(), ExportError> {
        let bytes = self.tables.tables_bytes + self.tables.records_bytes;
        match self.memory_max {
            Some(max) if bytes > max => Err(ExportError::TooManyRows(max)),
            _ => self.progress.reserve(bytes),
        }
    }
}

impl TableVisitor for FirstPass<'_> {
    type Error = ExportError;

    fn wants(&mut self, table: &str) -> bool {
        self.is_of_posts = table == "posts";
        !self.is_of_posts
    }

    fn meta(&mut self, json: &[u8]) -> Result<(), ExportError> {
        // An export without a version is accepted.
        let version = serde_json::from_slice::<Meta>(json)
            .ok()
            .and_then(|meta| meta.version);
        let version = version.map(|version| version.get().trim_matches('"').to_owned());
        if let Some(version) = &version
            && is_too_old(version)
        {
            return Err(ExportError::TooOld(shortened(version)));
        }
        self.tables.version = version;
        Ok(())
    }

    fn row(&mut self, row: &RawRow<'_>) -> Result<(), ExportError> {
        self.tables.add(row)?;
        self.account()
    }

    fn passed(&mut self, offset: u64) -> Result<(), ExportError> {
        // The rows of posts are skipped, so `row` does not count them.
        if self.is_of_posts {
            self.tables.posts += 1;
            self.tables.records_bytes += RECORD_BYTES;
            self.account()?;
        }
        self.progress.passed(offset)
    }
}

/// Returns whether a version is before 1.0, whose exports have a different format: `003`, `0.11.14`.
fn is_too_old(version: &str) -> bool {
    version.starts_with('0')
}

fn shortened(name: &str) -> String {
    name.chars().take(NAME_CHARACTERS_MAX).collect()
}

impl Tables {
    /// Checks the number of posts.
    ///
    /// # Errors
    ///
    /// If there are too many.
    pub fn check(&self) -> Result<(), ExportError> {
        if self.posts > POSTS_MAX {
            Err(ExportError::TooMuch(format!("{POSTS_MAX} posts")))
        } else {
            Ok(())
        }
    }

    fn add(&mut self, raw: &RawRow<'_>) -> Result<(), ExportError> {
        match raw.table {
            "settings" => self.add_row(raw, |tables| &mut tables.settings),
            "users" => self.add_row(raw, |tables| &mut tables.users),
            "tags" => self.add_row(raw, |tables| &mut tables.tags),
            "products" => self.add_row(raw, |tables| &mut tables.tiers),
            "newsletters" => self.add_row(raw, |tables| &mut tables.newsletters),
            "offers" => self.add_row(raw, |tables| &mut tables.offers),
            "recommendations" => self.add_row(raw, |tables| &mut tables.recommendations),
            "snippets" => self.add_row(raw, |tables| &mut tables.snippets),
            "integrations" => self.add_row(raw, |tables| &mut tables.integrations),
            "custom_theme_settings" => self.add_row(raw, |tables| &mut tables.theme_settings),
            "roles" => self.add_name(raw, |tables| &mut tables.roles),
            "benefits" => self.add_name(raw, |tables| &mut tables.benefits),
            "posts_tags" => self.add_link(raw, ["post_id", "tag_id"], |tables| {
                &mut tables.tags_of_posts
            }),
            "posts_authors" => self.add_link(raw, ["post_id", "author_id"], |tables| {
                &mut tables.authors_of_posts
            }),
            "posts_products" => self.add_link(raw, ["post_id", "product_id"], |tables| {
                &mut tables.tiers_of_posts
            }),
            "products_benefits" => self.add_link(raw, ["product_id", "benefit_id"], |tables| {
                &mut tables.benefits_of_tiers
            }),
            "roles_users" => self.add_role(raw),
            "stripe_prices" => self.add_stripe_price(raw),
            "posts_meta" => self.add_post_meta(raw),
            other => self.leave_out(other, raw),
        }
    }

    /// Parses a row; `None` if it is not an object, which is counted.
    fn parse<'a>(&mut self, raw: &RawRow<'a>) -> Result<Option<Row<'a>>, ExportError> {
        let row = Row::parse(raw.json).map_err(|error| raw.broken(&error))?;
        let counts = match &row {
            Some(row) if row.is_repaired => &mut self.repaired,
            Some(_) => return Ok(row),
            None => &mut self.not_rows,
        };
        *counts.entry(raw.table.to_owned()).or_default() += 1;
        Ok(row)
    }

    fn account(&mut self, bytes: usize) -> Result<(), ExportError> {
        self.tables_bytes += bytes;
        if self.tables_bytes > TABLES_BYTES_MAX {
            Err(ExportError::TooMuch(format!(
                "{} MB in its tables other than posts",
                TABLES_BYTES_MAX >> 20
            )))
        } else {
            Ok(())
        }
    }

    fn add_row(
        &mut self,
        raw: &RawRow<'_>,
        target: impl Fn(&mut Self) -> &mut Vec<Row<'static>>,
    ) -> Result<(), ExportError> {
        if let Some(row) = self.parse(raw)? {
            self.account(raw.json.len() + ROW_BYTES)?;
            self.records_bytes += RECORD_BYTES;
            let row = row.into_stored(&mut self.column_names);
            target(self).push(row);
        }
        Ok(())
    }

    fn add_name(
        &mut self,
        raw: &RawRow<'_>,
        target: impl Fn(&mut Self) -> &mut HashMap<RowKey, Box<str>>,
    ) -> Result<(), ExportError> {
        const SKIPPED: &[&str] = &["slug", "description", "uuid", "created_at", "updated_at"];
        if let Some(row) = self.parse(raw)? {
            let row = row.read();
            if let (Some(key), Some(name)) = (row.key("id"), row.boxed("name")) {
                self.account(name.len() + LINK_BYTES)?;
                target(self).insert(key, name);
            }
            self.unknown_columns.add(raw.table, row.unread(SKIPPED));
        }
        Ok(())
    }

    /// Adds a link. `from` and `to` are the columns with the keys of the owning row and of the row that it
    /// refers to.
    fn add_link(
        &mut self,
        raw: &RawRow<'_>,
        [from, to]: [&'static str; 2],
        target: impl Fn(&mut Self) -> &mut OrderedLinks,
    ) -> Result<(), ExportError> {
        if let Some(row) = self.parse(raw)? {
            let row = row.read();
            let order = row.whole("sort_order").unwrap_or(0);
            if let (Some(from), Some(to)) = (row.key(from), row.key(to)) {
                let links = target(self).entry(from).or_default();
                let bytes = if links.is_empty() {
                    LINK_BYTES
                } else {
                    FURTHER_LINK_BYTES
                };
                links.push((order, to));
                self.account(bytes)?;
            }
            self.unknown_columns.add(raw.table, row.unread(&["id"]));
        }
        Ok(())
    }

    fn add_role(&mut self, raw: &RawRow<'_>) -> Result<(), ExportError> {
        if let Some(row) = self.parse(raw)? {
            let row = row.read();
            if let (Some(user), Some(role)) = (row.key("user_id"), row.key("role_id")) {
                self.account(LINK_BYTES)?;
                self.roles_of_users.entry(user).or_default().push(role);
            }
            self.unknown_columns.add(raw.table, row.unread(&["id"]));
        }
        Ok(())
    }

    fn add_stripe_price(&mut self, raw: &RawRow<'_>) -> Result<(), ExportError> {
        const SKIPPED: &[&str] = &[
            "stripe_price_id",
            "stripe_product_id",
            "active",
            "nickname",
            "type",
            "interval",
            "description",
            "created_at",
            "updated_at",
        ];
        if let Some(row) = self.parse(raw)? {
            let row = row.read();
            let currency = row.boxed("currency");
            if let (Some(key), Some(amount)) = (row.key("id"), row.count("amount")) {
                self.account(LINK_BYTES)?;
                self.stripe_prices
                    .insert(key, StripePrice { amount, currency });
            }
            self.unknown_columns.add(raw.table, row.unread(SKIPPED));
        }
        Ok(())
    }

    fn add_post_meta(&mut self, raw: &RawRow<'_>) -> Result<(), ExportError> {
        if let Some(row) = self.parse(raw)? {
            self.account(raw.json.len() + ROW_BYTES + LINK_BYTES)?;
            match row.read().key("post_id") {
                Some(post) if !self.meta_of_posts.contains_key(&post) => {
                    let row = row.into_stored(&mut self.column_names);
                    self.meta_of_posts.insert(post, row);
                }
                _ => *self.repeated.entry(raw.table.to_owned()).or_default() += 1,
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, table: &str, raw: &RawRow<'_>) -> Result<(), ExportError> {
        // A broken row must fail the import, but the stream checks only the syntax between rows.
        serde_json::from_slice::<IgnoredAny>(raw.json).map_err(|error| raw.broken(&error))?;
        let table = shortened(table);
        if self.left_out.len() < NAMES_MAX || self.left_out.contains_key(&table) {
            *self.left_out.entry(table).or_default() += 1;
        }
        Ok(())
    }
}

/// Returns why a table is left out.
pub fn reason(table: &str) -> &'static str {
    match table {
        "stripe_products" | "webhooks" | "api_keys" | "invites" | "collections"
        | "collections_posts" | "comments" | "email_batches" | "emails" => "these are not imported",
        "members" | "labels" | "members_labels" | "members_newsletters" | "members_products" => {
            "members come from the CSV file that Ghost exports: galley import members.csv"
        }
        "mobiledoc_revisions" | "post_revisions" => "earlier versions of posts are not imported",
        _ => "unknown table",
    }
}
