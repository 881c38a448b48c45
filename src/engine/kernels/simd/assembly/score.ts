/**
 * Computes e_t = scale * sum over the token's features of value * row; `values` is 0 if all are 1.
 * Vectors of a row are summed in registers over all features, six, two or one at a time.
 */
export function scoreEmissions<T>(
  scores: usize,
  weights: usize,
  starts: usize,
  rows: usize,
  values: usize,
  tokens: i32,
  width: i32,
  scale: T,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  const factor = v128.splat<T>(scale);
  for (let t = 0; t < tokens; t += 1) {
    const from = load<u32>(starts + ((<usize>t) << 2));
    const to = load<u32>(starts + ((<usize>(t + 1)) << 2));
    const out = scores + <usize>t * rowBytes;
    if (values != 0) {
      sumValued<T>(out, weights, rows, values, from, to, rowBytes, factor);
      continue;
    }
    let column: usize = 0;
    for (; column + 96 <= rowBytes; column += 96) {
      let a = v128.splat<T>(0),
        b = a,
        c = a,
        d = a,
        e = a,
        f = a;
      for (let k = from; k < to; k += 1) {
        const row = weights + <usize>load<u32>(rows + ((<usize>k) << 2)) * rowBytes + column;
        a = v128.add<T>(a, v128.load(row));
        b = v128.add<T>(b, v128.load(row, 16));
        c = v128.add<T>(c, v128.load(row, 32));
        d = v128.add<T>(d, v128.load(row, 48));
        e = v128.add<T>(e, v128.load(row, 64));
        f = v128.add<T>(f, v128.load(row, 80));
      }
      v128.store(out + column, v128.mul<T>(a, factor));
      v128.store(out + column, v128.mul<T>(b, factor), 16);
      v128.store(out + column, v128.mul<T>(c, factor), 32);
      v128.store(out + column, v128.mul<T>(d, factor), 48);
      v128.store(out + column, v128.mul<T>(e, factor), 64);
      v128.store(out + column, v128.mul<T>(f, factor), 80);
    }
    for (; column + 32 <= rowBytes; column += 32) {
      let a = v128.splat<T>(0),
        b = a;
      for (let k = from; k < to; k += 1) {
        const row = weights + <usize>load<u32>(rows + ((<usize>k) << 2)) * rowBytes + column;
        a = v128.add<T>(a, v128.load(row));
        b = v128.add<T>(b, v128.load(row, 16));
      }
      v128.store(out + column, v128.mul<T>(a, factor));
      v128.store(out + column, v128.mul<T>(b, factor), 16);
    }
    for (; column < rowBytes; column += 16) {
      let a = v128.splat<T>(0);
      for (let k = from; k < to; k += 1) {
        const row = weights + <usize>load<u32>(rows + ((<usize>k) << 2)) * rowBytes + column;
        a = v128.add<T>(a, v128.load(row));
      }
      v128.store(out + column, v128.mul<T>(a, factor));
    }
  }
}

function sumValued<T>(
  out: usize,
  weights: usize,
  rows: usize,
  values: usize,
  from: u32,
  to: u32,
  rowBytes: usize,
  factor: v128,
): void {
  for (let column: usize = 0; column < rowBytes; column += 16) {
    let a = v128.splat<T>(0);
    for (let k = from; k < to; k += 1) {
      const row = weights + <usize>load<u32>(rows + ((<usize>k) << 2)) * rowBytes + column;
      const value = v128.splat<T>(<T>load<f64>(values + ((<usize>k) << 3)));
      a = v128.add<T>(a, v128.mul<T>(value, v128.load(row)));
    }
    v128.store(out + column, v128.mul<T>(a, factor));
  }
}

/** Computes out = scale * source for `count` numbers, a multiple of a vector. */
export function copyScaled<T>(out: usize, source: usize, count: i32, scale: T): void {
  const factor = v128.splat<T>(scale);
  const end = <usize>count * sizeof<T>();
  for (let i: usize = 0; i < end; i += 16) {
    v128.store(out + i, v128.mul<T>(factor, v128.load(source + i)));
  }
}

/** Computes out += factor * source for `count` numbers, a multiple of a vector. */
export function addScaled<T>(out: usize, source: usize, count: i32, factor: T): void {
  const by = v128.splat<T>(factor);
  const end = <usize>count * sizeof<T>();
  for (let i: usize = 0; i < end; i += 16) {
    v128.store(out + i, v128.add<T>(v128.load(out + i), v128.mul<T>(by, v128.load(source + i))));
  }
}
