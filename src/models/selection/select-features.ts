import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import { ExactIndex } from '../../features/index/exact-index.js';
import type { InformationSelection } from '../information-selection.js';
import type { Model } from '../model.js';
import { labelInformation } from './label-information.js';

/**
 * Keeps the features that carry enough information about the label in a model and its corpus, before anything
 * is learned; see `labelInformation`. Features of tokens and of transitions are ranked together; of equals
 * the one that came first stays. Rows are renumbered.
 */
export function selectFeatures(
  model: Model,
  corpus: readonly EncodedSentence[],
  { keep = Number.POSITIVE_INFINITY, least = 0 }: InformationSelection,
): readonly EncodedSentence[] {
  const { stateIndex, edgeIndex } = model;
  if (!(stateIndex instanceof ExactIndex && edgeIndex instanceof ExactIndex)) return corpus;
  const { size: labels, states } = model.labels;
  // Edge feature 0 is the plain transitions, which always stay.
  const state = labelInformation(corpus, 'state', { rows: stateIndex.size, labels, states });
  const edges = labelInformation(corpus, 'edge', {
    ...{ rows: edgeIndex.size + 1, labels, states },
  }).subarray(1);
  const all = new Float64Array(state.length + edges.length);
  all.set(state);
  all.set(edges, state.length);
  const ranked = Uint32Array.from(all.keys()).filter(i => all[i]! >= least);
  ranked.sort((i, j) => all[j]! - all[i]! || i - j);
  const kept = new Uint8Array(all.length);
  for (let i = 0; i < Math.min(keep, ranked.length); i += 1) kept[ranked[i]!] = 1;
  const stateRows = stateIndex.retain(kept.subarray(0, state.length));
  const edgeRows = edgeIndex.retain(kept.subarray(state.length));
  return corpus.map(sentence => withRows(sentence, stateRows, edgeRows));
}

function withRows(
  sentence: EncodedSentence,
  stateRows: Int32Array,
  edgeRows: Int32Array,
): EncodedSentence {
  const { stateStarts, stateValues, edgeStarts, edgeValues } = sentence;
  const state = mapped(stateStarts, sentence.stateRows, stateValues, row => stateRows[row]!);
  const known = {
    ...sentence,
    stateStarts: state.starts,
    stateRows: state.rows,
    ...(state.values === undefined ? {} : { stateValues: state.values }),
  };
  if (edgeStarts === undefined) return known;
  const edges = mapped(
    edgeStarts,
    sentence.edgeRows!,
    edgeValues,
    row => edgeRows[row - 1]! + 1 || -1,
  );
  return {
    ...known,
    edgeStarts: edges.starts,
    edgeRows: edges.rows,
    ...(edges.values === undefined ? {} : { edgeValues: edges.values }),
  };
}

/** Rows by their new numbers; those that have none, -1, are left out. */
function mapped(
  starts: Uint32Array,
  rows: Uint32Array,
  values: Float64Array | undefined,
  numberOf: (row: number) => number,
) {
  const newStarts = new Uint32Array(starts.length);
  const newRows = new Uint32Array(rows.length);
  const newValues = values === undefined ? undefined : new Float64Array(rows.length);
  let count = 0;
  for (let t = 0; t + 1 < starts.length; t += 1) {
    for (let k = starts[t]!; k < starts[t + 1]!; k += 1) {
      const row = numberOf(rows[k]!);
      if (row < 0) continue;
      newRows[count] = row;
      if (newValues !== undefined) newValues[count] = values![k]!;
      count += 1;
    }
    newStarts[t + 1] = count;
  }
  return {
    starts: newStarts,
    rows: newRows.slice(0, count),
    values: newValues?.slice(0, count),
  };
}
