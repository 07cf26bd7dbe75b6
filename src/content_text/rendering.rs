//! Renders documents to HTML in stored form, without knowing their site.

use std::sync::LazyLock;

use serde_json::{Value, json};
use url::Url;

use crate::render::{
    lexical::{self, Context, Loss},
    urls,
};

/// A placeholder of the site's URL during rendering. No document contains it, because the host cannot exist (RFC 6761).
const ANY_SITE: &str = "https://site.galley.invalid";

/// [`ANY_SITE`] as a URL.
pub static ANY_SITE_URL: LazyLock<Url> =
    LazyLock::new(|| Url::parse(ANY_SITE).expect("this is an url"));

/// Returns the HTML of a document in stored form, and the parts that are not shown. A document without nodes has no
/// HTML.
pub fn of_document(lexical: &str) -> (String, Vec<Loss>) {
    // Images of the site are recognised by their URL.
    let served = urls::lexical_to_served(lexical, &ANY_SITE_URL);
    let context = Context {
        site: &ANY_SITE_URL,
    };
    match lexical::to_html(&served, context) {
        Ok(rendering) => (stored(&rendering.html), rendering.losses),
        Err(_) => (String::new(), Vec::new()),
    }
}

/// Returns the HTML of nodes in stored form, as in a document with other nodes.
pub fn of_nodes(nodes: &[Value]) -> String {
    const NEXT: &str = "<hr>";
    let html = of_document(&document_of(nodes.to_vec()).to_string()).0;
    if !html.is_empty() || nodes.is_empty() {
        return html;
    }
    // A line break alone is not rendered, so it is rendered before a rule, which is removed again.
    let next = json!({"type": "horizontalrule", "version": 1});
    let html = of_document(&document_of([nodes, &[next]].concat()).to_string()).0;
    html.strip_suffix(NEXT).unwrap_or_default().to_owned()
}

/// Converts HTML rendered for [`ANY_SITE`] to stored form. URLs that are otherwise unchanged (Ghost 6.65, recorded) are
/// converted, too, because no other site has this host.
fn stored(html: &str) -> String {
    urls::html_to_stored(html, &ANY_SITE_URL).replace(ANY_SITE, urls::PLACEHOLDER)
}

/// Returns a document with these nodes, or an empty paragraph without any, as in a new post of the editor.
pub fn document_of(mut nodes: Vec<Value>) -> Value {
    if nodes.is_empty() {
        nodes.push(json!({
            "children": [],
            "direction": null,
            "format": "",
            "indent": 0,
            "type": "paragraph",
            "version": 1
        }));
    }
    json!({
        "root": {
            "children": nodes,
            "direction": null,
            "format": "",
            "indent": 0,
            "type": "root",
            "version": 1
        }
    })
}
