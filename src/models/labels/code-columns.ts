import type { CodeDecoder, OutputCodes } from '../../kernels/store/output-codes.js';
import { type CodeChoice, codeWords } from './code-words.js';

/** Labels as words of a code, with a binary chain for each bit; plain data, part of a model's specification. */
export type CodeSpec = CodeChoice & { readonly decoder: CodeDecoder };

/**
 * The columns of labels that are words of a code: two for each bit, chosen once all labels are known.
 *
 * @example
 * const columns = new CodeColumns({ kind: 'one-against-rest', decoder: 'product' });
 * columns.choose(2);
 * columns.names // => ['bit1=0', 'bit1=1', 'bit2=0', 'bit2=1']
 */
export class CodeColumns {
  readonly #spec: CodeSpec;
  readonly #words: (readonly number[])[] = [];
  readonly #names: string[] = [];
  /** The words of the labels; filled in when they are chosen. */
  readonly codes: OutputCodes;

  constructor(spec: CodeSpec) {
    this.#spec = spec;
    this.codes = { words: this.#words, decoder: spec.decoder };
  }

  get names(): readonly string[] {
    return this.#names;
  }

  /**
   * Chooses the word of each label.
   *
   * @throws TagstreamError `config` where there is no such code
   */
  choose(labels: number): void {
    this.place(codeWords(this.#spec, labels));
  }

  /** Gives the labels these words, of one length, in the place of what they had. */
  place(words: readonly (readonly number[])[]): void {
    this.#words.splice(0, this.#words.length, ...words);
    this.#names.length = 0;
    for (let b = 1; b <= (words[0]?.length ?? 0); b += 1) {
      this.#names.push(`bit${b}=0`, `bit${b}=1`);
    }
  }
}
