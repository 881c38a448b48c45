import type { Minibatch } from '../../../core/minibatch/minibatch.js';
import { type Occurrences, occurrencesOf } from '../../descent/occurrences.js';
import type { Objective } from '../../objective.js';

/** A candidate weight: its place among the state weights, and its gain. */
export interface Candidate extends WeightGain {
  readonly place: number;
}

/** Number of candidates whose gains are computed before the list of possible winners is checked again. */
const atOnce = 4096;

/**
 * The weights that `FeatureInduction` may add: pairs of a state feature and the gold label of one of its tokens. Of
 * several features active at the same tokens, only the first is a candidate. Memory: 4 bytes per feature of a token, and a
 * probability per label of a token.
 */
export class CandidateGains {
  readonly #occurrences: Occurrences;
  readonly #isFirst: Uint8Array;
  readonly #labels: number;
  readonly #width: number;
  readonly #gold: Int32Array;
  /** Weight of each token's sentence; 0 for tokens tagged with confidence. */
  readonly #weights: Float64Array | undefined;
  readonly #counts: Float64Array | undefined;
  readonly #unsure: number;
  /** `[tokens x labels]`: p(y_t = y | x). */
  readonly #probabilities: Float64Array;

  /** @param unsure maximum probability of the gold label at the tokens that count */
  constructor({ corpus, parameters }: Objective, unsure = 1) {
    this.#unsure = unsure;
    const { labels, width, stateRows } = parameters;
    this.#labels = labels;
    this.#width = width;
    this.#occurrences = occurrencesOf(corpus, 'state', stateRows);
    this.#isFirst = firstOfEquals(this.#occurrences);
    const tokens = corpus.reduce((sum, batch) => sum + batch.tokens, 0);
    this.#gold = new Int32Array(tokens);
    this.#probabilities = new Float64Array(tokens * labels);
    const weighted = unsure < 1 || corpus.some(({ weights }) => weights !== undefined);
    this.#weights = weighted ? new Float64Array(tokens) : undefined;
    this.#counts = unsure < 1 ? new Float64Array(tokens) : this.#weights;
    let before = 0;
    for (const batch of corpus) {
      this.#gold.set(batch.gold.subarray(0, batch.tokens), before);
      eachSentence(batch, (s, first, end) => {
        this.#weights?.fill(batch.weights?.[s] ?? 1, before + first, before + end);
      });
      before += batch.tokens;
    }
  }

  /**
   * Computes the marginals of the original corpus, or of a version with fewer features. Cost: one forward-backward pass.
   */
  update(objective: Objective, corpus: readonly Minibatch[]): void {
    let before = 0;
    for (const batch of corpus) {
      const { residual, width } = objective.contribute(batch, objective.loss, false);
      eachSentence(batch, (s, first, end) => {
        const weight = batch.weights?.[s] ?? 1;
        for (let t = first; t < end && batch.labelled[s] === 1; t += 1) {
          const row = (before + t) * this.#labels;
          for (let y = 0; y < this.#labels; y += 1) {
            const difference = weight === 0 ? 0 : residual[t * width + y]! / weight;
            const p = difference + +(batch.gold[t] === y);
            this.#probabilities[row + y] = Math.min(1, Math.max(0, p));
          }
          if (this.#unsure === 1) continue;
          const isSure = this.#probabilities[row + batch.gold[t]!]! > this.#unsure;
          this.#counts![before + t] = isSure ? 0 : weight;
        }
      });
      before += batch.tokens;
    }
  }

  /**
   * Returns up to `most` candidates with the largest gains above `least`, best first, ties by place. With g the derivative
   * of the gain at 0, the gain is at most g^2 / (4 l2), so most gains are never computed. Cost: two passes over all
   * features of all tokens, and some more for the best candidates.
   *
   * @param isActive returns whether the weight at a place already exists
   */
  best(
    { most, least, l2 }: { readonly most: number; readonly least: number; readonly l2: number },
    isActive: (place: number) => boolean,
  ): Candidate[] {
    const places: number[] = [];
    const bounds: number[] = [];
    this.#eachPair((row, label, slope) => {
      const place = row * this.#width + label;
      const bound = l2 === 0 ? Number.POSITIVE_INFINITY : (slope * slope) / (4 * l2);
      if (slope === 0 || bound <= least || isActive(place)) return;
      places.push(place);
      bounds.push(bound);
    });
    const order = Uint32Array.from(places.keys());
    order.sort((i, j) => (bounds[i] === bounds[j] ? i - j : bounds[j]! - bounds[i]!));
    let found: Candidate[] = [];
    for (let from = 0; from < order.length; from += atOnce) {
      if (found.length === most && bounds[order[from]!]! < found[most - 1]!.gain) break;
      for (const i of order.subarray(from, from + atOnce)) {
        const candidate = { place: places[i]!, ...this.gain(places[i]!, l2) };
        if (candidate.gain > least) found.push(candidate);
      }
      found.sort((a, b) => b.gain - a.gain || a.place - b.place);
      found = found.slice(0, most);
    }
    return found;
  }

  /** Returns the gain of the weight at a place. */
  gain(place: number, l2: number): WeightGain {
    const row = Math.floor(place / this.#width);
    const label = place % this.#width;
    const { starts, tokens, values } = this.#occurrences;
    const [from, end] = [starts[row]!, starts[row + 1]!];
    const probabilities = new Float64Array(end - from);
    const counts = this.#counts && new Float64Array(end - from);
    let observed = 0;
    for (let i = from; i < end; i += 1) {
      const token = tokens[i]!;
      probabilities[i - from] = this.#probabilities[token * this.#labels + label]!;
      const count = this.#counts?.[token] ?? 1;
      if (counts !== undefined) counts[i - from] = count;
      if (this.#gold[token] === label) observed += count * (values?.[i] ?? 1);
    }
    return weightGain({ probabilities, values: values?.subarray(from, end), counts, observed }, l2);
  }

  /** Visits each candidate with the derivative of its gain at 0: observed minus expected values. */
  #eachPair(visit: (row: number, label: number, slope: number) => void): void {
    const labels = this.#labels;
    const { starts, tokens, values } = this.#occurrences;
    const slopes = new Float64Array(labels);
    const seen = new Uint8Array(labels);
    for (let row = 0; row + 1 < starts.length; row += 1) {
      if (this.#isFirst[row] === 0) continue;
      slopes.fill(0);
      seen.fill(0);
      for (let i = starts[row]!; i < starts[row + 1]!; i += 1) {
        const token = tokens[i]!;
        const value = (values?.[i] ?? 1) * (this.#counts?.[token] ?? 1);
        if (this.#unsure < 1 && value === 0) continue;
        const gold = this.#gold[token]!;
        seen[gold] = 1;
        slopes[gold]! += value;
        for (let y = 0; y < labels; y += 1) {
          slopes[y]! -= value * this.#probabilities[token * labels + y]!;
        }
      }
      for (let y = 0; y < labels; y += 1) if (seen[y] === 1) visit(row, y, slopes[y]!);
    }
  }
}

function eachSentence(
  { sentenceStarts }: Minibatch,
  visit: (s: number, first: number, end: number) => void,
): void {
  for (let s = 0; s + 1 < sentenceStarts.length; s += 1) {
    visit(s, sentenceStarts[s]!, sentenceStarts[s + 1]!);
  }
}

/**
 * Returns 1 for each feature that occurs and does not duplicate an earlier one (active at the same tokens with the same
 * values). Cost O(features of all tokens), plus comparisons of features with the same hash.
 */
export function firstOfEquals(occurrences: Occurrences): Uint8Array {
  const { starts } = occurrences;
  const isFirst = new Uint8Array(starts.length - 1);
  const byHash = new Map<number, number[]>();
  for (let row = 0; row + 1 < starts.length; row += 1) {
    if (starts[row] === starts[row + 1]) continue;
    const hash = hashOf(occurrences, row);
    const others = byHash.get(hash);
    if (others?.some(other => areEqual(occurrences, row, other)) === true) continue;
    if (others === undefined) byHash.set(hash, [row]);
    else others.push(row);
    isFirst[row] = 1;
  }
  return isFirst;
}

function hashOf({ starts, tokens }: Occurrences, row: number): number {
  let hash = 0x811c9dc5;
  for (let i = starts[row]!; i < starts[row + 1]!; i += 1) {
    hash = Math.imul(hash ^ tokens[i]!, 0x01000193);
    hash ^= hash >>> 15;
  }
  return hash;
}

function areEqual({ starts, tokens, values }: Occurrences, one: number, other: number): boolean {
  const length = starts[one + 1]! - starts[one]!;
  if (starts[other + 1]! - starts[other]! !== length) return false;
  for (let i = 0; i < length; i += 1) {
    const [a, b] = [starts[one]! + i, starts[other]! + i];
    if (tokens[a] !== tokens[b] || values?.[a] !== values?.[b]) return false;
  }
  return true;
}

/** The statistics of a candidate weight at the tokens of its feature. */
export interface GainTerms {
  /** p(y_t = y | x) of the weight's label at each token of the feature, under the current weights. */
  readonly probabilities: Float64Array;
  /** Values of the feature there; absent if all are 1. */
  readonly values?: Float64Array | undefined;
  /** Weights of the tokens' sentences; absent if all are 1. */
  readonly counts?: Float64Array | undefined;
  /** Weighted sum of the feature's values at the tokens whose gold label is the weight's label. */
  readonly observed: number;
}

/** A new weight and the resulting decrease of the objective. */
export interface WeightGain {
  readonly weight: number;
  readonly gain: number;
}

/** Maximum weight: without a penalty, a feature that is always right has an unbounded weight. */
const largest = 30;
const mostSteps = 60;
/** Size of a derivative, relative to the terms of its sum, up to which it counts as zero. */
const tolerance = 1e-10;

/**
 * Returns the gain of a new weight for a feature g with all others fixed:
 *
 *     G(g) = max over mu of LL(w, mu) - LL(w) - l2 mu^2,
 *     LL(w, mu) - LL(w) = mu sum_t g_t [y_t* = y] - sum_t log(1 + p_t(y) (exp(mu g_t) - 1)),
 *
 * by the mean-field approximation: other tokens' labels keep their marginals, so the weight tilts each token's
 * distribution independently. Exact for a single token, or without transitions. Concave in mu; solved by bracketed Newton
 * steps. Cost: about five passes over the tokens of the feature. Gupta, Conditional Random Fields, equation (61), with l2
 * = 1 / (2 sigma^2); after McCallum (2003).
 *
 * @example
 * const terms = { probabilities: Float64Array.of(0.5, 0.5), observed: 2 };
 * weightGain(terms, 1e-9).gain.toFixed(4) // => '1.3863'
 */
export function weightGain(terms: GainTerms, l2: number): WeightGain {
  const { probabilities, observed } = terms;
  let low = -largest;
  let high = largest;
  let weight = 0;
  for (let step = 0; step < mostSteps; step += 1) {
    const { slope, curvature } = derivatives(terms, weight, l2);
    if (Math.abs(slope) <= tolerance * (observed + probabilities.length)) break;
    if (slope > 0) low = weight;
    else high = weight;
    const next = weight + slope / curvature;
    weight = next > low && next < high ? next : (low + high) / 2;
  }
  return { weight, gain: gainAt(terms, weight, l2) };
}

/** Returns the first derivative of the maximised function and the negated second derivative. */
function derivatives(
  { probabilities, values, counts, observed }: GainTerms,
  weight: number,
  l2: number,
): { slope: number; curvature: number } {
  let slope = observed - 2 * l2 * weight;
  let curvature = 2 * l2 + Number.MIN_VALUE;
  let tilt = Math.exp(weight);
  for (let i = 0; i < probabilities.length; i += 1) {
    const p = probabilities[i]!;
    const value = values === undefined ? 1 : values[i]!;
    if (values !== undefined) tilt = Math.exp(weight * value);
    const tilted = (p * tilt) / (1 + p * (tilt - 1));
    const count = counts === undefined ? 1 : counts[i]!;
    slope -= count * value * tilted;
    curvature += count * value * value * tilted * (1 - tilted);
  }
  return { slope, curvature };
}

function gainAt(
  { probabilities, values, counts, observed }: GainTerms,
  weight: number,
  l2: number,
): number {
  let gain = weight * observed - l2 * weight * weight;
  let excess = Math.expm1(weight);
  for (let i = 0; i < probabilities.length; i += 1) {
    if (values !== undefined) excess = Math.expm1(weight * values[i]!);
    gain -= (counts === undefined ? 1 : counts[i]!) * Math.log1p(probabilities[i]! * excess);
  }
  return gain;
}
