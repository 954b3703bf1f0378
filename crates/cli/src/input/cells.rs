//! The numbers of a table, row after row: in memory, or beyond a limit in a temporary file without a name.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};

use crate::failure::{Failure, Outcome};

/// Numbers kept in memory.
const IN_MEMORY: usize = 8 << 20;

/// Rows of numbers that are being written.
pub(super) struct Writer {
    width: usize,
    rows: usize,
    memory: Vec<f64>,
    spilled: Option<BufWriter<File>>,
}

/// Rows of numbers.
#[derive(Debug)]
pub(crate) struct Cells {
    width: usize,
    rows: usize,
    store: Store,
}

#[derive(Debug)]
enum Store {
    Memory(Vec<f64>),
    File(File),
}

impl Writer {
    pub(super) fn new(width: usize) -> Self {
        Self { width, rows: 0, memory: Vec::new(), spilled: None }
    }

    pub(super) fn push(&mut self, row: &[f64]) -> Outcome {
        self.rows += 1;
        match &mut self.spilled {
            None => {
                self.memory.extend_from_slice(row);
                if self.memory.len() >= IN_MEMORY {
                    self.spill()?;
                }
                Ok(())
            }
            Some(file) => write(file, row),
        }
    }

    fn spill(&mut self) -> Outcome {
        let file = tempfile::tempfile().map_err(temporary)?;
        let mut file = BufWriter::with_capacity(1 << 18, file);
        write(&mut file, &self.memory)?;
        self.memory = Vec::new();
        self.spilled = Some(file);
        Ok(())
    }

    pub(super) fn finish(self) -> Outcome<Cells> {
        let store = match self.spilled {
            None => Store::Memory(self.memory),
            Some(file) => Store::File(file.into_inner().map_err(|e| temporary(e.into_error()))?),
        };
        Ok(Cells { width: self.width, rows: self.rows, store })
    }
}

impl Cells {
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Whether they are more than is kept in memory.
    pub(crate) fn are_spilled(&self) -> bool {
        matches!(self.store, Store::File(_))
    }

    /// Calls `visit` with every row.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(&[f64]) -> Outcome) -> Outcome {
        let mut scan = self.scan()?;
        while let Some(row) = scan.next()? {
            visit(row)?;
        }
        Ok(())
    }

    /// Reads the rows from the first on.
    pub(crate) fn scan(&self) -> Outcome<Scan<'_>> {
        let from = match &self.store {
            Store::Memory(numbers) => From::Memory(numbers),
            Store::File(file) => {
                let mut file = file.try_clone().map_err(temporary)?;
                file.seek(SeekFrom::Start(0)).map_err(temporary)?;
                From::File(BufReader::with_capacity(1 << 18, file), vec![0; 8 * self.width])
            }
        };
        Ok(Scan { from, row: vec![0.0; self.width], left: self.rows })
    }
}

/// Rows being read.
pub(crate) struct Scan<'c> {
    from: From<'c>,
    row: Vec<f64>,
    left: usize,
}

enum From<'c> {
    Memory(&'c [f64]),
    File(BufReader<File>, Vec<u8>),
}

impl Scan<'_> {
    /// The next row; `None` at the end.
    pub(crate) fn next(&mut self) -> Outcome<Option<&[f64]>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        match &mut self.from {
            From::Memory(numbers) => {
                let (row, rest) = numbers.split_at(self.row.len());
                *numbers = rest;
                Ok(Some(row))
            }
            From::File(file, bytes) => {
                file.read_exact(bytes).map_err(temporary)?;
                for (value, bytes) in self.row.iter_mut().zip(bytes.chunks_exact(8)) {
                    let bytes = bytes.try_into().expect("chunks of eight bytes");
                    *value = f64::from_ne_bytes(bytes);
                }
                Ok(Some(&self.row))
            }
        }
    }
}

fn write(file: &mut impl Write, row: &[f64]) -> Outcome {
    row.iter().try_for_each(|v| file.write_all(&v.to_ne_bytes())).map_err(temporary)
}

fn temporary(error: std::io::Error) -> Failure {
    let folder = std::env::temp_dir();
    Failure::new(format!(
        "a temporary file in {}, which holds tables larger than memory: {error}; TMPDIR names another folder",
        folder.display(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_from_memory_and_from_files() {
        for rows in [3, IN_MEMORY / 2 + 5] {
            let mut writer = Writer::new(2);
            (0..rows).for_each(|i| writer.push(&[i as f64, -0.5]).unwrap());
            let cells = writer.finish().unwrap();
            assert_eq!(cells.are_spilled(), rows > 3);
            for _ in 0..2 {
                let mut next = 0;
                let check = |row: &[f64]| {
                    assert_eq!(row, [next as f64, -0.5]);
                    next += 1;
                    Ok(())
                };
                cells.for_each(check).unwrap();
                assert_eq!(next, rows);
            }
        }
    }
}
