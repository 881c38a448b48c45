import { realpathSync, statSync } from 'node:fs';
import { errnoOf } from './file-error.js';

/** Where bytes for a path really go. */
export interface WriteTarget {
  /** The path with links followed, so that a link stays one when its file is replaced. */
  readonly path: string;
  /** False for pipes and devices, which are written directly. */
  readonly replaceable: boolean;
}

/** Looks at what stands at `path`; a path where nothing is yet is replaceable. */
export function writeTarget(path: string): WriteTarget {
  try {
    return { path: realpathSync(path), replaceable: statSync(path).isFile() };
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return { path, replaceable: true };
    throw cause;
  }
}
