import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { clearPlane, type Plane } from '../../kernels/memory/plane.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { occurrencesOf } from '../descent/occurrences.js';
import type { Objective } from '../objective.js';

/**
 * Minimum distance of a mean from the ends of its range, as a share of the range; keeps steps finite.
 */
const edge = 1e-6;

/** A step of one weight, with a lower bound on the objective's decrease. */
export interface BoostingStep {
  readonly parameter: number;
  readonly delta: number;
  readonly decrease: number;
}

/**
 * The bound on the objective along one weight: from the range and mean of its statistic, or from the sums of each sign.
 */
export type BoostingBound = 'mean' | 'two-sided';

/**
 * The possible next steps of `SequenceBoosting`, one per parameter. The bound `mean` needs the losses of all sentences with
 * the parameter's feature; transitions and edge features count as present in all sentences. Memory: a number per sentence
 * and feature, and the range of each statistic; with the bound `two-sided` one more number per weight.
 */
export class BoostingCandidates {
  readonly #objective: Objective;
  readonly #ranges: StatisticRanges;
  /** Sentences of each state feature, in compressed rows. */
  readonly #starts: Uint32Array;
  readonly #sentences: Uint32Array;
  /** Loss of each sentence of the corpus at the last evaluated weights. */
  readonly #losses: Float64Array;
  /** Weights of each statistic's negative differences; absent with the bound `mean`. */
  readonly #falls: { readonly plane: Plane; readonly vector: Float64Array } | undefined;

  readonly #smoothing: number;

  /** @param smoothing term added to both sums of the bound `two-sided`, in units of a sentence's mean loss */
  constructor(objective: Objective, bound: BoostingBound = 'mean', smoothing = 0) {
    this.#objective = objective;
    this.#smoothing = smoothing;
    this.#ranges = statisticRanges(objective, bound);
    if (bound === 'two-sided') {
      const plane = objective.parameters.addPlane();
      this.#falls = { plane, vector: new Float64Array(objective.free.size) };
    }
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

  /** The largest difference of any statistic, as measured by the bound. */
  get widest(): number {
    const { least, most, spans } = this.#ranges;
    if (spans !== undefined) return spans.reduce((widest, span) => Math.max(widest, span), 0);
    return least.reduce((widest, low, k) => Math.max(widest, -low, most[k]!), 0);
  }

  /**
   * Computes the objective and its gradient, like `Objective.evaluate`, and keeps the sentences' losses.
   */
  evaluate(weights: Float64Array, gradient: Float64Array): number {
    return this.#objective.evaluate(weights, gradient, this.#losses);
  }

  /**
   * Returns up to `most` steps with the largest decreases at the last evaluated weights. Cost O(parameters + sentences of
   * all features); for the bound `two-sided`, a forward-backward pass.
   *
   * @param reach the assumed maximum difference of statistics; with `widest`, a decrease is guaranteed
   * @param overlap whether two steps may change the loss of the same sentence
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

  /** Returns the steps with a positive bound, or only the best one. */
  #steps(gradient: Float64Array, onlyBest: boolean, reach: number): BoostingStep[] {
    const { free, parameters } = this.#objective;
    const all = this.#losses.reduce((sum, loss) => sum + loss, 0);
    const found: BoostingStep[] = [];
    if (this.#falls !== undefined)
      weighFalls(this.#objective, this.#falls.plane, this.#falls.vector);
    let row = -1;
    let mass = all;
    for (let k = 0; k < gradient.length; k += 1) {
      const next = k < free.state.length ? Math.floor(free.state[k]! / parameters.width) : -1;
      if (next !== row) {
        row = next;
        mass = row < 0 ? all : this.#massOf(row);
      }
      const step =
        this.#falls === undefined
          ? this.#step(k, gradient[k]!, mass, reach)
          : this.#stepOfSigns(k, gradient[k]!, this.#falls.vector[k]!, reach, all);
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

  /** Returns the step for the bound `two-sided`; `down` is the weight of the negative differences. */
  #stepOfSigns(
    parameter: number,
    slope: number,
    down: number,
    reach: number,
    all: number,
  ): BoostingStep | undefined {
    const up = Math.max(0, slope + down);
    const span = Math.min(reach, this.#ranges.spans![parameter]!);
    if (up === down || span === 0) return undefined;
    const floor = edge * (up + down);
    const more = (this.#smoothing * all) / this.#losses.length;
    const ratio = (Math.max(down, floor) + more) / (Math.max(up, floor) + more);
    const delta = Math.log(ratio) / (2 * span);
    const decrease =
      (up * (1 - Math.exp(delta * span)) + down * (1 - Math.exp(-delta * span))) / span;
    return decrease > 0 ? { parameter, delta, decrease } : undefined;
  }

  /** Marks a parameter's sentences if none of them is marked; returns whether it did. */
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

/** Returns the sentence of each token, both numbered over the whole corpus. */
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

/** Bounds of the statistic of each free parameter, as vectors. */
interface StatisticRanges {
  readonly least: Float64Array;
  readonly most: Float64Array;
  /** Sums of the absolute values of each parameter's feature; only with the bound `two-sided`. */
  readonly spans?: Float64Array;
}

/**
 * Returns bounds of F_k(x, y) - F_k(x, y*) over all labelled sentences and label sequences y, for each parameter k; with
 * the bound `two-sided` also the largest sum of its feature's absolute values over a sentence, in a separate plane.
 *
 * A label may occur at all tokens or at none; a transition between different labels cannot occur at two consecutive tokens.
 * Cost of the one pass over the corpus: O(active features * L) and, for each edge feature of a sentence, O(T + L^2).
 */
export function statisticRanges(objective: Objective, bound: BoostingBound): StatisticRanges {
  const { parameters, corpus, free } = objective;
  const least = parameters.addPlane();
  const most = parameters.addPlane();
  const spans = bound === 'two-sided' ? parameters.addPlane() : undefined;
  const note: Note = (table, at, low, high, span) => {
    const lows = least[table].view;
    const highs = most[table].view;
    lows[at] = Math.min(lows[at]!, low);
    highs[at] = Math.max(highs[at]!, high);
    if (spans === undefined) return;
    const sums = spans[table].view;
    sums[at] = Math.max(sums[at]!, span);
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
  const gathered = (plane: Plane) => {
    const vector = new Float64Array(free.size);
    free.gather(plane, vector);
    return vector;
  };
  return {
    ...{ least: gathered(least), most: gathered(most) },
    ...(spans === undefined ? {} : { spans: gathered(spans) }),
  };
}

type Note = (
  table: 'state' | 'edges' | 'pairs',
  at: number,
  low: number,
  high: number,
  span: number,
) => void;

/**
 * Writes the weights N_k of each statistic's negative differences at the current weights to `vector`: with v the value of
 * the feature at token t and q_t = (1 - p(y_t = y*_t | x)) times the weight of the sentence in the loss,
 *
 *     N_k = sum of v q_t over tokens with the label of k (v > 0), of |v| times the residual at others (v < 0).
 *
 * For label pairs it is a bound, with q_{t-1} + q_t instead of q_t. Cost: a forward-backward pass, and a pass over all
 * features.
 */
export function weighFalls(objective: Objective, plane: Plane, vector: Float64Array): void {
  const { parameters, corpus, free } = objective;
  const { labels, width } = parameters;
  clearPlane(plane);
  for (const minibatch of corpus) {
    const { residual } = objective.contribute(minibatch, objective.loss, false);
    const { gold, sentenceStarts, stateStarts, stateRows, stateValues, labelled } = minibatch;
    const state = plane.state.view;
    for (let s = 0; s < minibatch.sentences.length; s += 1) {
      if (labelled[s] === 0) continue;
      for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
        const right = gold[t]!;
        const missed = Math.max(0, 0 - residual[t * width + right]!);
        for (let i = stateStarts[t]!; i < stateStarts[t + 1]!; i += 1) {
          const value = stateValues === undefined ? 1 : stateValues[i]!;
          const row = stateRows[i]! * width;
          if (value > 0) state[row + right]! += value * missed;
          for (let y = 0; value < 0 && y < labels; y += 1) {
            if (y !== right) state[row + y]! -= value * Math.max(0, residual[t * width + y]!);
          }
        }
        if (t === sentenceStarts[s]) continue;
        const before = Math.max(0, 0 - residual[(t - 1) * width + gold[t - 1]!]!);
        weighPairs(parameters, minibatch, plane, t, before + missed);
      }
    }
  }
  free.gather(plane, vector);
}

/**
 * Adds the weights of the label pairs at a token and its predecessor, one of which is wrong with a weight of at most
 * `missed`.
 */
function weighPairs(
  store: ParameterStore,
  { gold, edgeStarts, edgeRows, edgeValues }: Minibatch,
  plane: Plane,
  t: number,
  missed: number,
): void {
  const { labels, width, matrixSize, pairs } = store;
  const edges = plane.edges.view;
  const right = gold[t - 1]! * width + gold[t]!;
  if (store.layout.transitions) edges[right]! += missed;
  if (edgeStarts === undefined) return;
  for (let i = edgeStarts[t]!; i < edgeStarts[t + 1]!; i += 1) {
    const feature = edgeRows![i]!;
    const value = edgeValues === undefined ? 1 : edgeValues[i]!;
    const weight = Math.abs(value) * missed;
    const falls = (from: number, to: number) => (from * width + to === right) === value > 0;
    if (feature > 0 && !store.hasEdgeBlocks) {
      for (let slot = pairs.heads[feature]!; slot >= 0; slot = pairs.next[slot]!) {
        if (falls(pairs.from[slot]!, pairs.to[slot]!)) plane.pairs.view[slot]! += weight;
      }
      continue;
    }
    for (let from = 0; from < labels; from += 1) {
      for (let to = 0; to < labels; to += 1) {
        if (falls(from, to)) edges[feature * matrixSize + from * width + to]! += weight;
      }
    }
  }
}

/** Sums of a feature's values over a sentence: by sign, and at each gold label. */
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
      note('state', row * store.width + y, low - observed[y]!, high - observed[y]!, high - low);
    }
  }
}

/** The tokens with an active edge feature, in order, and its values there. */
interface Places {
  readonly tokens: number[];
  readonly values: number[];
}

/** Returns the places of each edge feature of a sentence, including the plain transitions (feature 0). */
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
  const span = stay[0] + stay[1];
  const noteAt = (table: 'edges' | 'pairs', at: number, from: number, to: number) => {
    const [down, up] = from === to ? stay : change;
    const sum = observed[from * width + to]!;
    note(table, at, 0 - down - sum, up - sum, span);
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

/** Returns the sum of the values that are positive after multiplication by `sign`. */
function sumAbove(values: readonly number[], sign: number): number {
  return values.reduce((sum, value) => sum + Math.max(0, sign * value), 0);
}

/** Returns the largest such sum over non-adjacent tokens. */
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
