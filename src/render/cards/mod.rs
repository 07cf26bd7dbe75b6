//! Cards: nodes other than text, each rendered from its properties alone.
//!
//! The file of a type of card contains everything that the program does with it: its HTML on the
//! web and in mails, the properties that contain URLs, and the HTML that is converted to it.
//! `table.rs` lists all types.
//!
//! A card writes nothing if there is nothing to show. It fails if its properties are invalid; its
//! output is then discarded, and the document continues without it. Most cards are written tag by
//! tag without white space between tags. Some are templates, whose line breaks and indentation are
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
