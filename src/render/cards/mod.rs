//! Cards: nodes other than text, each rendered from its properties alone.
//!
//! A file has everything that the program does with one type of card, and `table.rs` lists them: the
//! HTML of a card on the web and in mails, which of its properties have URLs, and the HTML from
//! which it is made.
//!
//! A card writes nothing if there is nothing to show, and fails if its properties are invalid; then
//! its output is discarded, and the document continues without it. Most cards are written tag by
//! tag without white space between tags; some are templates, whose line breaks and indentation are
//! part of the recorded output.

mod audio;
mod backdrop;
mod bookmark;
mod button;
mod call_to_action;
mod callout;
mod caption;
mod card;
mod code;
mod email;
mod embed;
mod file;
mod from_html;
mod gallery;
mod header;
mod html;
mod image;
mod in_mail;
mod markdown;
mod product;
mod responsive;
mod signup;
mod table;
mod template;
mod toggle;
mod video;
mod visibility;

pub use self::card::Context;

use self::card::{CardFailure, caption_class, parsed_cost};

pub(super) use self::{
    card::{Card, CardType, Render, Target, UrlContent},
    html::{from_markup as html_card, is_mark as is_html_card_mark},
    table::{CardReader, mail_form},
};
