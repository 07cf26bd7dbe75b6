//! Tests of the filter language: golden files, limits, and properties.

mod golden;
mod limits;
mod properties;
