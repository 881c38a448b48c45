import { defaultMaxTokens } from '../../../core/sentence/sentence-limit.js';
import type { TextTable } from '../../../features/texts/text-table.js';
import type { TextColumns } from '../../../features/texts/text-work.js';
import { Region, writeTexts } from '../../../kernels/memory/region.js';
import { recordFunctions } from '../../../kernels/simd/record-functions.js';
import {
  type LabelledReader,
  type LabelledSentences,
  layText,
  longestRecord,
  type PlainEnding,
  plainTokens,
} from '../plain-reader.js';
import type { RecordFields } from './record-fields.js';

/** Words of a reader and of a record; see assembly/records/read-records.ts. */
const readerWords = 20;
const recordWords = 10;

/** Tokens that are read at a time, unless all are or one record has more. */
const fewTokens = 2048;

/** Records that are. */
const fewRecords = 512;

/** Bytes of a token between tokens, at least. */
const tokenBytes = 3;

/** Bytes of a record that has one. */
const recordBytes = 14;

/** A column of which JSON may write no character in another way, so that its name is found byte for byte. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters in question
const escapable = /["\\\u0000-\u001f]/;
const mostColumns = 30;

/** Why reading ended. */
const endings = ['end', 'not-plain', 'full', 'texts-full'] as const;

export interface PlainRecordsOptions extends RecordFields {
  /** Names of the columns besides the tokens, at most 30, and of none of their characters JSON has an escape. */
  readonly columns: readonly string[];
  readonly maxLineBytes: number;
  /** Tokens that a record may have; one of more is not plain. */
  readonly maxTokens?: number;
  /**
   * Whether gold tags are read, as a column after the others. Then all of a text is read at a time, records without
   * tags have no tokens, and those with both `tags` and `gold`, or a `weight`, are not plain.
   */
  readonly labelled?: boolean;
  /**
   * Whether records are to be written whole, with results, or with spans too. Then those with results of an earlier
   * run are not plain, nor with spans those whose tokens are not written as `JSON.stringify` does.
   */
  readonly whole?: 'without-spans' | 'with-spans' | undefined;
}

/**
 * Reads NDJSON records that hold tokens into numbers of texts, without an object for any of them. It takes
 * what `readRecord` takes of `{"id", "text", "tokens", "columns", "tags", "gold"}` with arrays of strings and
 * and fields of other names; anything else, valid or not, is not plain and left to `readRecord`.
 */
export class PlainRecords implements LabelledReader {
  readonly #texts: TextTable;
  readonly #options: PlainRecordsOptions;
  readonly #text: Region;
  readonly #numbers: Region;
  readonly #records: Region;
  readonly #names: Region;
  readonly #fields: Region;
  readonly #path: number;
  readonly #reader: number;
  #mostTokens = fewTokens;
  #mostRecords = fewRecords;
  #end = 0;
  /** Place in the text of the line that comes next, and number of the line, from 0. */
  position = 0;
  line = 0;
  /** Of what was read last: first token of each record, and after the last the number of tokens; until it reads on. */
  starts = new Uint32Array(1);
  #starts = new Uint32Array(0);
  #lines = 0;
  #blank = 0;

  /** Whether records may be plain that are to have these columns and fields. */
  static canRead(columns: readonly string[], { textField, into }: RecordFields = {}): boolean {
    const names = [...columns, textField ?? '', into ?? ''];
    // A text that is the id too is left to others.
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
    const { textField, into } = options;
    const path = textField?.includes('.') === true ? textField.split('.') : [];
    this.#path = path.length;
    // The key comes first, so that it is found whatever the text's names are.
    writeTexts(
      this.#fields,
      [into ?? '', textField ?? '', ...path].map(name => encoder.encode(name)),
    );
  }

  /** Where the numbers of the texts are: tokens first, then the columns. */
  get columns(): TextColumns {
    return { offset: this.#numbers.offset, stride: this.#mostTokens };
  }

  /** Records that were read last. */
  get count(): number {
    return this.starts.length - 1;
  }

  /** Blank lines among what was read last. */
  get blank(): number {
    return this.#blank;
  }

  /** Begins with a text of whole lines, which is valid UTF-8. */
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
   * Reads records from `position` on, as many as there is room for. Returns why it ends: at the end of the
   * text, at a line that is not plain, or for want of room. New texts are hashed.
   *
   * @param kind records with tokens, or those with a text and no tokens, whose tokens are for others to find
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
    // A record that there is no room for where there is no other.
    const isTooLong = this.count === 0 && (ending === 'full' || ending === 'texts-full');
    return isTooLong ? 'not-plain' : ending;
  }

  /** Records without tags have no tokens here, so that it is bytes that count. */
  fits(bytes: Uint8Array): boolean {
    const most = tokenBytes * (this.#options.maxTokens ?? defaultMaxTokens);
    return bytes.length <= most || longestRecord(bytes, '\n') <= most;
  }

  /** Passes over records that have no tags, and so no tokens here. */
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

  /** A number keeps its text. */
  #idOf(record: number, held: Buffer): string | undefined {
    const words = this.#words();
    const start = words[record * recordWords + 1]!;
    const length = words[record * recordWords + 2]!;
    if (length === 0) return undefined;
    const raw = held.toString('utf8', start, start + length);
    if (!raw.startsWith('"')) return raw;
    return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
  }

  /** Where the kernel finds what was read last, until it reads on. */
  get offset(): number {
    return this.#records.offset;
  }

  /** Bytes of the lines of the first records that were read last. */
  bytesOf(records: number): number {
    if (records === 0) return 0;
    const words = this.#words();
    const last = (records - 1) * recordWords;
    return words[last + 3]! + words[last + 4]! - words[3]!;
  }

  /** Where the text of a record that was read for its text begins and ends in memory. */
  textOf(record: number): readonly [start: number, end: number] {
    const words = this.#words();
    return [words[record * recordWords + 6]!, words[record * recordWords + 9]!];
  }

  /** Notes how many tokens the records up to one have that was read for its text, itself included. */
  setTokens(record: number, tokens: number): void {
    this.#words()[record * recordWords] = tokens;
  }

  /** Goes back to a record that was read last, as if it and those after it had not been read. */
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

  /** What is noted of records that were read last. */
  #words(): Uint32Array {
    return this.#records.words(this.#mostRecords * recordWords);
  }
}
