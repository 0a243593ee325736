//! Windows that move over images by one place: convolutions, the gradients of their weights, and the places of the largest elements.
//!
//! An image is padded already. The windows of a plane are taken along one line, the rows after each other, so that the elements that one tap reads
//! are side by side: the kernels of `gemm.rs` read them where they are. Where a row of the plane ends there are windows that count for nothing.
//! Samples are divided among threads, or taps where samples are added up; no digit depends on it. Users: `lib/native/nn/window.spl`, `cover.spl`.

// Its functions take pointers into slices and results whose sizes were checked.
use crate::gemm::{self, Factor, From, Job};
use crate::host::array_filled;
use crate::pool;
use simple_ffi_abi::{SffiBuffer, SffiType};

/// Columns of a part of a thread are a multiple of this: whole tiles of every kernel.
const GRAIN: usize = 32;

/// Where the windows are, all numbers checked.
#[derive(Clone, Copy)]
struct Windows<'a> {
    batch: usize,
    groups: usize,
    filters: usize,
    /// Elements of the image per sample and group.
    plane: usize,
    height: usize,
    width: usize,
    /// Elements from a row of windows to the next.
    pitch: usize,
    taps: &'a [i64],
}

/// A pointer that threads write different places of.
#[derive(Clone, Copy)]
struct Shared<T>(*mut T);

// SAFETY: each thread writes places of its own, see the users.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn at(&self, place: usize) -> *mut T {
        self.0.wrapping_add(place)
    }
}

impl<'a> Windows<'a> {
    fn new(numbers: [i64; 7], taps: &'a [i64], image: usize) -> Result<Self, String> {
        let mut found = [0; 7];
        for (found, number) in found.iter_mut().zip(numbers) {
            // Products of three of them can be counted.
            let small = usize::try_from(number)
                .ok()
                .filter(|number| *number <= 1 << 40);
            *found = small.ok_or_else(|| format!("{number} is not a size of windows"))?;
        }
        let [batch, groups, filters, plane, height, width, pitch] = found;
        let windows = Windows {
            batch,
            groups,
            filters,
            plane,
            height,
            width,
            pitch,
            taps,
        };
        let planes = batch
            .checked_mul(groups)
            .and_then(|count| count.checked_mul(plane));
        if planes != Some(image) {
            return Err(format!(
                "{batch} samples of {groups} planes of {plane} elements do not have the {image} elements of the image"
            ));
        }
        if height > 0 && width > 0 {
            let line = (height - 1)
                .checked_mul(pitch)
                .and_then(|rows| rows.checked_add(width));
            let line = line.filter(|line| pitch >= width && *line <= plane);
            let line = line.ok_or_else(|| format!("{height} x {width} windows, rows {pitch} apart, are not in a plane of {plane} elements"))?;
            let room = (plane - line) as i64;
            if let Some(tap) = taps.iter().find(|tap| !(0..=room).contains(*tap)) {
                return Err(format!("the tap {tap} is not from 0 to {room}"));
            }
        }
        Ok(windows)
    }

    /// How many windows are on the line.
    fn line(&self) -> usize {
        if self.places() == 0 {
            0
        } else {
            (self.height - 1) * self.pitch + self.width
        }
    }

    fn places(&self) -> usize {
        self.height.saturating_mul(self.width)
    }

    /// The elements of the results of all samples.
    fn results(&self) -> Result<usize, String> {
        let count = self
            .batch
            .checked_mul(self.groups)
            .and_then(|count| count.checked_mul(self.filters));
        count
            .and_then(|count| count.checked_mul(self.places()))
            .ok_or_else(|| "the result has too many elements".to_owned())
    }

    /// The elements of the weights.
    fn weights(&self) -> Result<usize, String> {
        let count = self
            .groups
            .checked_mul(self.filters)
            .and_then(|count| count.checked_mul(self.taps.len()));
        count.ok_or_else(|| "the weight has too many elements".to_owned())
    }

    /// Calls `body` with the ends of each part of `whole`, on several threads if all is worth it.
    fn divided(&self, whole: usize, body: &(dyn Fn(usize, usize) + Sync)) {
        let work = [
            self.batch,
            self.groups,
            self.filters,
            self.line(),
            self.taps.len(),
        ];
        let work = work.into_iter().fold(1usize, usize::saturating_mul);
        let parts = (work / gemm::WORTH).min(pool::threads()).min(whole).max(1);
        if parts == 1 {
            return body(0, whole);
        }
        pool::each(parts, &|part| {
            body(whole * part / parts, whole * (part + 1) / parts)
        });
    }
}

fn same(name: &str, found: usize, wanted: usize) -> Result<(), String> {
    if found == wanted {
        Ok(())
    } else {
        Err(format!(
            "{name} has {found} elements, but {wanted} are wanted"
        ))
    }
}

macro_rules! windows {
    ($($correlate:ident $weigh:ident $places:ident $part:ident $float:ident $type:ident;)*) => {$(
        /// For each window and filter the sum of the window's elements times the weights, plus the filter's bias if there are biases.
        #[allow(clippy::too_many_arguments, reason = "windows, an image and weights")]
        pub(super) fn $correlate(
            batch: i64, groups: i64, filters: i64, plane: i64, height: i64, width: i64, pitch: i64,
            image: &[$float], weights: &[$float], taps: &[i64], bias: &[$float],
        ) -> Result<SffiBuffer, String> {
            let windows = Windows::new([batch, groups, filters, plane, height, width, pitch], taps, image.len())?;
            same("the weight", weights.len(), windows.weights()?)?;
            if !bias.is_empty() {
                same("the bias", bias.len(), windows.groups * windows.filters)?;
            }
            let count = windows.results()?;
            let Windows { groups, filters, plane, width, pitch, .. } = windows;
            let (line, places, size, kind) = (windows.line(), windows.places(), taps.len(), gemm::kind());
            // SAFETY: all elements are written, each by the part that has its sample. The windows are in the image, see `Windows::new`.
            Ok(unsafe {
                array_filled(SffiType::$type, count, |out: *mut $float| {
                    let out = Shared(out);
                    if count == 0 {
                        return;
                    }
                    windows.divided(windows.batch * groups, &|begin, end| {
                        let mut sums: Vec<$float> = vec![0.0; filters * line];
                        for unit in begin..end {
                            let group = unit % groups;
                            let first = image.as_ptr().add(unit * plane);
                            let a = From { first: weights.as_ptr().add(group * filters * size), row: size as isize, column: 1 };
                            let b = Factor::Lines { first, taps: taps.as_ptr() };
                            if size > 0 {
                                let job = Job { m: filters, n: line, k: size, a, b, out: sums.as_mut_ptr(), start: None };
                                gemm::$part(kind, &job, 0..filters, 0..line);
                            }
                            for filter in 0..filters {
                                let constant = bias.get(group * filters + filter).copied().unwrap_or(0.0);
                                let sums = &sums[filter * line..][..line];
                                let to = out.at((unit * filters + filter) * places);
                                for (row, sums) in sums.chunks(pitch).enumerate() {
                                    for (at, sum) in sums[..width].iter().enumerate() {
                                        to.add(row * width + at).write(sum + constant);
                                    }
                                }
                            }
                        }
                    });
                })
            })
        }

        /// The gradient of the weights: for each filter and tap the sum, over windows and samples, of the result's number times the element.
        #[allow(clippy::too_many_arguments, reason = "windows, an image and results")]
        pub(super) fn $weigh(
            batch: i64, groups: i64, filters: i64, plane: i64, height: i64, width: i64, pitch: i64,
            image: &[$float], results: &[$float], taps: &[i64],
        ) -> Result<SffiBuffer, String> {
            let windows = Windows::new([batch, groups, filters, plane, height, width, pitch], taps, image.len())?;
            same("the result", results.len(), windows.results()?)?;
            let count = windows.weights()?;
            let Windows { batch, groups, filters, plane, width, pitch, .. } = windows;
            let (line, places, size, kind) = (windows.line(), windows.places(), taps.len(), gemm::kind());
            // SAFETY: all elements are written, each by the part that has its tap. The windows are in the image, see `Windows::new`.
            Ok(unsafe {
                array_filled(SffiType::$type, count, |out: *mut $float| {
                    std::ptr::write_bytes(out, 0, count);
                    let out = Shared(out);
                    if count == 0 || line == 0 {
                        return;
                    }
                    windows.divided(size.div_ceil(GRAIN), &|begin, end| {
                        let columns = begin * GRAIN..size.min(end * GRAIN);
                        let mut sums: Vec<$float> = vec![0.0; filters * size];
                        // Zeros stay between the rows.
                        let mut spaced: Vec<$float> = vec![0.0; filters * line];
                        for unit in 0..batch * groups {
                            for filter in 0..filters {
                                let given = &results[(unit * filters + filter) * places..][..places];
                                let spaced = &mut spaced[filter * line..][..line];
                                for (to, from) in spaced.chunks_mut(pitch).zip(given.chunks(width)) {
                                    to[..width].copy_from_slice(from);
                                }
                            }
                            let a = From { first: spaced.as_ptr(), row: line as isize, column: 1 };
                            let b = Factor::Across { first: image.as_ptr().add(unit * plane), taps: taps.as_ptr() };
                            let job = Job { m: filters, n: size, k: line, a, b, out: sums.as_mut_ptr(), start: None };
                            gemm::$part(kind, &job, 0..filters, columns.clone());
                            for filter in 0..filters {
                                for tap in columns.clone() {
                                    *out.at((unit % groups * filters + filter) * size + tap) += sums[filter * size + tap];
                                }
                            }
                        }
                    });
                })
            })
        }

        /// The place of the largest element of each window in the array, the first of equal ones, or the last that is not a number; -1 for an empty
        /// window. Windows are from `lows` to before `highs`, by steps.
        #[allow(clippy::too_many_arguments, reason = "an image and two dimensions of windows")]
        pub(super) fn $places(
            image: &[$float], planes: i64, height: i64, width: i64,
            low_y: &[i64], high_y: &[i64], step_y: i64, low_x: &[i64], high_x: &[i64], step_x: i64,
        ) -> Result<SffiBuffer, String> {
            let planes = usize::try_from(planes).map_err(|_| format!("{planes} planes"))?;
            let plane = usize::try_from(height).ok().zip(usize::try_from(width).ok()).and_then(|(height, width)| height.checked_mul(width));
            let plane = plane.filter(|plane| plane.checked_mul(planes) == Some(image.len()));
            let plane = plane.ok_or_else(|| format!("{planes} planes of {height} x {width} elements do not have the {} of the image", image.len()))?;
            for (lows, highs, size, step) in [(low_y, high_y, height, step_y), (low_x, high_x, width, step_x)] {
                if step < 1 || lows.len() != highs.len() || lows.iter().any(|low| *low < 0) || highs.iter().any(|high| *high > size) {
                    return Err(format!("a window is not in the {size} places of its dimension"));
                }
            }
            let count = planes.checked_mul(low_y.len()).and_then(|count| count.checked_mul(low_x.len()));
            let count = count.ok_or("the result has too many elements")?;
            let (width, step_y, step_x) = (width as usize, step_y as usize, step_x as usize);
            // SAFETY: as many places are written as there are windows.
            Ok(unsafe {
                array_filled(SffiType::ArrayI64, count, |out: *mut i64| {
                    let mut to = out;
                    for plane in (0..planes).map(|number| number * plane) {
                        for (low_y, high_y) in low_y.iter().zip(high_y) {
                            for (low_x, high_x) in low_x.iter().zip(high_x) {
                                let (mut place, mut best) = (-1, <$float>::NEG_INFINITY);
                                for y in (*low_y as usize..*high_y.max(low_y) as usize).step_by(step_y) {
                                    let row = plane + y * width;
                                    for at in (row + *low_x as usize..row + *high_x.max(low_x) as usize).step_by(step_x) {
                                        let value = image[at];
                                        let take = value > best || value.is_nan() || place < 0;
                                        place = if take { at as i64 } else { place };
                                        best = if take { value } else { best };
                                    }
                                }
                                to.write(place);
                                to = to.add(1);
                            }
                        }
                    }
                })
            })
        }
    )*};
}

windows! {
    correlate_f32 weigh_f32 max_places_f32 part_f32 f32 ArrayF32;
    correlate_f64 weigh_f64 max_places_f64 part_f64 f64 ArrayF64;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize) -> Vec<f64> {
        (0..count).map(|at| (at * 7 % 11) as f64 - 5.0).collect()
    }

    fn listed(made: SffiBuffer) -> Vec<f64> {
        // SAFETY: the buffer is a result of f64, which has as many elements as it says.
        unsafe {
            simple_ffi_abi::export::slice_argument(made.data.cast::<f64>(), made.length).to_vec()
        }
    }

    #[test]
    fn windows_are_summed_and_weighed_as_by_hand() {
        // Two samples of two groups of planes of 5 x 7 elements, windows of 2 x 3, three filters.
        let (height, width, pitch, plane) = (4, 5, 7, 35);
        let taps: Vec<i64> = [0, 1]
            .iter()
            .flat_map(|y| (0..3).map(move |x| y * 7 + x))
            .collect();
        let (image, weights, bias) = (numbers(4 * plane), numbers(6 * taps.len()), numbers(6));
        let results = numbers(4 * 3 * height * width);
        let (mut sums, mut weighed) = (Vec::new(), vec![0.0; weights.len()]);
        for unit in 0..4 {
            for filter in 0..3 {
                let own = unit % 2 * 3 + filter;
                for y in 0..height {
                    for x in 0..width {
                        let mut sum = bias[own];
                        for (number, tap) in taps.iter().enumerate() {
                            let element = image[unit * plane + y * pitch + x + *tap as usize];
                            sum += element * weights[own * taps.len() + number];
                            let result = results[((unit * 3 + filter) * height + y) * width + x];
                            weighed[own * taps.len() + number] += element * result;
                        }
                        sums.push(sum);
                    }
                }
            }
        }
        let found = correlate_f64(2, 2, 3, 35, 4, 5, 7, &image, &weights, &taps, &bias);
        assert_eq!(found.map(listed), Ok(sums));
        let found = weigh_f64(2, 2, 3, 35, 4, 5, 7, &image, &results, &taps);
        assert_eq!(found.map(listed), Ok(weighed));
        // A tap further, a plane more, a filter less.
        assert!(
            correlate_f64(
                2,
                2,
                3,
                35,
                4,
                5,
                7,
                &image,
                &weights,
                &[0, 1, 2, 3, 4, 10],
                &bias
            )
            .is_err()
        );
        assert!(correlate_f64(3, 2, 3, 35, 4, 5, 7, &image, &weights, &taps, &bias).is_err());
        assert!(correlate_f64(2, 2, 2, 35, 4, 5, 7, &image, &weights, &taps, &bias).is_err());
        assert!(weigh_f64(2, 2, 3, 35, 4, 5, 4, &image, &results, &taps).is_err());
    }

    #[test]
    fn the_largest_are_the_first_of_equal_ones_or_not_numbers() {
        let image = [
            1.0,
            5.0,
            5.0,
            2.0,
            f64::NAN,
            3.0,
            0.0,
            9.0,
            f64::NEG_INFINITY,
        ];
        let places = |low_x: &[i64], high_x: &[i64]| {
            let made = max_places_f64(&image, 1, 3, 3, &[0, 2], &[2, 3], 1, low_x, high_x, 1)?;
            // SAFETY: the buffer is a result of i64, which has as many elements as it says.
            Ok::<_, String>(unsafe {
                simple_ffi_abi::export::slice_argument(made.data.cast::<i64>(), made.length)
                    .to_vec()
            })
        };
        assert_eq!(places(&[0, 2, 1], &[2, 3, 1]), Ok(vec![4, 2, -1, 7, 8, -1]));
        assert!(places(&[0], &[4]).is_err() && places(&[-1], &[1]).is_err());
    }
}
