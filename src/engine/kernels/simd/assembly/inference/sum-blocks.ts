/**
 * Computes the sums of edge marginals, exp(a) times the sum over tokens of alpha_{t-1} g_t, in some vectors
 * of a matrix of zeros. At `blocks`, as words: the numbers of blocks of four, of two and of one vector of a
 * row; then for each block the row's label and the offset in the row.
 *
 * @param outgoing g of the sentence's tokens; the tokens' values of a vector of labels are consecutive
 */
export function sumBlocks<T>(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  alpha: usize,
  outgoing: usize,
  transitions: usize,
  blocks: usize,
  sums: usize,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  if (end - first < 2) return;
  const tokens = <usize>(end - first);
  const masses = alpha + <usize>first * rowBytes;
  const stop = masses + (tokens - 1) * rowBytes;
  // The first token separately if their number is odd.
  const isOdd = (tokens & 1) == 0;
  let block = blocks + 12;
  let stopBlock = block + 20 * load<usize>(blocks);
  for (; block < stopBlock; block += 20) {
    const from = load<usize>(block);
    const finish = stop + from * sizeof<T>();
    const matrixRow = from * rowBytes;
    const i = load<usize>(block, 4);
    const j = load<usize>(block, 8);
    const k = load<usize>(block, 12);
    const l = load<usize>(block, 16);
    let p = outgoing + i * tokens + 16;
    let q = outgoing + j * tokens + 16;
    let r = outgoing + k * tokens + 16;
    let s = outgoing + l * tokens + 16;
    let mass = masses + from * sizeof<T>();
    let a = v128.splat<T>(0), b = a, c = a, d = a;
    if (isOdd) {
      const x = v128.load_splat<T>(mass);
      a = v128.mul<T>(x, v128.load(p));
      b = v128.mul<T>(x, v128.load(q));
      c = v128.mul<T>(x, v128.load(r));
      d = v128.mul<T>(x, v128.load(s));
      mass += rowBytes;
      p += 16;
      q += 16;
      r += 16;
      s += 16;
    }
    while (mass < finish) {
      const x = v128.load_splat<T>(mass);
      mass += rowBytes;
      const y = v128.load_splat<T>(mass);
      mass += rowBytes;
      a = v128.add<T>(a, v128.mul<T>(x, v128.load(p)));
      b = v128.add<T>(b, v128.mul<T>(x, v128.load(q)));
      c = v128.add<T>(c, v128.mul<T>(x, v128.load(r)));
      d = v128.add<T>(d, v128.mul<T>(x, v128.load(s)));
      a = v128.add<T>(a, v128.mul<T>(y, v128.load(p, 16)));
      b = v128.add<T>(b, v128.mul<T>(y, v128.load(q, 16)));
      c = v128.add<T>(c, v128.mul<T>(y, v128.load(r, 16)));
      d = v128.add<T>(d, v128.mul<T>(y, v128.load(s, 16)));
      p += 32;
      q += 32;
      r += 32;
      s += 32;
    }
    finishBlock<T>(sums, transitions, matrixRow + i, a);
    finishBlock<T>(sums, transitions, matrixRow + j, b);
    finishBlock<T>(sums, transitions, matrixRow + k, c);
    finishBlock<T>(sums, transitions, matrixRow + l, d);
  }
  stopBlock += 12 * load<usize>(blocks, 4);
  for (; block < stopBlock; block += 12) {
    const from = load<usize>(block);
    const finish = stop + from * sizeof<T>();
    const matrixRow = from * rowBytes;
    const i = load<usize>(block, 4);
    const j = load<usize>(block, 8);
    let p = outgoing + i * tokens + 16;
    let q = outgoing + j * tokens + 16;
    let mass = masses + from * sizeof<T>();
    let a = v128.splat<T>(0), b = a, c = a, d = a;
    if (isOdd) {
      const x = v128.load_splat<T>(mass);
      a = v128.mul<T>(x, v128.load(p));
      b = v128.mul<T>(x, v128.load(q));
      mass += rowBytes;
      p += 16;
      q += 16;
    }
    while (mass < finish) {
      const x = v128.load_splat<T>(mass);
      mass += rowBytes;
      const y = v128.load_splat<T>(mass);
      mass += rowBytes;
      a = v128.add<T>(a, v128.mul<T>(x, v128.load(p)));
      b = v128.add<T>(b, v128.mul<T>(x, v128.load(q)));
      c = v128.add<T>(c, v128.mul<T>(y, v128.load(p, 16)));
      d = v128.add<T>(d, v128.mul<T>(y, v128.load(q, 16)));
      p += 32;
      q += 32;
    }
    finishBlock<T>(sums, transitions, matrixRow + i, v128.add<T>(a, c));
    finishBlock<T>(sums, transitions, matrixRow + j, v128.add<T>(b, d));
  }
  stopBlock += 8 * load<usize>(blocks, 8);
  for (; block < stopBlock; block += 8) {
    const from = load<usize>(block);
    const finish = stop + from * sizeof<T>();
    const matrixRow = from * rowBytes;
    const i = load<usize>(block, 4);
    let p = outgoing + i * tokens + 16;
    let mass = masses + from * sizeof<T>();
    let a = v128.splat<T>(0), b = a;
    if (isOdd) {
      a = v128.mul<T>(v128.load_splat<T>(mass), v128.load(p));
      mass += rowBytes;
      p += 16;
    }
    while (mass < finish) {
      a = v128.add<T>(a, v128.mul<T>(v128.load_splat<T>(mass), v128.load(p)));
      mass += rowBytes;
      b = v128.add<T>(b, v128.mul<T>(v128.load_splat<T>(mass), v128.load(p, 16)));
      mass += rowBytes;
      p += 32;
    }
    finishBlock<T>(sums, transitions, matrixRow + i, v128.add<T>(a, b));
  }
}

// @ts-expect-error: decorator
@inline
function finishBlock<T>(sums: usize, transitions: usize, at: usize, sum: v128): void {
  v128.store(sums + at, v128.mul<T>(sum, v128.load(transitions + at)));
}
