import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import type { Position } from '../core/delivery.js';
import { recordKey } from './faults/letters-after.js';
import { errnoOf, fileError } from './file-error.js';

/** What a run was at work on, as it stands in the file. */
interface Note {
  /** Where the run had gone on from, as a key; null for the beginning. */
  readonly after: string | null;
  /** Runs that have gone on from there and died at work. */
  readonly deaths: number;
  /** The record that was alone under way at the last deaths, and how many these are. */
  readonly suspect: string | null;
  readonly suspectDeaths: number;
  /** Whether the run has begun to work; what kills it before is no record. */
  readonly working: boolean;
  readonly first: string;
  readonly last: string;
  /** The first record was the only one under way. */
  readonly alone: boolean;
  readonly quarantined: readonly string[];
}

/** Deaths on the way from one place after which records go one by one. */
const patience = 3;

/**
 * Deaths in a row at one record alone after which it is put aside. Somebody who kills a process again and again
 * as soon as it has begun hits the same record a few times too.
 */
const proof = 8;

/** Fixed, so that what was written before is always covered. */
const noteBytes = 8192;

const nothing: Note = {
  ...{ after: null, deaths: 0, suspect: null, suspectDeaths: 0, working: false },
  ...{ first: '', last: '', alone: false, quarantined: [] },
};

/**
 * Writes down what is about to be worked on, so that a record that kills the process is found out. After three
 * runs that died on their way from the same place, the records that were under way go one by one; one at which
 * eight runs in a row die then is in quarantine from the next run on.
 *
 * It costs one small write to the system for each chunk of the input, none to the disk.
 */
export class InFlightNote {
  readonly #path: string;
  #note: Note;
  /** The last record that goes alone. */
  #aloneUntil: string | undefined;
  #file: number | undefined;

  /**
   * @param after the position that the run goes on from
   * @throws TagstreamError `file` if what an earlier run has written cannot be read, or the note not be written
   */
  constructor(path: string, after: Position | undefined) {
    this.#path = path;
    const before = readNote(path);
    this.#note = learned(before ?? nothing, after === undefined ? null : recordKey(after));
    if (this.#note.deaths >= patience) this.#aloneUntil = before?.last;
    if (before !== undefined) this.#write();
  }

  /** Whether records go one by one. */
  get alone(): boolean {
    return this.#aloneUntil !== undefined;
  }

  isQuarantined(position: Position): boolean {
    const { quarantined } = this.#note;
    return quarantined.length > 0 && quarantined.includes(recordKey(position));
  }

  /** To be called before work on the records from `first` to `last` begins; on one alone where `alone` is. */
  begin(first: Position, last: Position): void {
    this.#note = {
      ...this.#note,
      working: true,
      first: recordKey(first),
      last: this.#aloneUntil ?? recordKey(last),
      alone: this.alone,
    };
    this.#write();
    if (recordKey(last) === this.#aloneUntil) this.#aloneUntil = undefined;
  }

  /** The run has come to an end, and not died. */
  clear(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    rmSync(this.#path, { force: true });
  }

  #write(): void {
    try {
      this.#file ??= openSync(this.#path, constants.O_RDWR | constants.O_CREAT);
      writeSync(this.#file, JSON.stringify(this.#note).padEnd(noteBytes), 0);
    } catch (cause) {
      throw fileError('write', this.#path, cause);
    }
  }
}

/** What the note of an earlier run teaches one that goes on after it. */
function learned(before: Note, after: string | null): Note {
  const idle = { ...before, after, working: false };
  if (!before.working) return before.after === after ? idle : { ...idle, deaths: 0 };
  if (!before.alone) return { ...idle, deaths: before.after === after ? before.deaths + 1 : 1 };
  const suspect = before.first;
  const suspectDeaths = before.suspect === suspect ? before.suspectDeaths + 1 : 1;
  const isFound = suspectDeaths >= proof;
  const quarantined = isFound ? [...before.quarantined, suspect] : before.quarantined;
  return { ...idle, suspect, suspectDeaths, quarantined };
}

function readNote(path: string): Note | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return undefined;
    throw fileError('read', path, cause);
  }
  try {
    return JSON.parse(text) as Note;
  } catch {
    // Died before it had written any.
    return undefined;
  }
}
