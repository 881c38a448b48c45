import { redactError, redacted } from './secrets.js';
import { shortened } from './wording/shortened.js';

/** The external position of an error. */
export interface ErrorPlace {
  /** Path of a file, `<stdin>`, or name of a stage. */
  readonly source?: string;
  /** Line, from 1. */
  readonly line?: number;
  /** Column, from 1. */
  readonly column?: number;
}

/**
 * Stable error codes, for dead letters, tests and metrics.
 *
 * `usage` and `config` are caller errors (exit codes 2 and 78); all others end a command with exit
 * code 1.
 */
export type ErrorCode =
  | 'usage'
  | 'config'
  | 'template'
  | 'not-json'
  | 'not-an-object'
  | 'too-long'
  | 'invalid-utf8'
  | 'wrong-shape'
  | 'length-mismatch'
  | 'empty-sentence'
  | 'unknown-column'
  | 'not-a-number'
  | 'unknown-label'
  | 'constraint'
  | 'unmatched'
  | 'too-many-bad'
  | 'stage'
  | 'starved'
  | 'quarantined'
  | 'file'
  | 'model-format'
  | 'model-version'
  | 'model-damaged'
  | 'checkpoint'
  | 'too-large'
  | 'numeric'
  | 'worker'
  | 'busy'
  | 'timeout'
  | 'connection';

/**
 * The error class of the library. Its message contains the place, the problem, the expectation and
 * the likely fix. It contains no secrets: `redacted` removes them from the error and from its
 * causes. `shortened` cuts the names that it quotes.
 *
 * @example
 * const error = new TagstreamError('length-mismatch', '3 tokens but 2 tags', {
 *   place: { source: 'train.ndjson', line: 7 },
 *   fix: 'give one tag per token',
 * });
 * error.message // => 'train.ndjson:7: 3 tokens but 2 tags (give one tag per token)'
 */
export class TagstreamError extends Error {
  override readonly name = 'TagstreamError';
  readonly code: ErrorCode;
  /** The problem, without place and fix. */
  readonly problem: string;
  readonly place: ErrorPlace;
  readonly fix: string | undefined;

  constructor(
    code: ErrorCode,
    problem: string,
    options: { place?: ErrorPlace; fix?: string; cause?: unknown } = {},
  ) {
    // Untyped callers may pass any value, which must not hide the original error.
    const { place = {}, fix, cause } = options ?? {};
    const shownProblem = clean(problem);
    const shownFix = fix === undefined ? undefined : clean(fix);
    super(describe(shownProblem, place, shownFix), cause === undefined ? {} : { cause });
    redactError(cause);
    this.code = code;
    this.problem = shownProblem;
    this.place = place;
    this.fix = shownFix;
  }

  /** Fills in missing parts of the place, and returns the same error. */
  at(place: ErrorPlace): TagstreamError {
    return new TagstreamError(this.code, this.problem, {
      place: { ...place, ...this.place },
      ...(this.fix === undefined ? {} : { fix: this.fix }),
      cause: this.cause,
    });
  }

  /**
   * Returns any thrown value as a TagstreamError; a foreign error becomes the cause of one with
   * `code`.
   */
  static from(thrown: unknown, code: ErrorCode, place: ErrorPlace = {}): TagstreamError {
    if (thrown instanceof TagstreamError) return thrown.at(place);
    const problem = thrownMessage(thrown);
    return new TagstreamError(code, problem, { place, cause: thrown });
  }
}

/** Hides secrets before it shortens the text, which could cut them. */
function clean(text: string): string {
  return shortened(redacted(`${text}`));
}

/**
 * Returns what a thrown value says: an error's message or, if that is empty, its name, its code, and the messages of its
 * cause and of the errors that it collects.
 *
 * @example
 * thrownMessage(new Error('no file')) // => 'no file'
 * thrownMessage(new Error('', { cause: new RangeError('12 is too large') })) // => 'Error: 12 is too large'
 * thrownMessage(new TypeError()) // => 'TypeError without a message'
 */
export function thrownMessage(thrown: unknown, depth = 5): string {
  if (!(thrown instanceof Error)) return plainText(thrown);
  if (thrown.message.trim() !== '') return thrown.message;
  const { name, cause, code, errors } = thrown as Error & { code?: unknown; errors?: unknown };
  const named = typeof code === 'string' ? `${name} ${code}` : name;
  const inner = [...(Array.isArray(errors) ? errors : []), cause].filter(
    each => each !== undefined && each !== thrown,
  );
  if (inner.length === 0 || depth === 0) return `${named} without a message`;
  return `${named}: ${inner.map(each => thrownMessage(each, depth - 1)).join('; ')}`;
}

function plainText(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown) || 'an empty text';
  try {
    return JSON.stringify(thrown) ?? String(thrown);
  } catch {
    return Object.prototype.toString.call(thrown);
  }
}

function describe(problem: string, place: ErrorPlace, fix: string | undefined): string {
  const source = place.source === undefined ? undefined : redacted(`${place.source}`);
  const where = [source, place.line, place.column].filter(part => part !== undefined).join(':');
  return `${where === '' ? '' : `${where}: `}${problem}${fix === undefined ? '' : ` (${fix})`}`;
}
