import type { SupportTokens } from '../../kernels/vectors/support-vectors.js';
import type { TokenRows } from './gram-rows.js';

/**
 * The tokens of a corpus that have a number for a label, with those numbers in float32.
 *
 * @param vectors `[labels x tokens]`
 */
export function supportTokens({ starts, rows }: TokenRows, vectors: Float64Array): SupportTokens {
  const count = starts.length - 1;
  const labelCount = count === 0 ? 0 : vectors.length / count;
  const ownStarts = [0];
  const ownRows: number[] = [];
  const labelStarts = [0];
  const labels: number[] = [];
  const weights: number[] = [];
  for (let t = 0; t < count; t += 1) {
    for (let y = 0; y < labelCount; y += 1) {
      const weight = Math.fround(vectors[y * count + t]!);
      if (weight === 0) continue;
      labels.push(y);
      weights.push(weight);
    }
    if (labels.length === labelStarts.at(-1)) continue;
    for (let i = starts[t]!; i < starts[t + 1]!; i += 1) ownRows.push(rows[i]!);
    ownStarts.push(ownRows.length);
    labelStarts.push(labels.length);
  }
  return {
    starts: Uint32Array.from(ownStarts),
    rows: Uint32Array.from(ownRows),
    labelStarts: Uint32Array.from(labelStarts),
    labels: Uint16Array.from(labels),
    weights: Float32Array.from(weights),
  };
}
