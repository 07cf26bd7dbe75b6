//! The common parts of resources in the Admin API: lists, single records by identifier and by slug,
//! deletions, and responses to changes.

use std::cmp::Ordering;

use super::{Reply, Request, view::View};
use crate::{
    admin::collection::{self, Collection},
    api::{
        json::{self, Object},
        listing::{self, FilterRules, LookupKey, lookup_by_slug, pagination},
        params::{Defaults, PageSize, Paging, Rows, Selection},
        routes::shape::Properties,
    },
    catalog::{
        Catalog,
        browse::{Page, staff},
        fields::Schema,
        filter::Filterable,
        order::POST_COUNT,
    },
    error::{Error, Result},
    site::{CollectionRecord, EditableRecord, SiteSnapshot},
    store::Events,
};

/// The extent of the lists of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListExtent {
    /// The requested page.
    Page,
    /// All records, as one page.
    All,
    /// All records, without `meta`.
    AllWithoutMeta,
}

/// A resource of the Admin API with a table of fields.
pub trait Resource: EditableRecord + Filterable {
    /// The name of a record's schema in the OpenAPI document.
    const RECORD: &'static str;
    /// The table of the fields that staff see.
    const SCHEMA: &'static Schema<Self>;
    /// Its relations in responses.
    const RELATIONS: &'static [Properties] = &[];
    /// The relations and formats by default.
    const DEFAULTS: Defaults = Defaults::NONE;

    /// Default number of records on a page of its lists.
    const PAGE_RECORDS_DEFAULT: usize = PageSize::USUAL.default;

    /// The extent of its lists.
    const LISTS: ListExtent = ListExtent::Page;

    /// The `include` value of the record's count. If it is included, lists can be ordered by the count.
    const COUNT: &'static str = POST_COUNT;

    /// Returns the number that [`Self::COUNT`] names, with posts of every status; 0 if there is no
    /// count.
    fn count(&self, _catalog: &Catalog) -> usize {
        0
    }

    /// Compares two records in the default order: by creation, oldest first.
    fn own_order(&self, other: &Self) -> Ordering {
        self.id().cmp(&other.id())
    }

    /// Writes the record: its rows, and the included relations.
    fn write(&self, view: &View, object: &mut Object, rows: &Rows<Self>) {
        view.fields(object, self, rows, |_, _, _| {});
    }
}

/// Responds to `GET` of a list.
///
/// # Errors
///
/// `Validation` for a malformed parameter, `BadRequest` for a filter that does not parse or names
/// an unknown field.
pub fn browse<R: Resource>(request: &Request) -> Result<Reply> {
    let selection = Selection::for_staff(request.parameters, &R::DEFAULTS);
    let size = PageSize {
        default: R::PAGE_RECORDS_DEFAULT,
        ..PageSize::USUAL
    };
    // Parsed even if the list has all records, because an invalid `page` or `limit` is an error
    // anyway.
    let mut paging = Paging::parse_with(request.parameters, size)?;
    let has_all = R::LISTS != ListExtent::Page;
    if has_all {
        (paging.page, paging.limit) = (1, usize::MAX);
    }
    let page = page::<R>(request, &paging, &selection)?;
    if has_all {
        paging.limit = page.total;
    }
    let view = view(request, request.snapshot, &selection);
    let mut bytes = Vec::new();
    let mut envelope = Object::begin(&mut bytes);
    let records = page.records.iter().map(AsRef::as_ref);
    write(&view, &[], records, envelope.name(R::SCHEMA.name));
    if R::LISTS != ListExtent::AllWithoutMeta {
        envelope.field("meta", pagination(&page, &paging));
    }
    envelope.end();
    Ok(Reply::json(bytes))
}

/// Returns the requested page of records.
fn page<R: Resource>(request: &Request, paging: &Paging, selection: &Selection) -> Result<Page<R>> {
    let catalog = &request.snapshot.catalog;
    let rules = FilterRules {
        with_post_count: selection.includes(R::COUNT),
        ..FilterRules::of_fields(R::SCHEMA)
    };
    let order = paging.order.as_deref();
    let paging = Paging {
        filter: paging.filter.clone(),
        // `Order` knows only one name for counts.
        order: order.map(|order| order.replace(R::COUNT, POST_COUNT)),
        ..*paging
    };
    let query = listing::query(catalog, request.now, &paging, &rules)?;
    let count = |record: &R| record.count(catalog);
    Ok(staff::records(
        R::all(request.snapshot)?.iter(),
        &query,
        count,
        R::own_order,
    ))
}

/// Responds to `GET` of a record by the identifier in the path.
///
/// # Errors
///
/// `Validation` if it is malformed, `NotFound` if there is no such record.
pub fn read_by_id<R: Resource>(request: &Request) -> Result<Reply> {
    let record = match request.id(0)? {
        Some(id) => R::find(request.snapshot, id)?,
        None => None,
    };
    read(request, record.as_deref(), "id")
}

/// Responds to `GET` of a record by the slug in the path.
///
/// # Errors
///
/// `Validation` if it is malformed, `NotFound` if there is no such record.
pub fn read_by_slug<R: Resource + CollectionRecord>(request: &Request) -> Result<Reply> {
    let record = match lookup_by_slug(request.variable())? {
        LookupKey::Slug(slug) => R::of(&request.snapshot.catalog).by_slug(slug),
        LookupKey::Id(_) => None,
    };
    read(request, record.map(AsRef::as_ref), "slug")
}

fn read<R: Resource>(request: &Request, record: Option<&R>, key: &str) -> Result<Reply> {
    let record = record.ok_or_else(|| Error::not_found(R::KIND))?;
    Ok(Reply::json(single(request, record, key)))
}

/// Responds to `DELETE` of a record by the identifier in the path.
///
/// # Errors
///
/// `Validation` if it is malformed; otherwise as [`collection::delete`].
pub fn delete<R: Collection>(request: &Request) -> Result<Reply> {
    collection::delete::<R>(request.site(), request.actor()?, request.id(0)?)?;
    let reply = Reply::no_content();
    Ok(match R::TABLE.events() {
        Events::None => reply,
        _ => reply.invalidating("/*"),
    })
}

/// Returns the envelope of one record that was looked up by the field `key`.
pub fn single<R: Resource>(request: &Request, record: &R, key: &str) -> Vec<u8> {
    let selection = Selection::for_staff(request.parameters, &R::DEFAULTS);
    envelope(&view(request, request.snapshot, &selection), record, &[key])
}

/// Returns the envelope of one record that was added or changed, with all its fields, as of
/// `snapshot`.
pub fn changed<R: Resource>(request: &Request, snapshot: &SiteSnapshot, record: &R) -> Vec<u8> {
    let selection = Selection::for_change(request.parameters, &R::DEFAULTS);
    envelope(&view(request, snapshot, &selection), record, &[])
}

fn envelope<R: Resource>(view: &View, record: &R, keys: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut envelope = Object::begin(&mut bytes);
    write(
        view,
        keys,
        std::iter::once(record),
        envelope.name(R::SCHEMA.name),
    );
    envelope.end();
    bytes
}

fn write<'r, R: Resource>(
    view: &View,
    keys: &[&str],
    records: impl Iterator<Item = &'r R>,
    bytes: &mut Vec<u8>,
) {
    let rows = view.selection.rows(R::SCHEMA, keys);
    json::list(bytes, records, |bytes, record| {
        let mut object = Object::begin(bytes);
        record.write(view, &mut object, &rows);
        object.end();
    });
}

/// Returns the view of one response.
pub fn view<'a>(
    request: &Request<'a>,
    snapshot: &'a SiteSnapshot,
    selection: &'a Selection,
) -> View<'a> {
    View {
        snapshot,
        site_urls: request.site_urls,
        selection,
    }
}
