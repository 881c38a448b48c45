import type { TextTable } from '../../../../features/texts/text-table.js';
import type { TextColumns } from '../../../../features/texts/text-work.js';
import type { LinearMemory } from '../../../../kernels/memory/linear-memory.js';
import { Region } from '../../../../kernels/memory/region.js';
import type { TokenizeOptions } from '../../../../operators/tokenize.js';
import type { PlainEnding } from '../../plain-reader.js';
import type { PlainRecords } from '../plain-records.js';

/** Tokens found at a time, unless one record has more. */
export const fewTokens = 4096;

/** Where the kernel finds the tokens of texts. */
export interface TokenPlaces {
  /** (address, length) of each token. */
  readonly places: number;
  /** (start, end) of each in UTF-16 units of its text. */
  readonly ranges: number;
  /** Ends of the sentences, as numbers of tokens. */
  readonly sentenceEnds: number;
}

/** Records whose texts were split. */
export interface DividedTexts {
  readonly records: number;
  /** Why the next record is not included. */
  readonly ending: PlainEnding;
  /** First token of each sentence, and after the last the number of tokens. */
  readonly starts: readonly number[];
  /** First sentence of each record, and after the last the number of sentences. */
  readonly firstSentences: readonly number[];
}

/** The environment of a text splitter. */
export interface TextDivision {
  readonly records: PlainRecords;
  readonly texts: TextTable;
  /** Receives the tokens found. */
  readonly tokens: TextTokens;
  readonly tokenization: TokenizeOptions;
  /** Most tokens of a sentence. */
  readonly maxTokens: number;
  /** Most tokens of a plain text. */
  readonly mostTokens: number;
}

/** The result without any record. */
export const nothingDivided: DividedTexts = {
  ...{ records: 0, ending: 'not-plain', starts: [0], firstSentences: [0] },
};

/** The last tokens found, for the kernel. */
export class TextTokens {
  readonly numbers: Region;
  readonly places: Region;
  readonly ranges: Region;
  readonly #sentences: Region;
  #count = 0;

  constructor(memory: LinearMemory) {
    this.numbers = new Region(memory);
    this.places = new Region(memory);
    this.ranges = new Region(memory);
    this.#sentences = new Region(memory);
  }

  /** Makes room for tokens; contents are lost. */
  reserve(tokens: number): void {
    this.numbers.reserve(4 * tokens);
    this.places.reserve(8 * tokens);
    this.ranges.reserve(8 * tokens);
    this.#count = tokens;
  }

  endSentences(starts: readonly number[]): void {
    this.#sentences.write(Uint32Array.from(starts).subarray(1));
  }

  /** Where the numbers of the texts of the tokens are. */
  get columns(): TextColumns {
    return { offset: this.numbers.offset, stride: this.#count };
  }

  get tokenPlaces(): TokenPlaces {
    return {
      places: this.places.offset,
      ranges: this.ranges.offset,
      sentenceEnds: this.#sentences.offset,
    };
  }
}
