//! Times of short runs, and their quantiles.

use std::time::{Duration, Instant};

use stiction_formats::BadInput;

/// A time is the mean of solves that together last at least this long, so that the clock's grain does not matter.
const BATCH_TIME: Duration = Duration::from_millis(1);

/// Batches of which the quickest counts: other work on the machine only ever adds time.
const BATCHES: usize = 3;

/// A solve longer than this is not repeated.
const NOT_REPEATED_ABOVE: Duration = Duration::from_millis(100);

/// Time of one run with warm buffers \[us\]; `once` is how long the run took that gave the answer.
pub fn time_us(once: Duration, mut run: impl FnMut() -> Result<(), BadInput>) -> Result<f64, BadInput> {
    if once > NOT_REPEATED_ABOVE {
        return Ok(once.as_secs_f64() * 1e6);
    }
    let mut quickest = f64::INFINITY;
    for _ in 0..BATCHES {
        let (start, mut count) = (Instant::now(), 0_u32);
        while start.elapsed() < BATCH_TIME {
            run()?;
            count += 1;
        }
        quickest = quickest.min(start.elapsed().as_secs_f64() * 1e6 / f64::from(count));
    }
    Ok(quickest)
}

/// Time since `start` \[µs\].
#[must_use]
pub fn microseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e6
}

/// Middle of the values; NaN of none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    quantile(&values, 0.5)
}

/// Quantile of sorted values, linear between neighbours; NaN of none.
#[must_use]
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let place = share * last as f64;
    let below = (0..=last).rev().find(|&i| i as f64 <= place).unwrap_or(0);
    let part = place - below as f64;
    sorted[below] + part * (sorted[(below + 1).min(last)] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_neighbours() {
        let sorted = [1.0, 2.0, 4.0, 8.0, 16.0];
        assert_eq!(
            [0.0, 0.25, 0.5, 1.0].map(|s| quantile(&sorted, s)),
            [1.0, 2.0, 4.0, 16.0]
        );
        assert_eq!(quantile(&sorted[..4], 0.5), 3.0);
        assert!(quantile(&[], 0.5).is_nan());
    }
}
