import type { Readable } from 'node:stream';
import { zlib } from '../files/node-parts.js';
import { jsonArrayLines } from '../lines/json-array-lines.js';
import { beginsAsJson } from '../lines/line-bytes.js';
import { isGzip, isZstd, refuseUtf16 } from './first-bytes.js';
import { sourceName } from './open-input.js';

/** Maximum number of bytes within which the end of a record is awaited. */
const most = 2 ** 20;

/**
 * Returns the beginning of the standard input, decompressed: the bytes that have arrived, and for JSON at least the
 * whole first record. Empty if there is no input. Leaves the stream as it was.
 *
 * @throws TagstreamError `invalid-utf8` for UTF-16
 */
export async function beginningOf(stream: Readable): Promise<string> {
  const first = new FirstRecord();
  const news = new News(stream);
  try {
    for (let least = 0; ; ) {
      const chunk = readAtLeast(stream, least);
      if (chunk === undefined) {
        if (stream.readableEnded || stream.destroyed) return '';
        await news.next();
        continue;
      }
      const bytes = unpacked(chunk);
      stream.unshift(chunk);
      refuseUtf16(bytes, sourceName('-'));
      // Fewer bytes than requested are all that there are.
      if (chunk.length < least || chunk.length >= most || first.isWhole(bytes)) {
        return new TextDecoder().decode(bytes);
      }
      least = chunk.length + 1;
    }
  } finally {
    news.close();
  }
}

/** Returns all bytes that a stream holds as soon as there are `least` of them or the stream has ended. */
function readAtLeast(stream: Readable, least: number): Buffer | undefined {
  const parts = least === 0 ? [stream.read()] : [stream.read(least)];
  if (parts[0] === null) return undefined;
  // A record may need more bytes than requested: one more byte each time would take time quadratic in its length.
  if (least > 0) parts.push(stream.read());
  const held = (parts as (Buffer | string | null)[]).filter(part => part !== null);
  return Buffer.concat(held.map(part => (typeof part === 'string' ? Buffer.from(part) : part)));
}

/**
 * A stream's events for more data and for its end. Listens permanently, because a stream that holds data notifies each
 * new listener.
 */
class News {
  readonly #stream: Readable;
  #isNew = false;
  #isListening = false;
  #wake: (() => void) | undefined;
  readonly #hear = () => {
    this.#isNew = true;
    this.#wake?.();
  };

  constructor(stream: Readable) {
    this.#stream = stream;
  }

  async next(): Promise<void> {
    if (!this.#isListening) for (const event of events) this.#stream.on(event, this.#hear);
    this.#isListening = true;
    if (!this.#isNew) {
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
    this.#isNew = false;
  }

  close(): void {
    for (const event of events) this.#stream.off(event, this.#hear);
  }
}

const events = ['readable', 'end', 'close'] as const;

/** Zstandard functions, available from Node 22.15 on. */
interface Zstd {
  readonly zstdDecompressSync?: (bytes: Buffer, options: { finishFlush: number }) => Buffer;
}

const zstdFlush = 1;

/** Decompresses as much as possible of the beginning of compressed data. */
function unpacked(bytes: Buffer): Uint8Array {
  try {
    if (isGzip(bytes)) {
      const { gunzipSync, constants } = zlib();
      return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
    }
    if (isZstd(bytes)) {
      const { zstdDecompressSync } = zlib() as Zstd;
      return zstdDecompressSync?.(bytes, { finishFlush: zstdFlush }) ?? bytes;
    }
  } catch {
    // Damage will be reported when the data is read.
  }
  return bytes;
}

const [OPEN_LIST, OPEN_OBJECT] = [91, 123];

/**
 * Detects whether a growing buffer contains the whole first record of JSON; other formats are recognized by fewer
 * bytes.
 *
 * @example
 * const first = new FirstRecord();
 * ['[{"text":', '[{"text": "a"}, {'].map(text => first.isWhole(Buffer.from(text))) // => [false, true]
 */
export class FirstRecord {
  #lines: ((bytes: Uint8Array) => Uint8Array) | undefined;
  #looked = 0;

  isWhole(bytes: Uint8Array): boolean {
    if (bytes.length === 0) return false;
    if (this.#lines === undefined) {
      const head = new TextDecoder().decode(bytes.subarray(0, 1024));
      if (!beginsAsJson(head)) return true;
      this.#looked = bytes.findIndex(byte => byte === OPEN_LIST || byte === OPEN_OBJECT);
      this.#lines = jsonArrayLines.isNeeded(bytes) ? jsonArrayLines.begin().lines : more => more;
    }
    const more = this.#lines(bytes.slice(this.#looked));
    this.#looked = bytes.length;
    return more.includes(10);
  }
}
