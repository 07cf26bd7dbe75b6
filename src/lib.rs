//! Galley, a publishing service that speaks the Ghost 6 API: the map of its code.
//!
//! A site is a folder of content files and one data file. The files are read, checked and stored; readers get pages and JSON from
//! an index in memory. This page describes the purpose and the limits of each module. A test, `tests/it/architecture.rs`, checks
//! most of the dependencies between modules that are described here.
//!
//! # The layers
//!
//! From the top down. A module uses modules of lower lines only, never one of its own line.
//!
//! | | |
//! |---|---|
//! | [`cli`] | the command line |
//! | [`doctor`] | checks of what goes wrong in operation |
//! | [`app`] | starts and stops everything |
//! | [`config`] | the operator's options |
//! | [`metrics`] | metrics for monitoring, in the Prometheus text format |
//! | [`server`], [`control`] | edges: HTTP, and commands from other processes |
//! | [`static_site`] | the public site as static files |
//! | [`api`] | the HTTP API of clients |
//! | [`admin`], [`front_end`] | what staff and integrations may do; the pages of the site, rendered by the active theme |
//! | [`import`], [`export`], [`backup`], [`themes`], [`admin_app`], [`reader_scripts`], [`npm_packages`] | content from and to other systems; a whole site in one file; themes, Ghost's admin app and its scripts for readers on disk |
//! | [`repository`], [`public_settings`] | the git repository that content files come from; the settings that readers see |
//! | [`site_urls`] | the public URLs of records |
//! | [`write_back`] | edits of records into the text of their content files |
//! | [`content_files`], [`scheduler`], [`delivery`], [`search`], [`leadership`] | content files; scheduled posts; mail and webhooks; full-text search; which process does what must be done once |
//! | [`site`] | transactions: the only way to change a site |
//! | [`routing`] | which page a path is, and which path a record has |
//! | [`catalog`] | the records of a site, indexed in memory |
//! | [`domain`], [`generators`] | the records and rules of a publication; static site generators |
//! | [`error`], [`content_text`], [`certificates`], [`uploads`] | the error type above the store; content files as text; certificates for https; where uploaded files are |
//! | [`bucket`], [`releases`] | object storage; the newest release |
//! | [`store`], [`nql`], [`render`], [`templates`], [`images`], [`outbound`], [`dns`], [`id`], [`clock`], [`data_folder`] | ground: bytes on disk, filters, Markdown and HTML, images, HTTP requests to other hosts, queries to name servers, time |
//! | [`atomic_file`], [`collation`], [`confined_folder`], [`archive`], [`body_memory`], [`counters`], [`background`], [`interruption`], [`periodic_thread`], [`reader_texts`], [`escaped`] | files that appear atomically, and temporary ones; comparison of texts; folders that no access leaves by a link; archives, also from untrusted sources; the memory budget of requests; counters; thread priorities; waits that end when the process stops; threads that wait between their work; texts for readers in the language of the site; text from outside for terminals and logs |
//!
//! ## The ground
//!
//! [`store`] holds ordered bytes under keys, in the tables that [`store::Table`] lists, with who sees them. Others use six operations: snapshot,
//! get, scan, writer, commit, changes since a revision. A commit is one [`store::Batch`] or several; all of it is on disk when it
//! returns, or nothing is. The values of a large batch are spilled to a file. [`store::redb`] is one file, [`store::memory`] the same in
//! memory, which fails when a test requests it, and [`store::postgres`] a database that several processes share, each with a
//! replica in a redb file. One user of a store at a time may commit. *The store never interprets a value, and
//! never replaces a file it cannot read.*
//!
//! [`nql`] parses filters into a tree whose nodes know their positions in the text. *It knows no field.*
//!
//! [`render`] is text to text: Markdown to HTML, HTML to the part that anonymous readers may see, to plain text, to the text
//! for searches, to a reading time; titles to slugs; stored URLs to served ones; URLs of videos to players. *It never fails,
//! reads nothing but its arguments, and does not sanitise HTML: authors are trusted with their own site.
//! [`render::active_urls`] removes URLs that run code from converted Markdown, from HTML that is sent, and in
//! imports.*
//!
//! [`content_text`] parses front matter and data files to one tree with positions, shows the body of a document as the editor's
//! nodes, and writes edits of both: only the values and blocks that change get other bytes. It merges two edits of a file by keys
//! and blocks. *Text in, text out: it knows no record and no file system. An edit that would read differently is refused or
//! written as a fenced block.*
//!
//! [`templates`] parses the templates of themes to trees and renders them. *It knows no theme and no site: a template sees the
//! values and calls the helpers that it is given, within limits.*
//!
//! [`images`] recognises images by their content, resizes them in bounded memory into the data folder, and removes scripts from
//! SVG images. *It decodes nothing before the header has said how large it is. It alone uses the libraries of image formats.*
//!
//! [`outbound`] sends HTTP requests to other hosts. *It connects to public addresses only, whatever a name resolves to and wherever a redirect points.
//! The operator's own bucket and downloads are the exception. It alone uses ureq.*
//!
//! [`dns`] sends queries to name servers, for `galley doctor` only. *It alone uses hickory-proto.*
//!
//! [`id`] makes identifiers, [`clock`] is the only source of the time and bounds times at the end of the year 9999, and
//! [`data_folder`] is the lock by which one process at a time has a site, names the process that holds it, and says which command
//! has not completed the site.
//!
//! [`progress`] is how imports, exports, backups, builds and the reading of content files report their progress, and learn that
//! they were cancelled.
//!
//! [`escaped`] makes control characters of text from outside visible. The log and all that commands print go through it.
//! *Only `cli/terminal.rs` and `cli/log.rs` write to standard output and standard error.*
//!
//! [`collation`] compares texts as people read them, without case and accents: in filters, orders, searches of lists, and wherever
//! names and slugs are searched for or must be unique. *Whatever compares the text of users goes through it.*
//!
//! [`confined_folder`] reads and writes files in a folder that others write in, too: the content folder, the output of a build or an
//! export. *Whatever links are in the folder, and whenever they are made: no access leaves it. One function decides which links are
//! followed, for reading and for writing.*
//!
//! [`reader_texts`] has the texts of Galley's own pages and mails for readers, in the language of the site. *The English text is the
//! key of its translations.*
//!
//! [`bucket`] puts objects into a bucket of S3 and gets them back, for backups and uploads. *It trusts no response: every request and
//! every list ends, and [`interruption`] ends them when the process stops.*
//!
//! [`uploads`] says where the files of uploads and themes are, in the data folder, in a folder that several processes share or
//! in a bucket, and puts new ones there whole. Of a bucket, it uses only objects that a record elsewhere verifies. *It knows names and
//! bytes, and of an image only its kind.*
//!
//! ## The publication
//!
//! [`domain`] has the nouns, one file each, and the rules that need nothing else. A noun is also the record in the store, so
//! fields are only ever added. [`domain::setting::SETTINGS`] lists the settings of a site. *No HTTP, no JSON of the wire, no
//! files, no store.*
//!
//! [`catalog`] has all records but the bodies of posts, indexed for lists, filters, searches and orders. It is immutable: a
//! transaction works on a copy, which shares everything that did not change. [`catalog::fields`] has a table for each resource
//! with a row for each field, which says how readers and staff see it; what is served, filtered by, ordered by, exported and
//! written into the OpenAPI document comes from there, and of the texts of posts and tags also what requests, content files and
//! imports set. So none of these can disagree. *The catalog never blocks and never writes.*
//!
//! [`site`] joins the two. [`site::Site::write`] is the only way to change anything: a closure over a [`site::Transaction`].
//! [`site::Site::follow`] brings the catalog up to what other users of
//! the store committed. [`site::Site::current`] is what readers use: a [`site::SiteSnapshot`], the catalog and the store's snapshot of one commit. *A
//! reader never waits for a writer.*
//! Workers, which act on their own schedule, get a [`site::LeasedSite`], whose changes count only while their
//! process leads that work. *A worker has no other way to write.*
//!
//! [`routing`] says which page a path is and which path a record has, by the site's `routes.yaml`. *It knows no template and no
//! response.*
//!
//! ## Input and output
//!
//! [`api`] makes the response to a complete request: plain functions, from `routes` (one row for each endpoint: path, right,
//! handler, parameters, bodies, limits) to [`api::content`], in the order that `api/pipeline.rs` has. [`api::error`] is the only module that turns an error into a status; [`api::response_cache`] caches
//! responses as bytes, and `api/content_encoding.rs` compresses them; [`api::openapi`] describes the API, and is served.
//! [`api::content`] shows a site to anonymous readers, and gated posts to the members who may read them: drafts, and what is not
//! for the reader, never leave it; [`api::content::changes`] serves the change feed from [`catalog::changes`], which [`site`] extends with each commit. [`api::admin`] shows staff and integrations
//! what their rights allow, `api/previews` a draft to any client with its URL, `api/unsubscribe` ends a newsletter for any client
//! with the member's key, `api/message_page` shows browsers what went wrong, `api/members` signs readers up and in and shows a member the own account, `api/setup_page` opens the set-up to the holder of the
//! one-time link, `api/front_page` describes
//! the site to people at `/`, or below the API's prefix if a theme renders `/`, `api/feeds` lists its pages for feed readers and search engines. *No hyper, no waiting.*
//!
//! [`public_settings`] says which values of settings readers see, in the Content API and in themes.
//!
//! [`front_end`] renders the site's pages with the templates of the active theme: [`front_end::pages`] finds the page of a path and
//! its template, [`front_end::model`] shows the catalog lazily to templates, [`front_end::helpers`] has a row for each helper, and
//! [`front_end::head`] makes what is in the head of a page. `api/theme` serves and caches the pages. *Templates see what the
//! reader may see, and no file outside their theme.*
//!
//! [`generators`] has a folder for each static site generator: how its projects are recognised, what their settings say, which
//! file is what, where a document is published, and how its front matter, its Markdown and its templates are read. Below them are
//! two sets of machines that know no generator: `generators/syntax` expands templates, shortcodes, directives and MDX,
//! `generators/settings` reads settings files and literals of scripts. *No domain, no catalog, no site: text in, text out.*
//!
//! [`content_files`] reconciles the site with the content folder. One half is pure: a path and bytes become a typed value or
//! diagnostics, by one table of keys for each kind of file, from which the JSON Schemas are made too. The other half reads,
//! compares and applies. *A problem in one file never takes anything down: its last good version stays. Notifications of the file
//! system are hints; nothing depends on them. Of the folder, only `images/` and what a published post refers to is served.*
//! [`content_files::Layout`] combines the generator, the project's own settings and the site's `[content_files]`,
//! and says of each path what it is. Serving and importing read a folder by the same layout with the same reader, so that they
//! agree by construction.
//!
//! A record's [`domain::origin::RecordOrigin`] says whether it changes in the store or with a content file, and only the
//! transaction decides by it, when the record is saved or deleted. [`site::Transaction::save_post`] passes a post of a content
//! file through [`write_back`], if that is enabled, and [`site::Transaction::save_edited`] other records: the edit is
//! made on the text of the file, which is read like any other, so that the record is what the file says; and it waits in the
//! store until the file, its commit or the branch has it. *Nothing but the edited keys and blocks of a file changes.*
//!
//! [`repository`] fills the folder from a repository with the git program, which it alone starts: a commit is applied as a whole
//! or rejected as a whole. It also commits edits in a person's own work tree, without their changes. *Of a repository that is not
//! Galley's, git reads neither configuration nor hooks.*
//!
//! [`import`] reads exports of Ghost, lists of members, and folders of Markdown, each in a separate module. [`export`] writes
//! the same three. *An import is one transaction, and repeating it changes nothing.*
//!
//! [`backup`] writes a whole site into one file, from one snapshot, restores a data folder from it, and collects backups in a
//! folder or a bucket; regular ones are states and the changes between them, of objects that never change (`backup/increments`).
//! It also copies uploads from one storage to another. *It never touches the file of an open store, replaces nothing before the whole backup was verified, and
//! deletes no old one before the new one was.*
//!
//! [`themes`] are folders below the data folder. An uploaded theme is unpacked next to its final folder, checked, and installed in
//! one step, also one from a repository of GitHub. *It renders nothing: it knows the files of a theme, not what they mean for a page.*
//!
//! [`admin_app`] installs Ghost's admin app into a folder, and [`reader_scripts`] its scripts for readers: [`npm_packages`] obtains
//! npm packages, verifies their hashes, and unpacks static files, which `api/admin_app.rs` and `api/reader_scripts.rs` serve. `api/auth_frame` is the
//! frame by which comments on pages ask the Admin API.
//! *Nothing of the app or the scripts is part of the program.*
//!
//! [`admin`] has the operations of staff and integrations, one noun a file: the rights, the check for collisions, the
//! consequences of a change, and the audit entry. The command line calls the same operations. [`admin::rate_limits`] counts
//! sign-ins, codes, requests for mail and wrong keys, by the rules of [`domain::rate_limit`], in the store if processes share it.
//! *No JSON of the wire, no HTTP.*
//!
//! [`scheduler`] publishes scheduled posts when they are due, many posts in steps. *A post that cannot be published delays no
//! other.*
//!
//! [`search`] finds posts and pages by their texts: an immutable index in memory, which a thread updates in a copy after each
//! commit, with a document for each version of a text that some reader sees. *A search takes no lock, and finds what it would find
//! if the site had nothing but what its reader may see.*
//!
//! [`delivery`] sends the messages in the outbox. [`site::Transaction::send_mail`] queues a mail in the same commit as the change that
//! caused it; webhook events are sent from their queues, in order, and logged; newsletters are sent to their subscribers in
//! batches, each recorded before and after it is sent. *A crash can repeat a mail or a delivery, never lose one. It alone uses
//! lettre, and where there is a mail server the log never shows a link or a code that signs in.*
//!
//! [`leadership`] starts the workers of the work that this process leads, and stops them when it no longer leads. With a separate store,
//! it leads everything. If several processes share a store, each is a node ([`store::Nodes`]) with a heartbeat, and a lease for
//! each kind of work names one. *Of two processes, one at most leads a kind of work at any time. Messages that it sends can be repeated by
//! the next one; its late writes are refused.*
//!
//! [`certificates`] has the certificates that a site at https is served with: it obtains and renews one for each name from an ACME
//! authority, or follows files of the operator. *A bad one never replaces a good one, nor touches that of another name. It alone reads private keys, and uses rcgen and
//! instant-acme.*
//!
//! [`server`] is the HTTP edge: sockets, TLS, limits, timeouts, the request log, a graceful stop. It serves any [`server::Handler`].
//! Waiting and streaming responses hold no thread. *It knows no route and no key. It alone uses hyper and waits.*
//!
//! [`static_site`] writes the site to a folder, for a static host: the Content API or the pages of the active theme, with the images
//! and assets that they name, and the redirects. It gets responses from [`api::static_renderer`] and [`api::static_pages`], the
//! endpoints and pages without a connection. *The same site makes the same files, and unchanged files are not touched.*
//!
//! [`control`] runs the commands of `galley key`, `galley user`, `galley members`, `galley theme`, `galley webhook`, `galley status`, `galley doctor`,
//! `galley sync`, `galley import`, `galley export`, `galley backup` and `galley build`, in their own process or, over a socket in
//! the data folder, in the server that has it. *Nothing is written where the site is served from.*
//!
//! [`metrics`] serves, on a separate listener, the metrics that other modules count with [`counters`]. *Counting takes no lock, and no
//! label has a person's name or a path.*
//!
//! [`config`] reads flags, variables and `galley.toml` by one table, [`config::OPTIONS`]. [`app`] opens the store, makes
//! the site, starts what serves and follows it, and stops all of that in reverse; it alone knows every concrete type. [`cli`] has
//! one file for each command. [`doctor`] has a file for each check, and [`doctor::CHECKS`] a row. *It changes nothing and holds no lock.*
//! [`releases`] reads which release is the newest.
//!
//! # What always holds
//!
//! - Every change is one commit, whole, and durable before it is visible; concurrent transactions may share one. Readers see
//!   one commit, whole.
//! - The same content folder makes the same bytes on every machine: identifiers come from kinds and slugs, nothing from
//!   chance or from the order in which files are read.
//! - A response is a function of the commit and the request. That is why it may be cached, and why a commit of anything that
//!   readers may see invalidates the response cache.
//! - No input makes the program panic; should one, the client gets a 500 and all others are served.
//! - Whatever a client or a file can make long, deep or many has a named bound.
//!
//! # Where to go from here
//!
//! `docs/architecture.md` follows a request, a change, a saved file and a pushed commit through these modules and lists the
//! tables of the store. `CONTRIBUTING.md` says where a change of each kind goes: a field, an endpoint, a setting, an option, a
//! generator; and it has the vocabulary. Good places to begin are `api/routes`, [`catalog::fields`], [`domain`] and
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
