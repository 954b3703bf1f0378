//! Signs of life for whatever takes more than a second, on standard error and only on a terminal; and
//! Ctrl-C, which asks a fit or a search for the best it has so far.

use std::io::{self, IsTerminal, Read};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use minrisk::convex::Observer;
use minrisk::halfspace::Stop;

/// What takes less is over before anyone wonders.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether somebody wants the best so far.
static STOP: LazyLock<Stop> = LazyLock::new(Stop::new);
/// Whether what is running now looks at `STOP`.
static LISTENING: AtomicBool = AtomicBool::new(false);

/// Makes Ctrl-C stop a fit that can be stopped, and end the program otherwise or when pressed again.
pub(crate) fn heed_interrupts() {
    let interrupt = || {
        if !LISTENING.load(Ordering::Relaxed) || STOP.is_requested() {
            std::process::exit(130);
        }
        STOP.request();
    };
    // Without a handler Ctrl-C ends the program, as it does everywhere.
    let _ = ctrlc::set_handler(interrupt);
}

/// An observer that shows the steps of a fit and stops it at Ctrl-C.
pub(crate) fn observer() -> Observer {
    LISTENING.store(true, Ordering::Relaxed);
    let progress = Mutex::new(Progress::working());
    Arc::new(move |step| {
        if let Ok(mut progress) = progress.lock() {
            let (k, objective, size) = (step.iteration, step.objective, step.gradient_norm);
            progress
                .show(0, || format!("step {k}: objective {objective:.9e}, gradient {size:.1e}"));
        }
        match STOP.is_requested() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })
}

/// The switch that Ctrl-C turns, for what takes a budget.
pub(crate) fn stop() -> &'static Stop {
    LISTENING.store(true, Ordering::Relaxed);
    &STOP
}

/// Ends what [`observer`] and [`stop`] began: Ctrl-C ends the program again.
pub(crate) fn stop_observing() {
    LISTENING.store(false, Ordering::Relaxed);
}

/// A sign of life while something without steps is going on; it goes away when dropped.
pub(crate) struct Spinner {
    done: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Spinner {
    pub(crate) fn start(what: &'static str) -> Self {
        if !io::stderr().is_terminal() {
            return Self { done: None };
        }
        let (sender, receiver) = mpsc::channel();
        let show = move || {
            if receiver.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar =
                ProgressBar::new_spinner().with_style(style_of("{spinner} {msg} ({elapsed})"));
            bar.set_message(what);
            bar.enable_steady_tick(Duration::from_millis(100));
            // Until the sender goes away.
            let _ = receiver.recv();
            bar.finish_and_clear();
        };
        Self { done: Some((sender, thread::spawn(show))) }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.done.take() {
            drop(sender);
            // A thread that failed has nothing more to show.
            let _ = thread.join();
        }
    }
}

/// A bar that appears after a second.
pub(crate) struct Progress {
    started: Instant,
    length: Option<u64>,
    bar: Option<ProgressBar>,
    visible: bool,
}

impl Progress {
    /// For reading so many bytes, if that is known.
    pub(crate) fn reading(length: Option<u64>) -> Self {
        let visible = io::stderr().is_terminal();
        Self { started: Instant::now(), length, bar: None, visible }
    }

    /// For work of unknown length.
    pub(crate) fn working() -> Self {
        Self::reading(None)
    }

    /// A reader that reports how far it is.
    pub(crate) fn watch<R: Read>(self, bytes: R) -> Watched<R> {
        Watched { bytes, progress: self, read: 0 }
    }

    /// Shows a position and a message, if it is time to show anything.
    pub(crate) fn show(&mut self, position: u64, message: impl FnOnce() -> String) {
        if !self.visible || self.started.elapsed() < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| match self.length {
            Some(length) => {
                let style = "{bar:40} {bytes} of {total_bytes}, {eta} left";
                ProgressBar::new(length).with_style(style_of(style))
            }
            None => ProgressBar::new_spinner().with_style(style_of("{spinner} {msg}")),
        });
        bar.set_position(position);
        bar.set_message(message());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style_of(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// A reader with a bar.
pub(crate) struct Watched<R> {
    bytes: R,
    progress: Progress,
    read: u64,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        self.read += count as u64;
        let read = self.read;
        self.progress.show(read, || format!("{} MB read", read >> 20));
        Ok(count)
    }
}
