import { exp } from '../exp';
import { log } from '../log';

/** Value below which a scaled recursion gives up. */
const least: f64 = 1e-200;

/** Returns element `i` of a table with elements of `bytes` bytes, times a scale. */
// @ts-expect-error: decorator
@inline
function scoreAt(table: usize, i: usize, bytes: i32, scale: f64): f64 {
  if (bytes == 4) return <f64>(load<f32>(table + (i << 2)) * <f32>scale);
  return load<f64>(table + (i << 3)) * scale;
}

// @ts-expect-error: decorator
@inline
function put(table: usize, i: usize, bytes: i32, value: f64): void {
  if (bytes == 4) store<f32>(table + (i << 2), <f32>value);
  else store<f64>(table + (i << 3), value);
}

// @ts-expect-error: decorator
@inline
function labelAt(list: usize, i: usize): usize {
  return <usize>load<u16>(list + (i << 1));
}

/** Computes exp(x - shift) of `count` numbers, in place. */
function exponentiate(numbers: usize, count: usize, shift: f64): void {
  const by = f64x2.splat(shift);
  let i: usize = 0;
  for (; i + 2 <= count; i += 2) {
    const at = numbers + (i << 3);
    v128.store(at, exp<f64>(f64x2.sub(v128.load(at), by)));
  }
  if (i == count) return;
  const at = numbers + (i << 3);
  v128.store64_lane(at, exp<f64>(f64x2.sub(v128.load64_zero(at), by)), 0);
}

/** Returns the largest of `labels` numbers, or NaN if one is NaN. */
// @ts-expect-error: decorator
@inline
function largestOf(row: usize, labels: i32, bytes: i32): f64 {
  let best: f64 = -Infinity;
  let y = 0;
  if (bytes == 4 && labels >= 4) {
    let four = v128.load(row);
    for (y = 4; y + 4 <= labels; y += 4) four = f32x4.max(four, v128.load(row + ((<usize>y) << 2)));
    best = max(
      max(<f64>f32x4.extract_lane(four, 0), <f64>f32x4.extract_lane(four, 1)),
      max(<f64>f32x4.extract_lane(four, 2), <f64>f32x4.extract_lane(four, 3)),
    );
  } else if (bytes == 8 && labels >= 2) {
    let two = v128.load(row);
    for (y = 2; y + 2 <= labels; y += 2) two = f64x2.max(two, v128.load(row + ((<usize>y) << 3)));
    best = max(f64x2.extract_lane(two, 0), f64x2.extract_lane(two, 1));
  }
  for (; y < labels; y += 1) best = max(best, scoreAt(row, y, bytes, 1));
  return best;
}

/** Returns the threshold for `nearOf`, lowered by the rounding of a float32. */
// @ts-expect-error: decorator
@inline
function nearly(cut: f64, bytes: i32): v128 {
  return bytes == 4 ? f32x4.splat(<f32>(cut - abs(cut) * 1e-6)) : f64x2.splat(cut);
}

/** Returns a bit for each of four numbers that may reach the threshold, up to the rounding of a float32. */
// @ts-expect-error: decorator
@inline
function nearOf(four: usize, bytes: i32, low: v128): i32 {
  if (bytes == 4) return i32x4.bitmask(f32x4.ge(v128.load(four), low));
  const second = i64x2.bitmask(f64x2.ge(v128.load(four, 16), low));
  return i64x2.bitmask(f64x2.ge(v128.load(four), low)) | (second << 2);
}

/** Returns a bit for each of four numbers above a number of their own precision. */
// @ts-expect-error: decorator
@inline
function aboveOf(four: usize, bytes: i32, number: v128): i32 {
  if (bytes == 4) return i32x4.bitmask(f32x4.gt(v128.load(four), number));
  const second = i64x2.bitmask(f64x2.gt(v128.load(four, 16), number));
  return i64x2.bitmask(f64x2.gt(v128.load(four), number)) | (second << 2);
}

// @ts-expect-error: decorator
@inline
function splatOf(number: f64, bytes: i32): v128 {
  return bytes == 4 ? f32x4.splat(<f32>number) : f64x2.splat(number);
}

/** Adds a number to the largest ones, at most `most` in descending order, of `found` numbers so far. */
// @ts-expect-error: decorator
@inline
function insert(best: usize, most: i32, found: i32, score: f64): void {
  let i = min(found, most);
  if (i == most) {
    if (score <= load<f64>(best + ((<usize>(most - 1)) << 3))) return;
    i -= 1;
  }
  for (; i > 0 && load<f64>(best + ((<usize>(i - 1)) << 3)) < score; i -= 1) {
    store<f64>(best + ((<usize>i) << 3), load<f64>(best + ((<usize>(i - 1)) << 3)));
  }
  store<f64>(best + ((<usize>i) << 3), score);
}

/** Sets four numbers to minus infinity. */
// @ts-expect-error: decorator
@inline
function clearFour(four: usize, bytes: i32): void {
  if (bytes == 4) {
    v128.store(four, f32x4.splat(-Infinity));
    return;
  }
  v128.store(four, f64x2.splat(-Infinity));
  v128.store(four, f64x2.splat(-Infinity), 16);
}

/**
 * Lists the unpruned labels of tokens [first, end) from entry `n` on: see `pruneTokens` in reference/pruned.ts. Returns the
 * number of entries. `gold` is 0, or has a label to keep per token (-1: none); if `isOnly`, it is the token's only label.
 * `work` has room for `most` float64 numbers, and for `labels` of them and 16-bit labels.
 */
export function pruneTokens(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  bytes: i32,
  scores: usize,
  starts: usize,
  list: usize,
  n: i32,
  most: i32,
  margin: f64,
  gold: usize,
  isOnly: bool,
  work: usize,
): i32 {
  const nearScores = work + ((<usize>most) << 3);
  const nearLabels = nearScores + ((<usize>labels) << 3);
  let next = <usize>n;
  for (let t = first; t < end; t += 1) {
    store<u32>(starts + ((<usize>t) << 2), <u32>next);
    const row = scores + <usize>t * <usize>width * <usize>bytes;
    const own = gold == 0 ? -1 : load<i32>(gold + ((<usize>t) << 2));
    if (isOnly && own >= 0) {
      const score = scoreAt(row, own, bytes, 1);
      let y = 0;
      for (; y + 4 <= labels; y += 4) clearFour(row + <usize>y * <usize>bytes, bytes);
      for (; y < labels; y += 1) put(row, y, bytes, -Infinity);
      put(row, own, bytes, score);
      store<u16>(list + (next << 1), <u16>own);
      next += 1;
      continue;
    }
    const best = largestOf(row, labels, bytes);
    if (!(best > -Infinity && best < Infinity)) {
      // Scores that are not finite are kept, and show up in all sums.
      put(row, 0, bytes, best);
      store<u16>(list + (next << 1), 0);
      next += 1;
      continue;
    }
    let cut = best + margin;
    const low = nearly(cut, bytes);
    // Labels near the best move to the work space, in order, and the row is cleared. Once `most` labels have been found,
    // only higher scores than the last of them matter: of equal ones, the first stay.
    let near: usize = 0;
    let found = 0;
    let last = low;
    let y = 0;
    for (; y + 4 <= labels; y += 4) {
      const four = row + <usize>y * <usize>bytes;
      let mask = found < most ? nearOf(four, bytes, low) : aboveOf(four, bytes, last);
      if (own >= y && own < y + 4) mask |= 1 << (own - y);
      for (; mask != 0; mask &= mask - 1) {
        const label = y + ctz(mask);
        const score = scoreAt(row, label, bytes, 1);
        store<f64>(nearScores + (near << 3), score);
        store<u16>(nearLabels + (near << 1), <u16>label);
        near += 1;
        if (score < cut) continue;
        insert(work, most, found, score);
        found += 1;
        if (found >= most) last = splatOf(load<f64>(work + ((<usize>(most - 1)) << 3)), bytes);
      }
      clearFour(four, bytes);
    }
    for (; y < labels; y += 1) {
      const score = scoreAt(row, y, bytes, 1);
      if (score >= cut || y == own) {
        store<f64>(nearScores + (near << 3), score);
        store<u16>(nearLabels + (near << 1), <u16>y);
        near += 1;
      }
      put(row, y, bytes, -Infinity);
      if (score < cut) continue;
      insert(work, most, found, score);
      found += 1;
    }
    let ties: i32 = labels;
    if (found > most) {
      cut = load<f64>(work + ((<usize>(most - 1)) << 3));
      // As many of the labels tied with the last one as fit.
      ties = 1;
      while (ties < most && load<f64>(work + ((<usize>(most - 1 - ties)) << 3)) == cut) ties += 1;
    }
    for (let i: usize = 0; i < near; i += 1) {
      const score = load<f64>(nearScores + (i << 3));
      const label = labelAt(nearLabels, i);
      let stays = score >= cut;
      if (stays && score == cut) {
        stays = ties > 0;
        ties -= 1;
      }
      if (!stays && <i32>label != own) continue;
      put(row, label, bytes, score);
      store<u16>(list + (next << 1), <u16>label);
      next += 1;
    }
  }
  return <i32>next;
}

/**
 * Runs the scaled forward recursion over the unpruned labels of tokens [first, end); returns log Z, or NaN if log space is
 * needed. Leaves exp(a_t(y', y) - maximum) of all pairs at `pairs` for `backwardPruned`.
 */
export function forwardPruned(
  first: i32,
  end: i32,
  width: i32,
  bytes: i32,
  scores: usize,
  starts: usize,
  list: usize,
  transitions: usize,
  scale: f64,
  alpha: usize,
  exps: usize,
  scales: usize,
  pairs: usize,
): f64 {
  let logZ: f64 = 0;
  for (let t = first; t < end; t += 1) {
    const from = <usize>load<u32>(starts + ((<usize>t) << 2));
    const to = <usize>load<u32>(starts + ((<usize>t) << 2), 4);
    const row = <usize>t * <usize>width;
    let best: f64 = -Infinity;
    for (let j = from; j < to; j += 1) {
      const score = scoreAt(scores, row + labelAt(list, j), bytes, 1);
      store<f64>(exps + (j << 3), score);
      best = max(best, score);
    }
    exponentiate(exps + (from << 3), to - from, best);
    if (t == first) {
      memory.copy(alpha + (from << 3), exps + (from << 3), (to - from) << 3);
    } else {
      const before = <usize>load<u32>(starts + ((<usize>(t - 1)) << 2));
      const count = (from - before) * (to - from);
      let largest: f64 = -Infinity;
      let at = pairs;
      for (let i = before; i < from; i += 1) {
        const matrix = labelAt(list, i) * <usize>width;
        for (let j = from; j < to; j += 1, at += 8) {
          const score = scoreAt(transitions, matrix + labelAt(list, j), bytes, scale);
          store<f64>(at, score);
          largest = max(largest, score);
        }
      }
      exponentiate(pairs, count, largest);
      memory.fill(alpha + (from << 3), 0, (to - from) << 3);
      at = pairs;
      for (let i = before; i < from; i += 1) {
        const mass = load<f64>(alpha + (i << 3));
        for (let j = from; j < to; j += 1, at += 8) {
          store<f64>(alpha + (j << 3), load<f64>(alpha + (j << 3)) + mass * load<f64>(at));
        }
      }
      for (let j = from; j < to; j += 1) {
        store<f64>(alpha + (j << 3), load<f64>(alpha + (j << 3)) * load<f64>(exps + (j << 3)));
      }
      pairs = at;
      logZ += largest;
    }
    let sum: f64 = 0;
    let smallest: f64 = Infinity;
    for (let j = from; j < to; j += 1) {
      const value = load<f64>(alpha + (j << 3));
      sum += value;
      smallest = min(smallest, value);
    }
    if (!(smallest >= least && sum < Infinity)) return NaN;
    const inverse = 1 / sum;
    for (let j = from; j < to; j += 1) {
      store<f64>(alpha + (j << 3), load<f64>(alpha + (j << 3)) * inverse);
    }
    store<f64>(scales + ((<usize>t) << 3), sum);
    logZ += log(sum) + best;
  }
  return logZ;
}

/**
 * Computes node marginals, 0 for pruned labels, and pair marginals, which end at `pairs`; returns false if log space is
 * needed.
 */
export function backwardPruned(
  first: i32,
  end: i32,
  width: i32,
  bytes: i32,
  starts: usize,
  list: usize,
  alpha: usize,
  beta: usize,
  exps: usize,
  scales: usize,
  pairs: usize,
  nodes: usize,
): bool {
  for (let t = end - 1; t >= first; t -= 1) {
    const from = <usize>load<u32>(starts + ((<usize>t) << 2));
    const to = <usize>load<u32>(starts + ((<usize>t) << 2), 4);
    const row = <usize>t * <usize>width;
    memory.fill(nodes + row * <usize>bytes, 0, <usize>width * <usize>bytes);
    const inverse = 1 / load<f64>(scales + ((<usize>t) << 3));
    for (let j = from; j < to; j += 1) {
      const at = j << 3;
      const own: f64 = t == end - 1 ? 1 : load<f64>(beta + at);
      put(nodes, row + labelAt(list, j), bytes, load<f64>(alpha + at) * own);
      store<f64>(exps + at, load<f64>(exps + at) * own * inverse);
    }
    if (t == first) break;
    const before = <usize>load<u32>(starts + ((<usize>(t - 1)) << 2));
    pairs -= ((from - before) * (to - from)) << 3;
    let at = pairs;
    for (let i = before; i < from; i += 1) {
      const mass = load<f64>(alpha + (i << 3));
      let total: f64 = 0;
      for (let j = from; j < to; j += 1, at += 8) {
        const value = load<f64>(at) * load<f64>(exps + (j << 3));
        total += value;
        store<f64>(at, mass * value);
      }
      if (!(total >= least && total < Infinity)) return false;
      store<f64>(beta + (i << 3), total);
    }
  }
  return true;
}

/** Writes the best unpruned labels to `best`; returns their score. Pruned labels get minus infinity in `delta`. */
export function viterbiPruned(
  first: i32,
  end: i32,
  labels: i32,
  width: i32,
  bytes: i32,
  scores: usize,
  starts: usize,
  list: usize,
  transitions: usize,
  scale: f64,
  alpha: usize,
  before: usize,
  delta: usize,
  best: usize,
): f64 {
  for (let t = first; t < end; t += 1) {
    const from = <usize>load<u32>(starts + ((<usize>t) << 2));
    const to = <usize>load<u32>(starts + ((<usize>t) << 2), 4);
    const row = <usize>t * <usize>width;
    let y: usize = 0;
    for (; y + 4 <= <usize>labels; y += 4) clearFour(delta + (row + y) * <usize>bytes, bytes);
    for (; y < <usize>labels; y += 1) put(delta, row + y, bytes, -Infinity);
    const start = t == first ? from : <usize>load<u32>(starts + ((<usize>(t - 1)) << 2));
    for (let j = from; j < to; j += 1) {
      const label = labelAt(list, j);
      let most: f64 = t == first ? 0 : -Infinity;
      let origin = start;
      for (let i = start; i < from; i += 1) {
        const pair = labelAt(list, i) * <usize>width + label;
        const score = load<f64>(alpha + (i << 3)) + scoreAt(transitions, pair, bytes, scale);
        if (score > most) {
          most = score;
          origin = i;
        }
      }
      const score = most + scoreAt(scores, row + label, bytes, 1);
      store<f64>(alpha + (j << 3), score);
      store<f64>(before + (j << 3), <f64>origin);
      put(delta, row + label, bytes, score);
    }
  }
  let last = <usize>load<u32>(starts + ((<usize>(end - 1)) << 2));
  const stop = <usize>load<u32>(starts + ((<usize>end) << 2));
  for (let j = last; j < stop; j += 1) {
    if (load<f64>(alpha + (j << 3)) > load<f64>(alpha + (last << 3))) last = j;
  }
  const total = load<f64>(alpha + (last << 3));
  for (let t = end - 1; t >= first; t -= 1) {
    store<i32>(best + ((<usize>t) << 2), <i32>labelAt(list, last));
    last = <usize>load<f64>(before + (last << 3));
  }
  return total;
}
