import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { fileIdentity } from '../../../formats/files/file-identity.js';
import { contentDigest } from '../../../formats/files/node-parts.js';

/** State of an output at a checkpoint. */
export interface OutputState {
  /** Number of bytes in the file. */
  readonly bytes: number;
  /** Number of bytes of all results so far, over all files; absent in checkpoints of older versions. */
  readonly total?: number | undefined;
  /** Number of the file in a rotated output; 0 if it is not rotated. */
  readonly number?: number | undefined;
  /** Device and inode of the file. */
  readonly identity?: string | undefined;
  /** Digest of the last bytes, which identifies a copy of the file. */
  readonly tail?: string | undefined;
  /** Identifier of the output, so that another run's note is not mistaken for its own. */
  readonly run?: string | undefined;
}

/**
 * Note of the current file, written whenever a run begins one: files may change more often than checkpoints are
 * written.
 */
export interface OutputNote {
  readonly run: string;
  /** Number of bytes of all results in earlier files. */
  readonly start: number;
  /** Number of bytes at the beginning of the file written by others. */
  readonly offset: number;
  readonly number: number;
  readonly identity?: string | undefined;
  /** Size and digest of the first bytes written, from `offset`. */
  readonly head?: { readonly bytes: number; readonly digest: string } | undefined;
}

/** Storage of notes. */
export interface OutputNotes {
  /** Returns the last note; undefined if there is none. */
  read(): unknown;
  write(note: OutputNote): void;
  /** Removes the note: the output is complete. */
  clear(): void;
  /** Leaves the note for a resumed run. */
  close(): void;
}

/** Bytes that identify a file, whatever its name. */
export interface KnownBytes {
  readonly start: number;
  readonly end: number;
  readonly digest: string;
  readonly identity?: string | undefined;
}

/** Number of bytes, at the beginning or before the end of a file, that identify it. */
const knownBytes = 4096;

/** Number of digits of numbers in names, so that names sort in file order. */
const digits = 6;

/**
 * Returns the name of a file of a rotated output; 0 denotes an output that is not rotated.
 *
 * @example
 * numberedName('out/tagged.ndjson', 7) // => 'out/tagged.000007.ndjson'
 */
export function numberedName(path: string, number: number): string {
  if (number === 0) return path;
  const ending = extname(path);
  const stem = ending === '' ? path : path.slice(0, -ending.length);
  return `${stem}.${String(number).padStart(digits, '0')}${ending}`;
}

/** Returns the sorted numbers of a rotated output's files whose names end in `after`. */
export function numbersOf(target: string, after = ''): number[] {
  const ending = extname(target);
  const stem = `${basename(target).slice(0, basename(target).length - ending.length)}.`;
  const numbers: number[] = [];
  for (const name of readdirSync(dirname(target))) {
    if (!name.startsWith(stem) || !name.endsWith(`${ending}${after}`)) continue;
    const text = name.slice(stem.length, name.length - ending.length - after.length);
    if (/^\d{6,}$/.test(text)) numbers.push(Number(text));
  }
  return numbers.sort((a, b) => a - b);
}

/** Returns the state of an open file. */
export function stateOf(file: number, bytes: number, number: number): OutputState {
  const tail = bytes === 0 ? undefined : digestOf(file, Math.max(0, bytes - knownBytes), bytes);
  return { bytes, number, identity: identityOf(file), tail };
}

/** Returns device and inode of an open file, in the form of `fileIdentity`. */
export function identityOf(file: number): string {
  const { dev, ino } = fstatSync(file, { bigint: true });
  return `${dev}:${ino}`;
}

/** Returns the size and digest that identify a file by its first bytes. */
export function headOf(bytes: Uint8Array): NonNullable<OutputNote['head']> {
  const head = bytes.subarray(0, knownBytes);
  return { bytes: head.length, digest: contentDigest([head]) };
}

/** Returns a value as a note; undefined if it is not a valid one. */
export function outputNoteOf(value: unknown): OutputNote | undefined {
  const { run, start, offset, number } = (value ?? {}) as Partial<OutputNote>;
  const isPlace = [start, offset, number].every(Number.isSafeInteger);
  return typeof run === 'string' && isPlace ? (value as OutputNote) : undefined;
}

/**
 * Returns the bytes that identify the file of a checkpoint or a note; undefined if nothing has been written to it.
 *
 * @param isCurrent whether the file contains results of the checkpoint
 */
export function knownOf(
  { bytes, tail, identity }: OutputState,
  note: OutputNote | undefined,
  isCurrent: boolean,
): KnownBytes | undefined {
  if (isCurrent && tail !== undefined) {
    return { start: Math.max(0, bytes - knownBytes), end: bytes, digest: tail, identity };
  }
  if (note?.head === undefined) return undefined;
  const { offset, head } = note;
  const at = { start: offset, end: offset + head.bytes };
  return { ...at, digest: head.digest, identity: note.identity };
}

/** Returns whether a file is the known one, which may have grown since. */
export function isKnown(path: string, { start, end, digest }: KnownBytes): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.size < end) return false;
  const file = openSync(path, 'r');
  try {
    return digestOf(file, start, end) === digest;
  } finally {
    closeSync(file);
  }
}

/**
 * Returns the file in the same folder to which another program has moved or copied the one at a path: the moved file,
 * or the newest copy.
 */
export function findMoved(part: string, known: KnownBytes): string | undefined {
  let newest: { path: string; time: number } | undefined;
  for (const name of readdirSync(dirname(part))) {
    const path = join(dirname(part), name);
    if (path === part || !isReadableAs(path, known)) continue;
    if (fileIdentity(path) === known.identity) return path;
    const time = statSync(path).mtimeMs;
    if (newest === undefined || time > newest.time) newest = { path, time };
  }
  return newest?.path;
}

/** Whether a file is the known one; an unreadable file does not belong to this process. */
function isReadableAs(path: string, known: KnownBytes): boolean {
  try {
    return isKnown(path, known);
  } catch {
    return false;
  }
}

/** Opens a file that was moved, without an unfinished record at its end. */
export function openMoved(
  path: string,
  from: number,
  recordEnd: string | undefined,
): { file: number; size: number } {
  let file: number;
  try {
    file = openSync(path, 'r+');
  } catch {
    file = openSync(path, 'r');
  }
  const { size } = fstatSync(file);
  if (recordEnd === undefined) return { file, size };
  const end = endOfRecords(file, from, size, recordEnd);
  try {
    if (end < size) ftruncateSync(file, end);
  } catch {
    // The file could only be opened read-only, so its last line stays incomplete.
  }
  return { file, size: end };
}

/** Returns how many of the bytes equal those of a file from an offset on. */
export function sameBytes(file: number, at: number, bytes: Uint8Array): number {
  const found = readAt(file, at, bytes.length);
  if (found.length === bytes.length && Buffer.compare(found, bytes) === 0) return bytes.length;
  const differs = bytes.findIndex((byte, i) => byte !== found[i]);
  return differs < 0 ? found.length : differs;
}

/** Returns the end of the last whole record in [from, end); `from` if there is none. */
export function endOfRecords(file: number, from: number, end: number, recordEnd: string): number {
  const read = Buffer.alloc(65_536);
  for (let stop = end; stop - from >= recordEnd.length; ) {
    const start = Math.max(from, stop - read.length);
    const length = readSync(file, read, 0, stop - start, start);
    const at = read.subarray(0, length).lastIndexOf(recordEnd);
    if (at >= 0) return start + at + recordEnd.length;
    if (start === from) break;
    stop = start + recordEnd.length - 1;
  }
  return from;
}

function digestOf(file: number, start: number, end: number): string {
  return contentDigest([readAt(file, start, end - start)]);
}

function readAt(file: number, start: number, length: number): Uint8Array {
  const bytes = Buffer.alloc(length);
  let read = 0;
  for (let more = -1; read < length && more !== 0; read += more) {
    more = readSync(file, bytes, read, length - read, start + read);
  }
  return bytes.subarray(0, read);
}
