import { appendFileSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileError } from '../../io/files/file-error.js';
import { makeDirectory } from '../../io/files/make-directory.js';
import { refusePipe } from '../../io/files/refuse-pipe.js';
import type { CoursePoint, RunMeasures, Values } from './measures/run-measures.js';

/** What a line of the file says of a run, for people. */
export interface RunNames {
  readonly study: string;
  readonly row: string;
  readonly column: string | undefined;
  readonly seed: number;
}

interface Line extends RunMeasures {
  readonly digest: string;
}

/**
 * The results of finished runs, a line of JSON each, so that a stopped study can resume. Lines that are
 * not whole, as the last one of a process that was killed may be, are skipped.
 */
export class ResultsFile {
  readonly path: string;
  readonly #lines = new Map<string, Line[]>();
  #torn = false;

  /**
   * Reads what is there.
   *
   * @throws TagstreamError `file` if it is there but cannot be read, as a pipe
   */
  constructor(path: string) {
    this.path = path;
    refusePipe('write', path, 'name a plain file: results are added to it');
    let text = '';
    try {
      text = readFileSync(path, 'utf8');
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw fileError('read', path, cause);
    }
    this.#torn = text !== '' && !text.endsWith('\n');
    for (const line of text.split('\n')) this.#note(lineOf(line));
  }

  /** What is known of a run with all that is to be measured, in its course too. */
  find(digest: string, measured: Iterable<string>, inCourse?: Iterable<string>) {
    const has = (values: Values, names: Iterable<string>) =>
      [...names].every(name => Object.hasOwn(values, name));
    return this.#lines
      .get(digest)
      ?.findLast(
        ({ values, times, course }) =>
          has({ ...values, ...times }, measured) &&
          (inCourse === undefined ||
            (course.length > 0 && course.every(point => has(point.values, inCourse)))),
      );
  }

  /** @throws TagstreamError `file` if it cannot be written */
  add(digest: string, measures: RunMeasures, names: RunNames): void {
    const line = JSON.stringify({ digest, ...names, ...measures });
    try {
      makeDirectory(dirname(this.path));
      appendFileSync(this.path, `${this.#torn ? '\n' : ''}${line}\n`);
    } catch (cause) {
      throw fileError('write', this.path, cause);
    }
    this.#torn = false;
    this.#note({ digest, ...measures });
  }

  #note(line: Line | undefined): void {
    if (line === undefined) return;
    const known = this.#lines.get(line.digest);
    if (known === undefined) this.#lines.set(line.digest, [line]);
    else known.push(line);
  }
}

function lineOf(text: string): Line | undefined {
  try {
    const { digest, values, times, course } = JSON.parse(text) as Partial<Line>;
    const whole = isValues(values) && isValues(times) && isCourse(course);
    return typeof digest === 'string' && whole ? { digest, values, times, course } : undefined;
  } catch {
    return undefined;
  }
}

function isValues(values: unknown): values is Values {
  if (typeof values !== 'object' || values === null) return false;
  return Object.values(values).every(value => value === null || typeof value === 'number');
}

function isCourse(course: unknown): course is CoursePoint[] {
  return (
    Array.isArray(course) &&
    course.every(point => isValues(point?.values) && isValues(point?.times))
  );
}
