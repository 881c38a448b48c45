import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { TagstreamError } from '../../engine/core/errors.js';
import type { Document } from '../../engine/core/sentence/document.js';
import { readRecord } from '../../formats/codecs/ndjson/read-record.js';
import { fileError } from '../../formats/files/file-error.js';

const chunkBytes = 1 << 20;
const newline = 10;
const brace = 123;

/** Maximum bytes of a record. */
const longestRecord = 8 << 20;

/** A file that has the records as lines. */
export interface QueueCopy {
  readonly copy?: string | undefined;
  readonly isNdjson?: boolean | undefined;
}

/**
 * The records to be labelled, from an NDJSON file or a plain text file with one record per line.
 *
 * Opening the file only finds the offset of each line: O(bytes) time, 8 bytes of memory per record.
 * Blank lines are skipped. A file is NDJSON if its first character other than white space is a
 * brace.
 */
export class RecordQueue {
  readonly path: string;
  readonly isNdjson: boolean;
  readonly #file: number;
  /** Offset of each record, followed by the length of the file. */
  readonly #starts: Float64Array;
  readonly size: number;

  /**
   * @param copy a file with the records of `path` as lines, if `path` has another format
   * @param isNdjson whether the file is NDJSON; default: determined from its first character
   * @throws TagstreamError `file` if it cannot be read, `empty-sentence` if it contains no record
   */
  constructor(path: string, { copy, isNdjson }: QueueCopy = {}) {
    this.path = path;
    try {
      this.#file = openSync(copy ?? path, 'r');
    } catch (cause) {
      throw fileError('read', path, cause);
    }
    if (!fstatSync(this.#file).isFile() || (copy === undefined && path.endsWith('.gz'))) {
      closeSync(this.#file);
      throw new TagstreamError('file', 'the queue is not a regular file', {
        place: { source: path },
        fix: 'name a file with random access: unpack it, or write the output of the pipe to a file',
      });
    }
    const found = findLines(this.#file);
    this.#starts = found.starts;
    this.size = found.starts.length - 1;
    this.isNdjson = isNdjson ?? found.first === brace;
    if (this.size > 0) return;
    closeSync(this.#file);
    throw new TagstreamError('empty-sentence', 'there is nothing to label', {
      place: { source: path },
      fix: 'give a file with one record or text per line',
    });
  }

  /**
   * Returns the text of a record as NDJSON; a line of plain text becomes `{"text": ...}`.
   *
   * @throws TagstreamError `too-long`, `invalid-utf8`
   */
  raw(position: number): string {
    const bytes = this.#bytes(position);
    let line: string;
    try {
      line = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
    } catch (cause) {
      throw new TagstreamError('invalid-utf8', 'the record is not valid UTF-8', {
        place: this.#place(position),
        fix: 'convert the file to UTF-8',
        cause,
      });
    }
    return this.isNdjson ? line : JSON.stringify({ text: line });
  }

  /**
   * @throws TagstreamError as `raw`, and the errors of `readRecord`; `empty-sentence` if the record
   * has no token
   */
  read(position: number): Document {
    const raw = this.raw(position);
    try {
      const record = readRecord(raw);
      if (
        record.tokens?.length === 0 ||
        (record.tokens === undefined && record.text!.trim() === '')
      ) {
        throw new TagstreamError('empty-sentence', 'the record has no words');
      }
      return { ...record, raw, format: 'ndjson' };
    } catch (thrown) {
      throw TagstreamError.from(thrown, 'wrong-shape', this.#place(position));
    }
  }

  /** Returns a digest that identifies the content of a record. */
  digest(position: number): string {
    return createHash('sha256').update(this.#bytes(position)).digest('hex').slice(0, 16);
  }

  /**
   * Yields the records that contain the text, ignoring case, from a position on, and then those
   * before it.
   */
  *search(text: string, from: number): Generator<number> {
    const wanted = text.toLowerCase();
    for (let i = 0; i < this.size; i += 1) {
      const position = (from + i) % this.size;
      if (this.#bytes(position).toString('utf8').toLowerCase().includes(wanted)) yield position;
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  #bytes(position: number): Buffer {
    const start = this.#starts[position]!;
    const length = this.#starts[position + 1]! - start;
    if (length > longestRecord) {
      throw new TagstreamError('too-long', `the record has ${length} bytes`, {
        place: this.#place(position),
        fix: `split it: the limit is ${longestRecord} bytes`,
      });
    }
    const bytes = Buffer.alloc(length);
    const read = readSync(this.#file, bytes, 0, length, start);
    const text = bytes.subarray(0, read);
    const end = text.indexOf(newline);
    return end < 0 ? text : text.subarray(0, end);
  }

  #place(position: number) {
    return { source: `${this.path}, record ${position + 1}` };
  }
}

/**
 * Returns the offsets of non-blank lines, followed by the length of the file, and the first byte
 * that is not white space.
 */
function findLines(file: number): { readonly starts: Float64Array; readonly first: number } {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let starts = new Float64Array(1024);
  let count = 0;
  let first = -1;
  let offset = 0;
  let lineStart = 0;
  let blank = true;
  const add = (start: number) => {
    if (count === starts.length) {
      const grown = new Float64Array(2 * starts.length);
      grown.set(starts);
      starts = grown;
    }
    starts[count] = start;
    count += 1;
  };
  for (;;) {
    const read = readSync(file, chunk, 0, chunkBytes, offset);
    if (read === 0) break;
    for (let i = 0; i < read; ) {
      if (!blank) {
        const end = chunk.subarray(0, read).indexOf(newline, i);
        if (end < 0) break;
        i = end + 1;
        lineStart = offset + i;
        blank = true;
        continue;
      }
      const byte = chunk[i]!;
      if (byte === newline) lineStart = offset + i + 1;
      else if (byte > 32 && !isMark(chunk, i, offset)) {
        blank = false;
        if (first < 0) first = byte;
        add(lineStart);
      }
      i += 1;
    }
    offset += read;
  }
  add(offset);
  return { starts: starts.slice(0, count), first };
}

/** Returns whether a byte belongs to the byte order mark at the start of the file. */
function isMark(chunk: Buffer, i: number, offset: number): boolean {
  return offset === 0 && i < 3 && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf;
}
