import { createWriteStream, type WriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { fileError } from './file-error.js';
import { removeAtExit } from './remove-at-exit.js';
import { syncDirectory } from './sync-directory.js';
import { temporaryName } from './temporary-name.js';
import { writeTarget } from './write-target.js';

/** An open output for text, or for bytes that are UTF-8 already. */
export interface Output {
  /** The path, or `<stdout>`. */
  readonly name: string;
  /** Hands text on; `done` is called when the system has it, or with what went wrong. */
  write(text: string | Uint8Array, done: (error?: unknown) => void): void;
  /** Ends it, after the last `done`; a file gets its name now. Rejects with TagstreamError `file`. */
  commit(): Promise<void>;
  /** Gives it up; nothing is left of a new file, and an old one stays as it was. */
  abort(): Promise<void>;
}

/**
 * Opens a file, or the standard output for `-`. A name that ends in `.gz` is compressed.
 *
 * A file is written under a temporary name beside it and renamed by `commit`, flushed to the disk
 * before, so that there is never half a file. Pipes and devices are written directly. Of compressed
 * output `done` means that the compressor has it.
 *
 * @throws TagstreamError `file` if it cannot be opened
 * @example
 * const output = await openOutput('/dev/null');
 * await new Promise(resolve => output.write('text', resolve)) // => undefined
 * await output.commit();
 */
export async function openOutput(
  path: string,
  options: { stdout?: Writable | undefined } = {},
): Promise<Output> {
  if (path === '-') return streamOutput('<stdout>', options.stdout ?? process.stdout);
  try {
    const target = writeTarget(path);
    const temporary = target.replaceable ? temporaryName(target.path) : undefined;
    const file = createWriteStream(temporary ?? target.path, { flush: target.replaceable });
    await opened(file);
    return fileOutput(path, file, target.path, temporary);
  } catch (cause) {
    throw fileError('write', path, cause);
  }
}

/** The standard output, or any other stream that is not ours to end. */
function streamOutput(name: string, stream: Writable): Output {
  // Without a listener an error would end the process before `done` hears of it.
  stream.on('error', () => undefined);
  return {
    name,
    write: (text, done) => {
      stream.write(text, error => done(error ?? undefined));
    },
    commit: () => Promise.resolve(),
    abort: () => Promise.resolve(),
  };
}

function fileOutput(
  name: string,
  file: WriteStream,
  target: string,
  temporary: string | undefined,
): Output {
  const gzip = name.endsWith('.gz') ? createGzip() : undefined;
  const settled = temporary === undefined ? () => undefined : removeAtExit(temporary);
  const head: Writable = gzip ?? file;
  const ended = gzip === undefined ? finished(file) : pipeline(gzip, file);
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

function opened(file: WriteStream): Promise<void> {
  return new Promise((resolve, reject) => {
    file.once('open', () => {
      file.off('error', reject);
      resolve();
    });
    file.once('error', reject);
  });
}

function closed(file: WriteStream): Promise<void> {
  if (file.closed) return Promise.resolve();
  return new Promise(resolve => {
    file.once('close', resolve);
    file.destroy();
  });
}
