//! The documents: which there are, and what each says.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{json, value::RawValue};

use super::{BuildError, PAGE_RECORDS_MAX};
use crate::{
    api::still::Still,
    error::{Error, Result},
    render::urls::visit_paths,
};

/// A list of the Content API.
struct List {
    /// Its path and the name of its records.
    name: &'static str,
    /// All that can be included.
    include: &'static str,
    /// Whether its records are there one by one, too, and in pages.
    has_records: bool,
}

const LISTS: &[List] = &[
    List {
        name: "posts",
        include: "tags,authors,tiers",
        has_records: true,
    },
    List {
        name: "pages",
        include: "tags,authors,tiers",
        has_records: true,
    },
    List {
        name: "tags",
        include: "count.posts",
        has_records: true,
    },
    List {
        name: "authors",
        include: "count.posts",
        has_records: true,
    },
    List {
        name: "tiers",
        include: "benefits,monthly_price,yearly_price",
        has_records: false,
    },
    List {
        name: "newsletters",
        include: "",
        has_records: false,
    },
    List {
        name: "recommendations",
        include: "",
        has_records: false,
    },
];

/// What is one document whatever it holds.
const OTHERS: &[&str] = &[
    "settings",
    "search-index/posts",
    "search-index/tags",
    "search-index/authors",
];

/// One document.
pub struct Document {
    /// Its path below that of the Content API, without slashes at its ends.
    path: String,
    content: Content,
}

enum Content {
    /// All records of a list.
    Whole(&'static List),
    /// The answer to this path and query.
    Answer(String, String),
}

/// All documents, and the files that they name: paths below `/content/`, as written.
///
/// # Errors
///
/// When the site cannot be read.
pub fn all(
    site: &Still<'_>,
    page_size: usize,
) -> Result<(Vec<Document>, BTreeSet<String>), BuildError> {
    let mut documents = Vec::new();
    let mut files = BTreeSet::new();
    let files_at = format!("{}/content/", site.addresses().base());
    let mut add_files = |json: &[u8]| {
        visit_paths(json, &files_at, |path| {
            files.insert(path.to_owned());
        });
    };
    for list in LISTS {
        documents.push(Document {
            path: list.name.to_owned(),
            content: Content::Whole(list),
        });
        let mut total: usize = 0;
        list.each(site, |record| {
            total += 1;
            add_files(record.get().as_bytes());
            if list.has_records {
                let key: Key = serde_json::from_str(record.get()).map_err(Error::internal)?;
                for path in [key.id, format!("slug/{}", key.slug)] {
                    documents.push(list.answer(&path, ""));
                }
            }
            Ok(())
        })?;
        if list.has_records {
            let pages = 1..=total.div_ceil(page_size).max(1);
            documents.extend(pages.map(|page| Document {
                path: format!("{}/page/{page}", list.name),
                content: Content::Answer(
                    format!("{}/", list.name),
                    format!("{}&limit={page_size}&page={page}", list.query()),
                ),
            }));
        }
    }
    for name in OTHERS {
        let path = format!("{name}/");
        add_files(&site.json(&path, "")?);
        documents.push(Document {
            path: (*name).to_owned(),
            content: Content::Answer(path, String::new()),
        });
    }
    for offer in site.edition().catalog.offers.iter() {
        documents.push(Document {
            path: format!("offers/{}", offer.id),
            content: Content::Answer(format!("offers/{}/", offer.id), String::new()),
        });
    }
    Ok((documents, files))
}

impl Document {
    /// Where it lies, with the Content API at `api`.
    pub fn path(&self, api: &str) -> String {
        format!("{api}/{}/index.html", self.path)
    }

    /// What it says.
    ///
    /// # Errors
    ///
    /// When the site cannot be read.
    pub fn json(&self, site: &Still<'_>) -> Result<Vec<u8>, BuildError> {
        let json = match &self.content {
            Content::Whole(list) => list.whole(site)?,
            Content::Answer(path, query) => site.json(path, query)?,
        };
        Ok(harmless(&json))
    }
}

impl List {
    fn query(&self) -> String {
        match self.include {
            "" => String::new(),
            include => format!("include={include}"),
        }
    }

    fn answer(&self, path: &str, query: &str) -> Document {
        let path = format!("{}/{path}", self.name);
        let endpoint = format!("{path}/");
        Document {
            path,
            content: Content::Answer(endpoint, format!("{}{query}", self.query())),
        }
    }

    /// Visits all records, in the order of the list.
    fn each(&self, site: &Still<'_>, mut visit: impl FnMut(&RawValue) -> Result<()>) -> Result<()> {
        let path = format!("{}/", self.name);
        let mut next = Some(1);
        while let Some(page) = next {
            let query = format!("{}&limit={PAGE_RECORDS_MAX}&page={page}", self.query());
            let bytes = site.json(&path, &query)?;
            let answer: BTreeMap<&str, &RawValue> =
                serde_json::from_slice(&bytes).map_err(Error::internal)?;
            let (Some(records), Some(meta)) = (answer.get(self.name), answer.get("meta")) else {
                return Err(Error::internal(format!("{path} is no list")));
            };
            let records: Vec<&RawValue> =
                serde_json::from_str(records.get()).map_err(Error::internal)?;
            for record in records {
                visit(record)?;
            }
            let meta: Meta = serde_json::from_str(meta.get()).map_err(Error::internal)?;
            next = meta.pagination.next;
        }
        Ok(())
    }

    /// All records in one answer, which says that there is no other page: whoever pages through it is through at once.
    fn whole(&self, site: &Still<'_>) -> Result<Vec<u8>> {
        let mut json = format!("{{\"{}\":[", self.name).into_bytes();
        let mut total: usize = 0;
        self.each(site, |record| {
            if total > 0 {
                json.push(b',');
            }
            json.extend_from_slice(record.get().as_bytes());
            total += 1;
            Ok(())
        })?;
        let pagination = json!({
            "page": 1, "limit": total.max(1), "pages": 1, "total": total, "next": null, "prev": null,
        });
        json.extend_from_slice(format!("],\"meta\":{{\"pagination\":{pagination}}}}}").as_bytes());
        Ok(json)
    }
}

/// The same JSON without anything that a browser could take for HTML, as which hosts send these files.
fn harmless(json: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(json.len());
    for byte in json {
        match byte {
            // It stands in texts only, where it may be written so.
            b'<' => bytes.extend_from_slice(br"\u003c"),
            byte => bytes.push(*byte),
        }
    }
    bytes
}

/// What a record is read by.
#[derive(Deserialize)]
struct Key {
    id: String,
    slug: String,
}

#[derive(Deserialize)]
struct Meta {
    pagination: Pagination,
}

#[derive(Deserialize)]
struct Pagination {
    next: Option<usize>,
}
