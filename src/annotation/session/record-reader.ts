import { TagstreamError } from '../../core/errors.js';
import type { Document, Range } from '../../core/sentence/document.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { TokenizeOptions } from '../../operators/tokenize.js';
import { recordSentences } from '../learning/record-sentences.js';
import type { RecordQueue } from '../queue/record-queue.js';

/** A record of the queue, divided. */
export interface DividedRecord {
  readonly record: number;
  readonly document: Document;
  readonly sentences: readonly Sentence[];
  readonly tokens: readonly string[];
  /** Token ranges of the sentences. */
  readonly ranges: readonly Range[];
  readonly offsets?: readonly Range[] | undefined;
}

/** Records that are kept divided. */
const kept = 64;

/** Reads and divides records; those that cannot be read are noted with their reasons, and never read again. */
export class RecordReader {
  readonly queue: RecordQueue;
  readonly #options: TokenizeOptions;
  readonly #onUnreadable: (problem: string) => void;
  readonly #recent = new Map<number, DividedRecord>();
  readonly #unreadable = new Set<number>();

  constructor(
    queue: RecordQueue,
    options: TokenizeOptions,
    onUnreadable: (problem: string) => void,
  ) {
    this.queue = queue;
    this.#options = options;
    this.#onUnreadable = onUnreadable;
  }

  /** Records that could not be read. */
  get unreadable(): number {
    return this.#unreadable.size;
  }

  isReadable(record: number): boolean {
    return !this.#unreadable.has(record);
  }

  /** Undefined for a record that cannot be read. */
  read(record: number): DividedRecord | undefined {
    if (this.#unreadable.has(record)) return undefined;
    const known = this.#recent.get(record);
    if (known !== undefined) return known;
    try {
      const read = divided(record, this.queue.read(record), this.#options);
      this.#recent.set(record, read);
      const [oldest] = this.#recent.keys();
      if (this.#recent.size > kept) this.#recent.delete(oldest!);
      return read;
    } catch (thrown) {
      const place = { source: `${this.queue.path}, record ${record + 1}` };
      this.#unreadable.add(record);
      this.#onUnreadable(TagstreamError.from(thrown, 'wrong-shape', place).message);
      return undefined;
    }
  }
}

function divided(record: number, document: Document, options: TokenizeOptions): DividedRecord {
  const sentences = recordSentences(document, options);
  const offsets = sentences.flatMap(sentence => sentence.offsets ?? []);
  return {
    record,
    document,
    sentences,
    tokens: sentences.flatMap(sentence => sentence.tokens),
    ranges: sentences.map(({ tokens, part }) => [part.start, part.start + tokens.length]),
    ...(offsets.length === 0 ? {} : { offsets }),
  };
}
