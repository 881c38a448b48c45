import { occurrencesOf } from '../descent/occurrences.js';
import type { Objective } from '../objective.js';
import { type StatisticRanges, statisticRanges } from './statistic-ranges.js';

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
   * @param reach statistics are taken to differ by no more; a decrease is sure where that is `widest`
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
