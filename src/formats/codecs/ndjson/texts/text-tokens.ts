import type { TextTable } from '../../../../engine/features/texts/text-table.js';
import type { TextColumns } from '../../../../engine/features/texts/text-work.js';
import type { LinearMemory } from '../../../../engine/kernels/memory/linear-memory.js';
import { Region } from '../../../../engine/kernels/memory/region.js';
import type { TokenizeOptions } from '../../../../engine/operators/tokenize.js';
import type { PlainEnding } from '../../plain-reader.js';
import type { PlainRecords } from '../plain-records.js';

/** Number of tokens found at a time, unless one record has more. */
export const fewTokens = 4096;

/** Addresses, for the kernel, of the tokens of texts. */
export interface TokenPlaces {
  /** Table of (address, length) of each token. */
  readonly places: number;
  /** Table of (start, end) of each token in UTF-16 units of its text. */
  readonly ranges: number;
  /** Table of the ends of sentences, as numbers of tokens. */
  readonly sentenceEnds: number;
}

/** Records whose texts were split. */
export interface DividedTexts {
  readonly records: number;
  /** Why the next record was not included. */
  readonly ending: PlainEnding;
  /** First token of each sentence, followed by the number of tokens. */
  readonly starts: readonly number[];
  /** First sentence of each record, followed by the number of sentences. */
  readonly firstSentences: readonly number[];
}

/** Settings and context of a text splitter. */
export interface TextDivision {
  readonly records: PlainRecords;
  readonly texts: TextTable;
  /** Destination of the tokens found. */
  readonly tokens: TextTokens;
  readonly tokenization: TokenizeOptions;
  /** Maximum number of tokens per sentence. */
  readonly maxTokens: number;
  /** Maximum number of tokens per plain text. */
  readonly mostTokens: number;
}

/** The result for no records. */
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

  /** Makes room for tokens; the contents are lost. */
  reserve(tokens: number): void {
    this.numbers.reserve(4 * tokens);
    this.places.reserve(8 * tokens);
    this.ranges.reserve(8 * tokens);
    this.#count = tokens;
  }

  endSentences(starts: readonly number[]): void {
    this.#sentences.write(Uint32Array.from(starts).subarray(1));
  }

  /** Addresses of the numbers of the tokens' texts. */
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
