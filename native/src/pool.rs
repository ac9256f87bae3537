//! Worker threads, each with a private PDFium and the documents it has open; results in page order.
//!
//! One pool per process, as large as the largest number of threads anyone asked for. A [`Batch`] is the pages of one
//! call: no more than its own number of threads work on it, and no more than its window of pages is under way or
//! waiting to be taken, so memory does not grow with the number of pages.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::failure::{Failure, Kind};
use crate::pdfium::{Document, Pdfium};
use crate::source::Source;

const MOST_THREADS: usize = 64;
const OPEN_DOCUMENTS: usize = 4; // per worker
const PAGES_PER_OPENING: usize = 256; // PDFium keeps every object it has parsed until the document is closed
const STACK_BYTES: usize = 16 << 20; // hostile files make PDFium recurse; pages of it that are not used cost nothing
const KEPT_SCRATCH_BYTES: usize = 64 << 20;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a worker keeps between pages.
#[derive(Default)]
pub struct Worker {
    documents: Vec<Opened>, // most recently used last
    pdfium: Option<Rc<Pdfium>>,
    /// Pixels and packed pixels of the last page drawn, to be used again.
    pub pixels: Vec<u8>,
    pub packed: Vec<u8>,
}

struct Opened {
    document: Rc<Document>,
    pages: usize,
}

impl Worker {
    /// The document, opened here unless it is open already.
    pub fn document(&mut self, source: &Arc<Source>) -> Result<Rc<Document>, Failure> {
        let found = self.documents.iter().position(|opened| opened.document.source().id == source.id);
        let reusable =
            found.map(|index| self.documents.remove(index)).filter(|opened| opened.pages < PAGES_PER_OPENING);
        let mut opened = match reusable {
            Some(opened) => opened,
            None => Opened { document: Rc::new(self.open(source)?), pages: 0 },
        };
        opened.pages += 1;
        let document = opened.document.clone();
        if self.documents.len() >= OPEN_DOCUMENTS {
            self.documents.remove(0);
        }
        self.documents.push(opened);
        Ok(document)
    }

    /// The document, opened for the caller alone.
    pub fn open(&mut self, source: &Arc<Source>) -> Result<Document, Failure> {
        let pdfium = match &self.pdfium {
            Some(pdfium) => pdfium.clone(),
            None => self.pdfium.insert(Pdfium::load(&source.library)?).clone(),
        };
        Document::open(pdfium, source.clone())
    }

    fn tidy(&mut self) {
        self.documents.retain(|opened| !opened.document.source().released.load(Ordering::Acquire));
        for buffer in [&mut self.pixels, &mut self.packed] {
            if buffer.capacity() > KEPT_SCRATCH_BYTES {
                *buffer = Vec::new();
            }
        }
    }
}

/// Keeps the workers' handles of a document open while it lives.
pub struct Lease {
    pub source: Arc<Source>,
    pool: Arc<Pool>,
}

impl Lease {
    pub fn new(source: Source, pool: Arc<Pool>) -> Arc<Self> {
        Arc::new(Self { source: Arc::new(source), pool })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.source.released.store(true, Ordering::Release);
        self.pool.wake.notify_all(); // without the lock: a child process may have inherited it locked
    }
}

type Step<T> = dyn Fn(&mut Worker, usize) -> Result<T, Failure> + Send + Sync;

/// The pages of one call, in order.
pub struct Batch<T> {
    step: Box<Step<T>>,
    length: usize,
    threads: usize,
    window: usize,
    progress: Mutex<Progress<T>>,
    ready: Condvar,
}

struct Progress<T> {
    next: usize,  // the first that nobody works on
    taken: usize, // the first that the caller has not taken
    workers: Vec<usize>,
    done: HashMap<usize, Result<T, Failure>>,
    cancelled: bool,
}

/// What the queue needs to know of a batch.
trait Work: Send + Sync {
    fn claim(&self, worker: usize) -> Claim;
    fn run(&self, worker: &mut Worker, index: usize);
}

enum Claim {
    Index(usize),
    NotNow,
    Never,
}

impl<T: Send> Work for Batch<T> {
    fn claim(&self, worker: usize) -> Claim {
        let mut progress = lock(&self.progress);
        if progress.cancelled || progress.next >= self.length {
            return Claim::Never;
        }
        let known = progress.workers.contains(&worker);
        if progress.next >= progress.taken + self.window || (!known && progress.workers.len() >= self.threads) {
            return Claim::NotNow;
        }
        if !known {
            progress.workers.push(worker);
        }
        progress.next += 1;
        Claim::Index(progress.next - 1)
    }

    fn run(&self, worker: &mut Worker, index: usize) {
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.step)(worker, index)))
            .unwrap_or_else(|_| Err(Failure::new(Kind::Internal, "the reader failed on this page; please report it")));
        let mut progress = lock(&self.progress);
        if !progress.cancelled {
            progress.done.insert(index, outcome);
            self.ready.notify_all();
        }
    }
}

pub enum Next<T> {
    Value(Result<T, Failure>),
    Wait,
    End,
}

impl<T: Send> Batch<T> {
    /// The next result in order, or `Wait` when it is not there within `patience`.
    pub fn take(&self, patience: Duration) -> Next<T> {
        let deadline = Instant::now() + patience;
        let mut progress = lock(&self.progress);
        loop {
            let wanted = progress.taken;
            if progress.cancelled || wanted >= self.length {
                return Next::End;
            }
            if let Some(outcome) = progress.done.remove(&wanted) {
                progress.taken += 1;
                return Next::Value(outcome);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Next::Wait;
            }
            progress = self.ready.wait_timeout(progress, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Nobody wants the rest: pages under way are finished and thrown away.
    pub fn cancel(&self) {
        let mut progress = lock(&self.progress);
        progress.cancelled = true;
        progress.done.clear();
        self.ready.notify_all();
    }
}

pub struct Pool {
    process: u32,
    queue: Mutex<Queue>,
    wake: Condvar,
    gone: Condvar,
}

struct Queue {
    batches: Vec<Arc<dyn Work>>,
    started: usize,
    alive: usize,
    closing: bool,
}

static POOL: Mutex<Option<Arc<Pool>>> = Mutex::new(None);

/// The pool of this process. A child made by `fork` has none of its parent's threads and gets its own.
///
/// Called with the interpreter lock held and never releasing it, so no fork happens while `POOL` is locked.
pub fn current() -> Arc<Pool> {
    let mut slot = lock(&POOL);
    if let Some(pool) = slot.as_ref().filter(|pool| pool.is_ours()) {
        return pool.clone();
    }
    let queue = Queue { batches: Vec::new(), started: 0, alive: 0, closing: false };
    let pool =
        Pool { process: std::process::id(), queue: Mutex::new(queue), wake: Condvar::new(), gone: Condvar::new() };
    slot.insert(Arc::new(pool)).clone()
}

/// The pool of this process, if there is one, taken out of use: `current` makes a new one.
pub fn retire() -> Option<Arc<Pool>> {
    lock(&POOL).take().filter(|pool| pool.is_ours())
}

impl Pool {
    /// False in a child made by `fork`.
    pub fn is_ours(&self) -> bool {
        self.process == std::process::id()
    }

    /// False once it is closed, and in a child made by `fork`: nobody will finish what was started.
    pub fn is_working(&self) -> bool {
        self.is_ours() && !lock(&self.queue).closing
    }

    /// Start `step` for each index below `length` on at most `threads` threads.
    pub fn start<T: Send + 'static>(
        self: &Arc<Self>,
        length: usize,
        threads: usize,
        step: impl Fn(&mut Worker, usize) -> Result<T, Failure> + Send + Sync + 'static,
    ) -> Result<Arc<Batch<T>>, Failure> {
        let threads = threads.clamp(1, MOST_THREADS).min(length.max(1));
        let progress = Progress { next: 0, taken: 0, workers: Vec::new(), done: HashMap::new(), cancelled: false };
        let batch = Arc::new(Batch {
            step: Box::new(step),
            length,
            threads,
            window: 2 * threads + 2,
            progress: Mutex::new(progress),
            ready: Condvar::new(),
        });
        let mut queue = lock(&self.queue);
        self.grow(&mut queue, threads)?;
        // Short calls go first: they would wait for a window of pages otherwise.
        let place = if length == 1 { 0 } else { queue.batches.len() };
        queue.batches.insert(place, batch.clone());
        drop(queue);
        self.wake.notify_all();
        Ok(batch)
    }

    /// The caller has taken a result: there may be room for another page.
    pub fn advance(&self) {
        drop(lock(&self.queue));
        self.wake.notify_all();
    }

    fn grow(self: &Arc<Self>, queue: &mut Queue, threads: usize) -> Result<(), Failure> {
        while queue.alive < threads {
            let (pool, number) = (self.clone(), queue.started);
            let thread = std::thread::Builder::new().name(format!("quire-{number}")).stack_size(STACK_BYTES);
            match thread.spawn(move || pool.work(number)) {
                Ok(_) => {
                    queue.started += 1;
                    queue.alive += 1;
                }
                Err(_) if queue.alive > 0 => break,
                Err(error) => return Err(Failure::new(Kind::Internal, format!("cannot start a thread: {error}"))),
            }
        }
        Ok(())
    }

    fn work(&self, number: usize) {
        let mut worker = Worker::default();
        while let Some((batch, index)) = self.next(number, &mut worker) {
            batch.run(&mut worker, index);
        }
        drop(worker);
        lock(&self.queue).alive -= 1;
        self.gone.notify_all();
    }

    fn next(&self, number: usize, worker: &mut Worker) -> Option<(Arc<dyn Work>, usize)> {
        worker.tidy();
        let mut queue = lock(&self.queue);
        loop {
            if queue.closing {
                return None;
            }
            let mut found = None;
            queue.batches.retain(|batch| {
                if found.is_some() {
                    return true;
                }
                match batch.claim(number) {
                    Claim::Index(index) => found = Some((batch.clone(), index)),
                    Claim::NotNow => {}
                    Claim::Never => return false,
                }
                true
            });
            if found.is_some() {
                return found;
            }
            queue = self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
            drop(queue);
            worker.tidy();
            queue = lock(&self.queue);
        }
    }

    /// Let every worker finish its page, close its documents and end; wait for them no longer than `patience`.
    pub fn close(&self, patience: Duration) {
        let deadline = Instant::now() + patience;
        let mut queue = lock(&self.queue);
        queue.closing = true;
        queue.batches.clear();
        self.wake.notify_all();
        while queue.alive > 0 {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            queue = self.gone.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
