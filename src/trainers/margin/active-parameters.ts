import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import { weightBlocks } from '../descent/weight-block.js';
import type { Objective } from '../objective.js';

/**
 * For each sentence the free parameters of its features, as rising places in the vector of free parameters.
 * Plain transitions are among those of every sentence of two tokens and more.
 */
export function activeParameters(
  { free, parameters }: Objective,
  sentences: readonly EncodedSentence[],
): Uint32Array[] {
  const state = new Map<number, Uint32Array>();
  const edges = new Map<number, Uint32Array>();
  for (const { kind, row, at } of weightBlocks(free, parameters)) {
    (kind === 'state' ? state : edges).set(row, at);
  }
  return sentences.map(({ length, stateRows, edgeRows }) => {
    const parts: Uint32Array[] = [];
    for (const row of new Set(stateRows)) parts.push(state.get(row) ?? none);
    if (length > 1) {
      for (const row of new Set([0, ...(edgeRows ?? [])])) parts.push(edges.get(row) ?? none);
    }
    const all = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
    let from = 0;
    for (const part of parts) {
      all.set(part, from);
      from += part.length;
    }
    return all.sort();
  });
}

const none = new Uint32Array(0);
