type Matrix = readonly (readonly number[])[];

/** Most steps of Newton's iteration; some thirty and a handful are enough where eigenvalues are 1e-9 of the largest. */
const mostSteps = 100;

/**
 * The symmetric matrix S with its eigenvalues raised to `floor`, and to 1e-12 of its trace, without finding any of them: of
 * A = S - floor I the positive part is (A + A sign(A)) / 2, so that
 *
 *     floor I + (A + A sign(A)) / 2
 *
 * has max(eigenvalue, floor) where S has an eigenvalue. sign(A) is the limit of X <- (X + X^-1) / 2 from X = A. S itself
 * where all pivots of A are positive.
 */
export function flooredCovariance(covariance: Matrix, floor: number): Matrix {
  const trace = covariance.reduce((sum, row, i) => sum + row[i]!, 0);
  const least = Math.max(floor, 1e-12 * trace);
  const shifted = combined(1, covariance, -least, identity(covariance.length));
  if (hasPositivePivots(shifted)) return covariance;
  const positive = combined(0.5, shifted, 0.5, product(shifted, signOf(shifted)));
  return combined(1, positive, least, identity(covariance.length));
}

function hasPositivePivots(matrix: Matrix): boolean {
  const pivot = matrix[0]?.[0];
  if (pivot === undefined) return true;
  if (pivot <= 0) return false;
  const [first, ...rest] = matrix;
  return hasPositivePivots(
    rest.map(row => row.slice(1).map((value, j) => value - (row[0]! * first![j + 1]!) / pivot)),
  );
}

function signOf(matrix: Matrix): Matrix {
  let sign = matrix;
  for (let step = 0; step < mostSteps; step += 1) {
    const next = combined(0.5, sign, 0.5, inverse(sign));
    const moved = Math.max(...combined(1, next, -1, sign).flat().map(Math.abs));
    sign = next;
    if (moved < 1e-13) break;
  }
  return sign;
}

/** By elimination with the largest pivot. */
function inverse(matrix: Matrix): Matrix {
  const n = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...identity(n)[i]!]);
  for (let c = 0; c < n; c += 1) {
    let pivot = c;
    for (let i = c + 1; i < n; i += 1) {
      if (Math.abs(rows[i]![c]!) > Math.abs(rows[pivot]![c]!)) pivot = i;
    }
    [rows[c], rows[pivot]] = [rows[pivot]!, rows[c]!];
    const own = rows[c]!.map(value => value / rows[c]![c]!);
    rows[c] = own;
    for (let i = 0; i < n; i += 1) {
      const share = rows[i]![c]!;
      if (i !== c) rows[i] = rows[i]!.map((value, j) => value - share * own[j]!);
    }
  }
  return rows.map(row => row.slice(n));
}

function identity(n: number): Matrix {
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (__, j) => Number(i === j)));
}

function product(a: Matrix, b: Matrix): Matrix {
  return a.map(row => b.map((_, j) => row.reduce((sum, value, k) => sum + value * b[k]![j]!, 0)));
}

function combined(s: number, a: Matrix, t: number, b: Matrix): Matrix {
  return a.map((row, i) => row.map((value, j) => s * value + t * b[i]![j]!));
}
