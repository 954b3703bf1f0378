//! What belongs to the rows of a [column descent](super::column_descent), and its losses in vector code.

use super::columns::{Group, WIDTH};
use crate::loss::TwiceSmooth;
use crate::simd::{Kernel, vectorised};
use crate::wide::{ExactProduct, Number};
use crate::{Dataset, Scalar};

/// What a loss that is flat in places is lifted by, for a curvature in every row.
const LIFT: f64 = 0.1;

/// What belongs to the rows, in groups of doubles; a weight of zero where there is no row.
pub(super) struct RowData {
    pub(super) y: Vec<Group<f64>>,
    pub(super) c: Vec<Group<f64>>,
    pub(super) z: Vec<Group<f64>>,
    /// c·ℓ′ at z.
    pub(super) u: Vec<Group<f64>>,
}

impl RowData {
    /// Of a dataset, at z = 0.
    pub(super) fn of<T: Scalar>(data: &Dataset<'_, T>) -> Self {
        let zeros = vec![[0.0; WIDTH]; data.rows().div_ceil(WIDTH)];
        let grouped = |value: &dyn Fn(usize) -> f64| {
            let mut groups = zeros.clone();
            let flat = groups.as_flattened_mut();
            flat[..data.rows()].iter_mut().enumerate().for_each(|(t, to)| *to = value(t));
            groups
        };
        Self {
            y: grouped(&|t| data.target_view()[(t, 0)].to_double()),
            c: grouped(&|t| data.weight_of(t)),
            z: zeros.clone(),
            u: zeros.clone(),
        }
    }

    /// Σ c ℓ at z.
    pub(super) fn value<L: TwiceSmooth>(&self, loss: &L) -> f64 {
        vectorised(Value { loss, rows: self })
    }

    /// Σ c ℓ, Σ c ℓ′ and Σ c ℓ″ at z; c·ℓ′ is kept in u, and in r in another precision, c·ℓ″ in h.
    pub(super) fn linearise<L: TwiceSmooth, S: Number>(
        &mut self,
        loss: &L,
        h: &mut [Group<S>],
        r: &mut [Group<S>],
    ) -> Sums {
        vectorised(Linearise { loss, rows: self, h, r })
    }
}

/// See [`RowData::linearise`].
struct Linearise<'a, L, S> {
    loss: &'a L,
    rows: &'a mut RowData,
    h: &'a mut [Group<S>],
    r: &'a mut [Group<S>],
}

/// What a loss adds up to.
pub(super) struct Sums {
    pub(super) value: f64,
    pub(super) slope: f64,
    pub(super) curvature: f64,
}

impl<L: TwiceSmooth, S: Number> Kernel for Linearise<'_, L, S> {
    type Output = Sums;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> Sums {
        let Self { loss, rows: RowData { y, c, z, u }, h, r } = self;
        let (mut values, mut slopes, mut curvatures) = ([0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH]);
        for (((((y, c), z), u), h), r) in y.iter().zip(c).zip(z).zip(u).zip(h).zip(r) {
            for l in 0..WIDTH {
                let (value, first, second) = loss.all_derivatives(z[l], y[l]);
                let second = match L::FLAT_IN_PLACES {
                    true => second + LIFT * (loss.majorant(z[l], y[l]) - second),
                    false => second,
                };
                u[l] = c[l] * first;
                r[l] = S::from_double(u[l]);
                h[l] = S::from_double(c[l] * second);
                values[l] += c[l] * value;
                slopes[l] += u[l];
                curvatures[l] += c[l] * second;
            }
        }
        let total = |lanes: [f64; WIDTH]| lanes.iter().sum();
        Sums { value: total(values), slope: total(slopes), curvature: total(curvatures) }
    }
}

/// See [`RowData::value`].
struct Value<'a, L> {
    loss: &'a L,
    rows: &'a RowData,
}

impl<L: TwiceSmooth> Kernel for Value<'_, L> {
    type Output = f64;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> f64 {
        let Self { loss, rows: RowData { y, c, z, .. } } = self;
        let mut values = [0.0; WIDTH];
        for ((y, c), z) in y.iter().zip(c).zip(z) {
            for l in 0..WIDTH {
                values[l] += c[l] * loss.value_and_derivative(z[l], y[l]).0;
            }
        }
        values.iter().sum()
    }
}
