import type { Minibatch } from '../../../core/minibatch/minibatch.js';
import type { RealTable } from '../../../kernels/memory/real-table.js';
import type { TokenScores } from '../../../kernels/store/parameter-store.js';
import type { RegressionTree } from '../../../kernels/store/regression-tree.js';
import { TreeWalk } from '../../../kernels/trees/tree-walk.js';
import type { TreeCorpus } from './tree-corpus.js';

/**
 * What the trees so far say of the tokens of a corpus, one row of float64 a token: a further tree is walked once for
 * each token, and a round scores its sentences without a look at those before.
 */
export class KeptScores implements TokenScores {
  readonly trees: RegressionTree[] = [];
  readonly #corpus: TreeCorpus;
  readonly #labels: number;
  /** `[tokens x labels]`. */
  readonly #scores: Float64Array;
  readonly #active: Uint8Array;
  /** Sentences of the minibatch that is scored next, by their numbers in the corpus. */
  sentences: readonly number[] = [];

  constructor(corpus: TreeCorpus, labels: number) {
    this.#corpus = corpus;
    this.#labels = labels;
    this.#scores = new Float64Array(corpus.tokens * labels);
    this.#active = new Uint8Array((corpus.rows.at(-1) ?? -1) + 1);
  }

  /** Adds a tree to those that are kept. Cost O(tokens x (features + depth + values of a leaf)). */
  add(tree: RegressionTree): void {
    const { tokens, starts, features, rows } = this.#corpus;
    const active = this.#active;
    const walk = new TreeWalk(tree);
    for (let t = 0; t < tokens; t += 1) {
      const first = starts[t]!;
      const last = starts[t + 1]!;
      for (let f = first; f < last; f += 1) active[rows[features[f]!]!] = 1;
      walk.addTo(walk.leaf(active), this.#scores, t * this.#labels);
      for (let f = first; f < last; f += 1) active[rows[features[f]!]!] = 0;
    }
    this.trees.push(tree);
  }

  /** Adds what is kept of `sentences`, of which the minibatch has to be made. */
  addTo(
    { sentenceStarts }: Pick<Minibatch, 'sentenceStarts'>,
    { view: scores }: RealTable,
    width: number,
  ): void {
    const labels = this.#labels;
    const { sentenceStarts: firstTokens } = this.#corpus;
    for (const [s, sentence] of this.sentences.entries()) {
      let from = firstTokens[sentence]! * labels;
      for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
        const row = t * width;
        for (let y = 0; y < labels; y += 1) scores[row + y]! += this.#scores[from + y]!;
        from += labels;
      }
    }
  }
}
