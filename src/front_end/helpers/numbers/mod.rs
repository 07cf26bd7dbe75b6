//! Numbers and amounts of money in the notation of each language (CLDR 48): `price`.

mod money;
mod written;

pub use self::{
    money::HELPERS,
    written::{number, plural_category},
};
