//! The sample site, imported and served.

use std::net::TcpStream;

use serde_json::Value;

use crate::{
    answer,
    app::TestApp,
    beside,
    compare::{self, Difference},
    http_client::{Answer, Client},
    request::Request,
    scenario::Exchange,
    shape::Variables,
};

/// The site's public address.
const BASE: &str = "http://127.0.0.1:2368";

/// What requests call it.
const HOST: &str = "127.0.0.1:2368";

/// A server that holds the sample site, and what steps have kept so far.
pub struct World {
    app: TestApp,
    variables: Variables,
}

/// What came of a step.
pub struct Outcome {
    /// What was sent, if it could be.
    pub request: Option<String>,
    /// The status of the answer.
    pub status: Option<u16>,
    /// What differs from the recording.
    pub differences: Vec<Difference>,
}

impl World {
    /// Imports the sample site and serves it.
    pub fn with_sample_site() -> Self {
        let app = TestApp::builder()
            .url(BASE)
            .export(&beside("corpus.json"))
            .start();
        let admin_key = app.admin_key();
        let (admin_id, admin_secret) = admin_key.split_once(':').unwrap();
        let values = [
            ("base", BASE.to_owned()),
            ("host", HOST.to_owned()),
            ("content_key", app.key().to_owned()),
            ("admin_id", admin_id.to_owned()),
            ("admin_secret", admin_secret.to_owned()),
            ("admin_key", admin_key.clone()),
        ];
        let variables = values.map(|(name, value)| (name.to_owned(), value)).into();
        Self { app, variables }
    }

    /// Sends a step's request, keeps what it asks to keep, and compares the answer.
    pub fn perform(&mut self, exchange: &Exchange) -> Outcome {
        let request = match Request::new(exchange, &self.variables) {
            Ok(request) => request,
            Err(name) => {
                return Outcome {
                    request: None,
                    status: None,
                    differences: vec![Difference {
                        place: "request".to_owned(),
                        text: format!("needs {{{{{name}}}}}, which no step has kept"),
                    }],
                };
            }
        };
        let answer = self.ask(&request);
        let document = answer::document(exchange, &answer);
        let mut differences = self.keep(exchange, &answer, &document);
        differences.extend(compare::differences(exchange, document, &self.variables));
        Outcome {
            request: Some(request.line),
            status: Some(answer.status),
            differences,
        }
    }

    fn ask(&self, request: &Request) -> Answer {
        let mut client = Client::new(TcpStream::connect(self.app.address()).unwrap());
        client.send(&request.text);
        client.last_answer()
    }

    /// Keeps values of the answer under their names, and tells what is not there to be kept.
    fn keep(&mut self, exchange: &Exchange, answer: &Answer, document: &Value) -> Vec<Difference> {
        let from_body = exchange.capture.iter().map(|(name, path)| {
            let value = answer::value_at(document, path);
            (name, format!("json.{path}"), value)
        });
        let from_headers = exchange
            .capture_headers
            .iter()
            .map(|(name, header)| (name, format!("headers.{header}"), answer.header(header)));
        let mut lost = Vec::new();
        for (name, place, value) in from_body.chain(from_headers) {
            match value {
                Some(value) => {
                    self.variables.insert(name.clone(), value.to_owned());
                }
                None => lost.push(Difference {
                    place,
                    text: format!("nothing to keep as {name}"),
                }),
            }
        }
        lost
    }
}
