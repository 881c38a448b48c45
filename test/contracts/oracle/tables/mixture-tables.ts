import type { ChainScores } from '../chain-scores.js';
import { flooredCovariance } from './floored-covariance.js';

/** A token: its word, and its numbers. */
export interface NumberedToken {
  readonly word: string;
  readonly numbers: readonly number[];
}

/** A sentence whose lanes are known: lane = label * components + component. */
export interface LanedSentence {
  readonly tokens: readonly NumberedToken[];
  readonly lanes: readonly number[];
  readonly weight: number;
}

/** What tables are made of. */
export interface MixtureShape {
  readonly labels: number;
  readonly components: number;
  readonly full: boolean;
  readonly k: number;
  readonly transitionK: number;
  /** Least eigenvalue of a covariance, least variance without covariances: `varianceFloor`, 1e-6 unless given. */
  readonly floor?: number;
}

/**
 * A hidden Markov model with mixtures of Gaussian densities as its definition has it: counts by label and by lane, means
 * and covariances of two passes over the numbers of a lane, with the floor that is documented, the density by solving with the triangles of elimination.
 * Every word of the corpus has an entry.
 */
export class MixtureTables {
  readonly #shape: MixtureShape;
  readonly #corpus: readonly LanedSentence[];
  #all: (NumberedToken & { readonly weight: number; readonly lane: number })[] | undefined;
  readonly #known = new Map<string, number>();
  readonly #means: readonly (readonly number[])[];
  readonly covariances: readonly (readonly (readonly number[])[])[];

  constructor(corpus: readonly LanedSentence[], shape: MixtureShape) {
    this.#shape = shape;
    this.#corpus = corpus;
    const lanes = Array.from({ length: shape.labels * shape.components }, (_, lane) => lane);
    const tokens = this.#tokens();
    const n = tokens[0]!.numbers.length;
    const axes = Array.from({ length: n }, (_, i) => i);
    const own = lanes.map(lane => tokens.filter(token => token.lane === lane));
    const mean = (among: typeof tokens, of: (numbers: readonly number[]) => number) =>
      sum(among.map(({ numbers, weight }) => weight * of(numbers))) /
      sum(among.map(({ weight }) => weight));
    this.#means = own.map(among => axes.map(i => mean(among, x => x[i]!)));
    this.covariances = own.map((among, lane) => {
      const m = this.#means[lane]!;
      const { full, floor = 1e-6 } = shape;
      const sample = axes.map(i =>
        axes.map(j => (i === j || full ? mean(among, x => (x[i]! - m[i]!) * (x[j]! - m[j]!)) : 0)),
      );
      if (full) return flooredCovariance(sample, floor);
      return sample.map((row, i) => row.map((value, j) => (i === j ? Math.max(value, floor) : 0)));
    });
  }

  #tokens() {
    this.#all ??= this.#corpus.flatMap(({ tokens, lanes, weight }) =>
      tokens.map((token, t) => ({ ...token, weight, lane: lanes[t]! })),
    );
    return this.#all;
  }

  /** What was worked out once is not worked out again. */
  #once(key: string, make: () => number): number {
    let found = this.#known.get(key);
    if (found === undefined) {
      found = make();
      this.#known.set(key, found);
    }
    return found;
  }

  labelOf(lane: number): number {
    return Math.floor(lane / this.#shape.components);
  }

  /** Weight of the tokens of a label. */
  #count(label: number): number {
    return this.#once(`label ${label}`, () =>
      sum(this.#tokens().map(each => (this.labelOf(each.lane) === label ? each.weight : 0))),
    );
  }

  share(lane: number): number {
    const { transitionK, components } = this.#shape;
    const own = this.#once(`lane ${lane}`, () =>
      sum(this.#tokens().map(each => (each.lane === lane ? each.weight : 0))),
    );
    return (own + transitionK) / (this.#count(this.labelOf(lane)) + transitionK * components);
  }

  #words: readonly string[] | undefined;

  get words(): readonly string[] {
    this.#words ??= [...new Set(this.#tokens().map(({ word }) => word))];
    return this.#words;
  }

  word(word: string, label: number): number {
    const { k } = this.#shape;
    const own = this.#once(`word ${word} ${label}`, () =>
      sum(
        this.#tokens().map(each =>
          each.word === word && this.labelOf(each.lane) === label ? each.weight : 0,
        ),
      ),
    );
    // One entry is that of words that never came.
    const entries = this.words.length + 1;
    return (own + k) / (this.#count(label) + k * entries);
  }

  /** Weight of the pairs of a label before, none at the first token, and a label. */
  #pairs(from: number | undefined, to: number): number {
    return this.#once(`pair ${from} ${to}`, () =>
      sum(
        this.#corpus.map(({ lanes, weight }) => {
          const pairs = lanes.filter((lane, t) => {
            const before = t === 0 ? undefined : this.labelOf(lanes[t - 1]!);
            return before === from && this.labelOf(lane) === to;
          });
          return weight * pairs.length;
        }),
      ),
    );
  }

  transition(from: number | undefined, to: number): number {
    const { labels, transitionK } = this.#shape;
    const all = sum(Array.from({ length: labels }, (_, y) => this.#pairs(from, y)));
    return (this.#pairs(from, to) + transitionK) / (all + transitionK * labels);
  }

  logDensity(x: readonly number[], lane: number): number {
    return logNormal(x, this.#means[lane]!, this.covariances[lane]!);
  }

  mean(lane: number): readonly number[] {
    return this.#means[lane]!;
  }

  /** log p(x, y, m) in parts: what the lane of each token has, and each transition. */
  scores(tokens: readonly NumberedToken[]): ChainScores {
    const { labels, components } = this.#shape;
    const lanes = Array.from({ length: labels * components }, (_, lane) => lane);
    const firsts = lanes.map(lane => Math.log(this.transition(undefined, this.labelOf(lane))));
    const shares = lanes.map(lane => Math.log(this.share(lane)));
    const emissions = tokens.map(({ word, numbers }, t) =>
      lanes.map(
        lane =>
          (t === 0 ? firsts[lane]! : 0) +
          shares[lane]! +
          Math.log(this.word(word, this.labelOf(lane))) +
          this.logDensity(numbers, lane),
      ),
    );
    const matrix = lanes.map(from =>
      lanes.map(to => Math.log(this.transition(this.labelOf(from), this.labelOf(to)))),
    );
    return { emissions, transitions: tokens.map(() => matrix) };
  }

  logPrior(): number {
    const { labels, components, k, transitionK } = this.#shape;
    let total = 0;
    for (let y = 0; y < labels; y += 1) {
      const tokens = this.#count(y) + k * (this.words.length + 1);
      total += k * Math.log(k / tokens);
      for (const word of this.words) total += k * Math.log(this.word(word, y));
      for (let to = 0; to < labels; to += 1) {
        total += transitionK * Math.log(this.transition(y, to));
      }
      total += transitionK * Math.log(this.transition(undefined, y));
      for (let m = 0; components > 1 && m < components; m += 1) {
        total += transitionK * Math.log(this.share(y * components + m));
      }
    }
    return total;
  }
}

/** log N(x; m, S), S = L L': z = L^-1 (x - m) by solving with the triangle, then -(z'z + log|2 pi S|) / 2. */
export function logNormal(
  x: readonly number[],
  m: readonly number[],
  covariance: readonly (readonly number[])[],
): number {
  const n = x.length;
  const rows: number[][] = [];
  let logDeterminant = 0;
  let square = 0;
  const z: number[] = [];
  for (let i = 0; i < n; i += 1) {
    const row: number[] = [];
    for (let j = 0; j < i; j += 1) {
      const done = sum(row.map((value, k) => value * rows[j]![k]!));
      row.push((covariance[i]![j]! - done) / rows[j]![j]!);
    }
    row.push(Math.sqrt(covariance[i]![i]! - sum(row.map(value => value * value))));
    rows.push(row);
    logDeterminant += 2 * Math.log(row[i]!);
    const rest = x[i]! - m[i]! - sum(z.map((value, k) => value * row[k]!));
    z.push(rest / row[i]!);
    square += z[i]! * z[i]!;
  }
  return -(square + logDeterminant + n * Math.log(2 * Math.PI)) / 2;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
