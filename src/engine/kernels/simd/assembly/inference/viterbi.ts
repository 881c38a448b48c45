import { matrixInto } from './matrix-into';
import { topOfSum } from './viterbi-sparse';

/**
 * Computes the best scores delta_t(y) over tokens [first, end); returns the best score and writes the
 * labels to `best`. Ties go to the lower label.
 *
 * No backpointers are kept: the backward pass searches again for the best predecessor, for one label per
 * token instead of all. `transposed` is the transpose of `transitions`, with minus infinity past the last
 * label, so that a column is read as vectors.
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
  transposed: usize,
  delta: usize,
  best: usize,
): T {
  const rowBytes = <usize>width * sizeof<T>();
  const begin = <usize>first * rowBytes;
  memory.copy(delta + begin, scores + begin, rowBytes);
  for (let t = first + 1; t < end; t += 1) {
    const row = <usize>t * rowBytes;
    const matrix = matrixInto<T>(t, transitions, slots, edges, matrixSize);
    maximise<T>(delta + row, scores + row, delta + row - rowBytes, matrix, labels, rowBytes);
  }
  const last = delta + <usize>(end - 1) * rowBytes;
  let label = 0;
  let score = load<T>(last);
  for (let y = 1; y < labels; y += 1) {
    const other = load<T>(last + <usize>y * sizeof<T>());
    if (other > score) {
      score = other;
      label = y;
    }
  }
  store<i32>(best + ((<usize>(end - 1)) << 2), label);
  for (let t = end - 1; t > first; t -= 1) {
    const before = delta + <usize>(t - 1) * rowBytes;
    const matrix = matrixInto<T>(t, transitions, slots, edges, matrixSize);
    label =
      matrix == transitions
        ? topOfSum<T>(before, transposed + <usize>label * rowBytes, rowBytes)
        : bestBefore<T>(before, matrix + <usize>label * sizeof<T>(), labels, rowBytes);
    store<i32>(best + ((<usize>(t - 1)) << 2), label);
  }
  return score;
}

/** Returns the lowest of the best predecessors of a column's label. */
// @ts-expect-error: decorator
@inline
function bestBefore<T>(before: usize, column: usize, labels: i32, rowBytes: usize): i32 {
  let label = 0;
  let score = load<T>(before) + load<T>(column);
  for (let from = 1; from < labels; from += 1) {
    column += rowBytes;
    const other = load<T>(before + <usize>from * sizeof<T>()) + load<T>(column);
    label = select(from, label, other > score);
    score = select(other, score, other > score);
  }
  return label;
}

/**
 * Computes delta(y) = score(y) + max over `from` of before(from) + matrix(from, y) for six, two or one of
 * its vectors.
 */
// @ts-expect-error: decorator
@inline
function maximise<T>(
  delta: usize,
  scores: usize,
  before: usize,
  matrix: usize,
  labels: i32,
  rowBytes: usize,
): void {
  let column: usize = 0;
  for (; column + 96 <= rowBytes; column += 96) {
    let source = matrix + column;
    let from = v128.splat<T>(load<T>(before));
    let a = v128.add<T>(from, v128.load(source));
    let b = v128.add<T>(from, v128.load(source, 16));
    let c = v128.add<T>(from, v128.load(source, 32));
    let d = v128.add<T>(from, v128.load(source, 48));
    let e = v128.add<T>(from, v128.load(source, 64));
    let f = v128.add<T>(from, v128.load(source, 80));
    for (let y = 1; y < labels; y += 1) {
      source += rowBytes;
      from = v128.splat<T>(load<T>(before + <usize>y * sizeof<T>()));
      a = v128.pmax<T>(a, v128.add<T>(from, v128.load(source)));
      b = v128.pmax<T>(b, v128.add<T>(from, v128.load(source, 16)));
      c = v128.pmax<T>(c, v128.add<T>(from, v128.load(source, 32)));
      d = v128.pmax<T>(d, v128.add<T>(from, v128.load(source, 48)));
      e = v128.pmax<T>(e, v128.add<T>(from, v128.load(source, 64)));
      f = v128.pmax<T>(f, v128.add<T>(from, v128.load(source, 80)));
    }
    const out = delta + column;
    const add = scores + column;
    v128.store(out, v128.add<T>(a, v128.load(add)));
    v128.store(out, v128.add<T>(b, v128.load(add, 16)), 16);
    v128.store(out, v128.add<T>(c, v128.load(add, 32)), 32);
    v128.store(out, v128.add<T>(d, v128.load(add, 48)), 48);
    v128.store(out, v128.add<T>(e, v128.load(add, 64)), 64);
    v128.store(out, v128.add<T>(f, v128.load(add, 80)), 80);
  }
  for (; column + 32 <= rowBytes; column += 32) {
    let source = matrix + column;
    let from = v128.splat<T>(load<T>(before));
    let a = v128.add<T>(from, v128.load(source));
    let b = v128.add<T>(from, v128.load(source, 16));
    for (let y = 1; y < labels; y += 1) {
      source += rowBytes;
      from = v128.splat<T>(load<T>(before + <usize>y * sizeof<T>()));
      a = v128.pmax<T>(a, v128.add<T>(from, v128.load(source)));
      b = v128.pmax<T>(b, v128.add<T>(from, v128.load(source, 16)));
    }
    v128.store(delta + column, v128.add<T>(a, v128.load(scores + column)));
    v128.store(delta + column, v128.add<T>(b, v128.load(scores + column, 16)), 16);
  }
  for (; column < rowBytes; column += 16) {
    let source = matrix + column;
    let a = v128.add<T>(v128.splat<T>(load<T>(before)), v128.load(source));
    for (let y = 1; y < labels; y += 1) {
      source += rowBytes;
      const from = v128.splat<T>(load<T>(before + <usize>y * sizeof<T>()));
      a = v128.pmax<T>(a, v128.add<T>(from, v128.load(source)));
    }
    v128.store(delta + column, v128.add<T>(a, v128.load(scores + column)));
  }
}
