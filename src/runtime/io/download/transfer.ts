import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as later } from 'node:timers/promises';
import { TagstreamError } from '../../../engine/core/errors.js';
import { fileError } from '../../../formats/files/file-error.js';

/** Maximum number of bytes of a file whose size is not in the catalogue, whatever the server states. */
const defaultMost = 4 * 2 ** 30;

/**
 * Requests the missing part of a file, and appends the answer.
 *
 * @throws BrokenTransfer if another request may deliver the rest, otherwise TagstreamError `file`
 */
export async function transfer(part: PartialFile, options: DownloadOptions): Promise<void> {
  const { url, sha256, patience = 60_000 } = options;
  // Without a digest or an entity tag, a changed file would go unnoticed.
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

/** Aborts a transfer when no data arrive for some time. */
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
    const error = new Error(`no data for ${this.#milliseconds / 1000} s`);
    this.#timer = setTimeout(() => this.#controller.abort(error), this.#milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** Prepares for an answer's body. Returns the size of the whole file, if the server states it. */
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
    throw new BrokenTransfer('the server sent the wrong part of the file');
  }
  if (status === 416) {
    const whole = /^bytes \*\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1];
    await response.body?.cancel();
    if (start > 0 && Number(whole) === start) return 'nothing';
    part.remove();
    throw new BrokenTransfer('the partial download is not the beginning of the file');
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
  const answer = `the server answered ${status} ${statusText}`.trim();
  if (status === 429 || status >= 500) return new BrokenTransfer(answer);
  const fix =
    status === 404 || status === 410
      ? 'the file has moved: see the home page of the corpus'
      : 'check that the address opens in a browser';
  return downloadError(url, answer, fix);
}

interface Taking extends DownloadOptions {
  readonly expected: number | undefined;
  readonly silence: Silence;
}

/** Appends a body to the partial file; keeps all bytes received, even if the transfer then fails. */
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
          `the server sends more than the expected ${limit} bytes`,
          'check that the address still serves this file',
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
    throw new BrokenTransfer(`received only ${received} of ${expected} bytes`);
  }
}

/** @throws TagstreamError `file`: a full disk is not a fault of the transfer */
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

/** Status codes of redirects, and maximum number of redirects followed. */
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const mostRedirects = 10;

/**
 * Requests a file from byte `start` on, following redirects.
 *
 * @param version the server's name for the version to which the bytes before `start` belong
 * @throws BrokenTransfer if there is no answer, TagstreamError `file` if a redirect cannot be
 * followed
 */
export async function answerOf(
  url: string,
  start: number,
  version: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  if (start > 0) {
    headers.range = `bytes=${start}-`;
    if (version !== undefined) headers['if-range'] = version;
  }
  let at = url;
  for (let followed = 0; ; followed += 1) {
    let response: Response;
    try {
      response = await fetch(at, { headers, signal, redirect: 'manual' });
    } catch (cause) {
      throw new BrokenTransfer(reasonOf(cause), { cause });
    }
    const location = response.headers.get('location');
    if (location === null || !redirects.has(response.status)) return response;
    await response.body?.cancel();
    at = nextAddress(url, at, location);
    if (followed === mostRedirects) {
      throw downloadError(
        url,
        `more than ${mostRedirects} redirects`,
        'check that the address opens in a browser',
      );
    }
  }
}

/**
 * Returns the target of a redirect, before requesting it.
 *
 * @param url the original address, for errors
 * @throws TagstreamError `file` if it leads from HTTPS to HTTP, or is not an HTTP address
 * @example
 * nextAddress('https://a.example/x', 'https://a.example/x', '/y') // => 'https://a.example/y'
 */
export function nextAddress(url: string, from: string, location: string): string {
  const next = URL.canParse(location, from) ? new URL(location, from) : undefined;
  const isAllowed =
    next?.protocol === 'https:' || (next?.protocol === 'http:' && from.startsWith('http:'));
  if (next !== undefined && isAllowed) return next.href;
  throw downloadError(
    url,
    `it redirects to ${next?.href ?? location}`,
    from.startsWith('https:')
      ? 'only https redirects are followed'
      : 'only http and https redirects are followed',
  );
}

/** A broken transfer that can be resumed, unlike one that cannot succeed. */
export class BrokenTransfer extends Error {
  override readonly name = 'BrokenTransfer';
}

/** Returns an error about an address. */
export function downloadError(
  url: string,
  problem: string,
  fix: string,
  cause?: unknown,
): TagstreamError {
  return new TagstreamError('file', `cannot fetch ${url}: ${problem}`, { fix, cause });
}

/** Returns the message of a failed transfer's innermost cause. */
function reasonOf(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  if (!(inner instanceof Error)) return String(inner);
  const code = 'code' in inner ? String(inner.code) : '';
  return inner.message !== '' ? inner.message : code;
}

/** The file to download, and the data to verify it. */
export interface DownloadOptions {
  readonly url: string;
  /** Path of the complete file; until then it grows under `TARGET.part`. */
  readonly target: string;
  /** Hexadecimal digest of the whole file. If absent, the file is not verified. */
  readonly sha256?: string | undefined;
  /** Size of the whole file in bytes. */
  readonly bytes?: number | undefined;
  /** Called with the progress; `total` if the server states it. */
  readonly onProgress?: ((received: number, total: number | undefined) => void) | undefined;
  /** Maximum number of times that a broken transfer is resumed; default 3. */
  readonly retries?: number | undefined;
  /** Milliseconds before resuming, doubled each time; default 1000. */
  readonly pause?: number | undefined;
  /** Milliseconds without a byte after which a transfer counts as broken; default 60,000. */
  readonly patience?: number | undefined;
  /** Maximum number of bytes of a file of unknown size; default 4 GiB. */
  readonly most?: number | undefined;
}

/** Properties of a downloaded file. */
export interface Downloaded {
  readonly sha256: string;
  readonly bytes: number;
}

/**
 * The part of a file downloaded so far, in `TARGET.part`, with the server's name for that version in a file next to it,
 * so that two versions are never mixed.
 */
export class PartialFile {
  readonly path: string;
  readonly #tagPath: string;

  constructor(target: string) {
    this.path = `${target}.part`;
    this.#tagPath = `${target}.part.etag`;
  }

  /** Number of bytes downloaded so far. */
  get bytes(): number {
    return statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** The server's name for the version of the bytes, if it has one. */
  get version(): string | undefined {
    try {
      return readFileSync(this.#tagPath, 'utf8');
    } catch {
      return undefined;
    }
  }

  /** Starts over with another version. */
  begin(version: string | undefined): void {
    this.remove();
    if (version !== undefined) writeFileSync(this.#tagPath, version);
  }

  open(): Promise<FileHandle> {
    return open(this.path, 'a');
  }

  forgetVersion(): void {
    rmSync(this.#tagPath, { force: true });
  }

  remove(): void {
    rmSync(this.path, { force: true });
    this.forgetVersion();
  }
}
