//! The JSON documents of a build, and their content.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{json, value::RawValue};

use super::{BuildError, PAGE_RECORDS_MAX};
use crate::{
    api::static_renderer::StaticRenderer,
    error::{Error, Result},
    render::urls::visit_paths,
};

/// A list of the Content API.
struct ContentList {
    /// The path, which is also the name of the records.
    name: &'static str,
    /// All possible includes.
    include: &'static str,
    /// Whether there are also documents for single records and for pages of the list.
    has_records: bool,
}

const LISTS: &[ContentList] = &[
    ContentList {
        name: "posts",
        include: "tags,authors,tiers",
        has_records: true,
    },
    ContentList {
        name: "pages",
        include: "tags,authors,tiers",
        has_records: true,
    },
    ContentList {
        name: "tags",
        include: "count.posts",
        has_records: true,
    },
    ContentList {
        name: "authors",
        include: "count.posts",
        has_records: true,
    },
    ContentList {
        name: "tiers",
        include: "benefits,monthly_price,yearly_price",
        has_records: false,
    },
    ContentList {
        name: "newsletters",
        include: "",
        has_records: false,
    },
    ContentList {
        name: "recommendations",
        include: "",
        has_records: false,
    },
];

/// The endpoints that the search of pages reads, each with one document.
const FOR_SEARCH: [&str; 3] = [
    "search-index/posts",
    "search-index/tags",
    "search-index/authors",
];

/// A JSON document.
pub struct StaticDocument {
    /// The path below the Content API, without leading and trailing slash.
    path: String,
    content: ListContent,
}

enum ListContent {
    /// All records of a list.
    Whole(&'static ContentList),
    /// The response for this path and query.
    Response(String, String),
}

/// Returns all documents, and the files that they refer to as paths below `/content/`, as written.
///
/// # Errors
///
/// If the site cannot be read.
pub fn all(
    site: &StaticRenderer<'_>,
    page_size: usize,
) -> Result<(Vec<StaticDocument>, BTreeSet<String>), BuildError> {
    let mut documents = Vec::new();
    let mut files = BTreeSet::new();
    // The API serves absolute URLs, unlike pages.
    let files_at = format!("{}/content/", site.site_urls().base());
    let mut add_files = |json: &[u8]| {
        visit_paths(json, &files_at, |path| {
            files.insert(path.to_owned());
        });
    };
    for list in LISTS {
        documents.push(StaticDocument {
            path: list.name.to_owned(),
            content: ListContent::Whole(list),
        });
        let mut total: usize = 0;
        list.each(site, |record| {
            total += 1;
            add_files(record.get().as_bytes());
            if list.has_records {
                let key: RecordKeys =
                    serde_json::from_str(record.get()).map_err(Error::internal)?;
                // The record is not stored here: a large site does not fit into memory, so the
                // document is rendered again when it is written.
                for path in [key.id, format!("slug/{}", key.slug)] {
                    documents.push(list.response(&path, ""));
                }
            }
            Ok(())
        })?;
        if list.has_records {
            // An empty list has one page, as on the server.
            let pages = 1..=total.div_ceil(page_size).max(1);
            documents.extend(pages.map(|page| StaticDocument {
                path: format!("{}/page/{page}", list.name),
                content: ListContent::Response(
                    format!("{}/", list.name),
                    format!("{}&limit={page_size}&page={page}", list.query()),
                ),
            }));
        }
    }
    for document in of_endpoints(["settings"]).chain(for_search()) {
        add_files(&document.json(site)?);
        documents.push(document);
    }
    // Offers have no list in the Content API, only single records.
    for offer in site.snapshot().catalog.offers.iter() {
        documents.push(StaticDocument {
            path: format!("offers/{}", offer.id),
            content: ListContent::Response(format!("offers/{}/", offer.id), String::new()),
        });
    }
    Ok((documents, files))
}

/// Returns the documents that the search of pages reads.
pub fn for_search() -> impl Iterator<Item = StaticDocument> {
    of_endpoints(FOR_SEARCH)
}

fn of_endpoints<const COUNT: usize>(
    names: [&'static str; COUNT],
) -> impl Iterator<Item = StaticDocument> {
    names.into_iter().map(|name| StaticDocument {
        path: name.to_owned(),
        content: ListContent::Response(format!("{name}/"), String::new()),
    })
}

impl StaticDocument {
    /// Returns the path of the file, given the path of the Content API.
    pub fn path(&self, api: &str) -> String {
        format!("{api}/{}/index.html", self.path)
    }

    /// Returns its content.
    ///
    /// # Errors
    ///
    /// If the site cannot be read.
    pub fn json(&self, site: &StaticRenderer<'_>) -> Result<Vec<u8>, BuildError> {
        let json = match &self.content {
            ListContent::Whole(list) => list.whole(site)?,
            ListContent::Response(path, query) => site.json(path, query)?,
        };
        Ok(without_html(&json))
    }
}

impl ContentList {
    fn query(&self) -> String {
        match self.include {
            "" => String::new(),
            include => format!("include={include}"),
        }
    }

    fn response(&self, path: &str, query: &str) -> StaticDocument {
        let path = format!("{}/{path}", self.name);
        let endpoint = format!("{path}/");
        StaticDocument {
            path,
            content: ListContent::Response(endpoint, format!("{}{query}", self.query())),
        }
    }

    /// Visits all records in the order of the list.
    fn each(
        &self,
        site: &StaticRenderer<'_>,
        mut visit: impl FnMut(&RawValue) -> Result<()>,
    ) -> Result<()> {
        let path = format!("{}/", self.name);
        let mut next = Some(1);
        while let Some(page) = next {
            let query = format!("{}&limit={PAGE_RECORDS_MAX}&page={page}", self.query());
            let bytes = site.json(&path, &query)?;
            let response: BTreeMap<&str, &RawValue> =
                serde_json::from_slice(&bytes).map_err(Error::internal)?;
            let (Some(records), Some(meta)) = (response.get(self.name), response.get("meta"))
            else {
                return Err(Error::internal(format!("{path} is not a list")));
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

    /// Returns all records in one response without a next page, so that a client that follows pages
    /// stops after it.
    fn whole(&self, site: &StaticRenderer<'_>) -> Result<Vec<u8>> {
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

/// Escapes JSON so that browsers do not interpret it as HTML, which is the media type that hosts
/// may send for these files.
fn without_html(json: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(json.len());
    for byte in json {
        match byte {
            // `<` only occurs in strings, where this escape is valid.
            b'<' => bytes.extend_from_slice(br"\u003c"),
            byte => bytes.push(*byte),
        }
    }
    bytes
}

/// The fields that identify a record.
#[derive(Deserialize)]
struct RecordKeys {
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
