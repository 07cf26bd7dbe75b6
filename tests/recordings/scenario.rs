//! A scenario as it was recorded: requests in order, and what each was answered.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, from_value};

/// A recording.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What the server that is asked holds.
    #[serde(rename = "world")]
    _world: WorldKind,
    /// What is done, in order.
    pub steps: Vec<Step>,
}

/// What a recorded server held.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum WorldKind {
    /// An owner, an integration, and the sample site.
    Corpus,
}

/// One step.
#[derive(Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub enum Step {
    /// Time passes.
    Sleep(Pause),
    /// A request and what was answered.
    Request(Box<Exchange>),
}

/// Time passes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pause {
    /// So many seconds.
    #[serde(rename = "sleep")]
    pub seconds: f64,
    #[serde(rename = "expect")]
    _expect: Map<String, Value>,
}

/// A request and what was answered. Texts of the request may hold `{{name}}`, a value that an earlier step kept.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// What the step is there for.
    pub about: Option<String>,
    #[serde(default = "get")]
    pub method: String,
    pub path: String,
    #[serde(default)]
    pub query: Map<String, Value>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body, to be sent as JSON.
    pub json: Option<Value>,
    /// The body as it is.
    pub raw: Option<String>,
    pub auth: Auth,
    /// Values of the answer to be kept: a name for each dotted path.
    #[serde(default)]
    pub capture: BTreeMap<String, String>,
    /// Header fields of the answer to be kept, likewise.
    #[serde(default)]
    pub capture_headers: BTreeMap<String, String>,
    /// Objects that may hold nothing beyond what is expected.
    #[serde(default)]
    pub exact: Vec<String>,
    /// What must not be in the answer.
    #[serde(default)]
    pub without: Vec<String>,
    /// Lists that may come in any order.
    #[serde(default)]
    pub unordered: Vec<String>,
    /// What was answered, without what is left open.
    pub expect: Value,
    // What was recorded is in `expect`; how it was chosen matters no more.
    #[serde(default, rename = "only")]
    _only: Vec<String>,
    #[serde(default, rename = "drop")]
    _drop: Vec<String>,
    #[serde(default, rename = "contains")]
    _contains: Vec<String>,
    #[serde(default, rename = "keep_headers")]
    _keep_headers: Vec<String>,
}

fn get() -> String {
    "GET".to_owned()
}

/// As whom a request comes.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Auth {
    /// As nobody.
    None,
    /// With the Content API key.
    Content,
    /// With a token of the integration's Admin API key.
    Integration,
    /// As a person of the staff, who signs in first.
    Staff,
}

impl TryFrom<String> for Auth {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "none" => Ok(Self::None),
            "content" => Ok(Self::Content),
            "integration" => Ok(Self::Integration),
            role if role.starts_with("session:") || role.starts_with("staff:") => Ok(Self::Staff),
            other => Err(format!("there is no auth {other}")),
        }
    }
}

impl TryFrom<Map<String, Value>> for Step {
    type Error = serde_json::Error;

    fn try_from(step: Map<String, Value>) -> Result<Self, serde_json::Error> {
        if step.contains_key("sleep") {
            return from_value(Value::Object(step)).map(Self::Sleep);
        }
        from_value(Value::Object(step)).map(|exchange| Self::Request(Box::new(exchange)))
    }
}

impl Scenario {
    /// Reads `scenarios/NAME.json`.
    pub fn read(name: &str) -> Self {
        let text = crate::read(&format!("scenarios/{name}.json"));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

impl Exchange {
    /// Whether it needs the Admin API.
    pub fn asks_the_admin_api(&self) -> bool {
        self.auth == Auth::Staff || self.path.starts_with("/ghost/api/admin/")
    }
}
