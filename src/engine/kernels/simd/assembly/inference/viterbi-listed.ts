// Viterbi over pairs listed token by token, bit-identical to `viterbi`: a label's best previous
// label is listed with it, or is the best unlisted one, whose transition scores 0. Sokolovska,
// Lavergne, Cappe and Yvon (2010), eq. 10. The best of all labels replaces the best unlisted one:
// if it is listed with a score above 0, the result is not worse; if with a score below 0, all
// labels are searched. Cost O(T L + listed pairs).
import { matching } from './chains';
import { bitsOf, laneMask, lanes, maxOf } from '../vectors';

/**
 * Returns the index of the largest number in a row, the lowest on ties; lanes past the labels are
 * minus infinity.
 */
function topOf<T>(row: usize, width: i32): i32 {
  let most = v128.splat<T>(<T>-Infinity);
  for (let column = 0; column < width; column += lanes<T>()) {
    most = v128.pmax<T>(most, v128.load(row + <usize>column * sizeof<T>()));
  }
  const values = v128.splat<T>(maxOf<T>(most));
  for (let column = 0; column < width; column += lanes<T>()) {
    const found = bitsOf<T>(v128.eq<T>(v128.load(row + <usize>column * sizeof<T>()), values));
    if (found != 0) return column + <i32>ctz<i32>(found);
  }
  return 0;
}

/** Computes work = the scores of the previous labels plus their transitions to `label`. */
function scoresInto<T>(
  label: i32,
  before: usize,
  work: usize,
  rowBytes: usize,
  pairs: usize,
  scores: usize,
  count: usize,
): void {
  memory.copy(work, before, rowBytes);
  for (let k: usize = 0; k < count; k += 4) {
    for (let found = matching(pairs, k, count, 16, 0xffff, label); found != 0; found &= found - 1) {
      const entry = k + <usize>ctz<i32>(found);
      const from = work + <usize>(load<u32>(pairs + (entry << 2)) & 0xffff) * sizeof<T>();
      store<T>(from, load<T>(from) + load<T>(scores + entry * sizeof<T>()));
    }
  }
}

/**
 * Writes the best labels of tokens [first, end) to `best`; returns their score. `work` has room for
 * a row.
 */
export function viterbiListed<T>(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  scores: usize,
  starts: usize,
  allPairs: usize,
  allScores: usize,
  work: usize,
  delta: usize,
  best: usize,
): T {
  const rowBytes = <usize>width * sizeof<T>();
  const never = v128.splat<T>(<T>-Infinity);
  for (let t = first; t < end; t += 1) {
    const row = delta + <usize>t * rowBytes;
    const score = scores + <usize>t * rowBytes;
    if (t == first) {
      for (let column = 0; column < width; column += lanes<T>()) {
        const at = <usize>column * sizeof<T>();
        const mask = laneMask<T>(column, labels);
        v128.store(row + at, v128.bitselect(v128.load(score + at), never, mask));
      }
      continue;
    }
    const before = row - rowBytes;
    const from = <usize>load<u32>(starts + (<usize>t << 2));
    const count = <usize>load<u32>(starts + (<usize>t << 2), 4) - from;
    const pairs = allPairs + (from << 2);
    const own = allScores + from * sizeof<T>();
    const top = topOf<T>(before, width);
    const most = v128.splat<T>(load<T>(before + <usize>top * sizeof<T>()));
    for (let at: usize = 0; at < rowBytes; at += 16) v128.store(row + at, most);
    for (let k: usize = 0; k < count; k += 1) {
      const pair = <usize>load<u32>(pairs + (k << 2));
      const to = row + (pair >> 16) * sizeof<T>();
      const value = load<T>(before + (pair & 0xffff) * sizeof<T>()) + load<T>(own + k * sizeof<T>());
      if (value > load<T>(to)) store<T>(to, value);
    }
    // If the transition from the best label scores below 0, the others must be searched.
    for (let k: usize = 0; k < count; k += 4) {
      for (let found = matching(pairs, k, count, 0, 0xffff, top); found != 0; found &= found - 1) {
        const entry = k + <usize>ctz<i32>(found);
        if (!(load<T>(own + entry * sizeof<T>()) < 0)) continue;
        const label = load<u32>(pairs + (entry << 2)) >> 16;
        scoresInto<T>(label, before, work, rowBytes, pairs, own, count);
        const other = work + <usize>topOf<T>(work, width) * sizeof<T>();
        store<T>(row + <usize>label * sizeof<T>(), load<T>(other));
      }
    }
    for (let column = 0; column < width; column += lanes<T>()) {
      const at = <usize>column * sizeof<T>();
      const sum = v128.add<T>(v128.load(row + at), v128.load(score + at));
      v128.store(row + at, v128.bitselect(sum, never, laneMask<T>(column, labels)));
    }
  }
  let row = delta + <usize>(end - 1) * rowBytes;
  let label = topOf<T>(row, width);
  const bestScore = load<T>(row + <usize>label * sizeof<T>());
  store<i32>(best + (<usize>(end - 1) << 2), label);
  for (let t = end - 1; t > first; t -= 1) {
    row -= rowBytes;
    const from = <usize>load<u32>(starts + (<usize>t << 2));
    const count = <usize>load<u32>(starts + (<usize>t << 2), 4) - from;
    const own = allScores + from * sizeof<T>();
    scoresInto<T>(label, row, work, rowBytes, allPairs + (from << 2), own, count);
    label = topOf<T>(work, width);
    store<i32>(best + (<usize>(t - 1) << 2), label);
  }
  return bestScore;
}
