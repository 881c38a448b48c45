/**
 * Clips the rows of features [from, to) towards 0 by what their weights owe, all born at the start; the
 * formulas stand in reference/cumulative-penalty.ts. `received` lies `distance` bytes from the weights.
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

/** The same for `count` numbers in a row. */
export function penaliseNumbers<T>(weights: usize, received: usize, count: i32, total: T): void {
  const zero = v128.splat<T>(0);
  const owed = v128.splat<T>(total);
  const end = <usize>count * sizeof<T>();
  for (let at: usize = 0; at < end; at += 16) {
    const w = v128.load(weights + at);
    const q = v128.load(received + at);
    const positive = v128.max<T>(zero, v128.sub<T>(w, v128.add<T>(owed, q)));
    const negative = v128.min<T>(zero, v128.add<T>(w, v128.sub<T>(owed, q)));
    const clipped = v128.bitselect(positive, negative, v128.gt<T>(w, zero));
    const after = v128.and(clipped, v128.ne<T>(w, zero));
    v128.store(weights + at, after);
    v128.store(received + at, v128.add<T>(q, v128.sub<T>(after, w)));
  }
}
