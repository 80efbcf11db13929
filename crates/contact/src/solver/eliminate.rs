//! Dense elimination with complete pivoting, for systems whose rows may depend on each other.

use stiction_lcp::real::Real;

/// Solves A x = b in place, A by rows; unknowns without a pivot stay zero. A pivot below `depends` of the largest is none. `columns` is scratch.
pub(crate) fn eliminate<T: Real>(A: &mut [T], b: &mut [T], depends: f64, columns: &mut Vec<usize>, x: &mut Vec<T>) {
    let n = b.len();
    columns.clear();
    columns.extend(0..n);
    let (mut rank, mut largest) = (0, 0.0_f64);
    while rank < n {
        let mut best = (rank, rank, 0.0_f64);
        for r in rank..n {
            for c in rank..n {
                let size = A[r * n + c].to_f64().abs();
                if size > best.2 {
                    best = (r, c, size);
                }
            }
        }
        largest = largest.max(best.2);
        if best.2 <= depends * largest {
            break;
        }
        if best.0 != rank {
            for c in 0..n {
                A.swap(best.0 * n + c, rank * n + c);
            }
            b.swap(best.0, rank);
        }
        if best.1 != rank {
            for r in 0..n {
                A.swap(r * n + best.1, r * n + rank);
            }
            columns.swap(best.1, rank);
        }
        for r in rank + 1..n {
            let factor = A[r * n + rank] / A[rank * n + rank];
            if factor.to_f64() == 0.0 {
                continue;
            }
            for c in rank..n {
                let change = factor * A[rank * n + c];
                A[r * n + c] -= change;
            }
            let change = factor * b[rank];
            b[r] -= change;
        }
        rank += 1;
    }
    x.clear();
    x.resize(n, T::ZERO);
    for r in (0..rank).rev() {
        let mut sum = b[r];
        for c in r + 1..rank {
            sum -= A[r * n + c] * x[columns[c]];
        }
        x[columns[r]] = sum / A[r * n + r];
    }
}
