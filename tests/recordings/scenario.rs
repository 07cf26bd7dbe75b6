//! A recorded scenario: its steps in order, and the expected responses.

use std::collections::BTreeMap;

use galley_tests::Who;
use serde::Deserialize;
use serde_json::{Map, Value, from_value};

/// A recording.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    #[serde(rename = "about")]
    _about: Option<String>,
    #[serde(rename = "database")]
    _database: RecordedDatabase,
    /// The records of the server before the first step.
    pub world: WorldKind,
    /// The roles for which a user is invited before the first step.
    #[serde(default)]
    pub roles: Vec<String>,
    /// The arguments with which the server starts.
    #[serde(default)]
    pub config: Switches,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// The database of the recorded Ghost, which affects texts, dates and uniqueness. A scenario has `mysql` if it was recorded on
/// MySQL, or compared with a Ghost on MySQL and found equal.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum RecordedDatabase {
    MySql,
    Sqlite,
}

/// The records of a recorded server.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorldKind {
    /// An owner and an integration.
    Empty,
    /// An owner, an integration, and the records of the sample site.
    Corpus,
}

/// The arguments with which a recorded server started.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Switches {
    /// Whether users who sign in on a new device need a code.
    #[serde(default)]
    pub device_verification: bool,
    /// Whether webhooks may be sent to this machine.
    #[serde(default)]
    pub private_receivers: bool,
}

/// One step.
#[derive(Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub enum Step {
    /// A pause.
    Sleep(Pause),
    /// An expected mail, or the absence of one.
    Mail(Box<MailStep>),
    /// An expected delivery of a webhook, or the absence of one.
    Webhook(Box<WebhookStep>),
    /// A request and its response.
    Request(Box<RequestStep>),
}

/// A pause.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pause {
    /// The duration in seconds.
    #[serde(rename = "sleep")]
    pub seconds: f64,
    #[serde(rename = "expect")]
    _expect: Map<String, Value>,
}

/// An expected mail, or the absence of one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailStep {
    /// The expected mail.
    pub mail: AwaitedMail,
    /// Parts of the text to store: a name for each pattern, whose first group is stored.
    #[serde(default)]
    pub capture: BTreeMap<String, String>,
    #[serde(flatten)]
    pub rules: Rules,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AwaitedMail {
    /// The recipient.
    pub to: Option<String>,
    /// The number of seconds within which none may arrive.
    pub absent: Option<f64>,
}

/// An expected delivery of a webhook, or the absence of one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebhookStep {
    /// The expected delivery.
    pub webhook: AwaitedDelivery,
    /// Values of the body to store: a name for each dotted path.
    #[serde(default)]
    pub capture: BTreeMap<String, String>,
    #[serde(flatten)]
    pub rules: Rules,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AwaitedDelivery {
    /// The path of the receiver.
    pub path: Option<String>,
    /// The key of the signature. Without a key, the delivery must not be signed.
    pub secret: Option<String>,
    /// The longest time until it arrives, in seconds.
    pub timeout: Option<f64>,
    /// The number of seconds within which none may arrive.
    pub absent: Option<f64>,
}

/// A request and its response. Texts of the request may contain `{{name}}`, a value that an earlier step stored.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestStep {
    #[serde(default = "get")]
    pub method: String,
    pub path: String,
    #[serde(default)]
    pub query: Map<String, Value>,
    /// Header fields. A field with the value null is not sent.
    #[serde(default)]
    pub headers: BTreeMap<String, Option<String>>,
    /// The body, which is sent as JSON.
    pub json: Option<Value>,
    /// The body, which is sent unchanged.
    pub raw: Option<Raw>,
    /// Files of a form.
    #[serde(default)]
    pub files: Vec<FormFile>,
    /// Fields of a form.
    pub fields: Option<BTreeMap<String, String>>,
    pub auth: Auth,
    /// An invalid or unusual token.
    pub jwt: Option<OddToken>,
    /// The role whose session cookie is taken from the response.
    pub keep_cookie: Option<String>,
    /// Values of the response to store: a name for each dotted path.
    #[serde(default)]
    pub capture: BTreeMap<String, String>,
    /// Header fields of the response to store: a name for each field.
    #[serde(default)]
    pub capture_headers: BTreeMap<String, String>,
    /// Parts of a text to store: a name for each pattern, whose first group is stored.
    #[serde(default)]
    pub capture_text: BTreeMap<String, String>,
    /// Names under which the cookies of the response are stored, in the form of a request.
    #[serde(default)]
    pub capture_cookies: Vec<String>,
    #[serde(flatten)]
    pub rules: Rules,
}

/// The expected response, and how it is compared.
#[derive(Deserialize)]
pub struct Rules {
    /// The purpose of the step.
    pub about: Option<String>,
    /// The tried action: `posts.add by Author`.
    pub id: Option<String>,
    /// Objects that must not have unexpected fields.
    #[serde(default)]
    pub exact: Vec<String>,
    /// Paths that must not be in the response.
    #[serde(default)]
    pub without: Vec<String>,
    /// Lists that may come in any order.
    #[serde(default)]
    pub unordered: Vec<String>,
    /// The body, without the parts that vary.
    pub expect: Value,
    // The recorded values are in `expect`; the keys by which they were selected have no further effect.
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

/// A raw body.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Raw {
    /// The complete text.
    Text(String),
    /// A long text in short form: a repeated text with a beginning and an end.
    Long {
        #[serde(default)]
        before: String,
        repeat: String,
        times: usize,
        #[serde(default)]
        after: String,
    },
}

impl Raw {
    /// Returns the complete text.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Long {
                before,
                repeat,
                times,
                after,
            } => format!("{before}{}{after}", repeat.repeat(*times)),
        }
    }
}

/// A file of a form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormFile {
    pub field: String,
    pub filename: String,
    #[serde(rename = "type")]
    pub kind: String,
    /// The path of its content, relative to `tests/recordings`.
    pub from: String,
}

/// An invalid or unusual token. A null value removes a part, and times are in seconds from now.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OddToken {
    /// The key that signs it: `id:secret`.
    pub key: Option<String>,
    /// The scheme in the header field instead of `Ghost`.
    pub scheme: Option<String>,
    /// `query` if the token is sent in the query.
    #[serde(rename = "in")]
    pub location: Option<String>,
    pub alg: Option<String>,
    #[serde(default)]
    pub corrupt: bool,
    #[serde(default, deserialize_with = "explicit_null")]
    pub aud: Option<Value>,
    #[serde(default)]
    pub claims: Map<String, Value>,
    #[serde(default)]
    pub header: Map<String, Value>,
}

/// Deserialises an explicit null as a value.
fn explicit_null<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// The credentials of a request.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Auth(pub Who);

impl TryFrom<String> for Auth {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let who = match text.split_once(':') {
            None if text == "none" => Who::Anonymous,
            None if text == "content" => Who::Reader,
            None if text == "integration" => Who::Integration,
            Some(("staff", role)) => Who::staff_token(role),
            Some(("session", role)) => Who::session(role),
            _ => return Err(format!("there is no auth {text}")),
        };
        Ok(Self(who))
    }
}

impl TryFrom<Map<String, Value>> for Step {
    type Error = serde_json::Error;

    fn try_from(step: Map<String, Value>) -> Result<Self, serde_json::Error> {
        let has = |key| step.contains_key(key);
        let (sleeps, mail, webhook) = (has("sleep"), has("mail"), has("webhook"));
        let step = Value::Object(step);
        if sleeps {
            from_value(step).map(Self::Sleep)
        } else if mail {
            from_value(step).map(Box::new).map(Self::Mail)
        } else if webhook {
            from_value(step).map(Box::new).map(Self::Webhook)
        } else {
            from_value(step).map(Box::new).map(Self::Request)
        }
    }
}

impl Step {
    /// Returns the rules of the expected response; `None` for a pause.
    pub fn rules(&self) -> Option<&Rules> {
        match self {
            Self::Sleep(_) => None,
            Self::Mail(step) => Some(&step.rules),
            Self::Webhook(step) => Some(&step.rules),
            Self::Request(step) => Some(&step.rules),
        }
    }

    /// Returns a short description of the step.
    pub fn name(&self) -> String {
        let name = |rules: &Rules| rules.about.clone().or_else(|| rules.id.clone());
        self.rules().and_then(name).unwrap_or_else(|| match self {
            Self::Sleep(_) => "time passes".to_owned(),
            Self::Mail(step) => format!(
                "mail to {}",
                step.mail.to.as_deref().unwrap_or("any address")
            ),
            Self::Webhook(step) => {
                format!(
                    "webhook at {}",
                    step.webhook.path.as_deref().unwrap_or("any path")
                )
            }
            Self::Request(step) => step.path.clone(),
        })
    }
}

impl Scenario {
    /// Reads `scenarios/NAME.json`.
    pub fn read(name: &str) -> Self {
        let text = crate::read(&format!("scenarios/{name}.json"));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

#[test]
fn step_rejects_unknown_fields() {
    let read = |step: Value| from_value::<Step>(step).is_ok();
    let known = serde_json::json!({"path": "/", "auth": "none", "only": ["status"], "expect": {}});
    let mut unknown = known.clone();
    unknown["expcet"] = Value::Null;

    assert!(read(known));
    assert!(!read(unknown));
}
