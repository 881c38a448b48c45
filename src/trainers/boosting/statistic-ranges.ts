import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { Objective } from '../objective.js';

/** Bounds for each free parameter, as vectors. */
export interface StatisticRanges {
  readonly least: Float64Array;
  readonly most: Float64Array;
}

/**
 * Bounds of F_k(x, y) - F_k(x, y*) over all labelled sentences and label sequences y, for each parameter k.
 *
 * A label may be had at all tokens or at none; a transition between different labels not at two tokens
 * in a row. One pass over the corpus: O(active features * L) and, for each edge feature of a sentence,
 * O(T + L^2).
 */
export function statisticRanges(objective: Objective): StatisticRanges {
  const { parameters, corpus, free } = objective;
  const least = parameters.addPlane();
  const most = parameters.addPlane();
  const note = (table: 'state' | 'edges' | 'pairs', at: number, low: number, high: number) => {
    const lows = least[table].view;
    const highs = most[table].view;
    lows[at] = Math.min(lows[at]!, low);
    highs[at] = Math.max(highs[at]!, high);
  };
  for (const minibatch of corpus) {
    for (let s = 0; s < minibatch.sentences.length; s += 1) {
      if (minibatch.labelled[s] === 0) continue;
      noteState(parameters, minibatch, s, note);
      for (const [feature, places] of edgePlaces(parameters, minibatch, s)) {
        noteEdges(parameters, minibatch, feature, places, note);
      }
    }
  }
  const vectors = {
    least: new Float64Array(free.size),
    most: new Float64Array(free.size),
  };
  free.gather(least, vectors.least);
  free.gather(most, vectors.most);
  return vectors;
}

type Note = (table: 'state' | 'edges' | 'pairs', at: number, low: number, high: number) => void;

/** The sums of a feature's values over a sentence, those of each sign and those at each gold label. */
interface Sums {
  low: number;
  high: number;
  readonly gold: Float64Array;
}

function noteState(store: ParameterStore, minibatch: Minibatch, s: number, note: Note): void {
  const { sentenceStarts, stateStarts, stateRows, stateValues, gold } = minibatch;
  const rows = new Map<number, Sums>();
  for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
    for (let i = stateStarts[t]!; i < stateStarts[t + 1]!; i += 1) {
      const row = stateRows[i]!;
      const value = stateValues === undefined ? 1 : stateValues[i]!;
      let sums = rows.get(row);
      if (sums === undefined) {
        sums = { low: 0, high: 0, gold: new Float64Array(store.labels) };
        rows.set(row, sums);
      }
      if (value < 0) sums.low += value;
      else sums.high += value;
      sums.gold[gold[t]!]! += value;
    }
  }
  for (const [row, { low, high, gold: observed }] of rows) {
    for (let y = 0; y < store.labels; y += 1) {
      note('state', row * store.width + y, low - observed[y]!, high - observed[y]!);
    }
  }
}

/** The tokens where an edge feature is active, in order, and its values there. */
interface Places {
  readonly tokens: number[];
  readonly values: number[];
}

/** Those of each edge feature of a sentence, the plain transitions (feature 0) included. */
function edgePlaces(store: ParameterStore, minibatch: Minibatch, s: number): Map<number, Places> {
  const { sentenceStarts, edgeStarts, edgeRows, edgeValues } = minibatch;
  const found = new Map<number, Places>();
  const add = (feature: number, t: number, value: number) => {
    let places = found.get(feature);
    if (places === undefined) {
      places = { tokens: [], values: [] };
      found.set(feature, places);
    }
    if (places.tokens.at(-1) === t) places.values[places.values.length - 1]! += value;
    else {
      places.tokens.push(t);
      places.values.push(value);
    }
  };
  for (let t = sentenceStarts[s]! + 1; t < sentenceStarts[s + 1]!; t += 1) {
    if (store.layout.transitions) add(0, t, 1);
    if (edgeStarts === undefined) continue;
    for (let i = edgeStarts[t]!; i < edgeStarts[t + 1]!; i += 1) {
      add(edgeRows![i]!, t, edgeValues === undefined ? 1 : edgeValues[i]!);
    }
  }
  return found;
}

function noteEdges(
  store: ParameterStore,
  { gold }: Minibatch,
  feature: number,
  { tokens, values }: Places,
  note: Note,
): void {
  const { labels, width, matrixSize, pairs } = store;
  const observed = new Float64Array(labels * width);
  for (const [i, t] of tokens.entries()) observed[gold[t - 1]! * width + gold[t]!]! += values[i]!;
  const stay = [sumAbove(values, -1), sumAbove(values, 1)] as const;
  const change = [apart(tokens, values, -1), apart(tokens, values, 1)] as const;
  const noteAt = (table: 'edges' | 'pairs', at: number, from: number, to: number) => {
    const [down, up] = from === to ? stay : change;
    const sum = observed[from * width + to]!;
    note(table, at, 0 - down - sum, up - sum);
  };
  if (feature > 0 && !store.hasEdgeBlocks) {
    for (let slot = pairs.heads[feature]!; slot >= 0; slot = pairs.next[slot]!) {
      noteAt('pairs', slot, pairs.from[slot]!, pairs.to[slot]!);
    }
    return;
  }
  for (let from = 0; from < labels; from += 1) {
    for (let to = 0; to < labels; to += 1) {
      noteAt('edges', feature * matrixSize + from * width + to, from, to);
    }
  }
}

/** The sum of those values that are positive once multiplied by `sign`. */
function sumAbove(values: readonly number[], sign: number): number {
  return values.reduce((sum, value) => sum + Math.max(0, sign * value), 0);
}

/** The same over the best choice of tokens no two of which follow each other. */
function apart(tokens: readonly number[], values: readonly number[], sign: number): number {
  let without = 0;
  let best = 0;
  for (const [i, t] of tokens.entries()) {
    const before = i > 0 && tokens[i - 1] === t - 1 ? without : best;
    const chosen = before + sign * values[i]!;
    without = best;
    best = Math.max(best, chosen);
  }
  return best;
}
