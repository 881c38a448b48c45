import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import type { Script } from 'node:vm';
import { makeDirectory, temporaryName } from '../../formats/files/directories.js';
import { zlib } from '../../formats/files/node-parts.js';

/**
 * Milliseconds after which a file is rebuilt, and files of programs that no longer exist are
 * deleted.
 */
const keptFor = 30 * 24 * 3600 * 1000;

/** Exit code of a command line that names no command, or that is wrong in another way. */
const misused = 2;

/**
 * The compiled code of a program, in files of a folder that no other user can write to. Each file
 * belongs to a version of Node, a command, and a file of the package, whose content digest is in
 * the name. If a file cannot be read or written, the program is compiled again at the next start.
 */
export class KeptCode {
  readonly #folder: string;
  readonly #command: string;
  readonly #made = new Map<string, Script>();

  /**
   * @param command the first word of the command line: the engine keeps the functions that a run
   * has called, and `train` calls few of those that `tag` needs
   */
  constructor(folder: string, command: string) {
    this.#folder = folder;
    this.#command = command.replace(/[^a-z]/g, '').slice(0, 20);
  }

  /** Returns a package file's kept code, in the engine's format, if there is any. */
  of(file: string): Buffer | undefined {
    try {
      if (!isOurs(this.#folder)) return undefined;
      const kept = readFileSync(this.#placeOf(file));
      const code = kept.subarray(0, -4);
      // The engine checks only the code's version, and ends the process if anything else is wrong.
      return zlib().crc32(code) === kept.readUInt32LE(code.length) ? code : undefined;
    } catch {
      return undefined;
    }
  }

  /** Keeps the code of a file when the process ends, including all functions called until then. */
  add(file: string, script: Script): void {
    if (this.#made.size === 0) process.once('exit', code => code !== misused && this.#write());
    this.#made.set(file, script);
  }

  #write(): void {
    try {
      // A missing home directory is not created.
      if (!existsSync(join(this.#folder, '../../..'))) return;
      makeDirectory(this.#folder, 0o700);
      if (!isOurs(this.#folder)) return;
      for (const [file, script] of this.#made) {
        const place = this.#placeOf(file);
        const temporary = temporaryName(place);
        const code = script.createCachedData();
        const sum = Buffer.alloc(4);
        sum.writeUInt32LE(zlib().crc32(code));
        writeFileSync(temporary, Buffer.concat([code, sum]));
        renameSync(temporary, place);
      }
      for (const name of readdirSync(this.#folder)) {
        const path = join(this.#folder, name);
        if (Date.now() - statSync(path).mtimeMs > keptFor) rmSync(path, { force: true });
      }
    } catch {
      // The disk is full or read-only, or another process removes the same file.
    }
  }

  #placeOf(file: string): string {
    const use = [basename(file), process.version, process.arch, this.#command].join('-');
    return join(this.#folder, use);
  }
}

/**
 * Returns whether only this user can write to a folder, as any other user who can would control the
 * program.
 */
function isOurs(folder: string): boolean {
  const { uid, mode } = statSync(folder);
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}
