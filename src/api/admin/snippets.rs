//! Snippets, oldest first (Ghost 6.65, recorded).

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Map, Value};

use super::{
    Reply, Request, envelope,
    input::{Input, InputField, InputType},
    long_reply::LongReply,
    records::{self, Resource},
    view::View,
};
use crate::{
    admin::snippets::{self, SnippetChanges},
    api::{
        json::{self, Object},
        listing::{self, FilterRules, pagination},
        params::{Defaults, Format, Paging, Rows, Selection},
    },
    catalog::{
        fields::{SNIPPETS, Schema, ViewField},
        filter::Filterable,
    },
    domain::snippet::{NAME_CHARACTERS_MAX, Snippet},
    error::Result,
    render::urls::lexical_to_served,
    site::EditableRecord,
    store::Table,
};

/// The writable fields of a snippet. A change has the same required fields as a new one.
pub static FIELDS: &[InputField] = &[
    InputField::required("name", InputType::Text(NAME_CHARACTERS_MAX)),
    InputField::required("mobiledoc", InputType::Text(usize::MAX)),
    InputField::optional("lexical", InputType::Text(usize::MAX)),
];

impl Filterable for Snippet {}

impl Resource for Snippet {
    const RECORD: &'static str = "Snippet";
    const SCHEMA: &'static Schema<Self> = &SNIPPETS;

    const DEFAULTS: Defaults = Defaults {
        include: &[],
        formats: &[Format::Mobiledoc],
    };

    fn write(&self, view: &View, object: &mut Object, rows: &Rows<Self>) {
        view.fields(object, self, rows, |object, name, field| match field {
            ViewField::Mobiledoc => object.field(name, &self.mobiledoc),
            _ => {
                let lexical = self.lexical.as_deref();
                let site = view.site_urls.url();
                object.field(
                    name,
                    lexical.map(|lexical| lexical_to_served(lexical, site)),
                );
            }
        });
    }
}

/// `GET admin/snippets/`. Documents may be long, so they are read one at a time, for the snippets on
/// the page only.
pub fn browse(request: &Request) -> Result<Reply> {
    let selection = Selection::for_staff(request.parameters, &Snippet::DEFAULTS);
    let paging = Paging::parse(request.parameters)?;
    let rules = FilterRules::of_fields(&SNIPPETS);
    let query = listing::query(&request.snapshot.catalog, request.now, &paging, &rules)?;
    let mut found = Vec::new();
    request
        .snapshot
        .visit(Table::Snippets, |_, snippet: Snippet| {
            if query
                .filter
                .as_ref()
                .is_none_or(|filter| filter.holds(&snippet))
            {
                found.push(Arc::new(Snippet {
                    mobiledoc: "".into(),
                    lexical: None,
                    ..snippet
                }));
            }
            Ok(())
        })?;
    if let Some(order) = &query.order {
        found.sort_by(|a, b| order.compare(a, b, |_| 0));
    }
    let page = listing::page(found, &paging);
    let ids = page.records.iter().map(|found| found.id);
    // Lazy, so that only one document is in memory at a time.
    let mut whole = ids.filter_map(|id| Snippet::find(request.snapshot, id).transpose());
    let view = records::view(request, request.snapshot, &selection);
    let rows = selection.rows(&SNIPPETS, &[]);

    let mut reply = LongReply::to(request);
    let mut bytes = Vec::new();
    let mut object = Object::begin(&mut bytes);
    let list = object.name("snippets");
    json::try_list(list, &mut whole, |bytes, snippet| {
        let snippet = snippet?;
        let lexical = snippet.lexical.as_deref().unwrap_or_default();
        reply.reserve_for(snippet.mobiledoc.len() + lexical.len())?;
        let mut object = Object::begin(bytes);
        snippet.write(&view, &mut object, &rows);
        object.end();
        reply.spill_to_disk(bytes)
    })?;
    object.field("meta", pagination(&page, &paging));
    object.end();
    Ok(Reply::new(StatusCode::OK, reply.finish(bytes)?))
}

/// `POST admin/snippets/`
pub fn add(request: &Request) -> Result<Reply> {
    let changes = changes(record(request)?)?;
    let (site, address) = (request.site(), request.site_urls.url());
    let new = snippets::add(site, request.actor()?, address, changes)?;
    // A snippet has no relations, so the snapshot from before the change suffices.
    let body = records::changed(request, request.snapshot, &*new);
    Ok(Reply::created(body, &request.location(new.id)))
}

/// `PUT admin/snippets/{id}/`
pub fn edit(request: &Request) -> Result<Reply> {
    let id = request.id(0)?;
    let record = record(request)?;
    envelope::check_id(&record, id)?;
    let changes = changes(record)?;
    let (site, address) = (request.site(), request.site_urls.url());
    let new = snippets::edit(site, request.actor()?, address, id, changes)?;
    // As in `add`, the snapshot from before the change suffices.
    Ok(Reply::json(records::changed(
        request,
        request.snapshot,
        &*new,
    )))
}

fn record(request: &Request) -> Result<Map<String, Value>> {
    envelope::only_record_by_position(request, SNIPPETS.name)
}

fn changes(record: Map<String, Value>) -> Result<SnippetChanges> {
    let input = Input::new_record(record, FIELDS)?;
    let text = |name: &str| input.value(name).and_then(Value::as_str);
    Ok(SnippetChanges {
        name: text("name").unwrap_or_default().into(),
        mobiledoc: text("mobiledoc").unwrap_or_default().into(),
        lexical: input
            .has("lexical")
            .then(|| text("lexical").map(Into::into)),
    })
}
