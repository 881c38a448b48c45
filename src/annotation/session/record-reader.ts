import { from } from 'rxjs';
import * as z from 'zod/mini';
import { TagstreamError } from '../../engine/core/errors.js';
import type { Document, Range } from '../../engine/core/sentence/document.js';
import type { Sentence } from '../../engine/core/sentence/sentence.js';
import { type TokenizeOptions, tokenize } from '../../engine/operators/tokenize.js';
import { columnsOf } from '../learning/columns-of.js';
import type { RecordQueue } from '../queue/record-queue.js';
import type { FixedTags } from '../task/fixed-tags.js';

/** A tokenized record of the queue. */
export interface DividedRecord {
  readonly record: number;
  readonly document: Document;
  readonly sentences: readonly Sentence[];
  readonly tokens: readonly string[];
  /** Token ranges of the sentences. */
  readonly ranges: readonly Range[];
  readonly offsets?: readonly Range[] | undefined;
  /** Tokens in question, if the record is a question of the operator `ask`. */
  readonly asked?: readonly number[] | undefined;
}

/** Maximum number of tokenized records that are kept. */
const kept = 64;

/**
 * Reads and tokenizes records. Unreadable records are noted with the reason, and not read again.
 */
export class RecordReader {
  readonly queue: RecordQueue;
  readonly #options: TokenizeOptions;
  readonly #onUnreadable: (problem: string) => void;
  readonly #recent = new Map<number, DividedRecord>();
  readonly #unreadable = new Set<number>();
  #columns: readonly string[] | undefined;

  constructor(
    queue: RecordQueue,
    options: TokenizeOptions,
    onUnreadable: (problem: string) => void,
  ) {
    this.queue = queue;
    this.#options = options;
    this.#onUnreadable = onUnreadable;
  }

  /** Names of the first record's columns, which all others must have. */
  get columns(): readonly string[] {
    if (this.#columns === undefined) {
      let first: DividedRecord | undefined;
      for (let i = 0; i < this.queue.size && first === undefined; i += 1) first = this.read(i);
      this.#columns = columnsOf(first?.sentences ?? []);
    }
    return this.#columns;
  }

  /** Number of unreadable records. */
  get unreadable(): number {
    return this.#unreadable.size;
  }

  isReadable(record: number): boolean {
    return !this.#unreadable.has(record);
  }

  /** Reads a record; undefined if it cannot be read. */
  read(record: number): DividedRecord | undefined {
    if (this.#unreadable.has(record)) return undefined;
    const known = this.#recent.get(record);
    if (known !== undefined) return known;
    try {
      const read = divided(record, this.queue.read(record), this.#options);
      for (const { columns } of read.sentences) requireColumns(columns, this.#columns ?? []);
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

function requireColumns(columns: Sentence['columns'], names: readonly string[]): void {
  const missing = names.find(name => name !== 'form' && !Object.hasOwn(columns, name));
  if (missing === undefined) return;
  throw new TagstreamError('unknown-column', `it lacks the column ${missing} of the first record`, {
    fix: 'give all records the same columns',
  });
}

function divided(record: number, document: Document, options: TokenizeOptions): DividedRecord {
  const sentences = recordSentences(document, options);
  const offsets = sentences.flatMap(sentence => sentence.offsets ?? []);
  const tokens = sentences.flatMap(sentence => sentence.tokens);
  const asked = askedIn(document.raw, tokens.length);
  return {
    record,
    document,
    sentences,
    tokens,
    ranges: sentences.map(({ tokens, part }) => [part.start, part.start + tokens.length]),
    ...(offsets.length === 0 ? {} : { offsets }),
    ...(asked && { asked }),
  };
}

/** Whether the sentences of a record were found by the program, so that a span may cross their ends. */
export function areGuessed({ document }: Pick<DividedRecord, 'document'>): boolean {
  return document.tokens === undefined;
}

/**
 * Returns a record with each guessed sentence joined to the one before it if a span continues in it.
 *
 * @param tags tags of the record, in part or all
 */
export function withSpansAcross(read: DividedRecord, tags: FixedTags): DividedRecord {
  const continues = (start: number) => start > 0 && tags[start]?.startsWith('I-') === true;
  if (!areGuessed(read) || !read.ranges.some(([start]) => continues(start))) return read;
  const ranges: [number, number][] = [];
  for (const [start, end] of read.ranges) {
    if (continues(start)) ranges.at(-1)![1] = end;
    else ranges.push([start, end]);
  }
  const { document, tokens, offsets } = read;
  const multiword = read.sentences.flatMap(({ multiword: own = [], part }) =>
    own.map(([from, to]): Range => [part.start + from, part.start + to]),
  );
  const sentences = ranges.map(([start, end], index): Sentence => {
    const words = multiword.filter(([from, to]) => from >= start && to <= end);
    return {
      ...{ tokens: tokens.slice(start, end), columns: {}, document },
      ...(offsets && { offsets: offsets.slice(start, end) }),
      ...(words.length > 0 && { multiword: words.map(([a, b]): Range => [a - start, b - start]) }),
      part: { index, count: ranges.length, start },
    };
  });
  return { ...read, sentences, ranges };
}

const question = z.object({
  predicted: z.array(z.nullable(z.string())),
  asked: z.array(z.int().check(z.minimum(0))).check(z.minLength(1)),
});

/**
 * Returns the tokens in question if the record is a question, which also has a predicted tag for
 * each token, or null before the model knew a label.
 */
function askedIn(raw: string | undefined, tokens: number): readonly number[] | undefined {
  // Most records are not questions, and need not be parsed a second time.
  if (raw === undefined || !raw.includes('"asked"')) return undefined;
  const { data } = question.safeParse(JSON.parse(raw));
  const fits = data?.predicted.length === tokens && data.asked.every(t => t < tokens);
  return fits ? data.asked : undefined;
}

/**
 * Returns the sentences of one record synchronously.
 *
 * @throws TagstreamError errors of `tokenize` for a record
 */
function recordSentences(document: Document, options: TokenizeOptions): Sentence[] {
  const sentences: Sentence[] = [];
  let failure: unknown;
  from([document])
    .pipe(tokenize(options))
    .subscribe({
      next: sentence => sentences.push(sentence),
      error: error => {
        failure = error;
      },
    });
  if (failure !== undefined) throw failure;
  return sentences;
}
