//! Halfspaces: perceptron epochs beside reading the data, separability beside linear and conic
//! programming, and the fewest mistakes.
//!
//! `cargo bench -p minrisk-benches --bench halfspace`. Prints one table: the median of five runs of ours,
//! one run of the others, which take seconds to minutes. Set RAYON_NUM_THREADS=1 for one core.

use std::hint::black_box;
use std::time::{Duration, Instant};

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT};
use minrisk_conformance::Random;
use minrisk_core::halfspace::{
    Budget, LinearProgram, MinDisOpt, Perceptron, Separation, ZeroOneFit,
};
use minrisk_core::{Block, Dataset, Reduction, Rows, View};
use minrisk_faer::Faer;

fn main() {
    perceptron();
    separability();
    fewest_mistakes();
}

/// Two classes of bell-shaped points, `apart` between their means along the first axis.
struct Classes {
    rows: usize,
    cols: usize,
    /// Row after row.
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Classes {
    fn new(rows: usize, cols: usize, apart: f64, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let y: Vec<f64> = (0..rows).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let mut x = Vec::with_capacity(rows * cols);
        for y in &y {
            for j in 0..cols {
                x.push(random.normal() + if j == 0 { 0.5 * apart * y } else { 0.0 });
            }
        }
        Self { rows, cols, x, y }
    }

    fn data(&self) -> Dataset<'_, f64> {
        let x = View::row_major(&self.x, self.rows, self.cols).expect("rows·cols elements");
        Dataset::new(x, View::column_vector(&self.y)).expect("a training set")
    }
}

/// The median of five runs.
fn median<R>(mut run: impl FnMut() -> R) -> Duration {
    let mut times: Vec<Duration> = (0..5)
        .map(|_| {
            let start = Instant::now();
            black_box(run());
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[2]
}

fn once<R>(run: impl FnOnce() -> R) -> (Duration, R) {
    let start = Instant::now();
    let result = run();
    (start.elapsed(), result)
}

fn perceptron() {
    const EPOCHS: u64 = 20;
    let classes = Classes::new(100_000, 50, 3.0, 1);
    let data = classes.data();
    let reading = median(|| {
        (0..EPOCHS).map(|_| Rows::from(&data).reduce(&ReadPass).expect("a sum")).sum::<f64>()
    });
    let perceptron = Perceptron::new().with_epochs(EPOCHS).with_budget(Budget::unlimited());
    let training = median(|| perceptron.fit(&data).expect("a fit").updates);
    let updates = perceptron.fit(&data).expect("a fit").updates;
    println!(
        "20 epochs, 100,000 × 50: reading {reading:.1?}, perceptron {training:.1?} ({updates} updates)"
    );
    println!("  ratio {:.2}", training.as_secs_f64() / reading.as_secs_f64());
}

fn separability() {
    for (name, apart) in [("separable", 14.0), ("not separable", 4.0)] {
        let classes = Classes::new(100_000, 20, apart, 2);
        let data = classes.data();
        let decide = || Separation::new().decide_on(&Faer, &data).expect("a decision");
        let ours = median(decide);
        let decision = decide().is_separable();
        println!("100,000 × 20, {name}: ours {ours:.1?} ({decision:?})");
        let (time, status) = once(|| conic(&classes));
        report("clarabel", time, ours, &status);
        let program = LinearProgram::halfspace(&data, true).expect("a program");
        let program = program.with_time(Duration::from_secs(120));
        let (time, solution) = once(|| program.solve());
        report("microlp", time, ours, &format!("{:?}", solution.status));
    }
}

fn report(name: &str, time: Duration, ours: Duration, status: &str) {
    let ratio = time.as_secs_f64() / ours.as_secs_f64();
    println!("  {name} {time:.1?}, {ratio:.0} times as long ({status})");
}

/// −A·w + s = −1, s ≥ 0: feasible iff separable, by clarabel.
fn conic(classes: &Classes) -> String {
    let (m, d) = (classes.rows, classes.cols + 1);
    let value = |t: usize, j: usize| {
        -classes.y[t] * if j + 1 < d { classes.x[t * classes.cols + j] } else { 1.0 }
    };
    let columns = (0..=d).map(|j| j * m).collect();
    let rows = (0..d).flat_map(|_| 0..m).collect();
    let values = (0..d).flat_map(|j| (0..m).map(move |t| value(t, j))).collect();
    let a = CscMatrix::new(m, d, columns, rows, values);
    let p = CscMatrix::<f64>::zeros((d, d));
    let settings = DefaultSettingsBuilder::default().verbose(false).build().expect("settings");
    let cones = [NonnegativeConeT(m)];
    let solver = DefaultSolver::new(&p, &vec![0.0; d], &a, &vec![-1.0; m], &cones, settings);
    let mut solver = solver.expect("a solver");
    solver.solve();
    format!("{:?}", solver.solution.status)
}

fn fewest_mistakes() {
    for (rows, cols) in [(100_000, 2), (10_000, 4)] {
        let classes = Classes::new(rows, cols, 2.0, 3);
        let (time, fit) = once(|| MinDisOpt::new().fit_on(&Faer, &classes.data()).expect("a fit"));
        show("two Gaussians", rows, cols, time, &fit);
    }
    let mut classes = Classes::new(300, 3, 2.0, 4);
    classes.x.iter_mut().for_each(|x| *x = (2.0 * *x).round());
    let (time, fit) = once(|| MinDisOpt::new().fit_on(&Faer, &classes.data()).expect("a fit"));
    show("whole numbers", 300, 3, time, &fit);
}

fn show(name: &str, rows: usize, cols: usize, time: Duration, fit: &ZeroOneFit<f64>) {
    let claim = if fit.optimal { "proved to be the fewest" } else { "not proved" };
    let (mistakes, nodes) = (fit.mistakes.weight, fit.nodes);
    println!("{name}, {rows} × {cols}: {mistakes} mistakes, {claim}, {time:.1?}, {nodes} boxes");
}

/// Adds up every element: what it costs to read the data through the same engine.
struct ReadPass;

impl Reduction<f64> for ReadPass {
    type State = f64;

    fn start(&self) -> f64 {
        0.0
    }

    fn absorb(&self, sum: &mut f64, block: &Block<'_, f64>) {
        for i in 0..block.x.rows() {
            let (groups, rest) =
                block.x.row_slice(i).expect("rows are contiguous").as_chunks::<8>();
            let mut lanes = [0.0; 8];
            for group in groups {
                lanes.iter_mut().zip(group).for_each(|(lane, x)| *lane += x);
            }
            *sum += lanes.iter().chain(rest).sum::<f64>();
        }
    }

    fn merge(&self, left: &mut f64, right: f64) {
        *left += right;
    }
}
