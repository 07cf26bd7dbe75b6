//! Reads the Content API of a site without a server.

use std::{
    io::Read,
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
};

use bytes::Bytes;
use galley::{
    api::{
        Api, Options,
        request::{Request, RequestHead},
        response::{Body, Response},
    },
    site::Site,
};
use http::{HeaderMap, Method};
use serde_json::Value;

/// The API of a site, and a key of its Content API.
pub struct ApiReader {
    /// The API.
    pub api: Api,
    key: String,
}

impl ApiReader {
    /// Returns a reader with the key of the site's first integration, which is added if there is none.
    pub fn new(site: &Arc<Site>, options: Options) -> Self {
        let known = site.current().catalog.integrations().next().cloned();
        let integration = known.unwrap_or_else(|| {
            let added = site.write(|transaction| transaction.add_integration("Test", None));
            Arc::new(added.unwrap())
        });
        Self {
            api: Api::new(Arc::clone(site), options),
            key: integration.content_key.secret.to_string(),
        }
    }

    /// Returns the path of a Content API endpoint with the key, such as `posts/` or `posts/?limit=1`.
    pub fn content_path(&self, endpoint: &str) -> String {
        let separator = if endpoint.contains('?') { '&' } else { '?' };
        format!("/ghost/api/content/{endpoint}{separator}key={}", self.key)
    }

    /// Returns the response to a GET of any path.
    pub fn get(&self, target: &str) -> Response {
        self.api.respond_alone(&Request {
            head: head(target),
            body: Bytes::new(),
        })
    }

    /// Returns the body of the response to a GET of a Content API endpoint.
    pub fn text(&self, endpoint: &str) -> String {
        match self.get(&self.content_path(endpoint)).body {
            Body::Bytes(bytes) => String::from_utf8(bytes.to_vec()).expect("replies are UTF-8"),
            other => panic!("{endpoint} has the body {other:?}"),
        }
    }

    /// Returns the response to a GET of a Content API endpoint as JSON.
    pub fn json(&self, endpoint: &str) -> Value {
        serde_json::from_str(&self.text(endpoint)).expect("responses are JSON")
    }
}

/// Returns the header section of a GET from this machine.
pub fn head(target: &str) -> RequestHead {
    RequestHead {
        method: Method::GET,
        target: target.parse().unwrap(),
        headers: HeaderMap::new(),
        peer: IpAddr::V4(Ipv4Addr::LOCALHOST),
    }
}

/// Returns the body of a response.
pub fn bytes_of(response: Response) -> Vec<u8> {
    match response.body {
        Body::Bytes(bytes) => bytes.to_vec(),
        Body::File { mut file, .. } => {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).unwrap();
            bytes
        }
        Body::Empty => Vec::new(),
        body => panic!("{body:?} has no end"),
    }
}
