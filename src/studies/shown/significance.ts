import type { Figure } from '../../engine/core/figures.js';
import {
  adjustByHolm,
  type BootstrapDifference,
  bootstrapPairs,
  hasSameSentences,
  type SentenceCounts,
} from '../../engine/metrics/evaluation/paired-bootstrap.js';
import { points, pValueText, signed } from '../../reports/figures.js';
import type { ShownTable } from '../../reports/study/shown-study.js';
import { pooledCounts } from '../measures/test-counts.js';
import type { StudyResults } from '../study-results.js';
import { type Study, variantName } from '../study-schema.js';

/** The difference between two rows of a study in a column, as plain data. */
export interface RowDifference extends BootstrapDifference {
  readonly column: string | undefined;
  readonly first: string;
  readonly second: string;
  /** The p-value, corrected by Holm's method for all pairs of the study. */
  readonly adjusted: Figure;
}

/** Differences between the rows of a study. */
export interface Significance {
  readonly quantity: 'f1' | 'accuracy';
  readonly resamples: number;
  readonly seed: number;
  /** Differences ordered by column, then by pair. */
  readonly pairs: readonly RowDifference[];
  /**
   * Variants that were omitted because their test data differs from that of the other rows, or between replications.
   */
  readonly omitted: readonly string[];
}

/**
 * Tests all pairs of rows in each column, by a paired bootstrap over the test sentences; the counts of a row's
 * replications are added for each sentence. All p-values are corrected together.
 *
 * @returns the differences; undefined if the study does not request them, or does not have two rows with results
 */
export function significanceOf(study: Study, results: StudyResults): Significance | undefined {
  const asked = study.options.significance;
  if (asked === undefined) return undefined;
  const { quantity, resamples, seed } = asked;
  const rows = study.rows.filter(row => asked.rows?.includes(row) ?? true);
  const columns = study.columns.filter(column => asked.columns?.includes(column) ?? true);
  const omitted: string[] = [];
  const found: Omit<RowDifference, 'adjusted'>[] = [];
  for (const column of columns.length === 0 ? [undefined] : columns) {
    const known: { row: string; counts: SentenceCounts[] }[] = [];
    for (const row of rows) {
      const replications = results
        .runsOf(row, column)
        .flatMap(({ counts }) => (counts === undefined ? [] : [counts]));
      if (replications.length === 0) continue;
      const counts = pooledCounts(replications);
      const isSame =
        counts !== undefined && (known.length === 0 || hasSameSentences(known[0]!.counts, counts));
      if (isSame) known.push({ row, counts });
      else omitted.push(variantName(row, column));
    }
    if (known.length < 2) continue;
    const spanScheme = quantity === 'f1';
    const lists = known.map(({ counts }) => counts);
    for (const { first, second, result } of bootstrapPairs(lists, {
      resamples,
      seed,
      spanScheme,
    })) {
      const names = { column, first: known[first]!.row, second: known[second]!.row };
      found.push({ ...names, ...result[quantity]! });
    }
  }
  if (found.length === 0) return undefined;
  const adjusted = adjustByHolm(found.flatMap(({ pValue }) => pValue ?? []));
  let tested = 0;
  const pairs = found.map(pair => ({
    ...pair,
    adjusted: pair.pValue === null ? null : adjusted[tested++]!,
  }));
  return { quantity, resamples, seed, pairs, omitted };
}

/** Significance level of p-values. */
const level = 0.05;

/** Returns the differences between rows as a table of a study. */
export function significanceTable({
  quantity,
  resamples,
  seed,
  pairs,
  omitted,
}: Significance): ShownTable {
  const title = quantity === 'f1' ? 'F1' : 'accuracy';
  const heads = ['difference', '95 % interval', 'p', 'p (Holm)', 'better'];
  return {
    title: `Differences of ${title}, all pairs of rows`,
    heads: heads.map(name => ({ name, compared: false })),
    rows: pairs.map(({ column, first, second, difference, interval, pValue, adjusted }) => ({
      name: variantName(`${first} - ${second}`, column),
      cells: [
        signed(difference),
        `${signed(interval[0])} to ${signed(interval[1])}`,
        ...[
          pValueText(pValue).replace(/^p (= )?/, ''),
          pValueText(adjusted).replace(/^p (= )?/, ''),
        ],
        adjusted === null || adjusted >= level ? '' : difference! > 0 ? first : second,
      ].map(measured => ({ measured })),
    })),
    note: `Paired bootstrap over the test sentences, ${resamples.toLocaleString('en')} resamples, seed ${seed}; replications of a row count together. p (Holm) is corrected for all ${pairs.length} pairs; below ${points(level)} one of the two is better.${omitted.length === 0 ? '' : ` Not compared, as their test data differ: ${omitted.join(', ')}.`}`,
  };
}
