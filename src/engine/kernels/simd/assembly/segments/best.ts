import { loadPair } from '../vectors';
import { Frame, matrixBytes, slotOf, stateBytes } from './frame';

/**
 * Writes the best label sequence of a sentence to `f.path`; returns its score, minus infinity if there is none, NaN
 * if a score is NaN. The recursion is that of `forwardSegments` with maxima instead of sums, on scores instead of
 * exponentials. Ties go to the lower label at the last token at which sequences differ.
 */
export function bestSegments<T>(f: Frame, first: i32, length: i32): f64 {
  const labels = f.labels;
  const state = stateBytes(f);
  const row = <usize>labels * state;
  for (let t = 0; t < length; t += 1) {
    const at = f.alpha + <usize>t * row;
    for (let i: usize = 0; i < row; i += 16) v128.store(at + i, f64x2.splat(-Infinity));
    memory.fill(f.before + <usize>t * (row >> 1), 0xff, row >> 1);
    if (t > 0) {
      step<T>(f, t);
    } else {
      for (let y = 0; y < labels; y += 1) {
        const start = load<i32>(f.firsts + ((<usize>y) << 2));
        store<f64>(at + <usize>y * state + ((<usize>start) << 3), 0);
      }
    }
    finish<T>(f, first, t);
  }
  const ends = f.ends + ((<usize>((length - 1) * f.width)) << 3);
  let score: f64 = -Infinity;
  let last = -1;
  for (let y = 0; y < labels; y += 1) {
    const end = load<f64>(ends + ((<usize>y) << 3));
    if (!(end > score)) continue;
    score = end;
    last = y;
  }
  if (last < 0) return isNaN<f64>(load<f64>(ends)) ? NaN : -Infinity;
  let from = last * f.states + load<i32>(f.endStates + ((<usize>last) << 2));
  for (let t = length - 1; t >= 0; t -= 1) {
    store<i32>(f.path + ((<usize>t) << 2), from / f.states);
    from = load<i32>(f.before + <usize>t * (row >> 1) + ((<usize>from) << 2));
  }
  return score;
}

/** Steps from the states at token `t - 1` to those at `t`, before scoring its label. */
function step<T>(f: Frame, t: i32): void {
  const slot = slotOf(f, t);
  const own = f.edgeScores + <usize>max(slot, 0) * <usize>f.matrixSize * sizeof<T>();
  const scores = slot < 0 ? f.transitionScores : own;
  for (let i = 0; i < f.boundaries; i += 1) leave<T>(f, t, scores, i);
  const state = stateBytes(f);
  const row = <usize>f.labels * state;
  const at = f.alpha + <usize>t * row;
  const back = f.before + <usize>t * (row >> 1);
  const before = at - row;
  const longest = min(t, f.lengths);
  const stays = f.pairs + ((<usize>f.insides) << 3);
  for (let p = 0; p < f.outsides; p += 1) {
    const y = load<i32>(stays + ((<usize>p) << 3));
    const z = load<i32>(stays + ((<usize>p) << 3), 4);
    const added = scoreAt<T>(scores, y * f.width + z);
    const score = load<f64>(before + <usize>y * state) + added;
    if (!(score > load<f64>(at + <usize>z * state))) continue;
    store<f64>(at + <usize>z * state, score);
    store<i32>(back + ((<usize>(z * f.states)) << 2), y * f.states);
  }
  for (let p = 0; p < f.insides; p += 1) {
    const y = load<i32>(f.pairs + ((<usize>p) << 3));
    const z = load<i32>(f.pairs + ((<usize>p) << 3), 4);
    const added = scoreAt<T>(scores, y * f.width + z);
    for (let b = 0; b < f.longest; b += f.lengths) {
      // The last block has only the state of longer spans.
      const most = b + f.lengths < f.longest ? longest : t > f.lengths ? 1 : 0;
      for (let d = 1; d <= most; d += 1) {
        const score = load<f64>(before + <usize>y * state + ((<usize>(b + d)) << 3)) + added;
        const to = z * f.states + (d < f.lengths ? min(b + d + 1, f.longest) : f.longest);
        const place = at + ((<usize>to) << 3);
        if (!(score > load<f64>(place))) continue;
        store<f64>(place, score);
        store<i32>(back + ((<usize>to) << 2), y * f.states + b + d);
      }
    }
  }
}

/** Follows the pairs of a mask from labels at which any span has ended. */
function leave<T>(f: Frame, t: i32, scores: usize, mask: i32): void {
  const labels = f.labels;
  const width = f.width;
  const size = matrixBytes(f);
  const masks = f.masks + <usize>mask * size;
  const ends = f.ends + ((<usize>((t - 1) * width)) << 3);
  const row = <usize>labels * stateBytes(f);
  const at = f.alpha + <usize>t * row;
  const back = f.before + <usize>t * (row >> 1);
  const startsAt = f.startsAt + ((<usize>(mask * labels)) << 2);
  for (let to = 0; to < labels; to += 2) {
    let best = f64x2.splat(-Infinity);
    let whence = i64x2.splat(-1);
    for (let from = 0; from < labels; from += 1) {
      const place = <usize>(from * width + to);
      const isPair = f64x2.gt(v128.load(masks + (place << 3)), f64x2.splat(0));
      const score = f64x2.add(
        f64x2.splat(load<f64>(ends + ((<usize>from) << 3))),
        loadPair<T>(scores + place * sizeof<T>()),
      );
      const better = v128.and(isPair, f64x2.gt(score, best));
      best = v128.bitselect(score, best, better);
      whence = v128.bitselect(i64x2.splat(from), whence, better);
    }
    enter(f, at, back, startsAt, to, f64x2.extract_lane(best, 0), <i32>i64x2.extract_lane(whence, 0));
    if (to + 1 == labels) break;
    enter(
      f,
      at,
      back,
      startsAt,
      to + 1,
      f64x2.extract_lane(best, 1),
      <i32>i64x2.extract_lane(whence, 1),
    );
  }
  if (f.befores > 1) enterEach<T>(f, at, back, ends, scores, mask);
}

/** Does the same for spans that start, with the previous label as a part of their state. */
function enterEach<T>(f: Frame, at: usize, back: usize, ends: usize, scores: usize, mask: i32): void {
  const masks = f.masks + <usize>mask * matrixBytes(f);
  const startsAt = f.startsAt + ((<usize>(mask * f.labels)) << 2);
  for (let y = 0; y < f.labels; y += 1) {
    if (load<i32>(startsAt + ((<usize>y) << 2)) == 0) continue;
    for (let from = 0; from < f.labels; from += 1) {
      const pair = from * f.width + y;
      if (load<f64>(masks + ((<usize>pair) << 3)) == 0) continue;
      const to = y * f.states + 1 + from * f.lengths;
      const score = load<f64>(ends + ((<usize>from) << 3)) + scoreAt<T>(scores, pair);
      if (!(score > load<f64>(at + ((<usize>to) << 3)))) continue;
      store<f64>(at + ((<usize>to) << 3), score);
      const ended = load<i32>(f.endStates + ((<usize>from) << 2));
      store<i32>(back + ((<usize>to) << 2), from * f.states + ended);
    }
  }
}

/** Writes the state of a label after a pair at which spans end. */
// @ts-expect-error: decorator
@inline
function enter(
  f: Frame,
  at: usize,
  back: usize,
  startsAt: usize,
  y: i32,
  score: f64,
  whence: i32,
): void {
  if (whence < 0) return;
  const start = load<i32>(startsAt + ((<usize>y) << 2));
  if (start > 0 && f.befores > 1) return;
  const to = y * f.states + start;
  store<f64>(at + ((<usize>to) << 3), score);
  const ended = load<i32>(f.endStates + ((<usize>whence) << 2));
  store<i32>(back + ((<usize>to) << 2), whence * f.states + ended);
}

/** Scores the labels of a token, and ends their spans at the best of their states. */
function finish<T>(f: Frame, first: i32, t: i32): void {
  const labels = f.labels;
  const width = f.width;
  const kinds = f.kinds;
  const longest = min(t + 1, f.lengths);
  const spans = f.spanScores + ((<usize>((first + t) * f.longest * kinds)) << 3);
  const ends = f.ends + ((<usize>(t * width)) << 3);
  let at = f.alpha + <usize>(t * labels) * stateBytes(f);
  for (let y = 0; y < labels; y += 1) {
    const emission = scoreAt<T>(f.emissionScores, (first + t) * width + y);
    let most = load<f64>(at) + emission;
    store<f64>(at, most);
    let ended = 0;
    const kind = load<i32>(f.kindOf + ((<usize>y) << 2));
    if (kind >= 0) {
      let span = spans + ((<usize>kind) << 3);
      for (let b = 0; b < f.longest; b += f.lengths) {
        const lengths = b + f.lengths < f.longest ? longest : t >= f.lengths ? 1 : 0;
        let own = span;
        for (let d = b + 1; d <= b + lengths; d += 1) {
          const place = at + ((<usize>d) << 3);
          const value = load<f64>(place) + emission;
          store<f64>(place, value);
          const score = value + load<f64>(own);
          if (score > most) {
            most = score;
            ended = d;
          }
          own += (<usize>kinds) << 3;
        }
        span += (<usize>(f.lengths * kinds)) << 3;
      }
    }
    store<f64>(ends + ((<usize>y) << 3), most);
    store<i32>(f.endStates + ((<usize>y) << 2), ended);
    at += stateBytes(f);
  }
}

// @ts-expect-error: decorator
@inline
function scoreAt<T>(scores: usize, place: i32): f64 {
  return <f64>load<T>(scores + <usize>place * sizeof<T>());
}
