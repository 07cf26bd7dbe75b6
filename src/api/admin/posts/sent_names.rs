//! Names of tags in the answer to a change.
//!
//! A tag cannot be renamed from a post. Yet Ghost 6.65 answers with the name that was sent beside a tag's identifier
//! (recorded), and clients compare what they sent with what comes back. The tag itself keeps its name.

use serde_json::{Map, Value};

use crate::{
    api::admin::input::Input,
    catalog::Catalog,
    error::{Error, Result},
    id::Id,
};

/// The answer with the names that the request gave to tags which are called otherwise. Without such names it is not looked
/// at.
pub fn repeated(answer: Vec<u8>, input: &Input, catalog: &Catalog) -> Result<Vec<u8>> {
    let renamed = renamed(input, catalog);
    if renamed.is_empty() {
        return Ok(answer);
    }
    let mut answer: Value = serde_json::from_slice(&answer).map_err(Error::internal)?;
    let records = answer.as_object_mut().into_iter().flat_map(Map::values_mut);
    for record in records.filter_map(|list| list.get_mut(0)) {
        let mut tags: Vec<&mut Value> = Vec::new();
        for (name, value) in record.as_object_mut().into_iter().flatten() {
            match (name.as_str(), value) {
                ("tags", Value::Array(list)) => tags.extend(list),
                ("primary_tag", tag) => tags.push(tag),
                _ => {}
            }
        }
        for tag in tags {
            let sent = renamed.iter().find(|(id, _)| tag["id"] == id.to_string());
            if let Some((_, name)) = sent {
                tag["name"] = Value::from(*name);
            }
        }
    }
    Ok(answer.to_string().into_bytes())
}

/// Tags that the request names by identifier and calls otherwise than they are called.
fn renamed<'a>(input: &'a Input, catalog: &Catalog) -> Vec<(Id, &'a str)> {
    let tags = input.list("tags").unwrap_or_default().iter();
    tags.filter_map(|tag| {
        let id: Id = tag.get("id")?.as_str()?.parse().ok()?;
        let name = tag.get("name")?.as_str()?;
        let known = catalog.tags.get(id)?;
        (*known.name != *name).then_some((id, name))
    })
    .collect()
}
