import { isUtf8 } from 'node:buffer';
import { columnNumbers } from '../../../features/texts/column-numbers.js';
import type { TextTable } from '../../../features/texts/text-table.js';
import type { TextColumns } from '../../../features/texts/text-work.js';
import { longestRecord, type PlainSentenceReader } from '../plain-reader.js';
import { PlainRecords, tokenBytes } from './plain-records.js';

/** What a text of plain records has at most: bytes in a line, and tokens in a record. */
export interface PlainLimits {
  readonly maxLineBytes: number;
  readonly maxTokens: number;
}

/** Reads texts of NDJSON records with tokens and gold tags, all of which are plain (`PlainRecords`). */
export class LabelledRecords implements PlainSentenceReader {
  readonly #texts: TextTable;
  readonly #records: PlainRecords;
  readonly #maxTokens: number;
  firsts = new Uint32Array(1);
  ids: readonly (string | undefined)[] | undefined;

  /**
   * @param texts of which the last column is that of the tags
   * @param columns names of the columns beside the tokens, which `PlainRecords.canRead`
   */
  constructor(
    texts: TextTable,
    columns: readonly string[],
    { maxLineBytes, maxTokens }: PlainLimits,
  ) {
    this.#texts = texts;
    this.#maxTokens = maxTokens;
    this.#records = new PlainRecords(texts, { columns, maxLineBytes, labelled: true });
  }

  get columns(): TextColumns {
    return this.#records.columns;
  }

  get count(): number {
    return this.#records.count;
  }

  get blank(): number {
    return this.#records.blank;
  }

  numbers(column: number): Uint32Array {
    return columnNumbers(this.#texts.memory, this.columns, column, this.firsts.at(-1)!);
  }

  read(bytes: Uint8Array): boolean {
    if (!isUtf8(bytes)) return false;
    // Records without tags have no tokens here, so that it is bytes that count.
    const most = tokenBytes * this.#maxTokens;
    if (bytes.length > most && longestRecord(bytes, '\n') > most) return false;
    const records = this.#records;
    records.open(bytes);
    let ending = records.read();
    if (ending === 'texts-full') {
      this.#texts.clear();
      records.open(bytes);
      ending = records.read();
    }
    if (ending !== 'end') return false;
    this.#takeLabelled();
    return true;
  }

  /** Passes over records that have no tags, and so no tokens here. */
  #takeLabelled(): void {
    const { starts, count } = this.#records;
    const held = Buffer.from(this.#texts.memory.buffer);
    const firsts = new Uint32Array(count + 1);
    const ids: (string | undefined)[] = [];
    let hasIds = false;
    for (let record = 0; record < count; record += 1) {
      const end = starts[record + 1]!;
      if (end === starts[record]) continue;
      const id = this.#idOf(record, held);
      hasIds ||= id !== undefined;
      ids.push(id);
      firsts[ids.length] = end;
    }
    this.firsts = firsts.subarray(0, ids.length + 1);
    this.ids = hasIds ? ids : undefined;
  }

  /** A number stays as it is written. */
  #idOf(record: number, held: Buffer): string | undefined {
    const length = this.#records.idBytesOf(record);
    if (length === 0) return undefined;
    const start = this.#records.idOf(record);
    const raw = held.toString('utf8', start, start + length);
    if (!raw.startsWith('"')) return raw;
    return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
  }
}
