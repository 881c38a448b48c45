import type { Minibatch } from '../../../core/minibatch/minibatch.js';
import { type Occurrences, occurrencesOf } from '../../descent/occurrences.js';
import type { Objective } from '../../objective.js';
import { firstOfEquals } from './first-of-equals.js';
import { type WeightGain, weightGain } from './weight-gain.js';

/** A weight that may be added: its place among the state weights, and its gain. */
export interface Candidate extends WeightGain {
  readonly place: number;
}

/** Candidates whose gains are worked out before a look at which can still be among the best. */
const atOnce = 4096;

/**
 * The weights that `FeatureInduction` may add: those of a state feature and a gold label of one of its tokens. Of features
 * that are active at the same tokens, only the first is a candidate. Memory: 4 bytes for each feature of a token, and a
 * probability for each label of a token.
 */
export class CandidateGains {
  readonly #occurrences: Occurrences;
  readonly #isFirst: Uint8Array;
  readonly #labels: number;
  readonly #width: number;
  readonly #gold: Int32Array;
  /** How often the sentence of each token counts. */
  readonly #counts: Float64Array | undefined;
  /** `[tokens x labels]` p(y_t = y | x). */
  readonly #probabilities: Float64Array;

  constructor({ corpus, parameters }: Objective) {
    const { labels, width, stateRows } = parameters;
    this.#labels = labels;
    this.#width = width;
    this.#occurrences = occurrencesOf(corpus, 'state', stateRows);
    this.#isFirst = firstOfEquals(this.#occurrences);
    const tokens = corpus.reduce((sum, batch) => sum + batch.tokens, 0);
    this.#gold = new Int32Array(tokens);
    this.#probabilities = new Float64Array(tokens * labels);
    const weighted = corpus.some(({ weights }) => weights !== undefined);
    this.#counts = weighted ? new Float64Array(tokens) : undefined;
    let before = 0;
    for (const batch of corpus) {
      this.#gold.set(batch.gold.subarray(0, batch.tokens), before);
      eachSentence(batch, (s, first, end) => {
        this.#counts?.fill(batch.weights?.[s] ?? 1, before + first, before + end);
      });
      before += batch.tokens;
    }
  }

  /**
   * Takes the marginals of a corpus, the one it was made with or that with fewer features. Cost: one forward-backward pass.
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
        }
      });
      before += batch.tokens;
    }
  }

  /**
   * The candidates with the largest gains above `least`, `most` of them or fewer, the best first; of equal ones the one whose
   * place comes first. With g the derivative of the gain at 0 it is at most g^2 / (4 l2), so that most candidates are never
   * worked out. Cost: two looks at all features of all tokens, and some for the best.
   *
   * @param isActive whether the weight at a place is there already
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

  /** The gain of the weight at a place. */
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

  /** Each candidate with the derivative of its gain at 0: observed less expected values. */
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
