//! Numbers and amounts of money as languages write them (CLDR 48): `price`.

mod money;
mod written;

pub use self::{
    money::HELPERS,
    written::{number, plural_category},
};
