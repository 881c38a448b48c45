import type { Minibatch } from '../../core/minibatch.js';
import { blockBits, type RowOwners } from './row-owners.js';

/**
 * A minibatch with those of its rows that belong to `member`, in their order: what an optimizer does with
 * it changes the rows of that member alone. Cost O(active features).
 */
export function ownedPart(whole: Minibatch, owners: RowOwners, member: number): Minibatch {
  const { state, edges } = owners;
  const { stateStarts, stateRows, stateValues, edgeStarts, edgeRows, edgeValues, ...rest } = whole;
  const ownState = kept(
    stateStarts,
    stateRows,
    stateValues,
    row => state[row >> blockBits] === member,
  );
  const part: Minibatch = {
    ...rest,
    stateStarts: ownState.starts,
    stateRows: ownState.rows,
    ...(ownState.values === undefined ? {} : { stateValues: ownState.values }),
  };
  if (edgeStarts === undefined) return part;
  const ownEdges = kept(edgeStarts, edgeRows!, edgeValues, row => edges[row] === member);
  return {
    ...part,
    edgeStarts: ownEdges.starts,
    edgeRows: ownEdges.rows,
    ...(ownEdges.values === undefined ? {} : { edgeValues: ownEdges.values }),
  };
}

function kept(
  starts: Uint32Array,
  rows: Uint32Array,
  values: Float64Array | undefined,
  isOwn: (row: number) => boolean,
): { starts: Uint32Array; rows: Uint32Array; values: Float64Array | undefined } {
  let size = 0;
  for (let k = 0; k < rows.length; k += 1) if (isOwn(rows[k]!)) size += 1;
  const ownStarts = new Uint32Array(starts.length);
  const ownRows = new Uint32Array(size);
  const ownValues = values === undefined ? undefined : new Float64Array(size);
  let next = 0;
  for (let t = 0; t + 1 < starts.length; t += 1) {
    for (let k = starts[t]!; k < starts[t + 1]!; k += 1) {
      if (!isOwn(rows[k]!)) continue;
      ownRows[next] = rows[k]!;
      if (ownValues !== undefined) ownValues[next] = values![k]!;
      next += 1;
    }
    ownStarts[t + 1] = next;
  }
  return { starts: ownStarts, rows: ownRows, values: ownValues };
}
