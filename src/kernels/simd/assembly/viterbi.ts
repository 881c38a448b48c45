/**
 * Best scores delta_t(y) and the best label before each, over tokens [first, end); returns the best
 * score and leaves the labels at `best`. Of equal ones the lower label wins.
 */
export function viterbi<T>(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  scores: usize,
  transitions: usize,
  slots: usize,
  edges: usize,
  matrixSize: i32,
  delta: usize,
  back: usize,
  best: usize,
): T {
  const rowBytes = <usize>width * sizeof<T>();
  const begin = <usize>first * rowBytes;
  memory.copy(delta + begin, scores + begin, rowBytes);
  for (let t = first + 1; t < end; t += 1) {
    const row = <usize>t * rowBytes;
    const slot = slots == 0 ? -1 : load<i32>(slots + ((<usize>t) << 2));
    const matrix = slot < 0 ? transitions : edges + <usize>slot * <usize>matrixSize * sizeof<T>();
    const before = delta + row - rowBytes;
    let column: usize = 0;
    for (; column + 32 <= rowBytes; column += 32) {
      let source = matrix + column;
      const start = v128.splat<T>(load<T>(before));
      let a = v128.add<T>(start, v128.load(source));
      let b = v128.add<T>(start, v128.load(source, 16));
      let fromA = v128.splat<T>(0),
        fromB = fromA;
      for (let from = 1; from < labels; from += 1) {
        source += rowBytes;
        const score = v128.splat<T>(load<T>(before + <usize>from * sizeof<T>()));
        const label = v128.splat<T>(<T>from);
        const x = v128.add<T>(score, v128.load(source));
        const y = v128.add<T>(score, v128.load(source, 16));
        fromA = v128.bitselect(label, fromA, v128.gt<T>(x, a));
        fromB = v128.bitselect(label, fromB, v128.gt<T>(y, b));
        a = v128.max<T>(a, x);
        b = v128.max<T>(b, y);
      }
      const at = row + column;
      v128.store(delta + at, v128.add<T>(a, v128.load(scores + at)));
      v128.store(delta + at, v128.add<T>(b, v128.load(scores + at, 16)), 16);
      v128.store(back + at, fromA);
      v128.store(back + at, fromB, 16);
    }
    for (; column < rowBytes; column += 16) {
      let source = matrix + column;
      let a = v128.add<T>(v128.splat<T>(load<T>(before)), v128.load(source));
      let fromA = v128.splat<T>(0);
      for (let from = 1; from < labels; from += 1) {
        source += rowBytes;
        const score = v128.splat<T>(load<T>(before + <usize>from * sizeof<T>()));
        const x = v128.add<T>(score, v128.load(source));
        fromA = v128.bitselect(v128.splat<T>(<T>from), fromA, v128.gt<T>(x, a));
        a = v128.max<T>(a, x);
      }
      const at = row + column;
      v128.store(delta + at, v128.add<T>(a, v128.load(scores + at)));
      v128.store(back + at, fromA);
    }
  }
  const last = delta + <usize>(end - 1) * rowBytes;
  let label = 0;
  for (let y = 1; y < labels; y += 1) {
    if (load<T>(last + <usize>y * sizeof<T>()) > load<T>(last + <usize>label * sizeof<T>()))
      label = y;
  }
  const score = load<T>(last + <usize>label * sizeof<T>());
  for (let t = end - 1; t >= first; t -= 1) {
    store<i32>(best + ((<usize>t) << 2), label);
    if (t > first) label = <i32>load<T>(back + <usize>t * rowBytes + <usize>label * sizeof<T>());
  }
  return score;
}
