import { TagstreamError } from '../../../core/errors.js';
import type { EncodedSentence } from '../../../core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../../core/minibatch/minibatch.js';
import { splitOnPrevious } from '../../../kernels/store/regression-tree.js';

/**
 * The labelled sentences of a corpus as trees see them: the tokens of each feature that can split. Features at too few
 * tokens, or at all but too few, never split and are omitted.
 */
export class TreeCorpus {
  readonly sentences: readonly EncodedSentence[];
  /** First token of each sentence, and the end of the last. */
  readonly sentenceStarts: Uint32Array;
  readonly tokens: number;
  /**
   * Rows of the features that can split, ascending; other arrays use indices into this list. If trees see the previous
   * label, each label is a feature of the tokens after it, with index `firstPrevious` or above and row `splitOnPrevious`
   * minus 1.
   */
  readonly rows: Uint32Array;
  readonly firstPrevious: number;
  /** Where each token's features begin in `features`, and the end of the last. */
  readonly starts: Uint32Array;
  readonly features: Uint32Array;

  /**
   * @param stateRows number of rows of the state features
   * @param labels number of possible previous labels; 0 if trees do not see them
   * @param least minimum number of tokens with, and without, a feature that can split
   * @throws TagstreamError `config` for numeric features, which are neither present nor absent
   */
  constructor(
    corpus: readonly Minibatch[],
    { stateRows, labels = 0 }: { readonly stateRows: number; readonly labels?: number },
    least: number,
  ) {
    if (corpus.some(({ stateValues }) => stateValues !== undefined)) throw withNumbers();
    this.sentences = corpus.flatMap(({ sentences, labelled }) =>
      sentences.filter((_, s) => labelled[s] === 1),
    );
    this.sentenceStarts = new Uint32Array(this.sentences.length + 1);
    const counts = new Uint32Array(stateRows);
    for (const [s, { length }] of this.sentences.entries()) {
      this.sentenceStarts[s + 1] = this.sentenceStarts[s]! + length;
    }
    this.tokens = this.sentenceStarts[this.sentences.length]!;
    this.#eachFeature(stateRows, row => {
      counts[row]! += 1;
    });
    const numbers = new Int32Array(stateRows).fill(-1);
    const splitting: number[] = [];
    let size = 0;
    for (let row = 0; row < stateRows; row += 1) {
      const count = counts[row]!;
      if (count < least || this.tokens - count < least) continue;
      numbers[row] = splitting.length;
      splitting.push(row);
      size += count;
    }
    this.firstPrevious = splitting.length;
    for (let y = 0; y < labels; y += 1) splitting.push(splitOnPrevious(y) - 1);
    this.rows = Uint32Array.from(splitting);
    this.starts = new Uint32Array(this.tokens + 1);
    this.features = new Uint32Array(size);
    let next = 0;
    this.#eachFeature(stateRows, (row, token) => {
      const number = numbers[row]!;
      if (number >= 0) {
        this.features[next] = number;
        next += 1;
      }
      this.starts[token + 1] = next;
    });
    // A token without features ends where the previous token does.
    for (let t = 0; t < this.tokens; t += 1) {
      this.starts[t + 1] = Math.max(this.starts[t]!, this.starts[t + 1]!);
    }
  }

  /**
   * Calls back for each token's features in turn, once per feature even if several templates produce it.
   */
  #eachFeature(stateRows: number, found: (row: number, token: number) => void): void {
    const last = new Int32Array(stateRows).fill(-1);
    let token = 0;
    for (const { length, stateStarts, stateRows: rows } of this.sentences) {
      for (let t = 0; t < length; t += 1) {
        for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
          const row = rows[k]!;
          if (last[row] === token) continue;
          last[row] = token;
          found(row, token);
        }
        token += 1;
      }
    }
  }
}

function withNumbers(): TagstreamError {
  return new TagstreamError('config', 'trees only split on binary features', {
    fix: 'leave out templates with numbers (%v), or use a column of classes instead',
  });
}
