//! Tags and authors: served if they have a post that readers can see (specification 4.1).

use super::{EndpointBody, Request, view::View};
use crate::{
    api::{
        json::{self, Object},
        listing::{FilterRules, LookupKey, lookup_by_id, lookup_by_slug, pagination},
        params::{Rows, Selection},
    },
    catalog::{
        Catalog,
        browse::{self, Page, Query},
        fields::{AUTHORS, Schema, TAGS},
        filter::Filterable,
        order::POST_COUNT,
        records::Records,
    },
    domain::{record::Slugged, tag::Tag, user::User},
    error::Error,
    id::Id,
};

/// The name of the field, and of the parameter of a read, with the visibility of a record.
const VISIBILITY: &str = "visibility";

/// A resource whose records are listed if they have published posts.
trait ListedResource: Slugged + Filterable {
    const NOUN: &'static str;
    const SCHEMA: &'static Schema<Self>;
    fn records(catalog: &Catalog) -> &Records<Self>;
    fn post_count(catalog: &Catalog, id: Id) -> usize;
    fn page(catalog: &Catalog, query: &Query<Self>) -> Page<Self>;
    fn write(&self, view: &View, bytes: &mut Vec<u8>, rows: &Rows<Self>, posts: Option<usize>);
}

impl ListedResource for Tag {
    const NOUN: &'static str = "tag";
    const SCHEMA: &'static Schema<Self> = &TAGS;

    fn records(catalog: &Catalog) -> &Records<Self> {
        &catalog.tags
    }

    fn post_count(catalog: &Catalog, id: Id) -> usize {
        catalog.tag_post_count(id)
    }

    fn page(catalog: &Catalog, query: &Query<Self>) -> Page<Self> {
        browse::tags(catalog, query)
    }

    fn write(&self, view: &View, bytes: &mut Vec<u8>, rows: &Rows<Self>, posts: Option<usize>) {
        view.tag(bytes, self, rows, posts);
    }
}

impl ListedResource for User {
    const NOUN: &'static str = "author";
    const SCHEMA: &'static Schema<Self> = &AUTHORS;

    fn records(catalog: &Catalog) -> &Records<Self> {
        &catalog.users
    }

    fn post_count(catalog: &Catalog, id: Id) -> usize {
        catalog.author_post_count(id)
    }

    fn page(catalog: &Catalog, query: &Query<Self>) -> Page<Self> {
        browse::authors(catalog, query)
    }

    fn write(&self, view: &View, bytes: &mut Vec<u8>, rows: &Rows<Self>, posts: Option<usize>) {
        view.author(bytes, self, rows, posts);
    }
}

/// `GET tags/`
pub fn browse_tags(request: &Request) -> EndpointBody {
    browse::<Tag>(request)
}

/// `GET tags/{id}/`
pub fn read_tag_by_id(request: &Request) -> EndpointBody {
    read::<Tag>(request, lookup_by_id(request.variable)?)
}

/// `GET tags/slug/{slug}/`
pub fn read_tag_by_slug(request: &Request) -> EndpointBody {
    read::<Tag>(request, lookup_by_slug(request.variable)?)
}

/// `GET authors/`
pub fn browse_authors(request: &Request) -> EndpointBody {
    browse::<User>(request)
}

/// `GET authors/{id}/`
pub fn read_author_by_id(request: &Request) -> EndpointBody {
    read::<User>(request, lookup_by_id(request.variable)?)
}

/// `GET authors/slug/{slug}/`
pub fn read_author_by_slug(request: &Request) -> EndpointBody {
    read::<User>(request, lookup_by_slug(request.variable)?)
}

fn browse<R: ListedResource>(request: &Request) -> EndpointBody {
    let selection = Selection::parse(request.parameters);
    let paging = request.paging()?;
    let rules = FilterRules {
        with_post_count: selection.includes(POST_COUNT),
        ..FilterRules::of_fields(R::SCHEMA)
    };
    // All records are examined, because only those with posts are listed.
    request.charge(R::records(request.catalog).len())?;
    let page = R::page(request.catalog, &request.query(&paging, &rules)?);

    let mut bytes = Vec::new();
    let mut object = Object::begin(&mut bytes);
    let records = page.records.iter().map(AsRef::as_ref);
    write(
        request,
        &selection,
        records,
        &[],
        object.name(R::SCHEMA.name),
    );
    object.field("meta", pagination(&page, &paging));
    object.end();
    Ok(bytes)
}

/// Reads one record. With the parameter `visibility`, a record with another visibility is not found,
/// and the response includes the field (Ghost 6.65, recorded for tags).
fn read<R: ListedResource>(request: &Request, lookup: LookupKey) -> EndpointBody {
    let selection = Selection::parse(request.parameters);
    let records = R::records(request.catalog);
    let (key, found) = match lookup {
        LookupKey::Id(id) => ("id", id.and_then(|id| records.get(id))),
        LookupKey::Slug(slug) => ("slug", records.by_slug(slug)),
    };
    let record = found
        // A record that has only drafts must not be found, not even by its slug.
        .filter(|record| R::post_count(request.catalog, record.id()) > 0)
        .filter(|record| has_visibility(request, record.as_ref()))
        .ok_or_else(|| Error::not_found(R::NOUN))?;

    let keys: &[&str] = match request.parameters.joined(VISIBILITY) {
        Some(_) => &[key, VISIBILITY],
        None => &[key],
    };
    let mut bytes = Vec::new();
    let mut object = Object::begin(&mut bytes);
    let single = std::iter::once(record.as_ref());
    write(
        request,
        &selection,
        single,
        keys,
        object.name(R::SCHEMA.name),
    );
    object.end();
    Ok(bytes)
}

fn has_visibility<R: ListedResource>(request: &Request, record: &R) -> bool {
    let Some(requested) = request.parameters.joined(VISIBILITY) else {
        return true;
    };
    match R::SCHEMA.row(VISIBILITY) {
        Some(field) => field.value(record).to_text().as_deref() == Some(requested.as_str()),
        None => true,
    }
}

fn write<'a, R: ListedResource>(
    request: &Request,
    selection: &Selection,
    records: impl Iterator<Item = &'a R>,
    keys: &[&str],
    bytes: &mut Vec<u8>,
) {
    let view = View::new(request, selection);
    let rows = view.rows(R::SCHEMA, keys);
    json::list(bytes, records, |bytes, record| {
        let posts = selection
            .includes(POST_COUNT)
            .then(|| R::post_count(request.catalog, record.id()));
        record.write(&view, bytes, &rows, posts);
    });
}
