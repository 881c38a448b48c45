import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import type { Position } from '../core/delivery.js';
import { recordKey } from './faults/letters-after.js';
import { errnoOf, fileError } from './file-error.js';

/** What a run was at work on, as it stands in the file. */
interface Note {
  /** Where the run had gone on from, as a key; null for the beginning. */
  readonly after: string | null;
  /** Runs that have gone on from there and died. */
  readonly deaths: number;
  readonly first: string;
  readonly last: string;
  /** The record was the only one under way. */
  readonly alone: boolean;
  readonly quarantined: readonly string[];
}

/** Deaths of runs that went on from the same place, after which records go one by one. */
const patience = 3;

/** Fixed, so that what was written before is always covered. */
const noteBytes = 8192;

/**
 * Writes down what is about to be worked on, so that a record that kills the process is found out: after three
 * runs that died on their way from the same place, the records that were under way go one by one, and the one
 * that kills the process then is in quarantine from the next run on.
 *
 * It costs one small write to the system for each chunk of the input, none to the disk.
 */
export class InFlightNote {
  readonly #path: string;
  readonly #after: string | null;
  readonly #deaths: number;
  readonly #quarantined: readonly string[];
  /** The last record that goes alone. */
  #aloneUntil: string | undefined;
  #file: number | undefined;

  /**
   * @param after the position that the run goes on from
   * @throws TagstreamError `file` if what an earlier run has written cannot be read
   */
  constructor(path: string, after: Position | undefined) {
    this.#path = path;
    this.#after = after === undefined ? null : recordKey(after);
    const before = readNote(path);
    this.#quarantined = [
      ...(before?.quarantined ?? []),
      ...(before?.alone === true ? [before.first] : []),
    ];
    const died = before === undefined ? 0 : before.after === this.#after ? before.deaths + 1 : 1;
    this.#deaths = before?.alone === true ? before.deaths : died;
    if (this.#deaths >= patience) this.#aloneUntil = before?.last;
  }

  /** Whether records go one by one. */
  get alone(): boolean {
    return this.#aloneUntil !== undefined;
  }

  isQuarantined(position: Position): boolean {
    return this.#quarantined.length > 0 && this.#quarantined.includes(recordKey(position));
  }

  /** To be called before work on the records from `first` to `last` begins; on one alone where `alone` is. */
  begin(first: Position, last: Position): void {
    const note: Note = {
      after: this.#after,
      deaths: this.#deaths,
      first: recordKey(first),
      last: this.#aloneUntil ?? recordKey(last),
      alone: this.alone,
      quarantined: this.#quarantined,
    };
    try {
      this.#file ??= openSync(this.#path, 'w');
      writeSync(this.#file, JSON.stringify(note).padEnd(noteBytes), 0);
    } catch (cause) {
      throw fileError('write', this.#path, cause);
    }
    if (recordKey(last) === this.#aloneUntil) this.#aloneUntil = undefined;
  }

  /** The run has come to an end, and not died. */
  clear(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    rmSync(this.#path, { force: true });
  }
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
