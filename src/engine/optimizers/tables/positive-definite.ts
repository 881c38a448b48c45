/** Minimum eigenvalue as a share of the trace: about the limit for inversion in float64. */
const leastShare = 1e-12;

/** Maximum number of Jacobi sweeps; a handful suffice. */
const mostSweeps = 60;

/**
 * Writes the lower triangular L with L L' = `matrix` (symmetric, `[n x n]` by rows) to `factor`; returns whether the
 * matrix is positive definite. Cost O(n^3 / 3).
 */
export function cholesky(matrix: Float64Array, n: number, factor: Float64Array): boolean {
  factor.fill(0);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      let sum = matrix[i * n + j]!;
      for (let k = 0; k < j; k += 1) sum -= factor[i * n + k]! * factor[j * n + k]!;
      if (i > j) factor[i * n + j] = sum / factor[j * n + j]!;
      else if (sum > 0) factor[i * n + i] = Math.sqrt(sum);
      else return false;
    }
  }
  return true;
}

/**
 * Returns the inverse of L L', `[n x n]`, by solving both triangular systems for each column of the identity. Cost
 * O(n^3).
 */
export function inverseOf(factor: Float64Array, n: number): Float64Array {
  const inverse = new Float64Array(n * n);
  const column = new Float64Array(n);
  for (let c = 0; c < n; c += 1) {
    for (let i = 0; i < n; i += 1) {
      let sum = i === c ? 1 : 0;
      for (let k = c; k < i; k += 1) sum -= factor[i * n + k]! * column[k]!;
      column[i] = i < c ? 0 : sum / factor[i * n + i]!;
    }
    for (let i = n - 1; i >= 0; i -= 1) {
      let sum = column[i]!;
      for (let k = i + 1; k < n; k += 1) sum -= factor[k * n + i]! * column[k]!;
      column[i] = sum / factor[i * n + i]!;
      inverse[i * n + c] = column[i]!;
    }
  }
  return inverse;
}

/** Returns log |L L'|. */
export function logDeterminant(factor: Float64Array, n: number): number {
  let sum = 0;
  for (let i = 0; i < n; i += 1) sum += Math.log(factor[i * n + i]!);
  return 2 * sum;
}

/**
 * Returns a symmetric matrix with its eigenvalues raised to at least `floor`, and at least 1e-12 of the trace: for a
 * sample covariance, the maximum likelihood covariance under this constraint. Returns the matrix itself if nothing
 * changes. Cost O(n^3), several times that if an eigenvalue is lower.
 */
export function floored(matrix: Float64Array, n: number, floor: number): Float64Array {
  let trace = 0;
  for (let i = 0; i < n; i += 1) trace += matrix[i * n + i]!;
  const least = Math.max(floor, leastShare * trace);
  const lowered = matrix.slice();
  for (let i = 0; i < n; i += 1) lowered[i * n + i]! -= least;
  if (cholesky(lowered, n, new Float64Array(n * n))) return matrix;
  const values = matrix.slice();
  const vectors = new Float64Array(n * n);
  for (let i = 0; i < n; i += 1) vectors[i * n + i] = 1;
  diagonalise(values, vectors, n);
  const raised = new Float64Array(n * n);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      let sum = 0;
      for (let k = 0; k < n; k += 1) {
        sum += vectors[i * n + k]! * Math.max(values[k * n + k]!, least) * vectors[j * n + k]!;
      }
      raised[i * n + j] = sum;
      raised[j * n + i] = sum;
    }
  }
  return raised;
}

/**
 * Diagonalises a matrix by Jacobi's method: leaves the eigenvalues on the diagonal of `matrix`, the eigenvectors in
 * the columns of `vectors`.
 */
function diagonalise(matrix: Float64Array, vectors: Float64Array, n: number): void {
  for (let sweep = 0; sweep < mostSweeps; sweep += 1) {
    let isDiagonal = true;
    for (let p = 0; p < n; p += 1) {
      for (let q = p + 1; q < n; q += 1) {
        const off = matrix[p * n + q]!;
        const size = Math.abs(matrix[p * n + p]!) + Math.abs(matrix[q * n + q]!);
        if (Math.abs(off) <= Number.EPSILON * 1e-2 * size) continue;
        isDiagonal = false;
        const theta = (matrix[q * n + q]! - matrix[p * n + p]!) / (2 * off);
        const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const cosine = 1 / Math.sqrt(tangent * tangent + 1);
        rotate(matrix, vectors, { n, p, q, cosine, sine: tangent * cosine });
      }
    }
    if (isDiagonal) return;
  }
}

interface Rotation {
  readonly n: number;
  readonly p: number;
  readonly q: number;
  readonly cosine: number;
  readonly sine: number;
}

function rotate(
  matrix: Float64Array,
  vectors: Float64Array,
  { n, p, q, cosine, sine }: Rotation,
): void {
  const turn = (table: Float64Array, a: number, b: number) => {
    const [x, y] = [table[a]!, table[b]!];
    table[a] = cosine * x - sine * y;
    table[b] = sine * x + cosine * y;
  };
  for (let k = 0; k < n; k += 1) turn(matrix, k * n + p, k * n + q);
  for (let k = 0; k < n; k += 1) turn(matrix, p * n + k, q * n + k);
  for (let k = 0; k < n; k += 1) turn(vectors, k * n + p, k * n + q);
}
