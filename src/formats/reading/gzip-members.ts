import type { InflateRaw } from 'node:zlib';
import { TagstreamError } from '../../engine/core/errors.js';
import { zlib } from '../files/node-parts.js';

/**
 * Number of compressed bytes that are decompressed at a time, which limits a zip bomb's memory to a thousand times as
 * much.
 */
const pieceBytes = 16_384;
/** Maximum number of decompressed bytes in one buffer. */
const chunkSize = 262_144;
const trailerBytes = 8;

/**
 * Decompresses gzip, member by member (RFC 1952). Yields all bytes that can be decompressed before it throws, so that
 * whole records before a truncation are read. Zeros may follow the last member.
 *
 * @throws TagstreamError `file` if the data is truncated, damaged, or followed by other data
 */
export async function* gzipMembers(
  packed: AsyncIterable<Uint8Array>,
  source: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const input = new PackedBytes(packed);
  try {
    do {
      await readHeader(input, source);
      yield* memberContents(input, source);
    } while (await hasMore(input, source));
  } finally {
    await input.close();
  }
}

/** A stream of bytes that keeps track of its read position. */
class PackedBytes {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);
  #at = 0;
  /** Number of bytes read so far. */
  offset = 0;

  constructor(packed: AsyncIterable<Uint8Array>) {
    this.#chunks = packed[Symbol.asyncIterator]();
  }

  /** Returns the next bytes, at least one; undefined at the end. */
  async piece(): Promise<Uint8Array | undefined> {
    while (this.#at === this.#chunk.length) {
      const next = await this.#chunks.next();
      if (next.done === true) return undefined;
      this.#chunk = next.value;
      this.#at = 0;
    }
    return this.#chunk.subarray(this.#at, this.#at + pieceBytes);
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  skip(count: number): void {
    this.#at += count;
    this.offset += count;
  }

  /** Returns the next `count` bytes; undefined if there are fewer. */
  async take(count: number): Promise<Buffer | undefined> {
    const taken = Buffer.alloc(count);
    for (let length = 0; length < count; ) {
      const piece = await this.piece();
      if (piece === undefined) return undefined;
      const part = piece.subarray(0, count - length);
      taken.set(part, length);
      this.skip(part.length);
      length += part.length;
    }
    return taken;
  }
}

const [HEADER_SUM, EXTRA, NAME, COMMENT] = [2, 4, 8, 16];

async function readHeader(input: PackedBytes, source: string): Promise<void> {
  const take = async (count: number) => {
    const bytes = await input.take(count);
    if (bytes === undefined) throw cutOff(source, input.offset);
    return bytes;
  };
  const [first, second, method, flags] = await take(10);
  if (first !== 0x1f || second !== 0x8b || method !== 8) throw damaged(source, 'a header is wrong');
  if ((flags! & EXTRA) !== 0) await take((await take(2)).readUInt16LE());
  for (const text of [NAME, COMMENT]) {
    if ((flags! & text) === 0) continue;
    while ((await take(1))[0] !== 0);
  }
  if ((flags! & HEADER_SUM) !== 0) await take(2);
}

async function* memberContents(
  input: PackedBytes,
  source: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const inflate = zlib().createInflateRaw({ chunkSize });
  let [sum, length] = [0, 0];
  try {
    for (let isOpen = true; isOpen; ) {
      const piece = await input.piece();
      if (piece === undefined) throw cutOff(source, input.offset);
      const before = inflate.bytesWritten;
      const { contents, error } = await inflated(inflate, piece);
      for (const bytes of contents) {
        sum = zlib().crc32(bytes, sum);
        length += bytes.length;
        yield bytes;
      }
      if (error !== undefined) throw damaged(source, error.message, error);
      const used = inflate.bytesWritten - before;
      input.skip(used);
      isOpen = used === piece.length;
    }
  } finally {
    inflate.destroy();
  }
  const trailer = await input.take(trailerBytes);
  if (trailer === undefined) throw cutOff(source, input.offset);
  const isRight = trailer.readUInt32LE() === sum && trailer.readUInt32LE(4) === length % 2 ** 32;
  if (!isRight) throw damaged(source, 'its checksum does not match its contents');
}

/** Decompresses a piece; also resolves with the contents before an error. */
function inflated(
  inflate: InflateRaw,
  piece: Uint8Array,
): Promise<{ readonly contents: readonly Uint8Array[]; readonly error?: Error }> {
  return new Promise(resolve => {
    const contents: Uint8Array[] = [];
    const take = () => {
      for (let some = inflate.read(); some !== null; some = inflate.read()) contents.push(some);
    };
    const end = (error?: Error | null) => {
      inflate.off('readable', take);
      inflate.off('error', end);
      if (error == null) take();
      resolve({ contents, ...(error == null ? {} : { error }) });
    };
    inflate.on('readable', take);
    inflate.on('error', end);
    inflate.write(piece, end);
  });
}

/** Returns whether another member follows. */
async function hasMore(input: PackedBytes, source: string): Promise<boolean> {
  const end = input.offset;
  for (let piece = await input.piece(); piece !== undefined; piece = await input.piece()) {
    const zeros = piece.findIndex(byte => byte !== 0);
    if (zeros === 0 && piece[0] === 0x1f && input.offset === end) return true;
    if (zeros >= 0) {
      throw new TagstreamError(
        'file',
        `cannot read ${source}: the data after its gzip data, from byte ${end}, is not gzip`,
        { fix: 'everything before it was read; remove the rest, or compress it too' },
      );
    }
    input.skip(piece.length);
  }
  return false;
}

function cutOff(source: string, bytes: number): TagstreamError {
  return new TagstreamError(
    'file',
    `cannot read ${source}: the gzip data is cut off after ${bytes} bytes`,
    { fix: 'records before the cut were read; fetch the whole file again' },
  );
}

function damaged(source: string, why: string, cause?: Error): TagstreamError {
  return new TagstreamError('file', `cannot read ${source}: the gzip data is damaged: ${why}`, {
    fix: 'check the file with gzip -t',
    ...(cause === undefined ? {} : { cause }),
  });
}
