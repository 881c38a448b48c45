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
import { fileIdentity } from '../files/file-identity.js';
import { contentDigest } from '../files/node-parts.js';

/** Where an output was when a checkpoint was written. */
export interface OutputState {
  /** Length of the file. */
  readonly bytes: number;
  /** Bytes of all results so far, whatever files they are in; absent in checkpoints of older versions. */
  readonly total?: number | undefined;
  /** Number of the file in a rotated output, 0 in one that is not rotated. */
  readonly number?: number | undefined;
  /** Device and inode of the file. */
  readonly identity?: string | undefined;
  /** Digest of the last bytes, by which a copy of the file is known. */
  readonly tail?: string | undefined;
  /** Names the output, so that the note of another run is not taken for that of this one. */
  readonly run?: string | undefined;
}

/** The file that grows, as the run notes it whenever it begins one: files may change more often than checkpoints are written. */
export interface OutputNote {
  readonly run: string;
  /** Bytes of all results that are in files before this one. */
  readonly start: number;
  /** Bytes at the beginning of the file that others have written. */
  readonly offset: number;
  readonly number: number;
  readonly identity?: string | undefined;
  /** Of the first bytes that were written, from `offset`. */
  readonly head?: { readonly bytes: number; readonly digest: string } | undefined;
}

/** Where notes are kept. */
export interface OutputNotes {
  /** What was noted last; undefined where nothing was. */
  read(): unknown;
  write(note: OutputNote): void;
  /** The output has come to its end. */
  clear(): void;
  /** Leaves the note for a run that resumes. */
  close(): void;
}

/** Bytes by which a file is known, whatever its name. */
export interface KnownBytes {
  readonly start: number;
  readonly end: number;
  readonly digest: string;
  readonly identity?: string | undefined;
}

/** Bytes at the beginning or before the end of a file that identify it. */
const knownBytes = 4096;

/** Digits of the numbers in names, so that names sort in the order of the files. */
const digits = 6;

/**
 * The name of a file of a rotated output; 0 is one that is not rotated.
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

/** Numbers of the files of a rotated output, in their order, with something after their names or nothing. */
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

/** The state of an open file. */
export function stateOf(file: number, bytes: number, number: number): OutputState {
  const tail = bytes === 0 ? undefined : digestOf(file, Math.max(0, bytes - knownBytes), bytes);
  return { bytes, number, identity: identityOf(file), tail };
}

/** Device and inode of an open file, as `fileIdentity` has them. */
export function identityOf(file: number): string {
  const { dev, ino } = fstatSync(file, { bigint: true });
  return `${dev}:${ino}`;
}

/** By what the bytes that are written first make a file known. */
export function headOf(bytes: Uint8Array): NonNullable<OutputNote['head']> {
  const head = bytes.subarray(0, knownBytes);
  return { bytes: head.length, digest: contentDigest([head]) };
}

/** What was noted, where it is one. */
export function outputNoteOf(value: unknown): OutputNote | undefined {
  const { run, start, offset, number } = (value ?? {}) as Partial<OutputNote>;
  const isPlace = [start, offset, number].every(Number.isSafeInteger);
  return typeof run === 'string' && isPlace ? (value as OutputNote) : undefined;
}

/**
 * By what the file of a checkpoint or of a note is known; undefined where nothing has been written to it.
 *
 * @param isCurrent whether the checkpoint has results that are in the file
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

/** Whether a file is the one that is sought, grown since or not. */
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
 * The file that another program has moved or copied the one at a path to, in the same folder: the file itself, or the
 * newest copy.
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

/** What cannot be read is not the file of this process. */
function isReadableAs(path: string, known: KnownBytes): boolean {
  try {
    return isKnown(path, known);
  } catch {
    return false;
  }
}

/** Opens a file that was moved, without a record at its end that a killed run has left unfinished. */
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
    // It was opened to be read only: its last line stays half.
  }
  return { file, size: end };
}

/** How many of the bytes are in a file at a place. */
export function sameBytes(file: number, at: number, bytes: Uint8Array): number {
  const found = readAt(file, at, bytes.length);
  if (found.length === bytes.length && Buffer.compare(found, bytes) === 0) return bytes.length;
  const differs = bytes.findIndex((byte, i) => byte !== found[i]);
  return differs < 0 ? found.length : differs;
}

/** Returns where the last whole record in [from, end) ends; `from` if there is none. */
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
