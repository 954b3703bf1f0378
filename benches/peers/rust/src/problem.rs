//! A problem as it was handed over, in the form of each library.

use std::fs;
use std::io::{Error, ErrorKind, Result};

use ndarray::{Array1, Array2, ShapeBuilder};
use smartcore::linalg::basic::matrix::DenseMatrix;

/// A design, its target, and the target as classes, for each library.
pub struct Problem {
    pub regression: linfa::Dataset<f64, f64, ndarray::Ix1>,
    pub classification: linfa::Dataset<f64, bool, ndarray::Ix1>,
    pub dense: DenseMatrix<f64>,
    pub y: Vec<f64>,
    pub classes: Vec<u8>,
}

impl Problem {
    /// Reads the file: magic, rows, columns, layout, design, target, in eight-byte words.
    pub fn read(path: &str) -> Result<Self> {
        let bytes = fs::read(path)?;
        let malformed = || Error::new(ErrorKind::InvalidData, "not a problem");
        let (words, rest) = bytes.as_chunks::<8>();
        let [magic, rows, cols, layout, numbers @ ..] = words else { return Err(malformed()) };
        let count = |word: &[u8; 8]| usize::try_from(u64::from_le_bytes(*word)).map_err(|_| malformed());
        let (rows, cols, by_columns) = (count(rows)?, count(cols)?, count(layout)? == 1);
        if magic != b"minrisk1" || !rest.is_empty() || numbers.len() != rows * cols + rows {
            return Err(malformed());
        }
        let mut values: Vec<f64> = numbers.iter().map(|word| f64::from_le_bytes(*word)).collect();
        let y = values.split_off(rows * cols);
        let shape = (rows, cols).set_f(by_columns);
        let x = Array2::from_shape_vec(shape, values.clone()).map_err(|_| malformed())?;
        let dense = DenseMatrix::new(rows, cols, values, by_columns).map_err(|_| malformed())?;
        let positive: Vec<bool> = y.iter().map(|y| *y > 0.0).collect();
        Ok(Self {
            regression: linfa::Dataset::new(x.clone(), Array1::from(y.clone())),
            classes: positive.iter().map(|positive| u8::from(*positive)).collect(),
            classification: linfa::Dataset::new(x, Array1::from(positive)),
            dense,
            y,
        })
    }
}
