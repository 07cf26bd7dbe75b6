//! Galley, a publishing service that speaks the Ghost 6 API: the map of its code.
//!
//! A site is a folder of content files and one data file. The files are read, checked and stored; readers get pages and JSON from
//! an index in memory. This page describes the purpose and the limits of each module. A test, `tests/it/architecture.rs`, checks
//! most of the dependencies between modules that are described here.
//!
//! # The layers
//!
//! From the top down. A module only uses modules in lower rows, never one in the same row.
//!
//! | | |
//! |---|---|
//! | [`cli`] | the command line |
//! | [`doctor`] | checks of what goes wrong in operation |
//! | [`app`] | starts and stops everything |
//! | [`config`] | the operator's options |
//! | [`metrics`] | metrics for monitoring, in the Prometheus text format |
//! | [`server`], [`control`] | interfaces: HTTP, and commands from other processes |
//! | [`static_site`] | the public site as static files |
//! | [`api`] | the HTTP API of clients |
//! | [`admin`], [`front_end`] | operations of staff and integrations; the pages of the site, rendered by the active theme |
//! | [`import`], [`export`], [`backup`], [`themes`], [`admin_app`], [`reader_scripts`], [`npm_packages`] | content from and to other systems; backups of whole sites; themes, Ghost's admin app and its scripts for readers on disk |
//! | [`repository`], [`public_settings`] | the git repository that content files come from; the settings that are visible to readers |
//! | [`site_urls`] | the public URLs of records |
//! | [`write_back`] | edits of records into the text of their content files |
//! | [`content_files`], [`scheduler`], [`delivery`], [`search`], [`leadership`] | content files; scheduled posts; mail and webhooks; full-text search; which process does the work that must be done only once |
//! | [`site`] | transactions: the only way to change a site |
//! | [`routing`] | the page of each path, and the path of each record |
//! | [`catalog`] | the records of a site, indexed in memory |
//! | [`domain`], [`generators`] | the records and rules of a publication; static site generators |
//! | [`error`], [`content_text`], [`certificates`], [`uploads`] | the error type above the store; content files as text; certificates for https; the storage of uploaded files |
//! | [`bucket`], [`releases`] | object storage; the newest release |
//! | [`store`], [`nql`], [`render`], [`templates`], [`images`], [`outbound`], [`dns`], [`id`], [`clock`], [`data_folder`] | ground: bytes on disk, filters, Markdown and HTML, images, HTTP requests to other hosts, queries to name servers, time |
//! | [`atomic_file`], [`collation`], [`confined_folder`], [`archive`], [`body_memory`], [`counters`], [`background`], [`interruption`], [`periodic_thread`], [`reader_texts`], [`escaped`] | atomic and temporary files; comparison of texts; folders that no access leaves through a link; archives, including untrusted ones; the memory budget of requests; counters; thread priorities; waits that end when the process stops; threads that run periodically; texts for readers in the language of the site; untrusted text for terminals and logs |
//!
//! ## The ground
//!
//! [`store`] stores ordered bytes under keys, in the tables that [`store::Table`] lists with their audiences. Other modules use
//! six operations: snapshot, get, scan, writer, commit, and changes since a revision. A commit consists of one or several
//! [`store::Batch`]es; when it returns, either all of it is on disk or nothing. The values of a large batch are spilled to a
//! file. [`store::redb`] is a single file. [`store::memory`] is a store in memory that injects failures for tests.
//! [`store::postgres`] is a database that several processes share, each with a replica in a redb file. Only one user of a store
//! may commit at a time. *The store never interprets a value, and never replaces a file that it cannot read.*
//!
//! [`nql`] parses filters into a tree whose nodes have their positions in the text. *It has no knowledge of fields.*
//!
//! [`render`] converts text to text: Markdown to HTML; HTML to the part that anonymous readers may see, to plain text, to search
//! text and to a reading time; titles to slugs; stored URLs to served ones; URLs of videos to players. *It never fails, reads
//! nothing but its arguments, and does not sanitise HTML: authors are trusted with their site. [`render::active_urls`] removes
//! URLs that run code from converted Markdown, from HTML that is sent to the API, and from imports.*
//!
//! [`content_text`] parses front matter and data files into one tree with positions, converts the body of a document to the
//! editor's nodes, and writes edits of both: only the bytes of changed values and blocks change. It merges two edits of a file by
//! keys and blocks. *Text in, text out: it has no knowledge of records and file systems. An edit that would read back differently
//! is refused or written as a fenced block.*
//!
//! [`templates`] parses the templates of themes into trees and renders them. *It has no knowledge of themes and sites: a template
//! only sees the values and calls the helpers that it is given, within limits.*
//!
//! [`images`] recognises images by their content, resizes them into the data folder in bounded memory, and removes scripts from
//! SVG images. *It decodes nothing before it has read the dimensions from the header. Only this module uses the libraries for
//! image formats.*
//!
//! [`outbound`] sends HTTP requests to other hosts. *It only connects to public addresses, regardless of what a name resolves to
//! and where a redirect points. The exceptions are the operator's bucket and downloads. Only this module uses ureq.*
//!
//! [`dns`] sends queries to name servers, only for `galley doctor`. *Only this module uses simple-dns.*
//!
//! [`id`] creates identifiers. [`clock`] is the only source of the time and limits times to the end of the year 9999.
//! [`data_folder`] contains the lock by which one process at a time owns a site, describes the process that holds it, and records
//! a command that has not completed the site.
//!
//! With [`progress`], imports, exports, backups, builds and the reading of content files report their progress and check whether
//! they were cancelled.
//!
//! [`escaped`] makes control characters in untrusted text visible. The log and everything that commands print goes through it.
//! *Only `cli/terminal.rs` and `cli/log.rs` write to standard output and standard error.*
//!
//! [`collation`] compares texts for people, ignoring case and accents: in filters, orders and searches of lists, and wherever
//! names and slugs are looked up or must be unique. *All comparisons of user text go through it.*
//!
//! [`confined_folder`] reads and writes files in a folder that others also write to: the content folder, and the output of a
//! build or an export. *No access leaves the folder, regardless of the links in it and when they are created. One function
//! decides which links are followed, for reading and for writing.*
//!
//! [`reader_texts`] contains the texts of Galley's pages and mails for readers, in the language of the site. *The English text is
//! the key of its translations.*
//!
//! [`bucket`] stores objects in an S3 bucket and retrieves them, for backups and uploads. *It trusts no response: every request
//! and every list ends, and [`interruption`] ends them when the process stops.*
//!
//! [`uploads`] locates the files of uploads and themes, in the data folder, in a folder that several processes share or in a
//! bucket, and adds new files atomically. From a bucket, it only uses objects that match a record stored elsewhere. *It knows
//! names and bytes, and of an image only its kind.*
//!
//! ## The publication
//!
//! [`domain`] contains the record types, one file each, and the rules that depend on nothing else. A type is also the record in
//! the store, so fields are only ever added. [`domain::setting::SETTINGS`] lists the settings of a site. *No HTTP, no JSON of the
//! API, no files, no store.*
//!
//! [`catalog`] contains all records except the bodies of posts, indexed for lists, filters, searches and orders. It is immutable:
//! a transaction works on a copy, which shares everything that is unchanged. [`catalog::fields`] has a table for each resource
//! with a row for each field, which defines how readers and staff see it. The served fields, filters, orders, exports and the
//! OpenAPI document are derived from these tables, and for the texts of posts and tags also what requests, content files and
//! imports set. So none of these can contradict each other. *The catalog never blocks and never writes.*
//!
//! [`site`] joins the two. [`site::Site::write`] is the only way to change anything: it runs a closure over a
//! [`site::Transaction`]. [`site::Site::follow`] updates the catalog with the commits of other users of the store.
//! [`site::Site::current`] is what readers use: a [`site::SiteSnapshot`], the catalog and the store's snapshot of one commit. *A
//! reader never waits for a writer.* Workers, which act on their own schedule, get a [`site::LeasedSite`], which only accepts
//! their changes while their process leads the work. *A worker has no other way to write.*
//!
//! [`routing`] maps paths to pages and records to paths, according to the site's `routes.yaml`. *It has no knowledge of templates
//! and responses.*
//!
//! ## Input and output
//!
//! [`api`] builds the response to a complete request. It consists of plain functions, from `routes` (one row for each endpoint:
//! path, right, handler, parameters, bodies, limits) to [`api::content`], in the order defined in `api/pipeline.rs`.
//! [`api::error`] is the only module that converts an error to a status. [`api::response_cache`] caches responses as bytes, and
//! `api/content_encoding.rs` compresses them. [`api::openapi`] describes the API in a document that is served. [`api::content`]
//! shows a site to anonymous readers, and gated posts to the members who may read them: drafts and content that the reader may
//! not see never leave it. [`api::content::changes`] serves the change feed from [`catalog::changes`], which [`site`] extends
//! with each commit. [`api::admin`] shows staff and integrations what their rights allow. `api/previews` shows a draft to any
//! client with its URL. `api/unsubscribe` ends a newsletter for any client with the member's key. `api/message_page` shows error
//! pages in browsers. `api/members` signs readers up and in and shows members their accounts. `api/setup_page` opens the set-up
//! to the holder of the one-time link. `api/front_page` describes the site to people at `/`, or below the API's prefix if a theme
//! renders `/`. `api/feeds` lists the site's pages for feed readers and search engines. *No hyper, no waiting.*
//!
//! [`public_settings`] determines which settings are visible to readers, and their values, in the Content API and in themes.
//!
//! [`front_end`] renders the site's pages with the templates of the active theme: [`front_end::pages`] finds the page for a path
//! and its template, [`front_end::model`] exposes the catalog lazily to templates, [`front_end::helpers`] has a row for each
//! helper, and [`front_end::head`] builds the content of a page's head. `api/theme` serves and caches the pages. *Templates see
//! only what the reader may see, and no files outside their theme.*
//!
//! [`generators`] has a folder for each static site generator. It defines how the generator's projects are recognised, what their
//! settings mean, the kind of each file, where a document is published, and how its front matter, Markdown and templates are
//! read. Below these folders are two sets of parsers that do not depend on a generator: `generators/syntax` expands templates,
//! shortcodes, directives and MDX, and `generators/settings` reads settings files and literals in scripts. *No domain, no
//! catalog, no site: text in, text out.*
//!
//! [`content_files`] reconciles the site with the content folder. One half is pure: a path and bytes become a typed value or
//! diagnostics, according to one table of keys for each kind of file, which the JSON Schemas are also generated from. The other
//! half reads, compares and applies. *A problem in one file never affects others: its last good version stays. Notifications from
//! the file system are hints; nothing depends on them. Of the folder, only `images/` and the files that a published post refers
//! to are served.* [`content_files::Layout`] combines the generator, the project's settings and the site's `[content_files]`, and
//! determines what each path is. Serving and importing read a folder with the same layout and the same reader, so their results
//! are consistent by construction.
//!
//! A record's [`domain::origin::RecordOrigin`] determines whether it changes in the store or with a content file. Only the
//! transaction decides by it, when the record is saved or deleted. [`site::Transaction::save_post`] passes a post from a content
//! file through [`write_back`], if that is enabled, and [`site::Transaction::save_edited`] does so for other records. The edit is
//! made in the text of the file, which is read like any other file, so the record always matches the file. The edit is retained in
//! the store until it is in the file, a commit or the branch. *Only the edited keys and blocks of a file change.*
//!
//! [`repository`] fills the folder from a repository, using the git program, which only this module starts. A commit is either
//! applied completely or rejected completely. It also commits edits in a person's work tree, without that person's changes. *From
//! a repository that is not Galley's, git reads neither configuration nor hooks.*
//!
//! [`import`] reads exports from Ghost, lists of members, and folders of Markdown, each in a separate module. [`export`] writes
//! the same three formats. *An import is a single transaction, and repeating it changes nothing.*
//!
//! [`backup`] writes a whole site into one file from one snapshot, restores a data folder from it, and collects backups in a
//! folder or a bucket. Regular backups are states and the changes between them, stored as immutable objects
//! (`backup/increments`). It also copies uploads from one storage to another. *It never touches the file of an open store,
//! replaces nothing before the whole backup has been verified, and deletes no old backup before the new one has been verified.*
//!
//! [`themes`] are folders below the data folder. An uploaded theme, or one from a GitHub repository, is unpacked next to its
//! final folder, checked, and installed in one step. *It renders nothing: it knows the files of a theme, not their meaning for a
//! page.*
//!
//! [`admin_app`] installs Ghost's admin app into a folder, and [`reader_scripts`] installs Ghost's scripts for readers.
//! [`npm_packages`] obtains npm packages, verifies their hashes, and unpacks static files, which `api/admin_app.rs` and
//! `api/reader_scripts.rs` serve. `api/auth_frame` is the frame through which comments on pages call the Admin API. *Nothing of
//! the app or the scripts is part of the program.*
//!
//! [`admin`] contains the operations of staff and integrations, one file for each resource: permissions, the check for
//! collisions, the consequences of a change, and the audit entry. The command line calls the same operations.
//! [`admin::rate_limits`] counts sign-ins, codes, requests for mail and wrong keys, according to the rules in
//! [`domain::rate_limit`]. If processes share the store, the counts are in the store. *No JSON of the API, no HTTP.*
//!
//! [`scheduler`] publishes scheduled posts when they are due, and many posts in steps. *A post that cannot be published does not
//! delay others.*
//!
//! [`search`] finds posts and pages by their text. An immutable index in memory is replaced after each commit by a thread that
//! updates a copy. It has a document for each version of a text that some reader sees. *A search takes no lock, and finds exactly
//! what it would find on a site that contains only what the reader may see.*
//!
//! [`delivery`] sends the messages in the outbox. [`site::Transaction::send_mail`] queues a mail in the same commit as the change
//! that caused it. Webhook events are sent from their queues, in order, and logged. Newsletters are sent to their subscribers in
//! batches, each of which is recorded before and after it is sent. *A crash can repeat a mail or a delivery, but never lose one.
//! Only this module uses lettre. If a mail server is configured, the log never contains a link or a code that signs in.*
//!
//! [`leadership`] starts the workers for the work that this process leads, and stops them when it no longer leads. If a store
//! belongs to one process, it leads everything. If several processes share a store, each is a node ([`store::Nodes`]) with a
//! heartbeat, and a lease for each kind of work names one node. *At any time, at most one process leads a kind of work. Messages
//! that it sends may be repeated by its successor; its late writes are refused.*
//!
//! [`certificates`] provides the certificates of a site that is served over https: it obtains and renews one for each name from
//! an ACME authority, or follows files of the operator. *A bad certificate never replaces a good one, nor affects those of other
//! names. Only this module reads private keys and uses rcgen and instant-acme.*
//!
//! [`server`] is the HTTP edge: sockets, TLS, limits, timeouts, the request log, a graceful stop. It serves any
//! [`server::Handler`]. Waiting and streaming responses occupy no thread. *It has no knowledge of routes and keys. Only this
//! module uses hyper and `await`.*
//!
//! [`static_site`] writes the site to a folder, for a static host: the Content API or the pages of the active theme, with the
//! images and assets that they refer to, and the redirects. It gets responses from [`api::static_renderer`] and
//! [`api::static_pages`], which run the endpoints and render the pages without a connection. *The same site produces the same
//! files, and unchanged files are not touched.*
//!
//! [`control`] runs the commands of `galley key`, `galley user`, `galley members`, `galley theme`, `galley webhook`,
//! `galley status`, `galley doctor`, `galley sync`, `galley import`, `galley export`, `galley backup` and `galley build`, in
//! their own process or, over a socket in the data folder, in the server that owns it. *Nothing is written into folders that the
//! site is served from.*
//!
//! [`metrics`] serves, on a separate listener, the metrics that other modules count with [`counters`]. *Counting takes no lock,
//! and no label contains a person's name or a path.*
//!
//! [`config`] reads flags, variables and `galley.toml` according to one table, [`config::OPTIONS`]. [`app`] opens the store,
//! creates the site, starts everything that serves and follows it, and stops it all in reverse order; only this module knows
//! every concrete type. [`cli`] has one file for each command. [`doctor`] has a file for each check and a row for it in
//! [`doctor::CHECKS`]. *It changes nothing and holds no lock.* [`releases`] finds out which release is the newest.
//!
//! # What always holds
//!
//! - Every change is a single commit that is atomic, and durable before it is visible; concurrent transactions may share a
//!   commit. Readers always see the state after exactly one commit.
//! - The same content folder produces the same bytes on every machine: identifiers are derived from kinds and slugs, and nothing
//!   is random or depends on the order in which files are read.
//! - A response is a function of the commit and the request. That is why it can be cached, and why a commit that readers may see
//!   invalidates the response cache.
//! - No input makes the program panic. If one should, the client gets a 500 and all other clients are served.
//! - Everything that a client or a file can make long, deep or numerous has a named bound.
//!
//! # Where to go from here
//!
//! `docs/architecture.md` follows a request, a change, a saved file and a pushed commit through these modules and lists the
//! tables of the store. `CONTRIBUTING.md` describes where each kind of change belongs (a field, an endpoint, a setting, an
//! option, a generator) and contains the vocabulary. Good starting points are `api/routes`, [`catalog::fields`], [`domain`] and
//! [`config::OPTIONS`].

pub mod admin;
pub mod admin_app;
pub mod api;
pub mod app;
pub mod archive;
pub mod atomic_file;
pub mod background;
pub mod backup;
pub mod body_memory;
pub mod bucket;
pub mod catalog;
pub mod certificates;
pub mod cli;
pub mod clock;
pub mod collation;
pub mod config;
pub mod confined_folder;
pub mod content_files;
pub mod content_text;
pub mod control;
pub mod counters;
pub mod data_folder;
pub mod delivery;
pub mod dns;
pub mod doctor;
pub mod domain;
pub mod error;
pub mod escaped;
pub mod export;
pub mod front_end;
pub mod generators;
pub mod id;
pub mod images;
pub mod import;
pub mod interruption;
pub mod leadership;
pub mod metrics;
pub mod npm_packages;
pub mod nql;
pub mod outbound;
pub mod periodic_thread;
pub mod progress;
pub mod public_settings;
pub mod reader_scripts;
pub mod reader_texts;
pub mod releases;
pub mod render;
pub mod repository;
pub mod routing;
pub mod scheduler;
pub mod search;
pub mod server;
pub mod site;
pub mod site_urls;
pub mod static_site;
pub mod store;
pub mod templates;
pub mod themes;
pub mod uploads;
pub mod write_back;
