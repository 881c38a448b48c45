// Rows of weights in the format of `models/files/compact/shared-rows.ts`: integers with seven bits per byte, low bits
// first.

let at: usize = 0;
let failed: bool = false;

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
  for (let row: u32 = 0; row < rows; row += 1) {
    const head = next(end);
    if ((head & 1) != 0) {
      const usual = signed(next(end)) / unit;
      for (let y: u32 = 0; y < labels; y += 1) put(table, y, usual, isWide);
    }
    let y: u32 = 0;
    for (let others = head >> 1; others > 0; others -= 1) {
      const value = next(end);
      const number = value / labels;
      y += value - number * labels;
      if (failed || y >= labels) return 0;
      put(table, y, signed(number) / unit, isWide);
      y += 1;
    }
    if (failed) return 0;
    table += rowBytes;
  }
  return at;
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

// @ts-expect-error: decorator
@inline
function signed(value: u32): f64 {
  return (value & 1) == 0 ? <f64>(value >> 1) : -<f64>(value >> 1) - 1;
}

// @ts-expect-error: decorator
@inline
function put(row: usize, y: u32, weight: f64, isWide: bool): void {
  if (isWide) store<f64>(row + ((<usize>y) << 3), weight);
  else store<f32>(row + ((<usize>y) << 2), <f32>weight);
}
