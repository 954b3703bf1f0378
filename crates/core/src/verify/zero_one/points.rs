//! The data as directions with costs, in rational numbers.

use std::collections::HashMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::halfspace::zero_one::Reading;
use crate::{Dataset, Scalar};

/// A direction and what it costs to be wrong on either side of it.
pub(super) struct Direction {
    /// Primitive integers, in the columns as scaled; the first that is not zero is positive.
    pub(super) z: Vec<BigInt>,
    /// The cost of rows along it, and of rows against it.
    pub(super) costs: [BigRational; 2],
}

pub(super) struct Points {
    pub(super) directions: Vec<Direction>,
    /// For every row, its direction and whether it is against it; `None` for zero rows.
    pub(super) places: Vec<Option<(usize, bool)>>,
    /// What is paid in any case: zero rows, and the lesser side of every direction.
    pub(super) base: BigRational,
    /// What every column was multiplied by.
    pub(super) scales: Vec<f64>,
}

/// The value of a double.
pub(super) fn exact(value: f64) -> BigRational {
    BigRational::from_float(value).unwrap_or_else(BigRational::zero)
}

impl Points {
    pub(super) fn new<T: Scalar>(data: &Dataset<'_, T>, intercept: bool, reading: Reading) -> Self {
        let crate::Design::Dense(x) = data.design();
        let mut columns: Vec<Vec<BigRational>> = Vec::new();
        let mut scales = Vec::new();
        for j in 0..x.cols() {
            let decimals = match reading {
                Reading::Decimals => decimal_column(x.col_iter(j).copied()),
                Reading::Floats => None,
            };
            let (column, scale) = decimals
                .unwrap_or_else(|| (x.col_iter(j).map(|v| exact(v.to_double())).collect(), 1.0));
            columns.push(column);
            scales.push(scale);
        }
        if intercept {
            columns.push(vec![BigRational::one(); x.rows()]);
            scales.push(1.0);
        }
        let mut points =
            Self { directions: Vec::new(), places: Vec::new(), base: BigRational::zero(), scales };
        let mut known: HashMap<Vec<BigInt>, usize> = HashMap::new();
        for t in 0..x.rows() {
            let y = exact(data.target_view()[(t, 0)].to_double());
            let cost =
                data.weights().map_or_else(BigRational::one, |c| exact(c[(t, 0)].to_double()));
            let (z, against) = direction(columns.iter().map(|column| &column[t] * &y).collect());
            points.add(z, against, cost, &mut known);
        }
        for direction in &points.directions {
            points.base += direction.costs[0].clone().min(direction.costs[1].clone());
        }
        points
    }

    fn add(
        &mut self,
        z: Vec<BigInt>,
        against: bool,
        cost: BigRational,
        known: &mut HashMap<Vec<BigInt>, usize>,
    ) {
        if z.iter().all(Zero::is_zero) {
            self.base += cost;
            self.places.push(None);
            return;
        }
        let next = self.directions.len();
        let place = *known.entry(z).or_insert_with_key(|z| {
            let costs = [BigRational::zero(), BigRational::zero()];
            self.directions.push(Direction { z: z.clone(), costs });
            next
        });
        self.directions[place].costs[usize::from(against)] += cost;
        self.places.push(Some((place, against)));
    }

    /// What the dearer side of a direction costs more, and whether that side is against it.
    pub(super) fn excess(&self, place: usize) -> (BigRational, bool) {
        let [along, against] = &self.directions[place].costs;
        if along >= against { (along - against, false) } else { (against - along, true) }
    }

    /// The directions of their dearer sides with what these cost more, where they do.
    pub(super) fn arranged(&self) -> Vec<(Vec<BigInt>, BigRational)> {
        let dearer = (0..self.directions.len()).map(|place| {
            let (cost, against) = self.excess(place);
            let z = self.directions[place].z.iter();
            (z.map(|v| if against { -v } else { v.clone() }).collect(), cost)
        });
        dearer.filter(|(_, cost): &(Vec<BigInt>, BigRational)| !cost.is_zero()).collect()
    }
}

/// Primitive integers in proportion, the first that is not zero positive, and whether that was not so.
fn direction(z: Vec<BigRational>) -> (Vec<BigInt>, bool) {
    let common = z.iter().fold(BigInt::one(), |common, v| common.lcm(v.denom()));
    let whole: Vec<BigInt> = z.iter().map(|v| v.numer() * (&common / v.denom())).collect();
    let divisor = whole.iter().fold(BigInt::zero(), |divisor, v| divisor.gcd(v)).max(BigInt::one());
    let against = whole.iter().find(|v| !v.is_zero()).is_some_and(Signed::is_negative);
    let unit = if against { -divisor } else { divisor };
    (whole.into_iter().map(|v| v / &unit).collect(), against)
}

/// A column read from the digits that its floats print with, as whole numbers over a power of ten;
/// `None` if some value needs more than 15 digits, or all are whole.
fn decimal_column<T: Scalar>(
    values: impl Iterator<Item = T> + Clone,
) -> Option<(Vec<BigRational>, f64)> {
    let places = |value: T| {
        let text = value.to_string();
        text.split_once('.').map_or(0, |(_, fraction)| fraction.len())
    };
    let most = values.clone().map(places).max()?;
    if most == 0 || most > 15 {
        return None;
    }
    let power = 10_u64.pow(most as u32);
    let mut column = Vec::new();
    for value in values {
        let text = value.to_string();
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let digits: BigInt = format!("{whole}{fraction:0<most$}").parse().ok()?;
        if digits.magnitude() >= &10_u64.pow(15).into() {
            return None;
        }
        column.push(BigRational::from_integer(digits));
    }
    Some((column, power as f64))
}
