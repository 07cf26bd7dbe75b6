//! `galley doctor`: checks for common faults in operation, and prints how to fix them.
//!
//! `checks` contains the table: a row for each check, with its time limit. The first checks concern this machine and
//! find the values of the site, from the running server or from the store on disk; the others run concurrently.
//! *Nothing is changed, on this machine or elsewhere, and no lock is held that a starting server needs.*

mod backups;
mod certificates;
mod checks;
mod clock;
mod configuration;
mod data_folder;
mod database;
mod domains;
mod examined_site;
mod finding;
mod front_end;
mod mail_server;
mod ports;
mod releases;
mod repository;
mod sender_records;
mod sites;
mod uploads;
mod webhooks;

pub use self::{
    checks::{CHECKS, Check, examine},
    examined_site::NameService,
    finding::{Finding, Verdict},
};
