//! Tests of the module `sources`, which reads content files.

mod addresses;
mod agreement;
mod authors;
mod bounds;
mod dates;
mod default_values;
mod fixtures;
mod folders;
mod front_matter;
mod golden;
mod inclusions;
mod lenient_folders;
mod lenient_yaml;
mod messages;
mod other_generators;
mod project_documents;
mod projects;
mod properties;
mod published_documents;
mod published_paths;
mod reading;
mod real_sites;
mod schemas;
mod served_files;
mod settings;
mod small_sites;
