import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import type { ChainScores } from '../chain-scores.js';

/** What a token is at one level of a column: a text, or nothing. */
export type ClassOf = (token: string) => string | undefined;

/** How the tables of the oracle are smoothed. */
export interface TableShape {
  readonly labels: readonly string[];
  /** From the word to ever larger classes. */
  readonly chain: readonly ClassOf[];
  /** A column of numbers. */
  readonly numbers?: string;
  readonly k: number;
  readonly transitionK: number;
  readonly minCount: number;
  /** What chooses the entries, if it is not the corpus that is counted. */
  readonly vocabulary?: readonly Sentence[];
}

/** The last letters of a token, if it has so many. */
export const suffixOf =
  (length: number): ClassOf =>
  token => {
    const letters = [...token];
    return letters.length < length ? undefined : letters.slice(-length).join('');
  };

const unknown = 'unknown';

/**
 * The tables of a hidden Markov model as its definition has them: entries are chosen level by level among the tokens
 * that are left, then each token is looked up and counted. No rows, no weights, nothing that is subtracted.
 */
export class HmmTables {
  readonly #shape: TableShape;
  readonly #corpus: readonly Sentence[];
  readonly #entries = new Set<string>();
  readonly #emitted = new Map<string, number>();
  readonly #tokens = new Map<string, number>();
  readonly #pairs = new Map<string, number>();

  constructor(corpus: readonly Sentence[], shape: TableShape) {
    this.#shape = shape;
    this.#corpus = corpus;
    let left = (shape.vocabulary ?? corpus).flatMap(({ tokens, weight = 1 }) =>
      tokens.map(token => ({ token, weight })),
    );
    for (const [level, classOf] of shape.chain.entries()) {
      const totals = new Map<string, number>();
      for (const { token, weight } of left) add(totals, `${level} ${classOf(token)}`, weight);
      const has = (token: string) =>
        classOf(token) !== undefined &&
        totals.get(`${level} ${classOf(token)}`)! >= shape.minCount - 1e-9;
      for (const { token } of left) if (has(token)) this.#entries.add(`${level} ${classOf(token)}`);
      left = left.filter(({ token }) => !has(token));
    }
    for (const { tokens, tags, weight = 1 } of corpus) {
      for (const [t, token] of tokens.entries()) {
        const tag = tags![t]!;
        add(this.#emitted, `${this.entryOf(token)}|${tag}`, weight);
        add(this.#tokens, tag, weight);
        add(this.#pairs, `${t === 0 ? '' : tags![t - 1]}|${tag}`, weight);
      }
    }
  }

  /** All entries of a label's table, that of unknown words among them. */
  get entries(): readonly string[] {
    return [...this.#entries, unknown];
  }

  /** What a token is emitted as. */
  entryOf(token: string): string {
    for (const [level, classOf] of this.#shape.chain.entries()) {
      const entry = `${level} ${classOf(token)}`;
      if (classOf(token) !== undefined && this.#entries.has(entry)) return entry;
    }
    return unknown;
  }

  emission(entry: string, label: string): number {
    const { k } = this.#shape;
    const count = this.#emitted.get(`${entry}|${label}`) ?? 0;
    return (count + k) / ((this.#tokens.get(label) ?? 0) + k * this.entries.length);
  }

  /** @param from absent for the label of a first token */
  transition(from: string | undefined, to: string): number {
    const { labels, transitionK } = this.#shape;
    const count = (label: string) => this.#pairs.get(`${from ?? ''}|${label}`) ?? 0;
    const all = labels.reduce((sum, label) => sum + count(label), 0);
    return (count(to) + transitionK) / (all + transitionK * labels.length);
  }

  /** The logarithm of the prior whose mode the smoothed tables are: k and K times those of all their entries. */
  logPrior(): number {
    const { labels, k, transitionK } = this.#shape;
    let sum = 0;
    for (const label of labels) {
      for (const entry of this.entries) sum += k * Math.log(this.emission(entry, label));
      for (const from of [undefined, ...labels]) {
        sum += transitionK * Math.log(this.transition(from, label));
      }
    }
    return sum;
  }

  /**
   * The logarithm of the textbook's normal density, with mean and variance of two passes over a label's numbers; of all
   * where it has none, and the variance at least 1e-6, as is documented.
   */
  logDensity(x: number, label: string): number {
    const { numbers } = this.#shape;
    const numbered = this.#corpus.flatMap(({ tags, columns, weight = 1 }) =>
      columns[numbers!]!.map((each, t) => ({ x: Number(each), weight, tag: tags![t] })),
    );
    const ofLabel = numbered.filter(({ tag }) => tag === label);
    const own = ofLabel.length > 0 ? ofLabel : numbered;
    const all = own.reduce((sum, each) => sum + each.weight, 0);
    const mean = own.reduce((sum, each) => sum + each.weight * each.x, 0) / all;
    const sample = own.reduce((sum, each) => sum + each.weight * (each.x - mean) ** 2, 0) / all;
    const variance = Math.max(sample, 1e-6);
    return -((x - mean) ** 2) / (2 * variance) - Math.log(2 * Math.PI * variance) / 2;
  }

  /** log p(x, y) in parts: what the label of each token has, and each transition. */
  scores({ tokens, columns }: Pick<Sentence, 'tokens' | 'columns'>): ChainScores {
    const { labels, numbers } = this.#shape;
    const emissions = tokens.map((token, t) =>
      labels.map(label => {
        const first = t === 0 ? Math.log(this.transition(undefined, label)) : 0;
        const density =
          numbers === undefined ? 0 : this.logDensity(Number(columns[numbers]![t]), label);
        return first + density + Math.log(this.emission(this.entryOf(token), label));
      }),
    );
    const matrix = labels.map(from => labels.map(to => Math.log(this.transition(from, to))));
    return { emissions, transitions: tokens.map(() => matrix) };
  }
}

function add(counts: Map<string, number>, key: string, amount: number): void {
  counts.set(key, (counts.get(key) ?? 0) + amount);
}
