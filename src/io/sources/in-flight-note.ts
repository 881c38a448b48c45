import type { Position } from '../../core/delivery/delivery.js';
import { NoteFile } from '../checkpoints/note-file.js';
import { recordKey } from '../dead-letters/rejected-record.js';
import { contentDigest } from '../files/node-parts.js';
import type { FileLock } from '../locks/file-lock.js';

/** What a run was working on, as stored in the file. */
interface Note {
  /** Where the run had resumed, as a key; null for the beginning. */
  readonly after: string | null;
  /** Runs that have resumed there and died at work. */
  readonly deaths: number;
  /** The record that was alone in flight at the last deaths, and how many these are. */
  readonly suspect: string | null;
  readonly suspectDeaths: number;
  /** Whether a record is in flight; what kills the process while none is, is no record. */
  readonly working: boolean;
  /**
   * Records from where the run resumed to the last that was in flight; while records go one by one, those
   * that still have to.
   */
  readonly ahead: number;
  /** The record that is alone in flight; null where there may be several. */
  readonly alone: string | null;
  /** Whether it was reading a file. */
  readonly fromFile: boolean;
  readonly quarantined: readonly string[];
}

/** A record with its text, as it was read. */
export interface NotedRecord {
  readonly position: Position;
  readonly raw: string;
}

/** Deaths on the way from one place after which records go one by one. */
const patience = 3;

/**
 * Deaths in a row at one record alone after which it is put aside. Somebody who kills a process again and again
 * as soon as it has begun hits the same record a few times too.
 */
const proof = 8;

/**
 * Of a pipe each run begins with other records. Those that die before they have read so many count as dead on
 * the way from the same place.
 */
const shortRun = 10_000;

/** Milliseconds without a record in flight before that is written down: between two chunks it never is. */
const pause = 10;

const nothing: Note = {
  ...{ after: null, deaths: 0, suspect: null, suspectDeaths: 0, working: false },
  ...{ ahead: 0, alone: null, fromFile: true, quarantined: [] },
};

/**
 * Writes down that records are being worked on, so that a record that kills the process is found out. After
 * three runs that died on their way from the same place, as many records as had been read by then go one by
 * one. One at which eight runs in a row die then is in quarantine from the next run on. A run that dies while
 * no record is in flight blames none.
 *
 * A record is known by the digest of its bytes, that of a file by its position as well: what stands at the
 * same position of another input is another record.
 *
 * It costs one small write to the system for each chunk of the input, and one more for each pause between
 * chunks; none to the disk.
 *
 * @example
 * const note = new InFlightNote('/dev/null', undefined);
 * const record = { position: { source: '<stdin>', line: 1, start: 0, end: 2 }, raw: '{}' };
 * [note.isQuarantined(record, false), note.begin(record, false, 9)] // => [false, 9]
 */
export class InFlightNote {
  readonly #file: NoteFile;
  #note: Note;
  /** Records that go alone in this run, and those among them that still have to. */
  readonly #careful: number;
  #left: number;
  /** Records of this run that were begun, and those among them that are in flight. */
  #begun = 0;
  #open = 0;
  #idle: NodeJS.Timeout | undefined;
  #ended = false;

  /**
   * @param after names the place that the run resumes at; undefined for the beginning
   * @param lock of the folder: a run that has lost it leaves the note to the other
   * @throws TagstreamError `file` if what an earlier run has written cannot be read, or the note not be written
   */
  constructor(path: string, after: string | undefined, lock?: FileLock) {
    this.#file = new NoteFile(path, lock);
    const before = readNote(this.#file);
    this.#note = learned(before ?? nothing, after ?? null);
    this.#careful = this.#note.deaths >= patience ? this.#note.ahead : 0;
    this.#left = this.#careful;
    if (before !== undefined) this.#file.write(this.#note);
  }

  /** Whether the record that comes next waits until no other is in flight. */
  get alone(): boolean {
    return this.#left > 0 || this.#note.alone !== null;
  }

  /** @param fromFile whether its position means the same in the next run; a pipe begins at 0 in each */
  isQuarantined(record: NotedRecord, fromFile: boolean): boolean {
    const { quarantined } = this.#note;
    return quarantined.length > 0 && quarantined.includes(identity(record, fromFile));
  }

  /**
   * Work begins on a record, the first of `waiting` that have been read.
   *
   * @returns how many of them are noted: one, or all
   */
  begin(record: NotedRecord, fromFile: boolean, waiting: number): number {
    if (this.#left === 0) {
      this.beginMany(waiting, fromFile);
      return waiting;
    }
    // What a pipe brings in the next run need not begin with this record.
    const ahead = fromFile ? this.#left : this.#careful;
    this.#begun += 1;
    this.#open += 1;
    this.#set({ working: true, ahead, alone: identity(record, fromFile), fromFile });
    this.#left -= 1;
    return 1;
  }

  /** Work begins on records that go together; none is looked at by itself. To be used where none goes alone. */
  beginMany(count: number, fromFile: boolean): void {
    this.#begun += count;
    this.#open += count;
    this.#set({ working: true, ahead: this.#begun, alone: null, fromFile });
  }

  /** The results of records are written, or they were rejected. */
  settled(count = 1): void {
    this.#open -= count;
    if (this.#open > 0 || this.#ended) return;
    if (this.#note.alone !== null) this.#rest();
    else this.#idle ??= setTimeout(() => this.#rest(), pause).unref();
  }

  /** The run has come to an end, and not died. */
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
      // What cannot be written now is an error when work begins again.
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
 * Whether the next run has to look at records one by one, or to leave some out: blocks of records are too large then.
 *
 * @param path of the note
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

/** What the note of an earlier run teaches one that resumes at `after`. */
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
