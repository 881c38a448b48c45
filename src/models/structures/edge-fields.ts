import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { PackedRows } from '../../core/minibatch/join-rows.js';

/** The features of transitions, as an encoded sentence has them. */
export function edgeFields(edges: PackedRows): Partial<EncodedSentence> {
  return {
    edgeStarts: edges.starts,
    edgeRows: edges.rows,
    ...(edges.values === undefined ? {} : { edgeValues: edges.values }),
  };
}
