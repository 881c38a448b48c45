// Rows of weights in the format of `engine/models/files/compact/shared-rows.ts`: integers with seven bits per byte, low bits
// first.

let at: usize = 0;
let failed: bool = false;
let inverse: f64 = 0;

/**
 * Writes the next rows of weights, stored as integers over `unit`, to the next rows of a table of zeros; returns where
 * the following rows begin, or 0 if the rows are truncated.
 */
export function placeWeights(
  from: usize,
  end: usize,
  rows: u32,
  labels: u32,
  unit: f64,
  table: usize,
  rowBytes: usize,
  isWide: bool,
): usize {
  at = from;
  failed = false;
  setUnit(unit);
  for (let row: u32 = 0; row < rows; row += 1) {
    const head = next(end);
    if ((head & 1) != 0) {
      const usual = weightOf(next(end), unit);
      for (let y: u32 = 0; y < labels; y += 1) put(table, y, usual, isWide);
    }
    let y: u32 = 0;
    for (let others = head >> 1; others > 0; others -= 1) {
      const value = next(end);
      const number = value / labels;
      y += value - number * labels;
      if (failed || y >= labels) return 0;
      put(table, y, weightOf(number, unit), isWide);
      y += 1;
    }
    if (failed) return 0;
    table += rowBytes;
  }
  return at;
}

/**
 * Counts the weights that `placePairs` will store for the next rows. `starts` has the number of weights before the first
 * of these rows and receives the number before each following one. Returns where the following rows begin, or 0 if the
 * rows are truncated.
 */
export function countPairs(
  from: usize,
  end: usize,
  rows: u32,
  labels: u32,
  starts: usize,
): usize {
  at = from;
  failed = false;
  let total = load<u32>(starts);
  for (let row: u32 = 0; row < rows; row += 1) {
    const head = next(end);
    const isFull = (head & 1) != 0 && next(end) != 0;
    let others = head >> 1;
    let y: u32 = 0;
    let first: u32 = 0;
    for (let other: u32 = 0; other < others; other += 1) {
      const value = next(end);
      y += value % labels;
      if (failed || y >= labels) return 0;
      if (other == 0) first = y;
      y += 1;
    }
    if (failed) return 0;
    if (isFull) others = labels;
    else if (isDense(others, first, y)) others = y - first;
    if (total + others < total) return 0;
    total += others;
    starts += 4;
    store<u32>(starts, total);
  }
  return at;
}

/**
 * Writes the weights of the next rows as pairs of a label and a weight, at the places that `countPairs` found, rounded to
 * float32; returns where the following rows begin. A row with a usual weight has a pair for each label, and a row with
 * many weights one for each label from the first to the last, because vectors are then faster.
 */
export function placePairs(
  from: usize,
  end: usize,
  rows: u32,
  labels: u32,
  unit: f64,
  starts: usize,
  pairLabels: usize,
  table: usize,
  isWide: bool,
): usize {
  at = from;
  failed = false;
  setUnit(unit);
  for (let row: u32 = 0; row < rows; row += 1) {
    const head = next(end);
    const usual = (head & 1) == 0 ? 0 : weightOf(next(end), unit);
    const place = load<u32>(starts);
    const own = pairLabels + ((<usize>place) << 1);
    const weights = table + ((<usize>place) << (isWide ? 3 : 2));
    if (usual != 0) {
      for (let y: u32 = 0; y < labels; y += 1) putPair(own, weights, y, y, usual, isWide);
    }
    const others = head >> 1;
    let y: u32 = 0;
    let first: u32 = 0;
    for (let other: u32 = 0; other < others; other += 1) {
      const value = next(end);
      const number = value / labels;
      y += value - number * labels;
      if (other == 0) first = y;
      putPair(own, weights, usual == 0 ? other : y, y, weightOf(number, unit), isWide);
      y += 1;
    }
    if (usual == 0 && isDense(others, first, y)) spread(own, weights, others, y - first, isWide);
    starts += 4;
  }
  return at;
}

/**
 * Whether a row without a usual weight stores all labels from its first to its last, before `end`: a zero per three
 * weights costs less than separate additions.
 */
// @ts-expect-error: decorator
@inline
function isDense(others: u32, first: u32, end: u32): bool {
  return others > 0 && others * 4 > end - 1 - first;
}

/** Moves `count` pairs apart to `places` consecutive labels, adding pairs with the weight 0. */
function spread(own: usize, weights: usize, count: u32, places: u32, isWide: bool): void {
  const first = <u32>load<u16>(own);
  let from = count;
  for (let to = places; to > from; ) {
    to -= 1;
    const has = <u32>load<u16>(own + ((<usize>(from - 1)) << 1)) == first + to;
    if (has) from -= 1;
    putPair(own, weights, to, first + to, has ? weightAt(weights, from, isWide) : 0, isWide);
  }
}

// @ts-expect-error: decorator
@inline
function weightAt(weights: usize, i: u32, isWide: bool): f64 {
  return isWide ? load<f64>(weights + ((<usize>i) << 3)) : load<f32>(weights + ((<usize>i) << 2));
}

// @ts-expect-error: decorator
@inline
function putPair(own: usize, weights: usize, i: u32, y: u32, weight: f64, isWide: bool): void {
  store<u16>(own + ((<usize>i) << 1), <u16>y);
  put(weights, i, <f64>(<f32>weight), isWide);
}

/** Returns the next integer; sets `failed` past the end or if the integer is malformed. */
function next(end: usize): u32 {
  let value: u32 = 0;
  for (let shift: u32 = 0; shift <= 28 && at < end; shift += 7) {
    const byte = <u32>load<u8>(at);
    at += 1;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  failed = true;
  return 0;
}

/** Sets `inverse` if a product with it has the same value as a quotient by `unit`. */
function setUnit(unit: f64): void {
  inverse = (reinterpret<u64>(unit) & 0xfffffffffffff) == 0 ? 1 / unit : 0;
}

/** Returns the weight of a stored integer. */
// @ts-expect-error: decorator
@inline
function weightOf(value: u32, unit: f64): f64 {
  // 0, -1, 1, -2, 2 are stored as 0, 1, 2, 3, 4.
  const number = <f64>(<i32>(value >> 1) ^ -<i32>(value & 1));
  return inverse != 0 ? number * inverse : number / unit;
}

// @ts-expect-error: decorator
@inline
function put(row: usize, y: u32, weight: f64, isWide: bool): void {
  if (isWide) store<f64>(row + ((<usize>y) << 3), weight);
  else store<f32>(row + ((<usize>y) << 2), <f32>weight);
}
