import type { Position } from '../../../engine/core/delivery/delivery.js';
import { contentDigest } from '../../../formats/files/node-parts.js';
import { NoteFile } from '../checkpoints/note-file.js';
import { recordKey } from '../dead-letters/rejected-record.js';
import type { FileLock } from '../locks/file-lock.js';

/** The work of a run, as stored in the file. */
interface Note {
  /** Position at which the run resumed, as a key; null for the beginning. */
  readonly after: string | null;
  /** Number of runs that have resumed there and died at work. */
  readonly deaths: number;
  /** The only record in flight at the last deaths, and the number of these deaths. */
  readonly suspect: string | null;
  readonly suspectDeaths: number;
  /** Whether a record is in flight: if the process dies otherwise, no record is to blame. */
  readonly working: boolean;
  /**
   * Number of records from the resume position to the last one in flight; while records are processed one by one, the
   * number that remains.
   */
  readonly ahead: number;
  /** Key of the only record in flight; null if there may be several. */
  readonly alone: string | null;
  /** Whether the run was reading a file. */
  readonly fromFile: boolean;
  readonly quarantined: readonly string[];
}

/** A record with its text, as it was read. */
export interface NotedRecord {
  readonly position: Position;
  readonly raw: string;
}

/** Number of deaths since one resume position after which records are processed one by one. */
const patience = 3;

/**
 * Number of consecutive deaths with the same single record in flight after which it is quarantined. Repeatedly killing
 * a process right after its start also hits the same record a few times.
 */
const proof = 8;

/**
 * Number of records below which a run that reads a pipe counts as having died at the same position, because each run
 * reads different records from a pipe.
 */
const shortRun = 10_000;

/** Milliseconds without a record in flight before this is noted, so that it is not noted between two chunks. */
const pause = 10;

const nothing: Note = {
  ...{ after: null, deaths: 0, suspect: null, suspectDeaths: 0, working: false },
  ...{ ahead: 0, alone: null, fromFile: true, quarantined: [] },
};

/**
 * Notes which records are being worked on, so that a record that kills the process can be identified. After three runs
 * that died after resuming at the same position, as many records as had been read by then are processed one by one. If
 * eight consecutive runs then die at the same record, it is quarantined from the next run on. If a run dies while no
 * record is in flight, no record is blamed.
 *
 * A record is identified by the digest of its bytes, and in a file by its position as well: the same position
 * of another input is another record.
 *
 * Costs one small system write per input chunk, and another per pause between chunks; none is flushed to disk.
 *
 * @example
 * const note = new InFlightNote('/dev/null', undefined);
 * const record = { position: { source: '<stdin>', line: 1, start: 0, end: 2 }, raw: '{}' };
 * [note.isQuarantined(record, false), note.begin(record, false, 9)] // => [false, 9]
 */
export class InFlightNote {
  readonly #file: NoteFile;
  #note: Note;
  /** Number of records that this run processes one by one, and number of those left. */
  readonly #careful: number;
  #left: number;
  /** Number of records begun in this run, and number of those in flight. */
  #begun = 0;
  #open = 0;
  #idle: NodeJS.Timeout | undefined;
  #ended = false;

  /**
   * @param after key of the position at which the run resumes; undefined for the beginning
   * @param lock lock of the folder: a run that has lost it leaves the note to its new holder
   * @throws TagstreamError `file` if the note of an earlier run cannot be read, or a new note cannot be written
   */
  constructor(path: string, after: string | undefined, lock?: FileLock) {
    this.#file = new NoteFile(path, lock);
    const before = readNote(this.#file);
    this.#note = learned(before ?? nothing, after ?? null);
    this.#careful = this.#note.deaths >= patience ? this.#note.ahead : 0;
    this.#left = this.#careful;
    if (before !== undefined) this.#file.write(this.#note);
  }

  /** Whether the next record must wait until no other is in flight. */
  get alone(): boolean {
    return this.#left > 0 || this.#note.alone !== null;
  }

  /** @param fromFile whether its position has the same meaning in the next run; a pipe begins at 0 each time */
  isQuarantined(record: NotedRecord, fromFile: boolean): boolean {
    const { quarantined } = this.#note;
    return quarantined.length > 0 && quarantined.includes(identity(record, fromFile));
  }

  /**
   * Notes that work begins on a record, the first of `waiting` that have been read.
   *
   * @returns the number of records noted: one, or all
   */
  begin(record: NotedRecord, fromFile: boolean, waiting: number): number {
    if (this.#left === 0) {
      this.beginMany(waiting, fromFile);
      return waiting;
    }
    // A pipe need not begin with this record in the next run.
    const ahead = fromFile ? this.#left : this.#careful;
    this.#begun += 1;
    this.#open += 1;
    this.#set({ working: true, ahead, alone: identity(record, fromFile), fromFile });
    this.#left -= 1;
    return 1;
  }

  /**
   * Notes that work begins on records processed together, without checking them individually. Used if no record must be
   * processed alone.
   */
  beginMany(count: number, fromFile: boolean): void {
    this.#begun += count;
    this.#open += count;
    this.#set({ working: true, ahead: this.#begun, alone: null, fromFile });
  }

  /** Notes that the results of records have been written, or that they have been rejected. */
  settled(count = 1): void {
    this.#open -= count;
    if (this.#open > 0 || this.#ended) return;
    if (this.#note.alone !== null) this.#rest();
    else this.#idle ??= setTimeout(() => this.#rest(), pause).unref();
  }

  /** Removes the note: the run has ended without dying. */
  clear(): void {
    this.#ended = true;
    clearTimeout(this.#idle);
    this.#file.clear();
  }

  #rest(): void {
    const ahead = this.#note.alone === null ? this.#begun : this.#left;
    try {
      this.#set({ working: false, ahead });
    } catch {
      // A failed write is reported when work begins again.
    }
  }

  #set(now: Partial<Note>): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
    this.#note = { ...this.#note, ...now };
    this.#file.write(this.#note);
  }
}

/**
 * Returns whether the next run must process records one by one, or skip some, for which blocks of records are too
 * large.
 *
 * @param path path of the note
 */
export function needsCare(path: string): boolean {
  const { deaths, working, suspect, alone, quarantined } = readNote(new NoteFile(path)) ?? nothing;
  const died = working ? 1 : 0;
  return deaths + died >= patience || suspect !== null || alone !== null || quarantined.length > 0;
}

function identity({ position, raw }: NotedRecord, fromFile: boolean): string {
  const digest = contentDigest([Buffer.from(raw)]);
  return fromFile ? `${digest} ${recordKey(position)}` : digest;
}

/** Returns the conclusions from an earlier run's note for a run that resumes at `after`. */
function learned(before: Note, after: string | null): Note {
  const idle = { ...before, after, working: false, alone: null };
  const suspect = before.alone;
  if (!before.working) {
    const isOneByOne = suspect !== null && before.ahead > 0;
    return before.after === after || isOneByOne ? idle : { ...idle, deaths: 0 };
  }
  if (suspect === null) {
    const isSamePlace = before.after === after || (!before.fromFile && before.ahead <= shortRun);
    return { ...idle, deaths: isSamePlace ? before.deaths + 1 : 1 };
  }
  const suspectDeaths = before.suspect === suspect ? before.suspectDeaths + 1 : 1;
  const isFound = suspectDeaths >= proof;
  const quarantined = isFound ? [...before.quarantined, suspect] : before.quarantined;
  return { ...idle, suspect, suspectDeaths, quarantined };
}

function readNote(file: NoteFile): Note | undefined {
  const note = file.read() as Partial<Note> | undefined;
  return note && { ...nothing, ...note };
}
