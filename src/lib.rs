//! Galley, a headless publishing service that speaks the Ghost 6 API: the map of its code.
//!
//! A site is a folder of content files and one data file. The files are read, checked and kept in the store; readers get
//! JSON from an index in memory. This page says what each module is and what it never does. A test, `tests/it/architecture.rs`,
//! holds most of what is said here about which module uses which.
//!
//! # The layers
//!
//! From the top down. A module uses modules of lower lines only, never one of its own line.
//!
//! | | |
//! |---|---|
//! | [`cli`] | the command line |
//! | [`app`] | starts and stops everything |
//! | [`config`] | what the operator may set |
//! | [`metrics`] | figures for those who watch the program |
//! | [`server`], [`control`] | edges: HTTP, and commands from other processes |
//! | [`static_site`] | what readers see, as files |
//! | [`api`] | what clients see |
//! | [`admin`] | what staff and integrations may do |
//! | [`import`], [`export`], [`backup`], [`themes`] | what comes from elsewhere and goes there; all of a site in one file; themes on disk |
//! | [`sources`], [`scheduler`], [`delivery`] | what content files say; what is due; what goes out by mail and to webhooks |
//! | [`site`] | the one door for every change |
//! | [`catalog`] | what readers and staff see, indexed |
//! | [`domain`] | what a publication is |
//! | [`error`] | what can go wrong above the store |
//! | [`store`], [`nql`], [`render`], [`images`], [`outbound`], [`id`], [`clock`], [`data_folder`] | ground: bytes on disk, languages, pictures, other machines, time |
//! | [`nameless_file`], [`whole_file`], [`new_file`], [`archive`], [`body_memory`], [`counters`], [`background`] | what is on disk for a moment only; what is there whole or not at all; archives from strangers; memory that requests share; counting; who stands behind whom |
//!
//! ## The ground
//!
//! [`store`] keeps ordered bytes under keys, in the tables that [`store::Table`] lists. Four operations are all that
//! others know of it: snapshot, get, scan, commit. A commit is one [`store::Batch`] with expectations, or several; all of
//! it is on disk when it returns, or nothing is. The values of a large batch wait in a file. [`store::redb`] is one file,
//! [`store::memory`] its twin, which fails when a test asks it to. *The store never looks into a value, never retries, and
//! never replaces a file it cannot read.*
//!
//! [`nql`] is the language of filters: text to a tree whose nodes keep their places in the text. *It knows no field.*
//!
//! [`render`] is text to text: Markdown to HTML, HTML to what a stranger may see of it, to plain text, to a reading time;
//! titles to slugs; stored addresses to served ones; addresses of films to players. *It never fails, reads nothing but its
//! arguments, and does not sanitise HTML: authors are trusted with their own site. [`render::active_urls`] takes URLs that
//! run code out of what is converted from Markdown, from HTML that is sent, and by imports.*
//!
//! [`images`] is pictures to pictures: what they are, by their content; smaller ones, made of them in bounded memory and kept
//! in the data folder; drawings without scripts. *It decodes nothing before the header has told how large it is. It alone
//! names the libraries of formats.*
//!
//! [`outbound`] asks other machines. *It reaches no address that is not for everybody, whatever a name or a redirect leads
//! to. It alone names ureq.*
//!
//! [`id`] makes identifiers, [`clock`] tells everybody the time that decides anything, and [`data_folder`] is the lock that lets
//! one process at a time have a site, and says who has it.
//!
//! ## What a publication is
//!
//! [`domain`] holds the nouns, one file each, and the rules that need nothing but themselves. A noun is also the record
//! that the store keeps, so fields are only ever added. [`domain::setting::SETTINGS`] is all that can be said about a site.
//! *No HTTP, no JSON of the wire, no files, no store.*
//!
//! [`catalog`] is the whole site but the bodies of its posts, indexed for lists, filters, searches and orders. It is
//! immutable: a change works on a copy, which shares everything that did not change. [`catalog::fields`] has a table for
//! each resource, a row for each field, which says what it is to readers and what to staff; what is served, filtered by,
//! ordered by and written into the OpenAPI document all comes from there, so it cannot disagree. *The catalog never waits
//! and never writes.*
//!
//! [`site`] puts the two together. [`site::Site::write`] is the one door: whoever changes anything, does it in a closure
//! over a [`site::Transaction`]. [`site::Site::current`] is what readers take: an [`site::SiteSnapshot`], the catalog and the
//! snapshot of one and the same commit. *A reader never waits for a writer.*
//!
//! ## What goes out and what comes in
//!
//! [`api`] makes an answer of a complete request: plain functions, from `routes` (the whole URL space on one screen) to
//! [`api::content`]. [`api::error`] is the only place that turns an error into a status; [`api::answers`] keeps finished
//! answers as bytes; [`api::openapi`] describes it all, and is served. [`api::content`] sees a site as a stranger does: what is closed or
//! not published does not leave it; [`api::content::changes`] tells what of that is new, from [`catalog::changes`], where
//! [`site`] puts it with each commit. [`api::admin`] shows staff and integrations all that their rights allow, and
//! `api/previews` shows a draft to whoever has its address, `api/unsubscribe` ends a newsletter for whoever has the
//! member's key, `api/front_page` tells people at `/` what all this is. *No hyper, no waiting.*
//!
//! [`sources`] keeps the site in agreement with the content folder. One half is pure: a path and bytes become a typed value
//! or diagnostics, by one table of keys for each kind of file, from which the JSON Schemas are made too. The other half
//! looks, compares and applies. *A problem in one file never takes anything down: its last good version stays. What the
//! system reports about files is a hint; nothing depends on it. Of the folder, only what is shown in `images/` and what something
//! published refers to is served.* A generator of sites is a profile, a row of data: how its projects are recognised, what
//! their files are, and how its texts are read. [`sources::Layout`] puts profile, the project's own settings and what is
//! set about the folder together, and says of each path what it is. Serving and importing read a folder by the same layout
//! with the same reader, so that they agree by construction. [`sources::git`] has the folder filled from a repository
//! by the git program, which it alone starts: a commit is taken as a whole or refused as a whole.
//!
//! [`import`] brings in what comes from elsewhere, each kind by a module of its own: exports of Ghost, lists of members,
//! folders of Markdown. [`export`] writes the same three. *An import is one change, and doing it again changes nothing.*
//!
//! [`backup`] writes all of a site into one file, from one snapshot, and makes a data folder of it again. *It never touches the
//! file of an open store, and nothing takes its place before all of it was found whole.*
//!
//! [`themes`] are folders below the data folder. One that comes in is unpacked beside its place, held to the rules, and put
//! there in one step. *Nothing is rendered: of a theme, its assets, its settings and its widths of pictures count.*
//!
//! [`admin`] is what staff and integrations may do, one noun a file: who may, whether the record is still what the client
//! saw, what follows from a change, and the note of who did what. The command line calls the same operations. *No JSON of
//! the wire, no HTTP.*
//!
//! [`scheduler`] publishes what is scheduled when its time comes, many posts in steps. *A post that cannot be published keeps
//! no other from it.*
//!
//! [`delivery`] brings out what waits in the outbox. A mail is handed in by [`site::Transaction::send_mail`], in the same
//! commit as the change that caused it; what webhooks are told is posted from their queues, in order, and logged; posts go to
//! the subscribers of newsletters in batches, each written down before and after it is sent. *A crash can repeat a mail or a
//! delivery, never lose one. It alone names lettre, and the log never tells what opens an account where there is a mail server.*
//!
//! [`server`] is the HTTP edge: sockets, limits, timeouts, the request log, a graceful stop. It takes anything that is a
//! [`server::Handler`]. What waits for a change, or goes on as the site does, holds no thread. *It knows no route and no key.
//! It alone names hyper and waits.*
//!
//! [`static_site`] writes the Content API and the pictures that it names to a folder, for a host of files. What it writes it asks
//! of [`api::still`], which are the endpoints without a connection. *The same site makes the same files, and what has not
//! changed is not touched.*
//!
//! [`control`] carries out what `galley key`, `galley user`, `galley theme`, `galley webhook`, `galley status`,
//! `galley sync`, `galley import`, `galley export`, `galley backup` and `galley build` ask for, in their own process or in the
//! server that has the data folder, on a socket in it. *Nothing is written where the site is served from.*
//!
//! [`metrics`] puts together, on a listener of its own, what is counted elsewhere with [`counters`]. *Counting takes no lock, and
//! nobody's name or path is a label.*
//!
//! [`config`] reads flags, variables and `galley.toml` by one table, [`config::OPTIONS`]. [`app`] opens the store, makes
//! the site, starts what serves and follows it, and stops all of that in reverse; it is the only one that knows every
//! concrete type. [`cli`] is one file for each command.
//!
//! # What always holds
//!
//! - Every change is in one commit, whole, and durable before anybody sees it; changes that are made at once may share
//!   one. What a reader sees is one commit, whole.
//! - The same content folder makes the same bytes on every machine: identifiers come from kinds and slugs, nothing from
//!   chance or from the order in which files are read.
//! - An answer is a function of the commit and the request. That is why it may be kept, and why a commit of anything that
//!   readers may see forgets them all.
//! - No input makes the program panic; should one, the client gets a 500 and everybody else goes on.
//! - Whatever a client or a file can make long, deep or many has a named bound.
//!
//! # Where to go from here
//!
//! `docs/architecture.md` follows a request, a change, a saved file and a pushed commit through these modules and lists the
//! tables of the store. `CONTRIBUTING.md` says where a change of each kind goes: a field, an endpoint, a setting, an option, a
//! generator. Good places to begin are `api/routes.rs`, [`catalog::fields`], [`domain`] and [`config::OPTIONS`].

pub mod admin;
pub mod api;
pub mod app;
pub mod archive;
pub mod background;
pub mod backup;
pub mod body_memory;
pub mod catalog;
pub mod cli;
pub mod clock;
pub mod config;
pub mod control;
pub mod counters;
pub mod data_folder;
pub mod delivery;
pub mod domain;
pub mod error;
pub mod export;
pub mod id;
pub mod images;
pub mod import;
pub mod metrics;
pub mod nameless_file;
pub mod new_file;
pub mod nql;
pub mod outbound;
pub mod render;
pub mod scheduler;
pub mod server;
pub mod site;
pub mod sources;
pub mod static_site;
pub mod store;
pub mod themes;
pub mod whole_file;
