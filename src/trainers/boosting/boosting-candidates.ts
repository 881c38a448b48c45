import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { occurrencesOf } from '../descent/occurrences.js';
import type { Objective } from '../objective.js';

/** How near to an end of its range a mean may be, as a share of the range: steps are finite so. */
const edge = 1e-6;

/** A step of one weight that boosting may make, and by how much the objective falls at least. */
export interface BoostingStep {
  readonly parameter: number;
  readonly delta: number;
  readonly decrease: number;
}

/**
 * What `SequenceBoosting` may do next: a step for each parameter, bounded by the losses of the sentences
 * that have its feature. Transitions and edge features count as being in all. Memory: a number for each
 * feature of a sentence, and the range of each statistic.
 */
export class BoostingCandidates {
  readonly #objective: Objective;
  readonly #ranges: StatisticRanges;
  /** Sentences of each state feature, in compressed rows. */
  readonly #starts: Uint32Array;
  readonly #sentences: Uint32Array;
  /** Loss of each sentence of the corpus at the weights evaluated last. */
  readonly #losses: Float64Array;

  constructor(objective: Objective) {
    this.#objective = objective;
    this.#ranges = statisticRanges(objective);
    const { corpus, parameters } = objective;
    const ofToken = sentencesOfTokens(objective);
    const { starts, tokens } = occurrencesOf(corpus, 'state', parameters.stateRows);
    const sentences = new Uint32Array(tokens.length);
    this.#starts = new Uint32Array(starts.length);
    let count = 0;
    for (let row = 0; row + 1 < starts.length; row += 1) {
      const from = count;
      for (let i = starts[row]!; i < starts[row + 1]!; i += 1) {
        const sentence = ofToken[tokens[i]!]!;
        if (count > from && sentences[count - 1] === sentence) continue;
        sentences[count] = sentence;
        count += 1;
      }
      this.#starts[row + 1] = count;
    }
    this.#sentences = sentences.slice(0, count);
    this.#losses = new Float64Array(corpus.reduce((sum, b) => sum + b.sentences.length, 0));
  }

  /** The greatest difference of any statistic. */
  get widest(): number {
    const { least, most } = this.#ranges;
    return least.reduce((widest, low, k) => Math.max(widest, -low, most[k]!), 0);
  }

  /** The objective and its gradient, as `Objective.evaluate`; the losses of sentences are kept. */
  evaluate(weights: Float64Array, gradient: Float64Array): number {
    return this.#objective.evaluate(weights, gradient, this.#losses);
  }

  /**
   * The steps with the greatest decrease, `most` of them or fewer. Cost O(parameters + sentences of all features).
   *
   * @param reach the assumed maximum difference of statistics; a decrease is guaranteed if it is `widest`
   * @param overlap whether two of them may change the loss of one sentence
   */
  best(gradient: Float64Array, most: number, reach: number, overlap = false): BoostingStep[] {
    const steps = this.#steps(gradient, most === 1, reach);
    if (steps.length <= 1) return steps;
    steps.sort((a, b) => b.decrease - a.decrease || a.parameter - b.parameter);
    if (overlap) return steps.slice(0, most);
    const taken = new Uint8Array(this.#losses.length);
    const chosen: BoostingStep[] = [];
    for (const step of steps) {
      if (chosen.length === most || !this.#take(step.parameter, taken)) continue;
      chosen.push(step);
    }
    return chosen;
  }

  /** Steps that promise anything; only the best one of them if so asked for. */
  #steps(gradient: Float64Array, onlyBest: boolean, reach: number): BoostingStep[] {
    const { free, parameters } = this.#objective;
    const all = this.#losses.reduce((sum, loss) => sum + loss, 0);
    const found: BoostingStep[] = [];
    let row = -1;
    let mass = all;
    for (let k = 0; k < gradient.length; k += 1) {
      const next = k < free.state.length ? Math.floor(free.state[k]! / parameters.width) : -1;
      if (next !== row) {
        row = next;
        mass = row < 0 ? all : this.#massOf(row);
      }
      const step = this.#step(k, gradient[k]!, mass, reach);
      if (step === undefined) continue;
      if (!onlyBest || found.length === 0) found.push(step);
      else if (step.decrease > found[0]!.decrease) found[0] = step;
    }
    return found;
  }

  #massOf(row: number): number {
    let mass = 0;
    for (let i = this.#starts[row]!; i < this.#starts[row + 1]!; i += 1) {
      mass += this.#losses[this.#sentences[i]!]!;
    }
    return mass;
  }

  #step(parameter: number, slope: number, mass: number, reach: number): BoostingStep | undefined {
    if (slope === 0 || mass === 0) return undefined;
    const low = Math.max(-reach, this.#ranges.least[parameter]!);
    const high = Math.min(reach, this.#ranges.most[parameter]!);
    const least = low < 0 ? low : -high;
    const most = high > 0 ? high : -low;
    const width = most - least;
    const mean = slope / mass;
    const inside = Math.min(most - edge * width, Math.max(least + edge * width, mean));
    const delta = Math.log((-least * (most - inside)) / (most * (inside - least))) / width;
    const bound =
      ((most - inside) * Math.exp(delta * least) + (inside - least) * Math.exp(delta * most)) /
      width;
    if (bound >= 1) return undefined;
    return { parameter, delta, decrease: mass * (1 - bound) };
  }

  /** Marks the sentences of a parameter, if none of them is marked. */
  #take(parameter: number, taken: Uint8Array): boolean {
    const { free, parameters } = this.#objective;
    if (parameter >= free.state.length) {
      if (taken.includes(1)) return false;
      taken.fill(1);
      return true;
    }
    const row = Math.floor(free.state[parameter]! / parameters.width);
    const from = this.#starts[row]!;
    const end = this.#starts[row + 1]!;
    for (let i = from; i < end; i += 1) if (taken[this.#sentences[i]!] === 1) return false;
    for (let i = from; i < end; i += 1) taken[this.#sentences[i]!] = 1;
    return true;
  }
}

/** The sentence of each token, both counted over the whole corpus. */
function sentencesOfTokens({ corpus }: Objective): Uint32Array {
  const found = new Uint32Array(corpus.reduce((sum, { tokens }) => sum + tokens, 0));
  let token = 0;
  let sentence = 0;
  for (const { sentences, sentenceStarts, tokens } of corpus) {
    for (let s = 0; s < sentences.length; s += 1) {
      found.fill(sentence + s, token + sentenceStarts[s]!, token + sentenceStarts[s + 1]!);
    }
    token += tokens;
    sentence += sentences.length;
  }
  return found;
}

/** Bounds for each free parameter, as vectors. */
interface StatisticRanges {
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
  const vectors = { least: new Float64Array(free.size), most: new Float64Array(free.size) };
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
