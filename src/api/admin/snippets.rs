//! Snippets, oldest first (Ghost 6.65, recorded).

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Map, Value};

use super::{
    Reply, Request, envelope,
    input::{Input, InputField, InputType},
    long_reply::LongReply,
    view::View,
};
use crate::{
    admin::snippets::{self, SnippetChanges},
    api::{
        json::{self, Object},
        listing::{self, FilterRules, not_found, pagination},
        params::{Defaults, Format, Paging, Selection},
    },
    catalog::fields::{SNIPPETS, ViewField},
    domain::snippet::{NAME_CHARACTERS_MAX, Snippet},
    error::Result,
    render::urls::lexical_to_served,
};

/// The writable fields of a snippet. A change has the same required fields as a new one.
pub static FIELDS: &[InputField] = &[
    InputField::required("name", InputType::Text(NAME_CHARACTERS_MAX)),
    InputField::required("mobiledoc", InputType::Text(usize::MAX)),
    InputField::optional("lexical", InputType::Text(usize::MAX)),
];

/// The relations and formats by default.
const DEFAULTS: Defaults = Defaults {
    include: &[],
    formats: &[Format::Mobiledoc],
};

/// `GET admin/snippets/`
pub fn browse(request: &Request) -> Result<Reply> {
    let selection = Selection::for_staff(request.parameters, &DEFAULTS);
    let paging = Paging::parse(request.parameters)?;
    let rules = FilterRules::of_fields(&SNIPPETS);
    let query = listing::query(&request.snapshot.catalog, request.now, &paging, &rules)?;
    // Documents may be long: only those on the page are held in memory.
    let mut found = Vec::new();
    request.snapshot.visit_snippets(|snippet| {
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
    let mut whole = ids.filter_map(|id| request.snapshot.snippet(id).transpose());

    let mut reply = LongReply::to(request);
    let mut bytes = Vec::new();
    let mut object = Object::begin(&mut bytes);
    let list = object.name("snippets");
    json::try_list(list, &mut whole, |bytes, snippet| {
        let snippet = snippet?;
        let lexical = snippet.lexical.as_deref().unwrap_or_default();
        reply.reserve_for(snippet.mobiledoc.len() + lexical.len())?;
        write(request, &selection, &[], &snippet, bytes);
        reply.spill_to_disk(bytes)
    })?;
    object.field("meta", pagination(&page, &paging));
    object.end();
    Ok(Reply::new(StatusCode::OK, reply.finish(bytes)?))
}

/// `GET admin/snippets/{id}/`
pub fn read(request: &Request) -> Result<Reply> {
    let selection = Selection::for_staff(request.parameters, &DEFAULTS);
    let snippet = match request.id(0)? {
        Some(id) => request.snapshot.snippet(id)?,
        None => None,
    };
    let snippet = snippet.ok_or_else(|| not_found("snippet"))?;
    Ok(Reply::json(single(request, &selection, &["id"], &snippet)))
}

/// `POST admin/snippets/`
pub fn add(request: &Request) -> Result<Reply> {
    let changes = changes(record(request)?)?;
    let (site, address) = (request.site(), request.site_urls.url());
    let new = snippets::add(site, request.actor()?, address, changes)?;
    let selection = Selection::for_change(request.parameters, &DEFAULTS);
    let body = single(request, &selection, &[], &new);
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
    let selection = Selection::for_change(request.parameters, &DEFAULTS);
    Ok(Reply::json(single(request, &selection, &[], &new)))
}

/// `DELETE admin/snippets/{id}/`
pub fn delete(request: &Request) -> Result<Reply> {
    snippets::delete(request.site(), request.actor()?, request.id(0)?)?;
    Ok(Reply::no_content())
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

fn single(request: &Request, selection: &Selection, keys: &[&str], snippet: &Snippet) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut object = Object::begin(&mut bytes);
    json::list(
        object.name("snippets"),
        [snippet].into_iter(),
        |bytes, snippet| {
            write(request, selection, keys, snippet, bytes);
        },
    );
    object.end();
    bytes
}

fn write(
    request: &Request,
    selection: &Selection,
    keys: &[&str],
    snippet: &Snippet,
    bytes: &mut Vec<u8>,
) {
    let view = View {
        snapshot: request.snapshot,
        site_urls: request.site_urls,
        selection,
    };
    let rows = selection.rows(&SNIPPETS, keys);
    let mut object = Object::begin(bytes);
    view.fields(&mut object, snippet, &rows, |object, name, field| {
        let site = request.site_urls.url();
        match field {
            ViewField::Mobiledoc => object.field(name, &snippet.mobiledoc),
            _ => {
                let lexical = snippet.lexical.as_deref();
                object.field(
                    name,
                    lexical.map(|lexical| lexical_to_served(lexical, site)),
                );
            }
        }
    });
    object.end();
}
