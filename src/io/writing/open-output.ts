import { createWriteStream, type WriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Transform, Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import { requireKnown } from '../../core/schema/require-known.js';
import type { TaggedDocument } from '../../core/sentence/tagged-document.js';
import { openAs } from '../files/file-access.js';
import { fileError } from '../files/file-error.js';
import { zlib } from '../files/node-parts.js';
import { removeAtExit } from '../files/remove-at-exit.js';
import { syncDirectory } from '../files/sync-directory.js';
import { temporaryName } from '../files/temporary-name.js';
import { zstdStream } from '../files/zstd-stream.js';
import type { OutputStream } from './output-stream.js';
import { type WriteTarget, writeTarget } from './write-target.js';

/** An open output for text, or for bytes that are UTF-8 already. */
export interface Output {
  /** The path, or `<stdout>`. */
  readonly name: string;
  /** Whether each write is one record; otherwise records are collected. Default false. */
  readonly byRecord?: boolean;
  /**
   * Hands text on; `done` is called when the system has it, or with what went wrong.
   *
   * @param record that the text was written of, where `byRecord`
   */
  write(text: string | Uint8Array, done: (error?: unknown) => void, record?: TaggedDocument): void;
  /** Ends it, after the last `done`; a file gets its name now. Rejects with TagstreamError `file`. */
  commit(): Promise<void>;
  /** Gives it up; nothing is left of a new file, and an old one stays as it was. */
  abort(): Promise<void>;
}

export interface OpenOutputOptions {
  /** What `-` stands for; the standard output of the process by default. */
  readonly stdout?: OutputStream | undefined;
  /** Its abort ends the wait for the reader of a pipe. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens a file, or the standard output for `-`. A name that ends in `.gz` is compressed, and one in `.zst` where Node has Zstandard (22.15).
 *
 * A file is written under a temporary name beside it and renamed by `commit`, flushed to the disk
 * before, so that there is never half a file; it keeps the permissions of the file that it replaces. Pipes,
 * devices and open files of the process (`/dev/stdout`, `/dev/fd/3`) are written directly; a pipe is waited for
 * until it has a reader. Of compressed output `done` means that the compressor has it.
 *
 * @throws (rejects with) TagstreamError `file` if it cannot be opened, the reason of the signal
 * @example
 * const output = await openOutput('/dev/null');
 * await new Promise(resolve => output.write('text', resolve)) // => undefined
 * await output.commit();
 */
export async function openOutput(path: string, options: OpenOutputOptions = {}): Promise<Output> {
  requireArgument('openOutput: the file', path, kinds.text);
  requireKnown('openOutput', options, ['stdout', 'signal']);
  if (path === '-') return streamOutput('<stdout>', options.stdout ?? process.stdout);
  const packing = packingOf(path);
  let settled = () => {};
  try {
    const target = writeTarget(path);
    if (target.descriptor === 1) return streamOutput(path, options.stdout ?? process.stdout);
    if (target.descriptor === 2) return streamOutput(path, process.stderr);
    if (target.isPipe) {
      const { openFifoToWrite } = await import('../files/open-fifo.js');
      const pipe = await openFifoToWrite(target.path, options.signal);
      return fileOutput({ name: path, file: pipe, target: target.path, packing, settled });
    }
    const temporary = target.replaceable ? temporaryName(target.path) : undefined;
    if (temporary !== undefined) settled = removeAtExit(temporary);
    const file = await openStream(target, temporary);
    return fileOutput({ name: path, file, target: target.path, temporary, packing, settled });
  } catch (cause) {
    settled();
    if (options.signal?.aborted === true && cause === options.signal.reason) throw cause;
    throw fileError('write', path, cause);
  }
}

/** Files are opened at once; what may make one wait, as a pipe does, is not. */
async function openStream(
  { path, access, descriptor }: WriteTarget,
  temporary: string | undefined,
): Promise<WriteStream> {
  if (temporary !== undefined) {
    return createWriteStream(temporary, { fd: openAs(temporary, 'a', access), flush: true });
  }
  if (descriptor !== undefined) return createWriteStream(path, { fd: descriptor });
  const file = createWriteStream(path);
  await opened(file);
  return file;
}

/** Without a listener an error would end the process before `done` hears of it. */
const ignore = () => undefined;

/** The standard output, or any other stream that is not ours to end. */
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

/** A file that is open. */
interface OpenFile {
  readonly name: string;
  readonly file: Writable;
  readonly target: string;
  /** The name that it has until it is whole. */
  readonly temporary?: string | undefined;
  /** What packs its bytes. */
  readonly packing: Transform | undefined;
  settled(): void;
}

function fileOutput({ name, file, target, temporary, packing, settled }: OpenFile): Output {
  const head: Writable = packing ?? file;
  const ended = packing === undefined ? finished(file) : pipeline(packing, file);
  // Heard of through `done` and `commit`; without a listener it would end the process.
  ended.catch(() => undefined);
  return {
    name,
    write: (text, done) => {
      head.write(text, error => {
        if (!error) done();
        // What the first stream reports may only be the echo of the other's error.
        else ended.then(() => done(error), done);
      });
    },
    commit: async () => {
      try {
        head.end();
        await ended;
        if (temporary === undefined) return;
        await rename(temporary, target);
        syncDirectory(dirname(target));
      } catch (cause) {
        if (temporary !== undefined) await rm(temporary, { force: true });
        throw fileError('write', name, cause);
      } finally {
        settled();
      }
    },
    abort: async () => {
      head.destroy();
      await closed(file);
      if (temporary !== undefined) await rm(temporary, { force: true });
      settled();
    },
  };
}

/** By the ending of the name. */
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
