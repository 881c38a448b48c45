import { Random } from '../../core/random.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { RowChains } from '../../optimizers/tables/row-chains.js';

/**
 * Disturbs tables in which all labels are equal, so that they can become different: the weight of each word or class
 * and label by a standard normal number, each mean of a Gaussian density by one of its standard deviation, which with
 * covariances is that of a number where the others are known. Components share words. What comes of it is no
 * distribution; the counts that it expects make one. Cost O(all weights).
 */
export function perturbTables(parameters: ParameterStore, chains: RowChains, seed: number): void {
  const { labels, width, layout } = parameters;
  const { tables = [] } = layout;
  const components = layout.components?.count ?? 1;
  const state = parameters.weights.state.view;
  const random = new Random(seed);
  for (const row of chains.ordered().rows) {
    for (let y = 0; y < labels; y += components) {
      const moved = random.normal();
      for (let m = y; m < y + components; m += 1) state[row * width + m]! += moved;
    }
  }
  const constant = chains.rowOf('constant') * width;
  for (const role of tables) {
    if (role.kind !== 'value') continue;
    const value = chains.rowOf('value', role.column) * width;
    const square = chains.rowOf('square', role.column) * width;
    // Numbers that are all 0 make no feature.
    if (value < 0 || square < 0) continue;
    const others = tables.flatMap(each => {
      if (each.kind !== 'product') return [];
      if (each.column !== role.column && each.other !== role.column) return [];
      const other = each.column === role.column ? each.other : each.column;
      const product = chains.productRow(role.column, other) * width;
      const sum = chains.rowOf('value', other) * width;
      return product < 0 || sum < 0 ? [] : [{ product, sum }];
    });
    for (let y = 0; y < labels; y += 1) {
      const variance = -1 / (2 * state[square + y]!);
      const mean = state[value + y]! * variance;
      const moved = mean + Math.sqrt(variance) * random.normal();
      state[value + y] = moved / variance;
      state[constant + y]! += (mean * mean - moved * moved) / (2 * variance);
      // The mean moves along its axis: S^-1 m changes in the rows of the other columns too.
      for (const { product, sum } of others)
        state[sum + y]! -= state[product + y]! * (moved - mean);
    }
  }
  parameters.version += 1;
}
