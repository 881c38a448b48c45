import type { OptimizerComponent } from '../../../src/engine/optimizers/optimizer.js';
import { optimizers } from '../../../src/engine/optimizers/optimizers.js';

/**
 * Rows of a test of all optimizers, with one more for each optimizer of the catalogue that has none: a new optimizer is
 * tested wherever all are, without a line there.
 */
export function withDefaults<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  rowOf: (optimizer: OptimizerComponent<never>) => Row,
  except: readonly string[] = [],
): readonly Row[] {
  const known = new Set([...except, ...rows.map(nameOf)]);
  return [...rows, ...optimizers.filter(({ name }) => !known.has(name)).map(rowOf)];
}
