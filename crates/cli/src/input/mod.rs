//! From bytes to numbers: where they come from, how they are separated, what each column is.

mod cells;
mod dialect;
mod number;
mod reader;
mod source;
mod table;

pub(crate) use cells::Scan;
pub(crate) use reader::{Format, Reader};
pub(crate) use source::Source;
pub(crate) use table::{Column, Kind, Table};
