import * as z from 'zod';
import { parseOptions } from '../../core/schema/parse-options.js';

const remainders = z.array(z.int().min(0)).min(1);

const split = z
  .union([
    z.strictObject({ every: z.int().min(2), take: remainders }),
    z.strictObject({ every: z.int().min(2), except: remainders }),
  ])
  .refine(
    options => ('take' in options ? options.take : options.except).every(r => r < options.every),
    'each number in take or except must be below every',
  );

/** Options that every source has, to read only a part of its records. */
export const selectionOptions = z.strictObject({
  split: split
    .optional()
    .describe(
      'keep record i of each file (from 0, bad records counted, blank lines not) if i modulo `every` is in `take`, or is not in `except`',
    ),
  limit: z.int().min(0).optional().describe('maximum number of records to keep, over all files'),
});

export type Selection = z.input<typeof selectionOptions>;

/**
 * Says of each record of a source, in order, whether it is kept.
 *
 * @throws TagstreamError `config` on wrong options
 * @example
 * const select = new RecordSelector({ split: { every: 3, take: [2] }, limit: 1 });
 * [0, 1, 2, 3, 4, 5].map(() => select.next()) // => [false, false, true, false, false, false]
 * select.done // => true
 */
export class RecordSelector {
  readonly #every: number;
  /** For each remainder whether it is kept. */
  readonly #kept: readonly boolean[];
  readonly #limit: number;
  #index = 0;
  #count = 0;

  constructor(selection: Selection = {}) {
    const { split = { every: 1, take: [0] }, limit = Number.POSITIVE_INFINITY } = parseOptions(
      selectionOptions,
      selection,
      'source',
    );
    this.#every = split.every;
    this.#kept = Array.from({ length: split.every }, (_, remainder) =>
      'take' in split ? split.take.includes(remainder) : !split.except.includes(remainder),
    );
    this.#limit = limit;
  }

  /** Whether the next record is kept. */
  next(): boolean {
    const kept = this.#count < this.#limit && this.#kept[this.#index % this.#every]!;
    this.#index += 1;
    if (kept) this.#count += 1;
    return kept;
  }

  /** The next record is the first of another file. */
  startFile(): void {
    this.#index = 0;
  }

  /** Whether no further record will be kept. */
  get done(): boolean {
    return this.#count >= this.#limit;
  }
}
