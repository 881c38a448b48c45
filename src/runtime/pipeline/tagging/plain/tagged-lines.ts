import type { LinearMemory } from '../../../../engine/kernels/memory/linear-memory.js';
import { Region, writeTexts } from '../../../../engine/kernels/memory/region.js';
import { recordFunctions } from '../../../../engine/kernels/simd/record-functions.js';
import { spanPairs } from '../../../../engine/text/tags/spans.js';
import type { PlainRecords } from '../../../../formats/codecs/ndjson/plain-records.js';
import type { TokenPlaces } from '../../../../formats/codecs/ndjson/texts/text-tokens.js';
import type { TaggedBytes } from './tagged-bytes.js';

/** Bytes past a text that are copied along with it. */
const slack = 16;

/** Number of words in a work order; see assembly/records/write-records.ts. */
const orderWords = 16;

/** Maximum number of bytes added to a record, excluding its labels and spans. */
const recordFrame = 96;

/** Maximum number of bytes of a span, excluding its head, tokens and additions: four numbers and four names. */
const spanFrame = 88;

const noPlaces: TokenPlaces = { places: 0, ranges: 0, sentenceEnds: 0 };

/** Maximum number of bytes added per token of a text: two offsets, and two sentence boundaries. */
const tokenFrame = 56;

/** The parts of each record that are written. */
export type WrittenForm = 'tags' | 'without-spans' | 'with-spans';

/** Additions to records after tags and spans, as JSON text that begins with the comma. */
export interface MoreResults {
  /** The tokens found in the texts of records, if they are written too. */
  readonly tokenPlaces?: TokenPlaces | undefined;
  /** Additions after the spans of each record. */
  readonly records?: readonly string[] | undefined;
  /** Additions at the end of each span, span by span. */
  readonly spans?: readonly string[] | undefined;
}

/**
 * Writes tagged NDJSON records as bytes: in their shortest form, `{"id":...,"tags":[...]}`, or whole, as `spliceRecord`
 * writes them.
 */
export class TaggedLines {
  readonly #memory: LinearMemory;
  readonly #form: WrittenForm;
  readonly #labelCount: number;
  /** Addresses and lengths of the labels as JSON, each followed by a comma, and the labels' texts. */
  readonly #texts: Region;
  readonly #longest: number;
  readonly #heads: Region;
  readonly #longestHead: number;
  readonly #pairs: Region;
  readonly #moreOfRecords: Region;
  readonly #moreOfSpans: Region;
  readonly #labels: Region;
  /** `"key":{` for the key under which results go, if any, as bytes. */
  readonly #key: Region | undefined;
  readonly #keyBytes: number;
  readonly #order: number;
  readonly #out: TaggedBytes;

  /** @param into the key under which results go */
  constructor(
    memory: LinearMemory,
    labels: readonly string[],
    form: WrittenForm,
    out: TaggedBytes,
    into?: string,
  ) {
    this.#memory = memory;
    this.#form = form;
    this.#labelCount = labels.length;
    this.#texts = new Region(memory);
    this.#heads = new Region(memory);
    this.#pairs = new Region(memory);
    this.#moreOfRecords = new Region(memory);
    this.#moreOfSpans = new Region(memory);
    this.#labels = new Region(memory);
    this.#out = out;
    this.#order = memory.allocate(4 * orderWords);
    this.#key = into === undefined ? undefined : new Region(memory);
    this.#keyBytes =
      this.#key === undefined ? 0 : writeAll(this.#key, [`${JSON.stringify(into)}:{`]);
    this.#longest = writeAll(
      this.#texts,
      labels.map(label => `${JSON.stringify(label)},`),
    );
    if (form !== 'with-spans') {
      this.#longestHead = 0;
      return;
    }
    const { starts, startsFirst, continues, types } = spanPairs(labels);
    const kinds = Uint8Array.from(starts, (is, i) => is + (continues[i] === 1 ? 0 : 2));
    const pairs = new Uint8Array(4 * Math.ceil((kinds.length + labels.length) / 4));
    pairs.set(kinds);
    pairs.set(startsFirst, kinds.length);
    this.#pairs.write(new Uint32Array(pairs.buffer));
    this.#longestHead = writeAll(
      this.#heads,
      types.map(type => `{"label":${JSON.stringify(type)},"start":`),
    );
  }

  /**
   * Adds the first `count` records of those read last.
   *
   * @param labels labels of all tokens of the records
   */
  add(records: PlainRecords, count: number, labels: Int32Array, more: MoreResults = {}): void {
    if (count === 0) return;
    const tokens = labels.length;
    const withSpans = this.#form === 'with-spans';
    this.#labels.write(labels);
    const moreBytes =
      writeMore(this.#moreOfRecords, more.records) + writeMore(this.#moreOfSpans, more.spans);
    const { tokenPlaces } = more;
    // The text is written once unchanged, and once each for spans and tokens.
    const times = 1 + (withSpans ? 1 : 0) + (tokenPlaces === undefined ? 0 : 1);
    const own =
      times * records.bytesOf(count) + (tokenPlaces === undefined ? 0 : tokens * tokenFrame);
    const spans = withSpans ? tokens * (this.#longestHead + spanFrame) : 0;
    this.#out.reserve(
      own +
        tokens * this.#longest +
        spans +
        count * (recordFrame + this.#keyBytes) +
        moreBytes +
        slack,
    );
    const order = new Uint32Array(this.#memory.buffer, this.#order, orderWords);
    order.set([records.offset, 0, count, this.#out.end, this.#labels.offset, this.#texts.offset]);
    order.set([this.#form === 'tags' ? 0 : 1, withSpans ? this.#pairs.offset : 0], 6);
    order.set([this.#labelCount, this.#heads.offset], 8);
    order[10] = more.records === undefined ? 0 : this.#moreOfRecords.offset;
    order[11] = more.spans === undefined ? 0 : this.#moreOfSpans.offset;
    const { places, ranges, sentenceEnds } = tokenPlaces ?? noPlaces;
    order.set([places, ranges, sentenceEnds, this.#key?.offset ?? 0], 12);
    this.#out.end = recordFunctions(this.#memory).writeRecords(this.#order);
  }
}

const encoder = new TextEncoder();

/** Writes texts, and returns the number of bytes of the longest. */
function writeAll(region: Region, texts: readonly string[]): number {
  const encoded = texts.map(text => encoder.encode(text));
  writeTexts(region, encoded, slack);
  return Math.max(0, ...encoded.map(({ length }) => length));
}

/** Writes texts for the kernel, many short ones at a time. Returns their number of bytes. */
function writeMore(region: Region, texts: readonly string[] | undefined): number {
  if (texts === undefined) return 0;
  const joined = texts.join('');
  const all = encoder.encode(joined);
  const heads = 8 * texts.length;
  region.reserve(heads + all.length + slack);
  const words = region.words(2 * texts.length);
  const isAscii = all.length === joined.length;
  let at = region.offset + heads;
  for (let i = 0; i < texts.length; i += 1) {
    const bytes = isAscii ? texts[i]!.length : Buffer.byteLength(texts[i]!);
    words[2 * i] = at;
    words[2 * i + 1] = bytes;
    at += bytes;
  }
  new Uint8Array(region.memory.buffer, region.offset + heads, all.length).set(all);
  return all.length;
}
