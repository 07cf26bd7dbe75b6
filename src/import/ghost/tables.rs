//! The first pass over an export: everything but the posts, in memory.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

use super::{
    Reading,
    columns::{self, Ties},
    keys::Key,
    rows::{Columns, Row},
    walk::{ExportError, RawRow, Visitor},
};

/// Most that the tables beside posts may take in memory, in bytes.
const KEPT_BYTES_MAX: usize = 128 << 20;

/// What a row takes beside its text, about, in bytes.
const ROW_BYTES: usize = 512;

/// What a tie between two rows takes, about, in bytes.
const TIE_BYTES: usize = 192;

/// What the record takes that a row becomes, about, in bytes: in the catalog, and in the change that adds it.
const RECORD_BYTES: usize = 2048;

/// Most posts, which are counted in the first pass.
const POSTS_MAX: u64 = 200_000;

/// Most tables that are not known, and columns of each table that are not, which are named in the report.
const NAMES_MAX: usize = 50;

/// Longest name of a table or column in the report, in characters.
const NAME_CHARACTERS_MAX: usize = 60;

/// What is tied to what, in the order of the file's `sort_order`.
pub type Tied = HashMap<Key, Vec<(i64, Key)>>;

/// What an amount of money is in an export of Ghost 4.
pub struct StripePrice {
    /// In the smallest unit of the currency.
    pub amount: u64,
    /// ISO 4217 code.
    pub currency: Option<Box<str>>,
}

/// Everything but the posts.
#[derive(Default)]
pub struct Tables {
    /// The version of Ghost that made the export, as it says.
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
    /// What is chosen of themes.
    pub theme_settings: Vec<Row<'static>>,
    /// Names of roles.
    pub roles: HashMap<Key, Box<str>>,
    /// Roles of users.
    pub roles_of_users: HashMap<Key, Vec<Key>>,
    /// What members of tiers get, in words.
    pub benefits: HashMap<Key, Box<str>>,
    /// Which of these they get.
    pub benefits_of_tiers: Tied,
    /// Prices at the payment provider.
    pub stripe_prices: HashMap<Key, StripePrice>,
    /// Tags of posts.
    pub tags_of_posts: Tied,
    /// Authors of posts.
    pub authors_of_posts: Tied,
    /// Tiers that may read a post.
    pub tiers_of_posts: Tied,
    /// What search engines and others show of posts.
    pub meta_of_posts: HashMap<Key, Row<'static>>,
    /// Number of posts and pages.
    pub posts: u64,
    /// Tables that are not read: their number of rows.
    pub left_out: BTreeMap<String, u64>,
    /// Columns that are not read and hold something, by table.
    pub unknown_columns: UnknownColumns,
    /// What stands in tables and is no row, by table.
    pub not_rows: BTreeMap<String, u64>,
    /// Rows that were mended, by table.
    pub mended: BTreeMap<String, u64>,
    /// Rows that belong to nothing, or to what a row before was for, by table.
    pub repeated: BTreeMap<String, u64>,
    kept_bytes: usize,
    /// What the records take that its rows become.
    records_bytes: usize,
}

/// Columns that are not read and hold something, by table.
#[derive(Default)]
pub struct UnknownColumns(pub BTreeMap<String, BTreeSet<String>>);

impl UnknownColumns {
    /// Notes that a row of `table` has these.
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

/// Visits everything but posts, which it counts.
pub struct FirstPass<'p> {
    /// What was found so far.
    pub tables: Tables,
    reading: Reading<'p>,
    memory_max: Option<usize>,
    is_of_posts: bool,
}

impl<'p> FirstPass<'p> {
    /// A pass that tells `reading` how far it is, through a document of which all may take `memory_max` bytes.
    pub fn new(reading: Reading<'p>, memory_max: Option<usize>) -> Self {
        Self {
            tables: Tables::default(),
            reading,
            memory_max,
            is_of_posts: false,
        }
    }

    /// Asks whether what was found so far may be kept, and what becomes of it.
    fn account(&self) -> Result<(), ExportError> {
        let bytes = self.tables.kept_bytes + self.tables.records_bytes;
        match self.memory_max {
            Some(max) if bytes > max => Err(ExportError::TooManyRows(max)),
            _ => self.reading.keeps(bytes),
        }
    }
}

impl Visitor for FirstPass<'_> {
    type Error = ExportError;

    fn wants(&mut self, table: &str) -> bool {
        self.is_of_posts = table == "posts";
        !self.is_of_posts
    }

    fn meta(&mut self, json: &[u8]) -> Result<(), ExportError> {
        // An export that does not say who made it is taken as it is.
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
        if self.is_of_posts {
            self.tables.posts += 1;
            self.tables.records_bytes += RECORD_BYTES;
            self.account()?;
        }
        self.reading.passed(offset)
    }
}

/// Whether it is a version before 1.0, whose exports are of another form: `003`, `0.11.14`.
fn is_too_old(version: &str) -> bool {
    version.starts_with('0')
}

fn shortened(name: &str) -> String {
    name.chars().take(NAME_CHARACTERS_MAX).collect()
}

impl Tables {
    /// Makes sure that there is no more of anything than is taken.
    ///
    /// # Errors
    ///
    /// When there is.
    pub fn check(&self) -> Result<(), ExportError> {
        match self.posts > POSTS_MAX {
            true => Err(ExportError::TooMuch(format!("{POSTS_MAX} posts"))),
            false => Ok(()),
        }
    }

    fn add(&mut self, raw: &RawRow<'_>) -> Result<(), ExportError> {
        match raw.table {
            "settings" => self.keep(raw, &columns::SETTINGS, |tables| &mut tables.settings),
            "users" => self.keep(raw, &columns::USERS, |tables| &mut tables.users),
            "tags" => self.keep(raw, &columns::TAGS, |tables| &mut tables.tags),
            "products" => self.keep(raw, &columns::PRODUCTS, |tables| &mut tables.tiers),
            "newsletters" => {
                self.keep(raw, &columns::NEWSLETTERS, |tables| &mut tables.newsletters)
            }
            "offers" => self.keep(raw, &columns::OFFERS, |tables| &mut tables.offers),
            "recommendations" => self.keep(raw, &columns::RECOMMENDATIONS, |tables| {
                &mut tables.recommendations
            }),
            "snippets" => self.keep(raw, &columns::SNIPPETS, |tables| &mut tables.snippets),
            "integrations" => self.keep(raw, &columns::INTEGRATIONS, |tables| {
                &mut tables.integrations
            }),
            "custom_theme_settings" => self.keep(raw, &columns::THEME_SETTINGS, |tables| {
                &mut tables.theme_settings
            }),
            "roles" => self.name(raw, &columns::ROLES, |tables| &mut tables.roles),
            "benefits" => self.name(raw, &columns::BENEFITS, |tables| &mut tables.benefits),
            "posts_tags" => self.tie(raw, &columns::POSTS_TAGS, |tables| {
                &mut tables.tags_of_posts
            }),
            "posts_authors" => self.tie(raw, &columns::POSTS_AUTHORS, |tables| {
                &mut tables.authors_of_posts
            }),
            "posts_products" => self.tie(raw, &columns::POSTS_PRODUCTS, |tables| {
                &mut tables.tiers_of_posts
            }),
            "products_benefits" => self.tie(raw, &columns::PRODUCTS_BENEFITS, |tables| {
                &mut tables.benefits_of_tiers
            }),
            "roles_users" => self.role(raw),
            "stripe_prices" => self.stripe_price(raw),
            "posts_meta" => self.post_meta(raw),
            other => self.leave_out(other, raw),
        }
    }

    /// Reads a row; `None` if it is invalid, which is counted.
    fn parse<'a>(
        &mut self,
        raw: &RawRow<'a>,
        columns: &Columns,
    ) -> Result<Option<Row<'a>>, ExportError> {
        let row = Row::parse(raw.json, columns).map_err(|error| raw.broken(&error))?;
        match row {
            Some(mut row) => {
                if row.is_mended {
                    *self.mended.entry(raw.table.to_owned()).or_default() += 1;
                }
                let unknown = std::mem::take(&mut row.unknown);
                self.unknown_columns.add(raw.table, unknown);
                Ok(Some(row))
            }
            None => {
                *self.not_rows.entry(raw.table.to_owned()).or_default() += 1;
                Ok(None)
            }
        }
    }

    fn account(&mut self, bytes: usize) -> Result<(), ExportError> {
        self.kept_bytes += bytes;
        match self.kept_bytes > KEPT_BYTES_MAX {
            true => Err(ExportError::TooMuch(format!(
                "{} MB in its tables beside posts",
                KEPT_BYTES_MAX >> 20
            ))),
            false => Ok(()),
        }
    }

    fn keep(
        &mut self,
        raw: &RawRow<'_>,
        columns: &Columns,
        place: impl Fn(&mut Self) -> &mut Vec<Row<'static>>,
    ) -> Result<(), ExportError> {
        if let Some(row) = self.parse(raw, columns)? {
            self.account(raw.json.len() + ROW_BYTES)?;
            self.records_bytes += RECORD_BYTES;
            place(self).push(row.into_owned());
        }
        Ok(())
    }

    fn name(
        &mut self,
        raw: &RawRow<'_>,
        columns: &Columns,
        place: impl Fn(&mut Self) -> &mut HashMap<Key, Box<str>>,
    ) -> Result<(), ExportError> {
        if let Some(row) = self.parse(raw, columns)? {
            let row = row.read();
            if let (Some(key), Some(name)) = (row.key("id"), row.boxed("name")) {
                self.account(name.len() + TIE_BYTES)?;
                place(self).insert(key, name);
            }
        }
        Ok(())
    }

    fn tie(
        &mut self,
        raw: &RawRow<'_>,
        ties: &Ties,
        place: impl Fn(&mut Self) -> &mut Tied,
    ) -> Result<(), ExportError> {
        if let Some(row) = self.parse(raw, &ties.columns)? {
            let row = row.read();
            if let (Some(from), Some(to)) = (row.key(ties.from), row.key(ties.to)) {
                self.account(TIE_BYTES)?;
                let order = row.whole("sort_order").unwrap_or(0);
                place(self).entry(from).or_default().push((order, to));
            }
        }
        Ok(())
    }

    fn role(&mut self, raw: &RawRow<'_>) -> Result<(), ExportError> {
        if let Some(row) = self.parse(raw, &columns::ROLES_USERS)? {
            let row = row.read();
            if let (Some(user), Some(role)) = (row.key("user_id"), row.key("role_id")) {
                self.account(TIE_BYTES)?;
                self.roles_of_users.entry(user).or_default().push(role);
            }
        }
        Ok(())
    }

    fn stripe_price(&mut self, raw: &RawRow<'_>) -> Result<(), ExportError> {
        if let Some(row) = self.parse(raw, &columns::STRIPE_PRICES)? {
            let row = row.read();
            if let (Some(key), Some(amount)) = (row.key("id"), row.count("amount")) {
                self.account(TIE_BYTES)?;
                let currency = row.boxed("currency");
                self.stripe_prices
                    .insert(key, StripePrice { amount, currency });
            }
        }
        Ok(())
    }

    fn post_meta(&mut self, raw: &RawRow<'_>) -> Result<(), ExportError> {
        if let Some(row) = self.parse(raw, &columns::POSTS_META)? {
            self.account(raw.json.len() + ROW_BYTES + TIE_BYTES)?;
            match row.read().key("post_id") {
                Some(post) if !self.meta_of_posts.contains_key(&post) => {
                    self.meta_of_posts.insert(post, row.into_owned());
                }
                _ => *self.repeated.entry(raw.table.to_owned()).or_default() += 1,
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, table: &str, raw: &RawRow<'_>) -> Result<(), ExportError> {
        serde_json::from_slice::<IgnoredAny>(raw.json).map_err(|error| raw.broken(&error))?;
        let table = shortened(table);
        if self.left_out.len() < NAMES_MAX || self.left_out.contains_key(&table) {
            *self.left_out.entry(table).or_default() += 1;
        }
        Ok(())
    }
}
