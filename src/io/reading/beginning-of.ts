import type { Readable } from 'node:stream';
import { zlib } from '../files/node-parts.js';
import { jsonArrayLines } from '../lines/json-array-lines.js';
import { beginsAsJson } from '../lines/line-bytes.js';
import { isGzip, isZstd, refuseUtf16 } from './first-bytes.js';
import { sourceName } from './open-input.js';

/** Bytes after which a record that has not ended is not waited for. */
const most = 2 ** 20;

/**
 * How the standard input begins, unpacked: what has come, and of JSON the first record to its end. Empty if there is
 * nothing. Leaves the stream as it was.
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
      // Fewer than were asked for are all.
      if (chunk.length < least || chunk.length >= most || first.isWhole(bytes)) {
        return new TextDecoder().decode(bytes);
      }
      least = chunk.length + 1;
    }
  } finally {
    news.close();
  }
}

/** Everything that a stream holds, if that is `least` bytes or the stream has ended. */
function readAtLeast(stream: Readable, least: number): Buffer | undefined {
  const parts = least === 0 ? [stream.read()] : [stream.read(least)];
  if (parts[0] === null) return undefined;
  // As many as were asked for are not all: a byte more each time would take the square of the record.
  if (least > 0) parts.push(stream.read());
  const held = (parts as (Buffer | string | null)[]).filter(part => part !== null);
  return Buffer.concat(held.map(part => (typeof part === 'string' ? Buffer.from(part) : part)));
}

/**
 * What a stream says of more to read, and of its end. It listens all the time: a stream that holds something says so to each
 * that begins to listen.
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

/** What Node has from 22.15 on. */
interface Zstd {
  readonly zstdDecompressSync?: (bytes: Buffer, options: { finishFlush: number }) => Buffer;
}

const zstdFlush = 1;

/** As much as can be unpacked of the beginning of what is packed. */
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
    // What is damaged is reported when it is read.
  }
  return bytes;
}

const [OPEN_LIST, OPEN_OBJECT] = [91, 123];

/**
 * Whether the first record of JSON is there, of bytes that become more; what is not JSON is known by less.
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
