import * as z from 'zod';
import { Random } from '../../../engine/core/random.js';
import { onResume } from '../../../engine/core/schema/on-resume.js';
import { parseOptions } from '../../../engine/core/schema/parse-options.js';

const remainders = z.array(z.int().min(0)).min(1);

const run = z.int().min(1);
const counted = { every: z.int().min(2), run: run.optional() };

const split = z
  .union([
    z.strictObject({ ...counted, take: remainders }),
    z.strictObject({ ...counted, except: remainders }),
  ])
  .refine(
    options => ('take' in options ? options.take : options.except).every(r => r < options.every),
    'each number in take or except must be below every',
  );

const fold = z.int().min(0);
const dealt = { of: z.int().min(2), seed: z.int().default(1), run: run.default(1) };
const folds = z
  .union([z.strictObject({ ...dealt, take: fold }), z.strictObject({ ...dealt, except: fold })])
  .refine(
    options => ('take' in options ? options.take : options.except) < options.of,
    'take or except must be below of',
  );

type Folds = z.output<typeof folds>;

/** Options of all sources for reading only part of their records. */
export const selectionOptions = z.strictObject({
  split: split
    .optional()
    .describe(
      'keep record i of each file (from 0, counting bad records but not blank lines) if i modulo `every` is in `take`, or not in `except`; with `run`, i counts runs of that many consecutive records, such as the records of a document',
    ),
  limit: onResume(
    'length',
    z.int().min(0).optional().describe('maximum number of records to keep, over all files'),
    ({ kind }) => kind !== 'train',
  ),
  folds: z
    .union([folds, z.array(folds)])
    .optional()
    .describe(
      'of the records that split and limit keep, use one fold (`take`) or all but one (`except`); every `of` consecutive records are dealt to the folds in an order that depends on seed; with `run`, that many consecutive records go to the same fold. In a list, each entry divides what the previous one keeps',
    ),
});

export type Selection = z.input<typeof selectionOptions>;

/**
 * Selects the records of a source to keep, one by one and in order.
 *
 * @throws TagstreamError `config` for invalid options
 * @example
 * const select = new RecordSelector({ split: { every: 3, take: [2] }, limit: 1 });
 * [0, 1, 2, 3, 4, 5].map(() => select.next()) // => [false, false, true, false, false, false]
 * select.done // => true
 * const folds = new RecordSelector({ folds: { of: 2, seed: 1, take: 0 } });
 * [0, 1, 2, 3].filter(() => folds.next()).length // => 2
 */
export class RecordSelector {
  readonly #every: number;
  readonly #run: number;
  /** Whether records are kept, by remainder. */
  readonly #kept: readonly boolean[];
  readonly #limit: number;
  readonly #folds: readonly FoldSelector[];
  #index = 0;
  #count = 0;

  constructor(selection: Selection = {}) {
    const {
      split = { every: 1, take: [0] },
      limit = Number.POSITIVE_INFINITY,
      folds = [],
    } = parseOptions(selectionOptions, selection, 'source');
    this.#every = split.every;
    this.#run = split.run ?? 1;
    this.#kept = Array.from({ length: split.every }, (_, remainder) =>
      'take' in split ? split.take.includes(remainder) : !split.except.includes(remainder),
    );
    this.#limit = limit;
    this.#folds = [folds].flat().map(each => new FoldSelector(each));
  }

  /** Whether the next record is kept. */
  next(): boolean {
    const at = Math.floor(this.#index / this.#run) % this.#every;
    const kept = this.#count < this.#limit && this.#kept[at]!;
    this.#index += 1;
    if (kept) this.#count += 1;
    return kept && this.#folds.every(folds => folds.next());
  }

  /** Begins another file with the next record. */
  startFile(): void {
    this.#index = 0;
  }

  /** Whether no further records will be kept. */
  get done(): boolean {
    return this.#count >= this.#limit;
  }
}

/** Assigns records to folds. */
class FoldSelector {
  readonly #folds: Folds;
  readonly #dealer: Random;
  /** Folds of consecutive records that are assigned together. */
  readonly #dealt: Uint32Array;
  #count = 0;

  constructor(folds: Folds) {
    this.#folds = folds;
    this.#dealer = new Random(folds.seed);
    this.#dealt = Uint32Array.from({ length: folds.of }, (_, fold) => fold);
  }

  /** Whether the next record is in one of the selected folds. */
  next(): boolean {
    const folds = this.#folds;
    const at = Math.floor(this.#count / folds.run) % folds.of;
    if (at === 0 && this.#count % folds.run === 0) this.#dealer.shuffle(this.#dealt);
    this.#count += 1;
    const fold = this.#dealt[at]!;
    return 'take' in folds ? fold === folds.take : fold !== folds.except;
  }
}
