//! `Digits`: MNIST-shaped pictures made from 1,797 real hand-written digits of 8x8 pixels.
//!
//! Each picture is one of the digits, turned, scaled and shifted by random amounts and drawn into 28x28 pixels. Every fifth digit of the source
//! is kept for test pictures, so that none is made from a digit that was trained on. The random numbers are [`SplitMix`]'s and all arithmetic is
//! `+ - * /` on `f64` and integers, which IEEE 754 fixes to the bit: the same call gives the same files on every machine.
//!
//! Source: E. Alpaydin and C. Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine Learning Repository, 1998,
//! <https://doi.org/10.24432/C50P49>, CC BY 4.0.

use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use simple_system::memory;

use super::idx;
use super::random::SplitMix;
use crate::save::plain::Plain;
use crate::save::source::{Fault, in_words};

static SOURCE: &[u8] = include_bytes!("../../../../lib/data/digits.csv.gz");

/// Pixels of a side of the source.
const SMALL: usize = 8;
/// Pixels of a side of what is made, and of the box within that the digit fills when it is neither scaled nor turned, as in MNIST.
const LARGE: usize = 28;
const BOX: f64 = 20.0;
/// Of the source, the last of each this many makes test pictures.
const FOLD: usize = 5;
/// The most that a picture is turned, in radians (14.3 degrees), scaled, and shifted, in pixels.
const TURN: f64 = 0.25;
const SCALE: f64 = 0.15;
const SHIFT: f64 = 2.0;

struct Digit {
    // 0 to 16.
    pixels: [u8; SMALL * SMALL],
    label: u8,
}

fn source() -> Result<Vec<Digit>, Fault> {
    let mut text = String::new();
    GzDecoder::new(SOURCE)
        .read_to_string(&mut text)
        .map_err(|error| Fault::whole(in_words(&error)))?;
    text.lines()
        .map(|line| {
            let numbers: Vec<u8> = line.split(',').filter_map(|n| n.parse().ok()).collect();
            let (label, pixels) = numbers.split_last()?;
            Some(Digit {
                pixels: pixels.try_into().ok()?,
                label: *label,
            })
        })
        .collect::<Option<_>>()
        .ok_or_else(|| Fault::whole("the digits of the library are damaged"))
}

/// The digits as they are: pictures of 8x8 pixels from 0 to 16, and labels.
pub fn originals() -> Result<(Plain, Plain), Fault> {
    let digits = source()?;
    let pixels = digits.iter().flat_map(|digit| digit.pixels).collect();
    let labels: Vec<u8> = digits.iter().map(|digit| digit.label).collect();
    Ok((
        Plain::of_bytes(vec![digits.len(), SMALL, SMALL], pixels),
        Plain::of_bytes(vec![digits.len()], labels),
    ))
}

/// Writes the four files of MNIST into a folder, made if need be: `train` and `test` pictures of 28x28 pixels with their labels.
pub fn generate(folder: &Path, train: usize, test: usize, seed: u64) -> Result<(), Fault> {
    fs::create_dir_all(folder)?;
    let digits = source()?;
    for (name, count, of_test) in [("train", train, false), ("t10k", test, true)] {
        let (images, labels) = pictures(&digits, count, of_test, seed)?;
        idx::save(&folder.join(format!("{name}-images-idx3-ubyte")), &images)?;
        idx::save(&folder.join(format!("{name}-labels-idx1-ubyte")), &labels)?;
    }
    Ok(())
}

fn pictures(
    digits: &[Digit],
    count: usize,
    of_test: bool,
    seed: u64,
) -> Result<(Plain, Plain), Fault> {
    let sources: Vec<&Digit> = digits
        .iter()
        .enumerate()
        .filter(|(index, _)| (index % FOLD == FOLD - 1) == of_test)
        .map(|(_, digit)| digit)
        .collect();
    // Training and test pictures must not change when the number of the others does.
    let mut random = SplitMix::new(seed.wrapping_mul(2).wrapping_add(u64::from(of_test)));
    let mut order: Vec<usize> = (0..sources.len()).collect();
    let mut pixels = memory::with_room(count * LARGE * LARGE)?;
    let mut labels = memory::with_room(count)?;
    for index in 0..count {
        let turn = index % sources.len();
        if turn == 0 {
            shuffle(&mut order, &mut random);
        }
        let digit = sources[order[turn]];
        draw(&digit.pixels, &mut random, &mut pixels);
        labels.push(digit.label);
    }
    Ok((
        Plain::of_bytes(vec![count, LARGE, LARGE], pixels),
        Plain::of_bytes(vec![count], labels),
    ))
}

fn shuffle(order: &mut [usize], random: &mut SplitMix) {
    for last in (1..order.len()).rev() {
        order.swap(last, random.below(last as u64 + 1) as usize);
    }
}

/// Draws a digit, turned, scaled and shifted at random.
fn draw(small: &[u8; SMALL * SMALL], random: &mut SplitMix, out: &mut Vec<u8>) {
    let angle = random.between(-TURN, TURN);
    let (sine, cosine) = sine_cosine(angle);
    // How many pixels of the source a pixel of the picture is, in each direction.
    let step_x = SMALL as f64 / (BOX * random.between(1.0 - SCALE, 1.0 + SCALE));
    let step_y = SMALL as f64 / (BOX * random.between(1.0 - SCALE, 1.0 + SCALE));
    let shift_x = random.between(-SHIFT, SHIFT);
    let shift_y = random.between(-SHIFT, SHIFT);
    let middle = (LARGE as f64 - 1.0) / 2.0;
    let small_middle = (SMALL as f64 - 1.0) / 2.0;
    for row in 0..LARGE {
        for column in 0..LARGE {
            let x = column as f64 - middle - shift_x;
            let y = row as f64 - middle - shift_y;
            let from_x = (cosine * x + sine * y) * step_x + small_middle;
            let from_y = (cosine * y - sine * x) * step_y + small_middle;
            let value = between_pixels(small, from_x, from_y) * (255.0 / 16.0);
            out.push((value + 0.5) as u8);
        }
    }
}

/// The brightness at a place between the middles of pixels, which fades to 0 beyond the border.
fn between_pixels(small: &[u8; SMALL * SMALL], x: f64, y: f64) -> f64 {
    let end = SMALL as f64;
    if x <= -1.0 || y <= -1.0 || x >= end || y >= end {
        return 0.0;
    }
    // From -1, so that the whole part is what is left of the place.
    let (left, top) = ((x + 1.0) as i64 - 1, (y + 1.0) as i64 - 1);
    let (right_part, lower_part) = (x - left as f64, y - top as f64);
    let pixel = |x: i64, y: i64| {
        let inside = (0..SMALL as i64).contains(&x) && (0..SMALL as i64).contains(&y);
        if inside {
            f64::from(small[y as usize * SMALL + x as usize])
        } else {
            0.0
        }
    };
    let upper = pixel(left, top) * (1.0 - right_part) + pixel(left + 1, top) * right_part;
    let lower = pixel(left, top + 1) * (1.0 - right_part) + pixel(left + 1, top + 1) * right_part;
    upper * (1.0 - lower_part) + lower * lower_part
}

/// Sine and cosine of a small angle by their series, because those of the system differ between machines.
fn sine_cosine(angle: f64) -> (f64, f64) {
    let square = angle * angle;
    let sine = angle
        * (1.0
            - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0))));
    let cosine =
        1.0 - square / 2.0 * (1.0 - square / 12.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0)));
    (sine, cosine)
}
