//! Batches of examples, in order or shuffled, gathered ahead by a thread.
//!
//! The order is that of PyTorch's `DataLoader`, number for number: at the start of each epoch a number is drawn that PyTorch seeds its workers
//! with, then, if the loader was given no seed, another that seeds a generator for this epoch, and then `randperm` gives the order. At the end
//! of an epoch PyTorch draws a second order, which it does not use. What is drawn from the default generator therefore agrees with PyTorch too.
//!
//! Examples in main memory are copied row by row by a thread, which is at most `prefetch` batches ahead; for a GPU it copies into memory from
//! which the GPU fetches by itself, in a queue of the loader's own, while the program computes with the batch before. Examples on a device are
//! gathered there.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

use crate::libtorch::{Device, Tensor};
use simple_ffi_abi::dtype;
use simple_ffi_abi::handle::{HandleError, HandleTable};
use simple_system::memory;

use super::generator::Generator;
use crate::capture;
use crate::error::{ShimError, TorchError};
use crate::stream_shim::CudaStream;
use crate::{shim, tensor};

const OP: &str = "DataLoader";

thread_local! {
    // Never dropped, as the table of tensors.
    static LOADERS: ManuallyDrop<RefCell<HandleTable<Loader>>> =
        const { ManuallyDrop::new(RefCell::new(HandleTable::new("data loader", 12))) };
}

/// Why a loader cannot go on.
#[derive(thiserror::Error, Debug)]
pub enum LoaderError {
    /// A tensor or libtorch is the reason.
    #[error(transparent)]
    Torch(#[from] TorchError),
    /// The loader's handle is wrong.
    #[error("DataLoader: {0}")]
    Handle(HandleError),
    /// Something else, such as a generator that has no such state.
    #[error("DataLoader: {0}")]
    Wrong(String),
}

impl From<ShimError> for LoaderError {
    fn from(error: ShimError) -> LoaderError {
        LoaderError::Wrong(error.to_string())
    }
}

struct Loader {
    source: Vec<Tensor>,
    count: i64,
    batch: i64,
    shuffle: bool,
    drop_last: bool,
    prefetch: usize,
    // Where batches go that come from main memory, when the whole does not.
    target: Option<Device>,
    // The loader's seed and generator, if it has its own.
    own: Option<(i64, Generator)>,
    // How many epochs have begun, and which of them (from 0) were left before their end.
    begun: i64,
    left: Vec<i64>,
    // Without a seed: what the next epoch's generator will be seeded with, if that is known already.
    next_seed: Option<i64>,
    epoch: Option<Epoch>,
    // The queue on the GPU in which batches are copied there, once there was one.
    copying: Option<CudaStream>,
}

/// One walk through the examples.
struct Epoch {
    // The row at which the next batch begins, and at which the last one did.
    next: i64,
    last: i64,
    // The row at which the epoch is over.
    end: i64,
    // Whether PyTorch would have drawn its second order.
    ended: bool,
    order: Order,
    supply: Supply,
    // The next batch, which a GPU may still be copying.
    copied: Option<Vec<Tensor>>,
}

enum Supply {
    /// Gathered when asked for.
    Direct,
    /// Gathered ahead.
    Ahead {
        receiver: Option<Receiver<Result<Vec<Tensor>, String>>>,
        worker: Option<JoinHandle<()>>,
    },
}

/// Which examples come when.
enum Order {
    AsTheyAre,
    /// In main memory and on the device.
    Shuffled(Arc<Vec<i64>>, Tensor),
}

impl Order {
    /// The same order, for the thread.
    fn shared(&self) -> Order {
        match self {
            Order::AsTheyAre => Order::AsTheyAre,
            Order::Shuffled(rows, on_device) => {
                Order::Shuffled(rows.clone(), on_device.shallow_clone())
            }
        }
    }
}

impl Drop for Supply {
    fn drop(&mut self) {
        if let Supply::Ahead { receiver, worker } = self {
            // Without a receiver the worker stops at its next batch.
            drop(receiver.take());
            if let Some(worker) = worker.take() {
                let _ = worker.join();
            }
        }
    }
}

/// How many loaders are alive.
pub fn live() -> i64 {
    LOADERS.with(|loaders| loaders.borrow().live() as i64)
}

fn with<R>(
    handle: i64,
    body: impl FnOnce(&mut Loader) -> Result<R, LoaderError>,
) -> Result<R, LoaderError> {
    LOADERS.with(|loaders| match loaders.borrow_mut().get_mut(handle) {
        Ok(loader) => body(loader),
        Err(source) => Err(LoaderError::Handle(source)),
    })
}

/// A loader over tensors that have an example per row. `device` is a device's number; without it they stay where they are.
#[allow(
    clippy::too_many_arguments,
    reason = "a row of the table, whose caller has names"
)]
pub fn new(
    tensors: &[i64],
    batch: i64,
    shuffle: bool,
    drop_last: bool,
    seed: Option<i64>,
    prefetch: i64,
    device: Option<i64>,
) -> Result<i64, LoaderError> {
    if batch < 1 {
        return Err(LoaderError::Wrong(format!(
            "a batch has at least 1 example, not {batch}"
        )));
    }
    let mut source = Vec::with_capacity(tensors.len());
    for &handle in tensors {
        source.push(tensor::with(OP, handle, |tensor| {
            tensor
                .detach()
                .map_err(|error| TorchError::on_tensors(OP, &[tensor], &error))
        })?);
    }
    let count = rows(&source)?;
    let mut target = None;
    if let Some(device) = super::device_of(device).map_err(LoaderError::Wrong)? {
        match moved_whole(&source, device)? {
            Some(moved) => source = moved,
            None => target = Some(device),
        }
    }
    for tensor in &mut source {
        *tensor = tensor.contiguous()?;
    }
    let loader = Loader {
        source,
        count,
        batch,
        shuffle,
        drop_last,
        prefetch: prefetch.clamp(0, 64) as usize,
        target,
        own: match seed {
            Some(seed) => Some((seed, Generator::seeded(seed)?)),
            None => None,
        },
        begun: 0,
        left: Vec::new(),
        next_seed: None,
        epoch: None,
        copying: None,
    };
    LOADERS
        .with(|loaders| loaders.borrow_mut().insert(loader))
        .map_err(LoaderError::Handle)
}

/// How many rows all tensors have.
fn rows(tensors: &[Tensor]) -> Result<i64, LoaderError> {
    let sizes: Vec<Vec<i64>> = tensors.iter().map(Tensor::size).collect();
    let count = match sizes.first() {
        Some(size) => size.first().copied(),
        None => return Err(LoaderError::Wrong("there are no tensors".to_owned())),
    };
    match count {
        Some(count) if sizes.iter().all(|size| size.first() == Some(&count)) => Ok(count),
        _ => Err(LoaderError::Wrong(format!(
            "tensors of shapes {sizes:?} do not have one row for each example"
        ))),
    }
}

/// All examples on a device; `None` if they go there batch by batch, because they would take more than half of what is free there: a network,
/// its gradients and what it computes need room too.
fn moved_whole(tensors: &[Tensor], device: Device) -> Result<Option<Vec<Tensor>>, LoaderError> {
    if let Device::Cuda(number) = device {
        let (free, _) = crate::memory::free_and_total(number as i64)?;
        let elsewhere = tensors.iter().filter(|tensor| tensor.device() != device);
        if bytes(elsewhere) > free as usize / 2 {
            return Ok(None);
        }
    }
    match moved(tensors, device) {
        Ok(moved) => Ok(Some(moved)),
        // Another program may have taken it meanwhile.
        Err(error) if error.to_string().contains("out of memory") => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The tensors on a device. What is copied to a GPU may still be on its way when this returns; whatever uses it there waits for it.
fn moved(tensors: &[Tensor], device: Device) -> Result<Vec<Tensor>, ShimError> {
    let one = |tensor: &Tensor| match device {
        Device::Cuda(_) => tensor.send_to(device),
        _ => tensor.to_device(device),
    };
    tensors.iter().map(one).collect()
}

/// How much memory the elements take.
fn bytes<'a>(tensors: impl IntoIterator<Item = &'a Tensor>) -> usize {
    tensors.into_iter().map(|t| t.numel() * width_of(t)).sum()
}

/// Frees a loader.
pub fn free(handle: i64) -> Result<(), LoaderError> {
    let loader = LOADERS
        .with(|loaders| loaders.borrow_mut().remove(handle))
        .map_err(LoaderError::Handle)?;
    drop(loader);
    Ok(())
}

/// How many batches an epoch has.
pub fn batches(handle: i64) -> Result<i64, LoaderError> {
    with(handle, |loader| Ok(loader.batches()))
}

/// Begins an epoch.
pub fn begin(handle: i64) -> Result<(), LoaderError> {
    with(handle, Loader::begin)
}

/// The tensors of the next batch; none at the end of the epoch.
pub fn next(handle: i64) -> Result<Vec<i64>, LoaderError> {
    capture::refuse(
        "DataLoader",
        "fetch a batch, since a replay would have the same one again; pass batches as arguments",
    )?;
    let batch = with(handle, Loader::next)?;
    let mut handles = Vec::with_capacity(batch.len());
    for tensor in batch {
        handles.push(tensor::store(OP, tensor)?);
    }
    Ok(handles)
}

/// Goes on with batches of half the size; the last batch of a running epoch comes once more, in halves. Not if a batch has one example.
pub fn halve(handle: i64) -> Result<bool, LoaderError> {
    with(handle, Loader::halve)
}

/// How many examples a batch has.
pub fn batch_size(handle: i64) -> Result<i64, LoaderError> {
    with(handle, |loader| Ok(loader.batch))
}

/// Numbers below 2^53 from which [`restore`] brings back the order of the next epoch. Without a given seed the loader draws what the
/// epoch needs now instead of at its beginning.
pub fn order(handle: i64) -> Result<Vec<i64>, LoaderError> {
    with(handle, |loader| {
        if loader.own.is_some() {
            let mut order = vec![loader.begun];
            order.extend_from_slice(&loader.left);
            order.extend(loader.unfinished());
            Ok(order)
        } else if loader.shuffle {
            let seed = loader.seed_of_next()? as u64;
            Ok(vec![(seed >> 32) as i64, (seed & 0xffff_ffff) as i64])
        } else {
            Ok(Vec::new())
        }
    })
}

/// Puts the order of the next epoch back to what [`order`] gave.
pub fn restore(handle: i64, order: &[i64]) -> Result<(), LoaderError> {
    with(handle, |loader| {
        loader.epoch = None;
        match (&mut loader.own, order) {
            (None, []) if !loader.shuffle => {}
            (None, [high @ 0..=0xffff_ffff, low @ 0..=0xffff_ffff]) if loader.shuffle => {
                loader.next_seed = Some(high << 32 | low);
            }
            (Some((seed, own)), [begun @ 0..=1_000_000, left @ ..]) => {
                *own = Generator::seeded(*seed)?;
                for epoch in 0..*begun {
                    own.draw()?;
                    // The order itself, and the one at the end.
                    let orders = if left.contains(&epoch) { 1 } else { 2 };
                    for _ in 0..if loader.shuffle { orders } else { 0 } {
                        drop(own.order(loader.count)?);
                    }
                }
                loader.begun = *begun;
                loader.left = left.to_vec();
            }
            _ => {
                return Err(LoaderError::Wrong(format!(
                    "{order:?} is not the order of a loader like this one"
                )));
            }
        }
        Ok(())
    })
}

impl Loader {
    fn batches(&self) -> i64 {
        if self.drop_last {
            self.count / self.batch
        } else {
            (self.count + self.batch - 1) / self.batch
        }
    }

    /// What the next epoch's generator is seeded with, in a loader that was given no seed.
    fn seed_of_next(&mut self) -> Result<i64, LoaderError> {
        if let Some(seed) = self.next_seed {
            return Ok(seed);
        }
        let common = Generator::common();
        common.draw()?;
        let seed = common.draw()?;
        self.next_seed = Some(seed);
        Ok(seed)
    }

    /// The running epoch's number, if it is not at its end.
    fn unfinished(&self) -> Option<i64> {
        let running = self.epoch.as_ref().is_some_and(|epoch| !epoch.ended);
        running.then_some(self.begun - 1)
    }

    fn begin(&mut self) -> Result<(), LoaderError> {
        self.left.extend(self.unfinished());
        self.epoch = None;
        let order = match &self.own {
            Some((_, own)) => {
                own.draw()?;
                self.shuffle.then(|| own.order(self.count)).transpose()?
            }
            None if self.shuffle => {
                let seed = self.seed_of_next()?;
                self.next_seed = None;
                Some(Generator::seeded(seed)?.order(self.count)?)
            }
            None => {
                Generator::common().draw()?;
                None
            }
        };
        self.begun += 1;
        let order = match order {
            Some(order) => {
                memory::probe(order.numel().saturating_mul(size_of::<i64>()))
                    .map_err(|error| LoaderError::Wrong(error.to_string()))?;
                let device = self.source.first().map_or(Device::Cpu, Tensor::device);
                Order::Shuffled(Arc::new(order.to_vec()?), order.to_device(device)?)
            }
            None => Order::AsTheyAre,
        };
        self.epoch = Some(Epoch {
            next: 0,
            last: 0,
            end: self.end(),
            ended: false,
            supply: self.supply(&order, 0)?,
            order,
            copied: None,
        });
        Ok(())
    }

    /// The row at which an epoch is over.
    fn end(&self) -> i64 {
        if self.drop_last {
            self.count / self.batch * self.batch
        } else {
            self.count
        }
    }

    /// Goes on with batches of half the size, the last one once more in halves; not if it has one example.
    fn halve(&mut self) -> Result<bool, LoaderError> {
        if self.batch < 2 {
            return Ok(false);
        }
        self.batch /= 2;
        if let Some((order, last)) = self
            .epoch
            .as_ref()
            .map(|epoch| (epoch.order.shared(), epoch.last))
        {
            let supply = self.supply(&order, last)?;
            if let Some(epoch) = &mut self.epoch {
                epoch.next = last;
                epoch.supply = supply;
                epoch.copied = None;
            }
        }
        Ok(true)
    }

    /// Whether batches are gathered where a GPU copies them from while the program goes on.
    fn is_pinned(&self) -> bool {
        matches!(self.target, Some(Device::Cuda(_)))
    }

    /// What gathers batches from a row on. A thread pays off where copying is work for the CPU and there is more than one batch.
    fn supply(&self, order: &Order, start: i64) -> Result<Supply, LoaderError> {
        let on_cpu = self.source.iter().all(|t| t.device() == Device::Cpu);
        if self.prefetch == 0 || !on_cpu || self.batches() < 2 || bytes(&self.source) < (1 << 18) {
            return Ok(Supply::Direct);
        }
        let pinned = self.is_pinned();
        let (sender, receiver) = sync_channel(self.prefetch);
        let source: Vec<Tensor> = self.source.iter().map(Tensor::shallow_clone).collect();
        let (batch, end, order) = (self.batch, self.end(), order.shared());
        let worker = std::thread::Builder::new()
            .name("data loader".to_owned())
            .spawn(move || {
                let mut start = start;
                while start < end {
                    let rows = range(start, batch, end);
                    start = rows.end;
                    let calling = shim::CALLING.read();
                    let gathered = gather(&source, &order, rows, pinned);
                    drop(calling);
                    let gathered = gathered.map_err(|error| error.to_string());
                    let failed = gathered.is_err();
                    if sender.send(gathered).is_err() || failed {
                        return;
                    }
                }
            })
            .map_err(|error| LoaderError::Wrong(format!("no thread can be started: {error}")))?;
        Ok(Supply::Ahead {
            receiver: Some(receiver),
            worker: Some(worker),
        })
    }

    fn next(&mut self) -> Result<Vec<Tensor>, LoaderError> {
        let Some(epoch) = &mut self.epoch else {
            return Ok(Vec::new());
        };
        let rows = range(epoch.next, self.batch, epoch.end);
        let over = epoch.next >= epoch.end;
        if (over || rows.end - rows.start < self.batch) && !epoch.ended {
            epoch.ended = true;
            if let (Some((_, own)), true) = (&self.own, self.shuffle) {
                drop(own.order(self.count)?);
            }
        }
        if over {
            self.epoch = None;
            return Ok(Vec::new());
        }
        (epoch.last, epoch.next) = (rows.start, rows.end);
        let copied = epoch.copied.take();
        match self.target {
            None => self.gathered(rows),
            Some(Device::Cuda(number)) => self.next_on_cuda(copied, rows, number),
            Some(device) => Ok(moved(&self.gathered(rows)?, device)?),
        }
    }

    /// These rows in the memory that they are in, from the thread if there is one.
    fn gathered(&self, rows: Range<i64>) -> Result<Vec<Tensor>, LoaderError> {
        let Some(epoch) = &self.epoch else {
            return Ok(Vec::new());
        };
        match &epoch.supply {
            Supply::Direct => Ok(gather(&self.source, &epoch.order, rows, self.is_pinned())?),
            Supply::Ahead { receiver, .. } => receiver
                .as_ref()
                .and_then(|receiver| receiver.recv().ok())
                .unwrap_or_else(|| Err("the thread that gathers batches has ended".to_owned()))
                .map_err(LoaderError::Wrong),
        }
    }

    /// The next batch on a GPU, which begins to copy the one after it, if that is gathered, in a queue of its own: while the program computes
    /// with this one.
    fn next_on_cuda(
        &mut self,
        copied: Option<Vec<Tensor>>,
        rows: Range<i64>,
        number: usize,
    ) -> Result<Vec<Tensor>, LoaderError> {
        let device = Device::Cuda(number);
        let queue = match self.copying.take() {
            Some(queue) => queue,
            None => CudaStream::new(number as i64, 0)?,
        };
        let batch = match copied {
            Some(batch) => batch,
            None => copied_in(&queue, &self.gathered(rows)?, device)?,
        };
        // What the program computes from here on waits for the copy, and the memory is its own queue's as well.
        let current = CudaStream::of_device(number as i64, true)?;
        current.wait(&queue)?;
        for tensor in &batch {
            current.keep(tensor)?;
        }
        if let Some(epoch) = &mut self.epoch
            && let Supply::Ahead {
                receiver: Some(receiver),
                ..
            } = &epoch.supply
            && let Ok(gathered) = receiver.try_recv()
        {
            epoch.copied = Some(copied_in(
                &queue,
                &gathered.map_err(LoaderError::Wrong)?,
                device,
            )?);
        }
        self.copying = Some(queue);
        Ok(batch)
    }
}

/// Copies of tensors on a GPU, made in this queue.
fn copied_in(
    queue: &CudaStream,
    tensors: &[Tensor],
    device: Device,
) -> Result<Vec<Tensor>, LoaderError> {
    let before = queue.enter()?;
    let copied = moved(tensors, device);
    before.enter()?;
    Ok(copied?)
}

/// The rows of a batch that begins at a row, of an epoch that is over at `end`.
fn range(start: i64, batch: i64, end: i64) -> Range<i64> {
    let start = start.min(end);
    start..start.saturating_add(batch).min(end)
}

/// A batch: these places of the order, of every tensor.
fn gather(
    source: &[Tensor],
    order: &Order,
    rows: Range<i64>,
    pinned: bool,
) -> Result<Vec<Tensor>, ShimError> {
    let length = rows.end - rows.start;
    source
        .iter()
        .map(|tensor| {
            if tensor.device() == Device::Cpu {
                return copied(tensor, order, rows.clone(), pinned);
            }
            match order {
                Order::AsTheyAre => {
                    let part = tensor.narrow(0, rows.start, length)?;
                    let mut copy = part.empty_like()?;
                    copy.copy_(&part)?;
                    Ok(copy)
                }
                Order::Shuffled(_, order) => {
                    tensor.index_select(0, &order.narrow(0, rows.start, length)?)
                }
            }
        })
        .collect()
}

/// Bytes of one number.
fn width_of(tensor: &Tensor) -> usize {
    dtype::of_number(tensor.dtype().into()).map_or(0, |dtype| dtype.width)
}

/// Rows of a tensor in main memory, copied one by one: libtorch would start its own threads for this, in a thread that
/// should stay quiet.
fn copied(
    source: &Tensor,
    order: &Order,
    rows: Range<i64>,
    pinned: bool,
) -> Result<Tensor, ShimError> {
    let mut dims = source.size();
    let count = dims.first().copied().unwrap_or(0);
    let width = dims.iter().skip(1).product::<i64>() as usize * width_of(source);
    if let Some(first) = dims.first_mut() {
        *first = rows.end - rows.start;
    }
    let out = if pinned {
        shim::pinned(&dims, source.dtype())?
    } else {
        Tensor::empty(&dims, source.dtype(), Device::Cpu)?
    };
    if width == 0 || rows.is_empty() {
        return Ok(out);
    }
    let from = source.data_ptr().cast::<u8>().cast_const();
    let to = out.data_ptr().cast::<u8>();
    let copy = |row: i64, place: usize, rows: usize| {
        assert!(
            row >= 0 && row + rows as i64 <= count,
            "row {row} of {count}"
        );
        // SAFETY: both tensors are contiguous and have `width` bytes a row; the rows are within the source by the check above, and within
        // the result because it was made with as many rows as are copied. They are different tensors, so nothing overlaps.
        unsafe {
            std::ptr::copy_nonoverlapping(
                from.add(row as usize * width),
                to.add(place * width),
                rows * width,
            );
        }
    };
    match order {
        Order::AsTheyAre => copy(rows.start, 0, (rows.end - rows.start) as usize),
        Order::Shuffled(order, _) => {
            let order = &order[rows.start as usize..rows.end as usize];
            for (place, &row) in order.iter().enumerate() {
                copy(row, place, 1);
            }
        }
    }
    Ok(out)
}
