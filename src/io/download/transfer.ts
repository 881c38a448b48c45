import type { FileHandle } from 'node:fs/promises';
import { setTimeout as later } from 'node:timers/promises';
import { fileError } from '../files/file-error.js';
import { answerOf } from './answer-of.js';
import { BrokenTransfer, downloadError, reasonOf } from './download-error.js';
import type { DownloadOptions } from './download-options.js';
import type { PartialFile } from './partial-file.js';

/** Most bytes of a file whose size the catalogue does not give, whatever the server says. */
const defaultMost = 4 * 2 ** 30;

/**
 * One request for what is missing of a file, and its answer added to what is there.
 *
 * @throws BrokenTransfer where another request may bring the rest, TagstreamError `file` where none will
 */
export async function transfer(part: PartialFile, options: DownloadOptions): Promise<void> {
  const { url, sha256, patience = 60_000 } = options;
  // Without a digest or a name of the version nobody would find out that it is another one now.
  if (sha256 === undefined && part.version === undefined) part.remove();
  const start = part.bytes;
  if (options.bytes !== undefined && start > 0 && start >= options.bytes) return;
  const silence = new Silence(patience);
  try {
    const response = await answerOf(url, start, part.version, silence.signal);
    silence.heard();
    const expected = await begin(response, part, start, options);
    if (response.body === null || expected === 'nothing') return;
    await take(response.body, part, { ...options, expected, silence });
  } finally {
    silence.stop();
  }
}

/** Aborts a transfer in which nothing comes. */
class Silence {
  readonly #controller = new AbortController();
  readonly #milliseconds: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
    this.heard();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  heard(): void {
    this.stop();
    const error = new Error(`nothing has come for ${this.#milliseconds / 1000} s`);
    this.#timer = setTimeout(() => this.#controller.abort(error), this.#milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** Makes ready for the body of an answer. Returns the size of the whole file, where the server says it. */
async function begin(
  response: Response,
  part: PartialFile,
  start: number,
  { url, bytes }: DownloadOptions,
): Promise<number | undefined | 'nothing'> {
  const { status, headers } = response;
  if (status === 206) {
    const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '');
    if (range !== null && Number(range[1]) === start) {
      return range[2] === '*' ? bytes : Number(range[2]);
    }
    part.remove();
    throw new BrokenTransfer('the server sent another part than was asked for');
  }
  if (status === 416) {
    const whole = /^bytes \*\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1];
    await response.body?.cancel();
    if (start > 0 && Number(whole) === start) return 'nothing';
    part.remove();
    throw new BrokenTransfer('what was there is not the beginning of the file');
  }
  if (!response.ok) {
    await response.body?.cancel();
    throw refused(url, response);
  }
  part.begin(headers.get('etag')?.startsWith('"') === true ? headers.get('etag')! : undefined);
  const length = headers.get('content-length');
  const isPlain = headers.get('content-encoding') === null;
  return length === null || !isPlain ? bytes : Number(length);
}

function refused(url: string, { status, statusText }: Response): Error {
  const answer = `the server answers ${status} ${statusText}`.trim();
  if (status === 429 || status >= 500) return new BrokenTransfer(answer);
  const fix =
    status === 404 || status === 410
      ? 'the file has moved: look at the home page of the corpus'
      : 'look whether the address opens in a browser';
  return downloadError(url, answer, fix);
}

interface Taking extends DownloadOptions {
  readonly expected: number | undefined;
  readonly silence: Silence;
}

/** Adds a body to what is there; keeps all that has come, whatever becomes of the rest. */
async function take(
  body: ReadableStream<Uint8Array>,
  part: PartialFile,
  taking: Taking,
): Promise<void> {
  const { url, expected, silence, onProgress, bytes, most = defaultMost } = taking;
  let received = part.bytes;
  const limit = bytes ?? Math.min(expected ?? most, most);
  const file = await part.open();
  let tooMuch = false;
  try {
    for await (const chunk of body) {
      silence.heard();
      received += chunk.length;
      if (received > limit) {
        tooMuch = true;
        throw downloadError(
          url,
          `more comes than the ${limit} bytes that were expected`,
          'look whether the address still names this file',
        );
      }
      await append(file, chunk, part.path);
      onProgress?.(received, expected);
    }
    await file.sync();
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'TagstreamError') {
      await file.close();
      if (tooMuch) part.remove();
      throw cause;
    }
    throw new BrokenTransfer(reasonOf(cause), { cause });
  } finally {
    await file.close().catch(() => undefined);
  }
  if (expected !== undefined && received < expected) {
    throw new BrokenTransfer(`${received} of ${expected} bytes have come`);
  }
}

/** @throws TagstreamError `file`: that a disk is full is no fault of the transfer */
async function append(file: FileHandle, chunk: Uint8Array, path: string): Promise<void> {
  try {
    await file.appendFile(chunk);
  } catch (cause) {
    throw fileError('write', path, cause);
  }
}

/** Waits before a broken transfer is resumed. */
export function pauseBefore(retry: number, milliseconds = 1000): Promise<unknown> {
  return later(milliseconds * 2 ** (retry - 1));
}
