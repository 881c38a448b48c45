import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import { canGrow } from '../../features/index/placed-index.js';
import type { Model } from '../model.js';
import type { InformationSelection } from '../model-spec.js';

/**
 * Reduces a model and its corpus, before anything is learned, to the features with enough information about
 * the label; see `labelInformation`. State and edge features are ranked together; ties keep the earlier one.
 * Rows are renumbered.
 */
export function selectFeatures(
  model: Model,
  corpus: readonly EncodedSentence[],
  { keep = Number.POSITIVE_INFINITY, least = 0 }: InformationSelection,
): readonly EncodedSentence[] {
  const { stateIndex, edgeIndex } = model;
  if (!(canGrow(stateIndex) && canGrow(edgeIndex))) return corpus;
  const { size: labels, states } = model.labels;
  // Edge feature 0 is the plain transitions, which are always kept.
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

/** Maps rows to their new numbers, dropping rows without one (-1). */
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
  return { starts: newStarts, rows: newRows.slice(0, count), values: newValues?.slice(0, count) };
}

/**
 * Computes, for each feature of a kind, the mutual information in nats between its presence at a token and the
 * token's label:
 *
 *     I(f; y) = sum over f in {0, 1} and y of p(f, y) log(p(f, y) / (p(f) p(y)))
 *
 * from corpus counts weighted by sentence. Tokens with uncertain labels are skipped; feature values are ignored.
 * A label with several states is represented by its first. Cost: two passes over all features, with 4 bytes
 * each.
 */
export function labelInformation(
  corpus: readonly EncodedSentence[],
  kind: 'state' | 'edge',
  {
    rows,
    labels,
    states = 1,
  }: { readonly rows: number; readonly labels: number; readonly states?: number },
): Float64Array {
  const starts = new Uint32Array(rows + 2);
  const perLabel = new Float64Array(labels);
  eachToken(corpus, kind, states, (active, label, weight) => {
    perLabel[label]! += weight;
    for (const row of active) starts[row + 2]! += 1;
  });
  for (let row = 2; row < starts.length; row += 1) starts[row]! += starts[row - 1]!;
  const found = new Int32Array(starts[rows + 1]!);
  const weighted = corpus.some(({ weight = 1 }) => weight !== 1);
  const weights = weighted ? new Float64Array(found.length) : undefined;
  eachToken(corpus, kind, states, (active, label, weight) => {
    for (const row of active) {
      const at = starts[row + 1]!;
      starts[row + 1] = at + 1;
      found[at] = label;
      if (weights !== undefined) weights[at] = weight;
    }
  });
  const information = new Float64Array(rows);
  const counts = new Float64Array(labels);
  for (let row = 0; row < rows; row += 1) {
    counts.fill(0);
    for (let i = starts[row]!; i < starts[row + 1]!; i += 1) {
      counts[found[i]!]! += weights === undefined ? 1 : weights[i]!;
    }
    information[row] = informationOf(counts, perLabel);
  }
  return information;
}

/**
 * Returns the information of a feature that is active at `counts[y]` of the `perLabel[y]` tokens
 * with label y.
 */
function informationOf(counts: Float64Array, perLabel: Float64Array): number {
  const total = perLabel.reduce((sum, count) => sum + count, 0);
  const active = counts.reduce((sum, count) => sum + count, 0);
  let sum = 0;
  for (let y = 0; y < counts.length; y += 1) {
    sum += part(counts[y]!, active, perLabel[y]!, total);
    sum += part(perLabel[y]! - counts[y]!, total - active, perLabel[y]!, total);
  }
  return sum;
}

function part(both: number, one: number, other: number, total: number): number {
  return both === 0 ? 0 : (both / total) * Math.log((both * total) / (one * other));
}

type Visit = (active: Uint32Array, label: number, weight: number) => void;

function eachToken(
  corpus: readonly EncodedSentence[],
  kind: 'state' | 'edge',
  states: number,
  visit: Visit,
): void {
  for (const { length, gold, allowed, weight = 1, ...encoded } of corpus) {
    const starts = kind === 'state' ? encoded.stateStarts : encoded.edgeStarts;
    const rows = kind === 'state' ? encoded.stateRows : encoded.edgeRows;
    if (starts === undefined) continue;
    for (let t = 0; t < length; t += 1) {
      const certain =
        allowed !== undefined && allowed.starts[t + 1]! - allowed.starts[t]! === states;
      const label = certain ? allowed.labels[allowed.starts[t]!]! : (gold?.[t] ?? -1);
      if (label >= 0) visit(rows!.subarray(starts[t]!, starts[t + 1]!), label, weight);
    }
  }
}
