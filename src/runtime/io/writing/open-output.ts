import { createWriteStream, fstatSync, type WriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Transform, Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import {
  kinds,
  requireArgument,
  requireKnown,
} from '../../../engine/core/schema/require-argument.js';
import type { TaggedDocument } from '../../../engine/core/sentence/tagged-document.js';
import { syncDirectory, temporaryName } from '../../../formats/files/directories.js';
import { errnoOf, fileError } from '../../../formats/files/file-error.js';
import { zlib } from '../../../formats/files/node-parts.js';
import { type FileAccess, followFile, openAs } from '../../../formats/files/open-files.js';
import { removeAtExit } from '../../../formats/files/remove-at-exit.js';
import { standardStreams } from '../../../formats/files/standard-streams.js';
import { zstdStream } from '../../../formats/files/zstd-stream.js';
import { type WriteTarget, writeTarget } from './atomic-write.js';

/** An open output for text or UTF-8 bytes. */
export interface Output {
  /** Path, or `<stdout>`. */
  readonly name: string;
  /** Whether each write is one record; otherwise records are collected. Default false. */
  readonly byRecord?: boolean;
  /**
   * Writes text; `done` is called when the system has accepted it, or with an error.
   *
   * @param record the record of the text, if `byRecord`
   */
  write(text: string | Uint8Array, done: (error?: unknown) => void, record?: TaggedDocument): void;
  /** Ends the output, after the last `done`; a file now gets its name. Rejects with TagstreamError `file`. */
  commit(): Promise<void>;
  /** Abandons the output; a new file is removed, and an old one is unchanged. */
  abort(): Promise<void>;
}

/** Options of `openOutput`. */
export interface OpenOutputOptions {
  /** Stream that `-` writes to; default: standard output of the process. */
  readonly stdout?: OutputStream | undefined;
  /** Signal that ends the wait for a pipe's reader when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens a file, or the standard output for `-`. Output to a name that ends in `.gz` is compressed, and to one in
 * `.zst` if Node has Zstandard (22.15).
 *
 * A file is written under a temporary name next to it, flushed to the disk and renamed by `commit`, so that a partial
 * file is never visible; it keeps the permissions of the file that it replaces. If another program moves the temporary
 * file away, writing continues in a new one. Pipes, devices and open files of the process (`/dev/stdout`, `/dev/fd/3`)
 * are written directly; a pipe is opened once it has a reader. For compressed output, `done` means that the compressor
 * has the data.
 *
 * @throws (rejects with) TagstreamError `file` if the output cannot be opened, the reason of the signal
 * @example
 * const output = await openOutput('/dev/null');
 * await new Promise(resolve => output.write('text', resolve)) // => undefined
 * await output.commit();
 */
export async function openOutput(path: string, options: OpenOutputOptions = {}): Promise<Output> {
  requireArgument('openOutput: the file', path, kinds.text);
  requireKnown('openOutput', options, ['stdout', 'signal']);
  if (path === '-') return streamOutput('<stdout>', options.stdout ?? standardStreams().stdout);
  const packing = packingOf(path);
  let settled = () => {};
  try {
    const target = writeTarget(path);
    if (target.descriptor === 1)
      return streamOutput(path, options.stdout ?? standardStreams().stdout);
    if (target.descriptor === 2) return streamOutput(path, standardStreams().stderr);
    if (target.isPipe) {
      const { openFifoToWrite } = await import('../../../formats/files/open-fifo.js');
      const pipe = await openFifoToWrite(target.path, options.signal);
      return fileOutput({ name: path, file: pipe, target: target.path, packing, settled });
    }
    const temporary = target.replaceable ? temporaryName(target.path) : undefined;
    if (temporary !== undefined) settled = removeAtExit(temporary);
    const made = temporary === undefined ? undefined : openTemporary(temporary, target.access);
    const file = made?.file ?? (await openStream(target));
    return fileOutput({ name: path, file, target: target.path, temporary: made, packing, settled });
  } catch (cause) {
    settled();
    if (options.signal?.aborted === true && cause === options.signal.reason) throw cause;
    throw fileError('write', path, cause);
  }
}

/** A file under its temporary name. */
interface TemporaryFile {
  readonly path: string;
  readonly descriptor: number;
  readonly file: WriteStream;
}

/** Opens a temporary file synchronously, unlike pipes, whose reader may have to be waited for. */
function openTemporary(path: string, access: FileAccess | undefined): TemporaryFile {
  const descriptor = openAs(path, 'a', access);
  return { path, descriptor, file: createWriteStream(path, { fd: descriptor, flush: true }) };
}

async function openStream({ path, descriptor }: WriteTarget): Promise<WriteStream> {
  if (descriptor !== undefined) return createWriteStream(path, { fd: descriptor });
  const file = createWriteStream(path);
  await opened(file);
  return file;
}

/** Opens a new file if another program has moved the temporary one; a deleted one is detected at the end. */
function followTemporary({ path, descriptor, file }: TemporaryFile): TemporaryFile | undefined {
  if (file.closed || file.destroyed) return undefined;
  if (followFile(descriptor, path) !== undefined) return undefined;
  const stat = fstatSync(descriptor);
  return stat.nlink === 0 ? undefined : openTemporary(path, stat);
}

/** // Without a listener, an error would end the process before `done` is called with it. */
const ignore = () => undefined;

/** Returns an output to the standard output, or to another stream that must not be ended here. */
function streamOutput(name: string, stream: OutputStream): Output {
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  return {
    name,
    write: (text, done) => {
      stream.write(text, error => done(error ?? undefined));
    },
    commit: () => Promise.resolve(),
    abort: () => Promise.resolve(),
  };
}

/** An open file. */
interface OpenFile {
  readonly name: string;
  readonly file: Writable;
  readonly target: string;
  readonly temporary?: TemporaryFile | undefined;
  /** Compressor of its bytes; undefined: none. */
  readonly packing: Transform | undefined;
  settled(): void;
}

/** Stream that writes to a file, possibly through a compressor. */
interface Writing {
  readonly file: Writable;
  readonly head: Writable;
  readonly ended: Promise<void>;
}

function writingTo(file: Writable, packing: Transform | undefined): Writing {
  const head: Writable = packing ?? file;
  const ended = packing === undefined ? finished(file) : pipeline(packing, file);
  // Reported through `done` and `commit`; without a listener, the error would end the process.
  ended.catch(() => undefined);
  return { file, head, ended };
}

function fileOutput({ name, file, target, packing, settled, ...more }: OpenFile): Output {
  let { temporary } = more;
  let now = writingTo(file, packing);
  const before: Writing[] = [];
  const follow = () => {
    const next = temporary && followTemporary(temporary);
    if (next === undefined) return;
    now.head.end();
    before.push(now);
    temporary = next;
    now = writingTo(next.file, packingOf(name));
  };
  return {
    name,
    write: (text, done) => {
      try {
        follow();
      } catch (cause) {
        done(cause);
        return;
      }
      const { head, ended } = now;
      head.write(text, error => {
        if (!error) done();
        // The first stream's error may only be the echo of the other's.
        else ended.then(() => done(error), done);
      });
    },
    commit: async () => {
      try {
        follow();
        now.head.end();
        await Promise.all([...before, now].map(({ ended }) => ended));
        if (temporary === undefined) return;
        await rename(temporary.path, target);
        syncDirectory(dirname(target));
      } catch (cause) {
        if (temporary !== undefined) await rm(temporary.path, { force: true });
        throw fileError('write', name, cause);
      } finally {
        settled();
      }
    },
    abort: async () => {
      for (const each of [...before, now]) {
        each.head.destroy();
        await closed(each.file);
      }
      if (temporary !== undefined) await rm(temporary.path, { force: true });
      settled();
    },
  };
}

/** Returns the compressor for a name's extension. */
function packingOf(name: string): Transform | undefined {
  if (name.endsWith('.zst')) return zstdStream('pack', name);
  return name.endsWith('.gz') ? zlib().createGzip() : undefined;
}

function opened(file: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    file.once('open', () => {
      file.off('error', reject);
      resolve();
    });
    file.once('error', reject);
  });
}

function closed(file: Writable): Promise<void> {
  if (file.closed) return Promise.resolve();
  return new Promise(resolve => {
    file.once('close', resolve);
    file.destroy();
  });
}

/**
 * Commits an output; on a failure, aborts it and throws the failure. A reader that closed the pipe (EPIPE) is not a
 * failure: it needed no more.
 *
 * @throws TagstreamError `file` for system errors; other failures unchanged
 */
export async function endOutput(output: Output, failure: unknown): Promise<void> {
  if (failure === undefined) return output.commit();
  await output.abort();
  const code = errnoOf(failure);
  if (code === 'EPIPE') return;
  throw code === undefined ? failure : fileError('write', output.name, failure);
}

/** A sink for text or bytes: `process.stdout` or any other Node `Writable`, without naming that type. */
export interface OutputStream {
  /** Writes a chunk; `done` is called when the system has accepted it, or with an error. */
  write(chunk: string | Uint8Array, done: (error?: Error | null) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  listeners(event: 'error'): readonly unknown[];
}

/**
 * Returns an output that writes one text before everything else, and another at the end, but not if it is aborted.
 *
 * @example
 * const written = [];
 * const write = (text, done) => done(void written.push(text));
 * const plain = { name: 'memory', write, commit: async () => {}, abort: async () => {} };
 * await framedOutput(plain, { head: '<', tail: '>' }).commit();
 * written // => ['<', '>']
 */
export function framedOutput(
  output: Output,
  { head, tail }: { readonly head: string; readonly tail: string },
): Output {
  let begun = false;
  const begin = (text: string | Uint8Array, done: (error?: unknown) => void) => {
    begun = true;
    // An error of the first write is repeated by the second.
    output.write(head, () => undefined);
    output.write(text, done);
  };
  return {
    name: output.name,
    write: (text, done) => (begun ? output.write(text, done) : begin(text, done)),
    commit: async () => {
      if (!begun) output.write(head, () => undefined);
      const failure = await new Promise<unknown>(resolve => output.write(tail, resolve));
      await endOutput(output, failure);
    },
    abort: () => output.abort(),
  };
}
