/**
 * Clips the rows of features [from, to), all created at the start, towards 0 by the penalty they owe; for
 * the formulas see reference/cumulative-penalty.ts. `received` lies `distance` bytes from the weights.
 */
export function penaliseRows<T>(
  weights: usize,
  received: usize,
  rows: usize,
  from: u32,
  to: u32,
  width: i32,
  total: T,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  for (let k = from; k < to; k += 1) {
    const row = <usize>load<u32>(rows + ((<usize>k) << 2)) * rowBytes;
    penaliseNumbers<T>(weights + row, received + row, width, total);
  }
}

/** Clips `count` consecutive numbers likewise. */
export function penaliseNumbers<T>(weights: usize, received: usize, count: i32, total: T): void {
  const owed = v128.splat<T>(total);
  const end = <usize>count * sizeof<T>();
  for (let at: usize = 0; at < end; at += 16) clip<T>(weights + at, received + at, owed);
}

/**
 * Clips rows with creation times: a weight owes only penalties after the creation of its row and its
 * label. `creationTimes` has a float64 per row, `labelCreationTimes` one per lane.
 */
export function penaliseAgedRows<T>(
  weights: usize,
  received: usize,
  rows: usize,
  from: u32,
  to: u32,
  width: i32,
  total: f64,
  creationTimes: usize,
  labelCreationTimes: usize,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  for (let k = from; k < to; k += 1) {
    const feature = <usize>load<u32>(rows + ((<usize>k) << 2));
    const row = feature * rowBytes;
    const rowCreatedAt = load<f64>(creationTimes + (feature << 3));
    penaliseAgedRow<T>(weights + row, received + row, width, total, rowCreatedAt, labelCreationTimes);
  }
}

/** Clips one row with creation times. */
export function penaliseAgedRow<T>(
  weights: usize,
  received: usize,
  width: i32,
  total: f64,
  rowCreatedAt: f64,
  labelCreationTimes: usize,
): void {
  const all = f64x2.splat(total);
  const createdAt = f64x2.splat(rowCreatedAt);
  const end = <usize>width * sizeof<T>();
  let labels = labelCreationTimes;
  for (let at: usize = 0; at < end; at += 16) {
    let owed = f64x2.sub(all, f64x2.max(createdAt, v128.load(labels)));
    labels += 16;
    if (sizeof<T>() == 4) {
      const next = f64x2.sub(all, f64x2.max(createdAt, v128.load(labels)));
      labels += 16;
      const low = f32x4.demote_f64x2_zero(owed);
      owed = v128.shuffle<i32>(low, f32x4.demote_f64x2_zero(next), 0, 1, 4, 5);
    }
    clip<T>(weights + at, received + at, owed);
  }
}

/** Clips a vector of weights towards 0 by the penalty they owe. */
// @ts-expect-error: decorator
@inline
function clip<T>(weights: usize, received: usize, owed: v128): void {
  const zero = v128.splat<T>(0);
  const w = v128.load(weights);
  const q = v128.load(received);
  // With this operand order NaN stays NaN, in a single instruction, unlike with `max` and `min`.
  const positive = v128.pmax<T>(v128.sub<T>(w, v128.add<T>(owed, q)), zero);
  const negative = v128.pmin<T>(v128.add<T>(w, v128.sub<T>(owed, q)), zero);
  const clipped = v128.bitselect(positive, negative, v128.gt<T>(w, zero));
  const after = v128.and(clipped, v128.ne<T>(w, zero));
  v128.store(weights, after);
  v128.store(received, v128.add<T>(q, v128.sub<T>(after, w)));
}
