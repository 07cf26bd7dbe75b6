//! Tests of the program's commands, run as processes with and without a server.

pub mod build;
mod build_site;
mod configuration;
mod control;
mod control_characters;
mod exec;
mod exports;
mod general;
mod import;
mod key_and_status;
mod log;
mod reload;
mod serve;
mod targets;
