import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';

/**
 * For each feature of a kind the mutual information, in nats, between its being active at a token and the label
 * of the token:
 *
 *     I(f; y) = sum over f in {0, 1} and y of p(f, y) log(p(f, y) / (p(f) p(y)))
 *
 * from counts of the corpus, sentences counted as often as their weights say. Tokens whose label is not known for
 * certain are left out; values of features do not matter. A label of several states is that of the first. Cost: two looks at all features, 4 bytes for each.
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

/** Of a feature that is active at `counts[y]` of the `perLabel[y]` tokens with label y. */
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
