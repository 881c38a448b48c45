import type { Random } from '../../../../src/engine/core/random.js';
import type {
  Similarity,
  SupportTokens,
} from '../../../../src/engine/kernels/vectors/support-vectors.js';

/** Support tokens with up to four features, some of them twice, and numbers for some labels. */
export function randomTokens(
  random: Random,
  { tokens, features, labels }: Record<'tokens' | 'features' | 'labels', number>,
): SupportTokens {
  const [starts, rows] = [[0], [] as number[]];
  const [labelStarts, own, weights] = [[0], [] as number[], [] as number[]];
  for (let token = 0; token < tokens; token += 1) {
    const count = features === 0 ? 0 : random.below(5);
    for (let i = 0; i < count; i += 1) rows.push(random.below(features));
    starts.push(rows.length);
    for (let y = 0; y < labels; y += 1) {
      if (random.below(2) === 0) continue;
      own.push(y);
      weights.push(random.normal());
    }
    labelStarts.push(own.length);
  }
  return {
    ...{ starts: Uint32Array.from(starts), rows: Uint32Array.from(rows) },
    ...{ labelStarts: Uint32Array.from(labelStarts), labels: Uint16Array.from(own) },
    weights: Float32Array.from(weights),
  };
}

/** k(x, z) by its definition, over vectors that say how often each feature is there. */
export function definedSimilarity(
  similarity: Similarity,
  x: Iterable<number>,
  z: Iterable<number>,
): number {
  const [ours, theirs] = [countsOf(x), countsOf(z)];
  const all = new Set([...ours.keys(), ...theirs.keys()]);
  let product = 0;
  let distance = 0;
  for (const row of all) {
    const [a, b] = [ours.get(row) ?? 0, theirs.get(row) ?? 0];
    product += a * b;
    distance += (a - b) ** 2;
  }
  if ('rbf' in similarity) return Math.exp(-similarity.rbf.gamma * distance);
  const { degree, gamma, constant } = similarity.polynomial;
  return (gamma * product + constant) ** degree;
}

function countsOf(rows: Iterable<number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const row of rows) counts.set(row, (counts.get(row) ?? 0) + 1);
  return counts;
}

/** sum over support tokens of w(z, y) k(x, z), token by token. */
export function definedScores(
  similarity: Similarity,
  { starts, rows, labelStarts, labels, weights }: SupportTokens,
  x: Uint32Array,
  labelCount: number,
): number[] {
  const scores = new Array<number>(labelCount).fill(0);
  for (let z = 0; z + 1 < starts.length; z += 1) {
    const value = definedSimilarity(similarity, x, rows.subarray(starts[z]!, starts[z + 1]!));
    for (let i = labelStarts[z]!; i < labelStarts[z + 1]!; i += 1) {
      scores[labels[i]!]! += weights[i]! * value;
    }
  }
  return scores;
}
