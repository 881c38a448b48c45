import { readdirSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { TagstreamError } from '../../../engine/core/errors.js';
import {
  kinds,
  requireArgument,
  requireKnown,
} from '../../../engine/core/schema/require-argument.js';
import type { CheckpointParts, CheckpointStore } from '../../../engine/core/training/state.js';
import { kibibytes } from '../../../engine/core/wording/numbers.js';
import { makeDirectory, syncDirectory } from '../../../formats/files/directories.js';
import { errnoOf, fileError } from '../../../formats/files/file-error.js';
import type { FileLock } from '../locks/file-lock.js';
import { readGeneration, writeGeneration } from './read-generation.js';

const generationName = /^gen-(\d{8,})$/;
const temporaryPrefix = '.tmp-';

/**
 * Checkpoints in a directory, with one subdirectory per generation, such as `gen-00000012`: `manifest.json`
 * (JSON states, names and lengths of arrays, checksums) and `arrays.bin` (the arrays, little-endian).
 *
 * A generation is written under a temporary name, flushed, renamed, and the directory flushed: earlier generations
 * survive a kill at any instant. Partial files of a killed run are removed by the first `write`; reading has no side
 * effects. Only one process may write to a directory at a time; with a `lock` of the directory, a process that has lost
 * it writes nothing more.
 *
 * @example
 * const store = new FileCheckpointStore('no/such/directory', { keep: 2 });
 * store.readNewest(() => {}) // => undefined
 */
export class FileCheckpointStore implements CheckpointStore {
  readonly #directory: string;
  readonly #keep: number;
  readonly #lock: Pick<FileLock, 'require'> | undefined;
  #swept = false;

  /**
   * @param options `keep`: number of generations kept, 3 by default; `lock`: the lock of the
   * directory
   * @throws TagstreamError `config` if `keep` is below 1
   */
  constructor(
    directory: string,
    options: {
      keep?: number | undefined;
      lock?: Pick<FileLock, 'require'> | undefined;
    } = {},
  ) {
    requireArgument('FileCheckpointStore: the folder', directory, kinds.text);
    requireKnown('FileCheckpointStore', options, ['keep', 'lock']);
    this.#directory = directory;
    this.#lock = options.lock;
    this.#keep = options.keep ?? 3;
    if (!(Number.isInteger(this.#keep) && this.#keep >= 1)) {
      throw new TagstreamError('config', `keep is ${this.#keep}`, { fix: 'keep at least 1' });
    }
  }

  /**
   * Writes a new generation and drops old ones in excess of `keep`. Returns its name.
   *
   * @throws TagstreamError `checkpoint` if JSON cannot represent a part or the lock is lost, `file` if writing
   * fails; earlier generations are then untouched
   */
  write(parts: CheckpointParts): string {
    let temporary: string | undefined;
    try {
      this.#lock?.require();
      makeDirectory(this.#directory);
      if (!this.#swept) this.#sweep();
      this.#swept = true;
      const names = this.#generations();
      const name = nameOf((numberOf(names.at(-1)) ?? 0) + 1);
      requireSpace(this.#directory, parts);
      temporary = join(this.#directory, `${temporaryPrefix}${name}`);
      writeGeneration(temporary, parts);
      // The lock may be lost while a large checkpoint is written.
      this.#lock?.require();
      renameSync(temporary, join(this.#directory, name));
      syncDirectory(this.#directory);
      this.#drop([...names, name].slice(0, -this.#keep));
      return name;
    } catch (cause) {
      if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
      throw fileError('write a checkpoint to', this.#directory, cause);
    }
  }

  /** Name of the newest generation, intact or not; undefined if there is none. */
  get newest(): string | undefined {
    return this.#generations().at(-1);
  }

  /** Returns the newest valid generation; damaged ones are reported to `onDamaged` and skipped. */
  readNewest(onDamaged: (name: string, error: Error) => void): CheckpointParts | undefined {
    for (const name of this.#generations().reverse()) {
      const directory = join(this.#directory, name);
      try {
        return readGeneration(directory);
      } catch (cause) {
        const error =
          cause instanceof TagstreamError
            ? cause.at({ source: directory })
            : fileError('read the checkpoint', directory, cause);
        onDamaged(name, error);
      }
    }
    return undefined;
  }

  /** Names of all generations, oldest first, including damaged ones. */
  #generations(): string[] {
    let names: string[];
    try {
      names = readdirSync(this.#directory);
    } catch (cause) {
      if (errnoOf(cause) === 'ENOENT') return [];
      throw fileError('read the checkpoints in', this.#directory, cause);
    }
    return names
      .filter(name => generationName.test(name))
      .sort((a, b) => numberOf(a)! - numberOf(b)!);
  }

  #sweep(): void {
    for (const name of readdirSync(this.#directory)) {
      if (!name.startsWith(temporaryPrefix)) continue;
      rmSync(join(this.#directory, name), { recursive: true, force: true });
    }
  }

  /** Removes generations; each is renamed first, so that a kill in between leaves no incomplete generation. */
  #drop(names: readonly string[]): void {
    for (const name of names) {
      const doomed = join(this.#directory, `${temporaryPrefix}old-${name}`);
      renameSync(join(this.#directory, name), doomed);
      rmSync(doomed, { recursive: true, force: true });
    }
  }
}

function nameOf(number: number): string {
  return `gen-${String(number).padStart(8, '0')}`;
}

function numberOf(name: string | undefined): number | undefined {
  const digits = name === undefined ? undefined : generationName.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Bytes reserved for the manifest, which is small compared with the arrays, and for file system overhead. */
const reserve = 2 ** 14;

/**
 * Checks that a checkpoint fits on its disk before writing it.
 *
 * @throws TagstreamError `file` if it does not; errors of the file system
 */
function requireSpace(directory: string, parts: CheckpointParts): void {
  const arrays = Object.values(parts).flatMap(({ arrays }) => Object.values(arrays));
  const needed = arrays.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const { bavail, bsize, blocks } = statfsSync(directory);
  const free = bavail * bsize;
  // Some file systems do not report their size.
  if (blocks === 0 || free >= needed + reserve) return;
  throw new TagstreamError(
    'file',
    `a checkpoint of ${kibibytes(needed)} does not fit into ${directory}: only ${kibibytes(free)} are free`,
    { fix: 'free some space, or keep fewer checkpoints' },
  );
}

/**
 * Returns the newest valid checkpoint of a directory; undefined if it has none yet.
 *
 * @param onDamaged called for each skipped checkpoint
 * @throws TagstreamError `checkpoint` if there are checkpoints but all are damaged
 */
export function readWhole(
  directory: string,
  onDamaged?: (name: string, error: Error) => void,
): CheckpointParts | undefined {
  const damaged: string[] = [];
  const parts = new FileCheckpointStore(directory).readNewest((name, error) => {
    damaged.push(name);
    onDamaged?.(name, error);
  });
  if (parts === undefined && damaged.length > 0) {
    throw new TagstreamError('checkpoint', `no intact checkpoint: ${damaged.join(', ')}`, {
      place: { source: directory },
      fix: 'start again without --resume, or restore an intact checkpoint',
    });
  }
  return parts;
}
