import type { ShownExpectation } from '../../../reports/study/shown-study.js';
import type { Expectation } from '../expectation-schema.js';
import { quantityOf } from '../measures/quantities.js';
import { type Study, variantName } from '../study.js';
import type { StudyResults } from '../study-results.js';
import { figure } from './figure.js';

/** What had to come out of a study, and what has; of a small one nothing is expected. */
export function checkExpectations(study: Study, results: StudyResults): ShownExpectation[] {
  if (study.small) return [];
  return (study.options.expect ?? []).map(expectation =>
    expectation.rows === undefined ? bounded(expectation, results) : close(expectation, results),
  );
}

function bounded(expectation: Expectation, results: StudyResults): ShownExpectation {
  const { row, column, quantity, of, atLeast, atMost } = expectation;
  const { title, digits } = quantityOf(quantity);
  const found = results.of(row!, column, quantity)?.mean;
  const unit = of === undefined ? 1 : results.of(of.row, of.column, quantity)?.mean;
  const bound = (factor: number) =>
    of === undefined
      ? figure(factor, digits)
      : `${factor === 1 ? '' : `${factor} times `}that of ${variantName(of.row, of.column)}`;
  const bounds = [
    ...(atLeast === undefined ? [] : [`at least ${bound(atLeast)}`]),
    ...(atMost === undefined ? [] : [`at most ${bound(atMost)}`]),
  ];
  const text = `${title} of ${variantName(row!, column)} is ${bounds.join(' and ')}`;
  if (found === undefined || unit === undefined) return { text, found: 'not run', met: undefined };
  const met = found >= (atLeast ?? -Infinity) * unit && found <= (atMost ?? Infinity) * unit;
  const shown = figure(found, digits);
  return { text, found: of === undefined ? shown : `${shown} and ${figure(unit, digits)}`, met };
}

function close(expectation: Expectation, results: StudyResults): ShownExpectation {
  const { rows, column, quantity, within } = expectation;
  const { title, digits } = quantityOf(quantity);
  const values = rows!.map(row => results.of(row, column, quantity)?.mean);
  const text = `${title} of ${rows!.join(', ')} are within ${within} of each other`;
  const known = values.filter(value => value !== undefined);
  if (known.length < values.length) return { text, found: 'not run', met: undefined };
  const least = Math.min(...known);
  const most = Math.max(...known);
  // Two values that are just so far apart may differ by a bit more in binary.
  const met = most - least <= within! + 1e-9 * Math.max(1, Math.abs(most));
  return { text, found: `${figure(least, digits)} to ${figure(most, digits)}`, met };
}
