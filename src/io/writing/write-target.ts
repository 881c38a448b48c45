import { fstatSync, type Stats, statSync } from 'node:fs';
import { descriptorOf } from '../files/descriptor-of.js';
import type { FileAccess } from '../files/file-access.js';
import { realTarget } from '../files/real-target.js';

/** Where bytes for a path really go. */
export interface WriteTarget {
  /** The path with links followed, so that a link stays one when its file is replaced. */
  readonly path: string;
  /** False for pipes, devices and open files of the process, which are written directly. */
  readonly replaceable: boolean;
  /** Opening it waits for a reader. */
  readonly isPipe: boolean;
  /** The open file that the path stands for, where it is to be written through its number. */
  readonly descriptor?: number | undefined;
  /** Of the file that is there, if one is. */
  readonly access?: FileAccess | undefined;
}

/**
 * Looks at what stands at `path`; a path where nothing is yet is replaceable.
 *
 * @throws a system error for a path that cannot be looked at, or that stands for a file that is not open
 * @example
 * writeTarget('/dev/null') // => ({ path: '/dev/null', replaceable: false, isPipe: false })
 */
export function writeTarget(path: string): WriteTarget {
  const descriptor = descriptorOf(path);
  if (descriptor !== undefined) {
    // A pipe is opened again by its name: the one that is open may not wait for its reader.
    const isPipe = descriptor > 2 && fstatSync(descriptor).isFIFO();
    return { path, replaceable: false, isPipe, descriptor: isPipe ? undefined : descriptor };
  }
  const stat: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() === false) return { path, replaceable: false, isPipe: stat.isFIFO() };
  return { path: realTarget(path), replaceable: true, isPipe: false, access: stat };
}
