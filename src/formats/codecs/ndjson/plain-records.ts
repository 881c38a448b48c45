import { defaultMaxTokens } from '../../../engine/core/sentence/sentence-limit.js';
import type { TextTable } from '../../../engine/features/texts/text-table.js';
import type { TextColumns } from '../../../engine/features/texts/text-work.js';
import { Region, writeTexts } from '../../../engine/kernels/memory/region.js';
import { recordFunctions } from '../../../engine/kernels/simd/record-functions.js';
import {
  type LabelledReader,
  type LabelledSentences,
  layText,
  longestRecord,
  type PlainEnding,
  plainTokens,
} from '../plain-reader.js';
import { ownedResults } from './owned-members.js';
import type { RecordFields } from './record-fields.js';

/** Sizes of a reader and of a record in words; see assembly/records/read-records.ts. */
const readerWords = 22;
const recordWords = 10;

/** Maximum number of tokens read at a time, unless everything is read or one record has more. */
const fewTokens = 2048;

/** Maximum number of records read at a time. */
const fewRecords = 512;

/** Minimum number of bytes of a token between others. */
const tokenBytes = 3;

/** Minimum number of bytes of a record with one token. */
const recordBytes = 14;

/** A column name without characters that JSON may escape, so that it can be found byte for byte. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters in question
const escapable = /["\\\u0000-\u001f]/;
const mostColumns = 30;

/** Reasons why reading ended. */
const endings = ['end', 'not-plain', 'full', 'texts-full'] as const;

export interface PlainRecordsOptions extends RecordFields {
  /** Names of the columns in addition to the tokens: at most 30, without characters that JSON may escape. */
  readonly columns: readonly string[];
  readonly maxLineBytes: number;
  /** Maximum number of tokens in a plain record. */
  readonly maxTokens?: number;
  /**
   * Whether gold tags are read, as a column after the others. If so, a text is read at once, records without tags count
   * as having no tokens, and those with both `tags` and `gold`, or with a `weight`, are not plain.
   */
  readonly labelled?: boolean;
  /**
   * Whether records will be written entirely, with results, possibly including spans. If so, records with an earlier
   * run's results are not plain; with spans, neither are records whose tokens are written differently from
   * `JSON.stringify`.
   */
  readonly whole?: 'without-spans' | 'with-spans' | undefined;
  /** Names of results of an earlier run. Default: all that Tagstream writes. */
  readonly results?: readonly string[] | undefined;
}

/**
 * Reads NDJSON records with tokens as numbers of texts, without allocating objects. It handles records that
 * `readRecord` accepts if `{"id", "text", "tokens", "columns", "tags", "gold"}` have arrays of strings; fields with
 * other names may have any value. All other records, valid or not, are not plain and are left to `readRecord`.
 */
export class PlainRecords implements LabelledReader {
  readonly #texts: TextTable;
  readonly #options: PlainRecordsOptions;
  readonly #text: Region;
  readonly #numbers: Region;
  readonly #records: Region;
  readonly #names: Region;
  readonly #fields: Region;
  readonly #results: Region;
  readonly #resultNames: readonly string[];
  readonly #path: number;
  readonly #reader: number;
  #mostTokens = fewTokens;
  #mostRecords = fewRecords;
  #end = 0;
  /** Offset of the next line in the text, and its line number, from 0. */
  position = 0;
  line = 0;
  /** First token of each record read last, and the number of tokens; valid until the next read. */
  starts = new Uint32Array(1);
  #starts = new Uint32Array(0);
  #lines = 0;
  #blank = 0;

  /** Whether records with these columns and fields can be read. */
  static canRead(columns: readonly string[], { textField, into }: RecordFields = {}): boolean {
    const names = [...columns, textField ?? '', into ?? ''];
    // The general reader handles a text that is also the id.
    if (textField?.split('.')[0] === 'id') return false;
    return columns.length <= mostColumns && !names.some(name => escapable.test(name));
  }

  constructor(texts: TextTable, options: PlainRecordsOptions) {
    const { memory } = texts;
    this.#texts = texts;
    this.#options = options;
    this.#text = new Region(memory);
    this.#numbers = new Region(memory);
    this.#records = new Region(memory);
    this.#reserve();
    this.#names = new Region(memory);
    const encoder = new TextEncoder();
    writeTexts(
      this.#names,
      options.columns.map(name => encoder.encode(name)),
    );
    this.#reader = memory.allocate(4 * readerWords);
    this.#fields = new Region(memory);
    this.#results = new Region(memory);
    const { textField, into, results = ownedResults } = options;
    this.#resultNames = results;
    writeTexts(
      this.#results,
      results.map(name => encoder.encode(name)),
    );
    const path = textField?.includes('.') === true ? textField.split('.') : [];
    this.#path = path.length;
    // The key comes first, so that it is found whatever the member names of the text are.
    writeTexts(
      this.#fields,
      [into ?? '', textField ?? '', ...path].map(name => encoder.encode(name)),
    );
  }

  /** Numbers of the texts: tokens first, followed by the columns. */
  get columns(): TextColumns {
    return { offset: this.#numbers.offset, stride: this.#mostTokens };
  }

  /** Number of records read last. */
  get count(): number {
    return this.starts.length - 1;
  }

  /** Number of blank lines among them. */
  get blank(): number {
    return this.#blank;
  }

  /** Starts with a text of whole lines, which must be valid UTF-8. */
  open(bytes: Uint8Array): void {
    if (this.#options.labelled === true) {
      this.#mostTokens = Math.floor(bytes.length / tokenBytes) + 1;
      this.#mostRecords = Math.floor(bytes.length / recordBytes) + 1;
      this.#reserve();
    }
    layText(this.#text, bytes, 1);
    this.#end = bytes.length;
    this.position = 0;
    this.line = 0;
  }

  /**
   * Reads records from `position` on, as many as fit. Returns why reading ended: end of the text, a line that is not
   * plain, or lack of room. Hashes new texts.
   *
   * @param kind records with tokens, or records with a text and no tokens, which are tokenized elsewhere
   */
  read(kind: 'tokens' | 'texts' = 'tokens'): PlainEnding {
    const { labelled, maxTokens = defaultMaxTokens } = this.#options;
    if (labelled !== true) this.#mostTokens = Math.min(fewTokens, maxTokens);
    let ending = this.#readOn(kind);
    const most = plainTokens(maxTokens);
    while (this.count === 0 && ending === 'full' && this.#mostTokens < most) {
      this.#mostTokens = Math.min(4 * this.#mostTokens, most);
      this.#reserve();
      ending = this.#readOn(kind);
    }
    if (this.count > 0) return ending;
    if (ending === 'texts-full') {
      this.#texts.clear();
      ending = this.#readOn(kind);
    }
    // A single record may not fit.
    const isTooLong = this.count === 0 && (ending === 'full' || ending === 'texts-full');
    return isTooLong ? 'not-plain' : ending;
  }

  /** Whether a text fits; its bytes count, because records without tags have no tokens here. */
  fits(bytes: Uint8Array): boolean {
    const most = tokenBytes * (this.#options.maxTokens ?? defaultMaxTokens);
    return bytes.length <= most || longestRecord(bytes, '\n') <= most;
  }

  /** Returns the records with tags; those without have no tokens here, and are skipped. */
  labelled(): LabelledSentences {
    const { starts, count } = this;
    const held = Buffer.from(this.#texts.memory.buffer);
    const firsts = new Uint32Array(count + 1);
    const ids: (string | undefined)[] = [];
    for (let record = 0; record < count; record += 1) {
      const end = starts[record + 1]!;
      if (end === starts[record]) continue;
      ids.push(this.#idOf(record, held));
      firsts[ids.length] = end;
    }
    const hasIds = ids.some(id => id !== undefined);
    return { firsts: firsts.subarray(0, ids.length + 1), ids: hasIds ? ids : undefined };
  }

  /** Returns the id of a record; a number keeps its written form. */
  #idOf(record: number, held: Buffer): string | undefined {
    const words = this.#words();
    const start = words[record * recordWords + 1]!;
    const length = words[record * recordWords + 2]!;
    if (length === 0) return undefined;
    const raw = held.toString('utf8', start, start + length);
    if (!raw.startsWith('"')) return raw;
    return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
  }

  /** Address, for the kernel, of the last records read; valid until the next read. */
  get offset(): number {
    return this.#records.offset;
  }

  /** Returns the number of bytes in the lines of the first records of the last read. */
  bytesOf(records: number): number {
    if (records === 0) return 0;
    const words = this.#words();
    const last = (records - 1) * recordWords;
    return words[last + 3]! + words[last + 4]! - words[3]!;
  }

  /** Returns the address range of the text of a record that was read for its text. */
  textOf(record: number): readonly [start: number, end: number] {
    const words = this.#words();
    return [words[record * recordWords + 6]!, words[record * recordWords + 9]!];
  }

  /** Sets the number of tokens up to and including a record that was read for its text. */
  setTokens(record: number, tokens: number): void {
    this.#words()[record * recordWords] = tokens;
  }

  /** Returns to one of the last records read, as if it and later records had not been read. */
  backTo(record: number): void {
    const at = record * recordWords;
    const words = this.#words();
    const lines = words[at + 5]!;
    this.position = words[at + 3]! - this.#text.offset;
    this.line += lines - this.#lines;
    this.#lines = lines;
    this.#blank = lines - record;
    this.starts = this.starts.subarray(0, record + 1);
  }

  #reserve(): void {
    const { columns, labelled } = this.#options;
    const count = columns.length + (labelled === true ? 2 : 1);
    this.#numbers.reserve(4 * this.#mostTokens * count);
    this.#records.reserve(4 * this.#mostRecords * recordWords);
  }

  #readOn(kind: 'tokens' | 'texts'): PlainEnding {
    const { buffer } = this.#texts.memory;
    const text = this.#text.offset;
    const reader = new Uint32Array(buffer, this.#reader, readerWords);
    const { columns, maxLineBytes, labelled, whole } = this.#options;
    const written = whole === undefined ? 0 : whole === 'with-spans' ? 2 : 1;
    const more = [labelled === true ? 1 : 0, written, kind === 'texts' ? 1 : 0];
    const from = [text + this.position, text + this.#end, maxLineBytes, this.#texts.offset];
    const numbers = [columns.length, this.#names.offset, this.#numbers.offset, this.#mostTokens, 0];
    const records = [this.#records.offset, this.#mostRecords, 0, 0, 0];
    const { textField, into } = this.#options;
    const fields = [
      textField === undefined ? 0 : this.#fields.offset + 8,
      this.#path,
      into === undefined ? 0 : this.#fields.offset,
      ...[this.#results.offset, this.#resultNames.length],
    ];
    reader.set([...from, ...numbers, ...records, ...more, ...fields]);
    const ending = endings[recordFunctions(this.#texts.memory).readRecords(this.#reader)]!;
    const [position, count, lines, blank] = [reader[0]!, reader[11]!, reader[12]!, reader[13]!];
    // Memory may grow here, which invalidates views of it.
    this.#texts.describe();
    this.position = Math.min(position - text, this.#end);
    this.line += lines;
    this.#lines = lines;
    this.#blank = blank;
    if (this.#starts.length <= count) this.#starts = new Uint32Array(this.#mostRecords + 1);
    this.starts = this.#starts.subarray(0, count + 1);
    const words = this.#words();
    for (let i = 0; i < count; i += 1) this.starts[i + 1] = words[i * recordWords]!;
    return ending;
  }

  /** Returns a view of the last records read. */
  #words(): Uint32Array {
    return this.#records.words(this.#mostRecords * recordWords);
  }
}
