//! Where the bytes come from: a file or standard input, plain or gzip, with or without a BOM.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::failure::{Failure, Outcome};
use crate::progress::Progress;

/// Bytes looked at to find out how the columns are separated.
const HEAD: usize = 1 << 16;

/// The longest line, so that a file without line breaks does not fill the memory.
const LONGEST_LINE: usize = 1 << 28;

/// A file, or standard input for `-`.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    path: PathBuf,
}

/// The text of a source: its first bytes, and all of it.
pub(crate) struct Text {
    pub(crate) head: Vec<u8>,
    pub(crate) bytes: Box<dyn Read>,
}

impl Source {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf() }
    }

    fn is_standard_input(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// Opens the source and looks at its head.
    pub(crate) fn open(&self) -> Outcome<Text> {
        self.decoded().map_err(|error| Failure::in_file(self, error))
    }

    fn decoded(&self) -> io::Result<Text> {
        let raw = self.raw()?;
        let (magic, raw) = peek(raw, 2)?;
        let mut text: Box<dyn Read> = match magic[..] {
            [0x1f, 0x8b] => Box::new(BufReader::new(MultiGzDecoder::new(raw))),
            [0xff, 0xfe] | [0xfe, 0xff] => {
                return Err(io::Error::other("the text is UTF-16: save it as UTF-8"));
            }
            _ => Box::new(raw),
        };
        let mut head = Vec::with_capacity(HEAD);
        text.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
        if head.starts_with(&[0xef, 0xbb, 0xbf]) {
            head.drain(..3);
        }
        let all = Cursor::new(head.clone()).chain(text);
        Ok(Text { head, bytes: Box::new(Lines { bytes: all, length: 0 }) })
    }

    /// The bytes as they are stored, with a bar that shows how far they have been read.
    fn raw(&self) -> io::Result<impl Read + 'static> {
        let (bytes, length): (Box<dyn Read>, _) = if self.is_standard_input() {
            (Box::new(io::stdin()), None)
        } else {
            let file = File::open(&self.path)?;
            let length = file.metadata().ok().map(|metadata| metadata.len());
            (Box::new(file), length)
        };
        Ok(Progress::reading(length).watch(bytes))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_standard_input() {
            f.write_str("standard input")
        } else {
            write!(f, "{}", self.path.display())
        }
    }
}

/// The first bytes of a reader, and a reader that still has them.
fn peek(mut reader: impl Read, count: u64) -> io::Result<(Vec<u8>, impl Read)> {
    let mut first = Vec::new();
    reader.by_ref().take(count).read_to_end(&mut first)?;
    Ok((first.clone(), Cursor::new(first).chain(reader)))
}

/// Fails at a line that is longer than any line of a table.
struct Lines<R> {
    bytes: R,
    length: usize,
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        self.length = match buffer[..count].iter().rposition(|&byte| byte == b'\n') {
            Some(last) => count - last,
            None => self.length + count,
        };
        if self.length > LONGEST_LINE {
            let problem = "there is a line of more than 256 MB: this is no table";
            return Err(io::Error::new(ErrorKind::InvalidData, problem));
        }
        Ok(count)
    }
}
