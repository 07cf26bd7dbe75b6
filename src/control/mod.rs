//! Commands about a site, for `galley key`, `galley user`, `galley members`, `galley theme`, `galley
//! webhook`, `galley status`, `galley doctor`, `galley sync`, `galley import`, `galley export`, `galley backup` and
//! `galley build`.
//!
//! A command is executed in one of two ways: by the program itself if no process has the data folder open, and
//! otherwise by the running server. The server listens on a socket in the data folder that only the folder's owner
//! and root can connect to.

mod account;
mod accounts;
mod client;
mod command;
mod context;
mod duplicates;
mod examination;
mod examination_report;
mod execution;
mod listener;
mod member_report;
mod members;
mod nodes;
mod reload_report;
mod reply;
mod socket;
mod status;
mod targets;
mod theme_report;
mod themes;
mod webhook_report;
mod webhooks;

pub use self::command::{Command, ImportRequest};
pub use self::context::{ControlContext, Reload};
pub use self::execution::execute;
pub use self::reload_report::ReloadReport;
pub use self::reply::{CommandProgress, IntegrationKeys, Reply, SyncReport};

pub use self::account::{Account, AccountCommand, SessionReport, TypedPassword};
pub use self::examination_report::Examination;
pub use self::member_report::{MemberCommand, MemberReport, MergeReport};
pub use self::theme_report::{ThemeCommand, ThemeReport};
pub use self::webhook_report::{
    DeliveryReport, DeliveryState, Secret, WebhookCommand, WebhookReport,
};
pub use client::{ClientError, ask};
pub use duplicates::DuplicateReport;
pub use listener::Listener;
pub use nodes::NodeStatus;
pub use status::{StatusReport, setup_url};
pub use targets::{named_here, refuse_served};
