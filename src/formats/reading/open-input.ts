import { fstatSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { Readable, type Transform } from 'node:stream';
import { TagstreamError } from '../../engine/core/errors.js';
import { fileError } from '../files/file-error.js';
import { descriptorOf } from '../files/open-files.js';
import { standardStreams } from '../files/standard-streams.js';
import { zstdStream } from '../files/zstd-stream.js';
import type { IntoLines, LineMaker } from '../lines/line-splitter.js';
import { isGzip, isZstd } from './first-bytes.js';
import { gzipMembers } from './gzip-members.js';

/** An open stream of bytes. */
export interface Input {
  /** Name in positions and errors: the path, or `<stdin>`. */
  readonly source: string;
  /** Offset of the first byte of `chunks`. */
  readonly offset: number;
  readonly chunks: AsyncIterable<Uint8Array>;
  /**
   * Returns the number of bytes of the file, as stored on disk, that are still to be read; undefined for other inputs.
   */
  left(): number | undefined;
  /** Stops reading immediately, even while waiting for a chunk. */
  close(): void;
}

export interface InputOptions {
  /** Stream that `-` reads; default: the standard input of the process. */
  readonly stdin?: InputStream | undefined;
  /** Offset at which to begin, if the input is a plain file; others begin at 0. */
  readonly start?: number | undefined;
  /** Number of bytes of a plain file read at a time, if each chunk is used up before the next is requested. */
  readonly chunkBytes?: number | undefined;
  /** Converts records that are not lines to lines; such a file is read from its start. */
  readonly intoLines?: IntoLines | undefined;
}

/**
 * Returns the name for a path in positions and errors.
 *
 * @example
 * sourceName('-') // => '<stdin>'
 */
export function sourceName(path: string): string {
  return path === '-' ? '<stdin>' : path;
}

/**
 * Opens a file, or the standard input for `-`. Decompresses data that begins with the magic bytes of gzip or Zstandard,
 * whatever the name; the latter needs Node 22.15.
 *
 * @throws TagstreamError `file` if the input cannot be opened, and from reading if that fails
 * @example
 * const input = await openInput('/dev/null');
 * [input.source, input.offset] // => ['/dev/null', 0]
 * input.close();
 */
export async function openInput(path: string, options: InputOptions = {}): Promise<Input> {
  const source = sourceName(path);
  const { intoLines } = options;
  if (path === '-') return readFrom(options.stdin ?? standardStreams().stdin, source, 0, intoLines);
  if (intoLines?.fileLines !== undefined) return wholeInput(source, intoLines.fileLines(path));
  let handle: FileHandle | undefined;
  try {
    const found = await stat(path);
    if (found.isFIFO()) {
      const { openFifo } = await import('../files/open-fifo.js');
      return readFrom(openFifo(path), source, 0, intoLines);
    }
    // A socket, which a program may pass as a standard stream, has no name to open it by.
    const descriptor = found.isSocket() ? descriptorOf(path) : undefined;
    if (descriptor !== undefined) {
      const { openSocket } = await import('./open-socket.js');
      return readFrom(openSocket(descriptor), source, 0, intoLines);
    }
    handle = await open(path);
    const kind = await handle.stat();
    if (kind.isDirectory()) throw Object.assign(new Error('a directory'), { code: 'EISDIR' });
    const isPlain = kind.isFile() && (await isReadAsIs(handle, intoLines));
    const start = isPlain ? (options.start ?? 0) : 0;
    if (isPlain && options.chunkBytes !== undefined)
      return readChunks(handle, source, start, options.chunkBytes);
    const stream = handle.createReadStream(
      kind.isFile() ? { start, highWaterMark: options.chunkBytes } : {},
    );
    const input = readFrom(stream, source, start, isPlain ? undefined : intoLines);
    return kind.isFile()
      ? { ...input, left: bytesLeft(handle, start, () => stream.bytesRead) }
      : input;
  } catch (cause) {
    await handle?.close();
    throw fileError('read', path, cause);
  }
}

function wholeInput(source: string, bytes: Uint8Array): Input {
  const chunks = Readable.from([bytes]);
  return { source, offset: 0, chunks, left: () => undefined, close: () => undefined };
}

function readChunks(handle: FileHandle, source: string, offset: number, chunkBytes: number): Input {
  const { chunks, read } = fileChunks(handle, offset, chunkBytes);
  return {
    source,
    offset,
    chunks: guarded(chunks, source),
    left: bytesLeft(handle, offset, read),
    close: () => void handle.close().catch(() => undefined),
  };
}

/** Returns the number of bytes left in a file, which may still be growing; for a closed file, the last known number. */
function bytesLeft(handle: FileHandle, start: number, read: () => number): () => number {
  let size = fstatSync(handle.fd).size;
  return () => {
    if (handle.fd >= 0) size = fstatSync(handle.fd).size;
    return Math.max(0, size - start - read());
  };
}

async function isReadAsIs(handle: FileHandle, intoLines?: IntoLines): Promise<boolean> {
  const head = Buffer.alloc(256);
  const { bytesRead } = await handle.read(head, 0, head.length, 0);
  const found = head.subarray(0, bytesRead);
  return !isGzip(found) && !isZstd(found) && intoLines?.isNeeded(found) !== true;
}

function readFrom(
  stream: InputStream,
  source: string,
  offset: number,
  intoLines: IntoLines | undefined,
): Input {
  const bytes = offset > 0 ? bytesOfStream(stream) : decompressed(stream, source);
  const chunks = intoLines === undefined ? bytes : linesOfChunks(bytes, intoLines, source);
  return {
    source,
    offset,
    chunks: guarded(chunks, source),
    left: () => undefined,
    close: () => stream.destroy(),
  };
}

/** Examines the first bytes, which may come in several chunks, and decompresses gzip and Zstandard. */
async function* decompressed(
  stream: InputStream,
  source: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = bytesOfStream(stream);
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < 2 || (head.length < 4 && head[0] === 0x28 && head[1] === 0xb5)) {
    const next = await chunks.next();
    if (next.done === true) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  const all = prepend(head, { [Symbol.asyncIterator]: () => chunks });
  if (isGzip(head)) yield* gzipMembers(all, source);
  else if (isZstd(head)) yield* unpacked(all, zstdStream('unpack', source));
  else yield* all;
}

async function* prepend(
  head: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (head.length > 0) yield head;
  yield* rest;
}

async function* unpacked(
  packed: AsyncIterable<Uint8Array>,
  unpacking: Transform,
): AsyncGenerator<Uint8Array, void, undefined> {
  const input = Readable.from(packed, { objectMode: false });
  input.on('error', error => unpacking.destroy(error));
  try {
    yield* input.pipe(unpacking) as AsyncIterable<Uint8Array>;
  } finally {
    input.destroy();
  }
}

async function* guarded(
  chunks: AsyncIterable<Uint8Array>,
  source: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* chunks;
  } catch (cause) {
    if (cause instanceof TagstreamError) throw cause;
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const [, by] = /^(Z_|ZSTD_)/.exec(code) ?? [];
    if (by === undefined) throw fileError('read', source, cause);
    const packer = by === 'Z_' ? 'gzip' : 'zstd';
    throw new TagstreamError('file', `cannot read ${source}: the ${packer} data is damaged`, {
      fix: `check the file with ${packer} -t`,
      cause,
    });
  }
}

/** Yields the chunks of a stream as bytes: strings, such as those of `Readable.from(['...'])`, are encoded as UTF-8. */
async function* bytesOfStream(stream: InputStream): AsyncGenerator<Uint8Array, void, undefined> {
  let half = '';
  for await (const chunk of stream) {
    if (typeof chunk !== 'string') {
      yield chunk;
      continue;
    }
    // The first half of a surrogate pair waits for the second.
    const text = half + chunk;
    half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : '';
    yield Buffer.from(half === '' ? text : text.slice(0, -1));
  }
  if (half !== '') yield Buffer.from(half);
}

/** A plain file being read, and its progress. */
interface FileChunks {
  /** Chunks, each valid until the next is requested: of two buffers, one is filled while the other is used. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Returns the number of bytes yielded so far. */
  read(): number;
}

/**
 * Reads the bytes of a plain file from `start` to its end, even if it is growing. Allocates only two buffers: callers
 * must copy a chunk to keep it.
 *
 * @param handle handle that the caller closes, at any time
 */
function fileChunks(handle: FileHandle, start: number, chunkBytes: number): FileChunks {
  let given = 0;
  const chunks = async function* () {
    const buffers = [new Uint8Array(chunkBytes), new Uint8Array(chunkBytes)];
    let position = start;
    const ahead = (turn: number) => {
      const reading = handle.read(buffers[turn & 1]!, 0, chunkBytes, position);
      // The error is thrown if and when the chunk is requested.
      reading.catch(() => undefined);
      return reading;
    };
    let reading = ahead(0);
    for (let turn = 0; ; turn += 1) {
      const { bytesRead } = await reading;
      if (bytesRead === 0) return;
      position += bytesRead;
      reading = ahead(turn + 1);
      given += bytesRead;
      yield buffers[turn & 1]!.subarray(0, bytesRead);
    }
  };
  return { chunks: chunks(), read: () => given };
}

/**
 * A source of bytes or text: `process.stdin` or any other `Readable` of Node. Names no Node types, so that compiling
 * against the package does not require them.
 */
export interface InputStream extends AsyncIterable<Uint8Array | string> {
  /** Abandons the stream, even while waiting for a chunk. */
  destroy(): unknown;
}

const OPEN_LIST = 91;

/** Number of bytes examined. */
const looked = 64;

/**
 * Yields the bytes of a stream, converted by `intoLines` if its first bytes require it.
 *
 * @throws TagstreamError `file` if the stream ends early, after all complete items
 */
async function* linesOfChunks(
  chunks: AsyncIterable<Uint8Array>,
  intoLines: IntoLines,
  source: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  let change: LineMaker | undefined;
  let head: Uint8Array | undefined = new Uint8Array(0);
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield change === undefined ? chunk : change.lines(chunk);
      continue;
    }
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    // Once a nonblank byte has arrived, a slow stream need not be waited for.
    if (head.length < looked && isOpen(head)) {
      head = Uint8Array.from(head);
      continue;
    }
    if (intoLines.isNeeded(head)) change = intoLines.begin();
    yield change === undefined ? head : change.lines(head);
    head = undefined;
  }
  if (head !== undefined && head.length > 0) {
    if (intoLines.isNeeded(head)) change = intoLines.begin();
    yield change === undefined ? head : change.lines(head);
  }
  if (change === undefined) return;
  const { rest, missing } = change.end();
  if (rest.length > 0) yield rest;
  if (missing !== undefined) throw arrayCutOff(source, missing);
}

/** Returns the error for a JSON array that ends early. */
export function arrayCutOff(source: string, missing: string): TagstreamError {
  return new TagstreamError(
    'file',
    `cannot read ${source}: the JSON array is cut off: ${missing}`,
    { fix: 'records before the cut were read; fetch the whole file again, or add the bracket' },
  );
}

/** Returns whether bytes do not yet determine the beginning of the stream: only blanks and an array's bracket. */
function isOpen(bytes: Uint8Array): boolean {
  return bytes.every(byte => byte <= 32 || byte === OPEN_LIST || byte >= 0xbb);
}
