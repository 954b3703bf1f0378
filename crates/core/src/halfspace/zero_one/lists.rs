//! Undetermined points of boxes, and how they are divided among the halves of a box.
//!
//! What a halving needs of a point is w·z at the centre, its reach r·|z| over the box and one coordinate:
//! halving axis a moves the first by ±½r_a z_a and shortens the second by ½r_a|z_a|, so a point costs a
//! few operations whatever the dimension. Half-widths are powers of two, so the products are exact; each
//! of the two sums is rounded once a level, which the reach has room for from the start.
//!
//! Lists lie one above the other in three arrays that grow to a few times the longest list and are never
//! copied.

/// What a look at the points says about one half of a box.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    pub(super) wrong: u64,
    /// What the centre gets wrong of the undetermined ones.
    pub(super) centre_wrong: u64,
    pub(super) undetermined: usize,
}

/// Undetermined points: which they are, w·z at the centre of their box, and its reach over the box.
#[derive(Default)]
pub(super) struct Lists {
    ids: Vec<u32>,
    values: Vec<f64>,
    reaches: Vec<f64>,
}

/// A box to be halved.
pub(super) struct Division<'a> {
    /// Its list.
    pub(super) from: usize,
    pub(super) to: usize,
    /// Where the arrays are free.
    pub(super) free: usize,
    /// The coordinate of every point along the axis, and its cost.
    pub(super) along: &'a [f64],
    pub(super) costs: &'a [u64],
    /// Half of the box's half-width.
    pub(super) half_width: f64,
    /// Cost of mistakes at which a half is closed: once both are, the rest is not looked at.
    pub(super) enough: u64,
}

impl Lists {
    /// Appends a point.
    pub(super) fn push(&mut self, id: u32, value: f64, reach: f64) {
        self.ids.push(id);
        self.values.push(value);
        self.reaches.push(reach);
    }

    /// The points of a list.
    pub(super) fn ids(&self, from: usize, to: usize) -> &[u32] {
        &self.ids[from..to]
    }

    /// The points of a box as those of its halves: the lower half's list goes where the arrays are
    /// free, the upper one's behind it, with room for all points of the box each.
    pub(super) fn divide(&mut self, division: &Division<'_>) -> [Tally; 2] {
        let Division { from, to, free, along, costs, half_width, enough } = *division;
        let count = to - from;
        let room = free + 2 * count;
        if self.ids.len() < room {
            self.ids.resize(room, 0);
            self.values.resize(room, 0.0);
            self.reaches.resize(room, 0.0);
        }
        let (ids, free_ids) = self.ids.split_at_mut(free);
        let (values, free_values) = self.values.split_at_mut(free);
        let (reaches, free_reaches) = self.reaches.split_at_mut(free);
        let (low_ids, high_ids) = free_ids[..2 * count].split_at_mut(count);
        let (low_values, high_values) = free_values[..2 * count].split_at_mut(count);
        let (low_reaches, high_reaches) = free_reaches[..2 * count].split_at_mut(count);
        let mut low = Filling {
            ids: low_ids,
            values: low_values,
            reaches: low_reaches,
            tally: Tally::default(),
        };
        let mut high = Filling {
            ids: high_ids,
            values: high_values,
            reaches: high_reaches,
            tally: Tally::default(),
        };
        let range = from..to;
        let (ids, values, reaches) = (&ids[range.clone()], &values[range.clone()], &reaches[range]);
        let runs = ids.chunks(RUN).zip(values.chunks(RUN)).zip(reaches.chunks(RUN));
        for ((ids, values), reaches) in runs {
            for ((&id, &value), &reach) in ids.iter().zip(values).zip(reaches) {
                let shift = half_width * along[id as usize];
                let cost = costs[id as usize];
                let reach = reach - shift.abs();
                low.add(id, value - shift, reach, cost);
                high.add(id, value + shift, reach, cost);
            }
            if low.tally.wrong >= enough && high.tally.wrong >= enough {
                break;
            }
        }
        [low.tally, high.tally]
    }
}

/// Points between two looks at whether enough are wrong.
const RUN: usize = 128;

/// The list of a half that is being filled.
struct Filling<'a> {
    ids: &'a mut [u32],
    values: &'a mut [f64],
    reaches: &'a mut [f64],
    tally: Tally,
}

impl Filling<'_> {
    /// A point whose w·z is within `value` ± `reach` on the half. Without branches, which could not be
    /// predicted: every point is written down, and the next one over it where it is determined.
    #[inline(always)]
    fn add(&mut self, id: u32, value: f64, reach: f64, cost: u64) {
        let at = self.tally.undetermined;
        self.ids[at] = id;
        self.values[at] = value;
        self.reaches[at] = reach;
        let undetermined = value.abs() <= reach;
        self.tally.undetermined += usize::from(undetermined);
        self.tally.wrong += cost * u64::from(value < -reach);
        self.tally.centre_wrong += cost * u64::from(undetermined & (value <= 0.0));
    }
}
