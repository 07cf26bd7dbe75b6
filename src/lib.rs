//! A headless publishing service that speaks the Ghost 6 API, in one program with one data file.

pub mod api;
pub mod app;
pub mod catalog;
pub mod cli;
pub mod clock;
pub mod config;
pub mod control;
pub mod data_folder;
pub mod domain;
pub mod error;
pub mod id;
pub mod nql;
pub mod render;
pub mod scheduler;
pub mod server;
pub mod site;
pub mod sources;
pub mod store;
