import { accumulateSupported } from './accumulate-supported';
import { isZero } from './vectors';

/**
 * Computes rows += factor * value * residual[t] for every active feature of tokens [first, end); if `support` is not
 * 0, only at the labels whose bits are set, see `accumulateSupported`.
 */
export function accumulateRows<T>(
  table: usize,
  residual: usize,
  starts: usize,
  rows: usize,
  values: usize,
  first: i32,
  end: i32,
  width: i32,
  factor: T,
  support: usize,
  words: i32,
): void {
  if (support != 0) {
    accumulateSupported<T>(
      table,
      residual,
      starts,
      rows,
      values,
      first,
      end,
      width,
      factor,
      support,
      words,
    );
    return;
  }
  const rowBytes = <usize>width * sizeof<T>();
  const by = v128.splat<T>(factor);
  for (let t = first; t < end; t += 1) {
    const from = load<u32>(starts + ((<usize>t) << 2));
    const to = load<u32>(starts + ((<usize>(t + 1)) << 2));
    const source = residual + <usize>t * rowBytes;
    // Typical for the perceptron, where most tokens of a wrong sentence are right.
    if (isZero(source, rowBytes)) continue;
    let column: usize = 0;
    if (values == 0) {
      // A row of six vectors, such as 22 labels in float32, takes one pass.
      for (; column + 96 <= rowBytes; column += 96) {
        const a = v128.mul<T>(by, v128.load(source + column));
        const b = v128.mul<T>(by, v128.load(source + column, 16));
        const c = v128.mul<T>(by, v128.load(source + column, 32));
        const d = v128.mul<T>(by, v128.load(source + column, 48));
        const e = v128.mul<T>(by, v128.load(source + column, 64));
        const f = v128.mul<T>(by, v128.load(source + column, 80));
        for (let k = from; k < to; k += 1) {
          const row = table + <usize>load<u32>(rows + ((<usize>k) << 2)) * rowBytes + column;
          v128.store(row, v128.add<T>(v128.load(row), a));
          v128.store(row, v128.add<T>(v128.load(row, 16), b), 16);
          v128.store(row, v128.add<T>(v128.load(row, 32), c), 32);
          v128.store(row, v128.add<T>(v128.load(row, 48), d), 48);
          v128.store(row, v128.add<T>(v128.load(row, 64), e), 64);
          v128.store(row, v128.add<T>(v128.load(row, 80), f), 80);
        }
      }
      for (; column + 32 <= rowBytes; column += 32) {
        const a = v128.mul<T>(by, v128.load(source + column));
        const b = v128.mul<T>(by, v128.load(source + column, 16));
        for (let k = from; k < to; k += 1) {
          const row = table + <usize>load<u32>(rows + ((<usize>k) << 2)) * rowBytes + column;
          v128.store(row, v128.add<T>(v128.load(row), a));
          v128.store(row, v128.add<T>(v128.load(row, 16), b), 16);
        }
      }
    }
    for (; column < rowBytes; column += 16) {
      const a = v128.mul<T>(by, v128.load(source + column));
      for (let k = from; k < to; k += 1) {
        const row = table + <usize>load<u32>(rows + ((<usize>k) << 2)) * rowBytes + column;
        let step = a;
        if (values != 0) {
          step = v128.mul<T>(a, v128.splat<T>(<T>load<f64>(values + ((<usize>k) << 3))));
        }
        v128.store(row, v128.add<T>(v128.load(row), step));
      }
    }
  }
}

/** Computes table *= factor for `count` numbers, a multiple of a vector. */
export function scaleNumbers<T>(table: usize, count: i32, factor: T): void {
  const by = v128.splat<T>(factor);
  const end = table + <usize>(<u32>count) * sizeof<T>();
  for (let at = table; at < end; at += 16) v128.store(at, v128.mul<T>(v128.load(at), by));
}
