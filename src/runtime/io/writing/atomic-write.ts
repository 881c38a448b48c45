import {
  closeSync,
  fstatSync,
  fsyncSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectory, temporaryName } from '../../../formats/files/directories.js';
import { errnoOf, fileError, refusePipe } from '../../../formats/files/file-error.js';
import { realTarget } from '../../../formats/files/file-identity.js';
import { descriptorOf, type FileAccess, openAs } from '../../../formats/files/open-files.js';

/**
 * Writes a whole file which, whenever the process or the machine stops, has either its old or its new content: a
 * temporary file next to it is written, flushed and renamed, and the directory flushed. The new file has the
 * permissions of the old one, and its owner if the system allows it.
 *
 * @param check checks the temporary file before it is renamed; if it throws, the old content stays. Pipes, devices
 *   and open files are written directly, without a check
 * @throws TagstreamError `file` if it cannot be written, such as a pipe; the old content is then untouched
 * @example
 * atomicWrite('/dev/null', 'a device is written directly') // => undefined
 */
export function atomicWrite(
  path: string,
  content: string | Uint8Array | Iterable<Uint8Array>,
  check?: (file: string) => void,
): void {
  let temporary: string | undefined;
  try {
    refusePipe('write', path, 'name a regular file: it is replaced as a whole');
    const target = writeTarget(path);
    temporary = target.replaceable ? temporaryName(target.path) : undefined;
    const whole = typeof content === 'string' || content instanceof Uint8Array;
    writeDurably(temporary ?? target.path, whole ? [content] : content, target);
    if (temporary === undefined) return;
    check?.(temporary);
    renameSync(temporary, target.path);
    syncDirectory(dirname(target.path));
  } catch (cause) {
    if (temporary !== undefined) rmSync(temporary, { force: true });
    throw fileError('write', path, cause);
  }
}

/** Destination of the pieces. */
interface DurableOptions {
  /** Access of the replaced file. */
  readonly access?: FileAccess | undefined;
  /** Descriptor of an open file to write to instead of the path; it stays open. */
  readonly descriptor?: number | undefined;
}

/** Writes pieces one after the other into a new file and flushes it to the disk. */
export function writeDurably(
  path: string,
  pieces: Iterable<string | Uint8Array>,
  { access, descriptor }: DurableOptions = {},
): void {
  const file = descriptor ?? openAs(path, 'w', access);
  try {
    for (const piece of pieces) {
      writeFully(file, typeof piece === 'string' ? Buffer.from(piece) : piece);
    }
    flush(file);
  } finally {
    if (file !== descriptor) closeSync(file);
  }
}

function flush(file: number): void {
  try {
    fsyncSync(file);
  } catch (cause) {
    // Pipes and devices have nothing to flush.
    if (errnoOf(cause) !== 'EINVAL') throw cause;
  }
}

/** Milliseconds between attempts to write to a full pipe. */
const pause = 5;

/**
 * Writes all bytes to an open file, and waits for a slower reader of a pipe or socket.
 *
 * @throws a system error
 * @example
 * writeFully(1, new Uint8Array(0)) // => undefined
 */
export function writeFully(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(file, bytes, done);
    } catch (cause) {
      if (errnoOf(cause) !== 'EAGAIN') throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
    }
  }
}

/** The actual destination of bytes written to a path. */
export interface WriteTarget {
  /** The path with links followed, so that a link stays a link when its file is replaced. */
  readonly path: string;
  /**
   * Whether the file can be replaced; false for pipes, devices and open files of the process, which are written
   * directly.
   */
  readonly replaceable: boolean;
  /** Whether the target is a pipe, whose opening waits for a reader. */
  readonly isPipe: boolean;
  /** Descriptor of the path's open file, if it must be written through it. */
  readonly descriptor?: number | undefined;
  /** Access of the existing file, if any. */
  readonly access?: FileAccess | undefined;
}

/**
 * Determines the target of `path`; a path at which nothing exists yet is replaceable.
 *
 * @throws a system error for a path that cannot be inspected, or that refers to a file that is not open
 * @example
 * writeTarget('/dev/null') // => ({ path: '/dev/null', replaceable: false, isPipe: false })
 */
export function writeTarget(path: string): WriteTarget {
  const descriptor = descriptorOf(path);
  if (descriptor !== undefined) {
    // A pipe is opened again by its path, because opening is what waits for its reader.
    const isPipe = descriptor > 2 && fstatSync(descriptor).isFIFO();
    return { path, replaceable: false, isPipe, descriptor: isPipe ? undefined : descriptor };
  }
  const stat: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() === false) return { path, replaceable: false, isPipe: stat.isFIFO() };
  return { path: realTarget(path), replaceable: true, isPipe: false, access: stat };
}
