import { TagstreamError } from '../../core/errors.js';
import { kinds, requireArgument, requireKnown } from '../../core/schema/require-argument.js';
import type { QuantisedVectors, WordVectors } from './resources.js';

/** Default length of vectors: the best of those measured for parts of speech. */
export const defaultVectorScale = 2;

/** Maximum component of a quantised vector. */
const largest = 127;

/**
 * Returns word vectors for `%vector`, normalized to the same length, with 8 bits per component.
 *
 * Each vector has its own step, 1/127 of its largest component, so the rounding error is at most
 * 1/254 of that component. If case is folded, the first of several words that differ only in case
 * wins. Cost O(n d) for n words and d dimensions.
 *
 * @param options.fold ignores case; default false
 * @param options.scale length of the vectors; default 2
 * @throws TagstreamError `wrong-shape` unless there are `dimensions` finite numbers per word;
 * `config` for an invalid scale. Vectors of zeros are skipped.
 * @example
 * const values = Float32Array.of(3, 4, 0, -2);
 * const { text, numbers } = quantisedVectors({ words: ['a', 'b'], dimensions: 2, values });
 * [text, [...numbers]] // => ['a\nb', [95, 127, 0, -127]]
 */
export function quantisedVectors(
  vectors: WordVectors,
  options: { readonly fold?: boolean | undefined; readonly scale?: number | undefined } = {},
): QuantisedVectors {
  requireArgument('quantisedVectors: the vectors', vectors, kinds.vectors);
  requireKnown('quantisedVectors', options, ['fold', 'scale']);
  const { words, dimensions, values } = vectors;
  const { fold = false, scale = defaultVectorScale } = options;
  if (!(scale > 0 && Number.isFinite(scale))) {
    throw new TagstreamError('config', `the scale of word vectors is ${scale}`, {
      fix: `give a number above 0, such as the default, ${defaultVectorScale}`,
    });
  }
  if (!(dimensions >= 1 && values.length === words.length * dimensions)) {
    throw new TagstreamError(
      'wrong-shape',
      `got ${values.length} numbers for ${words.length} words of ${dimensions} dimensions`,
      { fix: 'give at least 1 dimension, and one number per word and dimension' },
    );
  }
  const kept = new Set<string>();
  const numbers = new Int8Array(values.length);
  const steps = new Float32Array(words.length);
  for (const [i, written] of words.entries()) {
    const word = fold ? written.toLowerCase() : written;
    if (kept.has(word)) continue;
    const vector = values.subarray(i * dimensions, (i + 1) * dimensions);
    const length = lengthOf(vector);
    if (!Number.isFinite(length) || /[\n\r]/.test(word)) throw noVector(written, length);
    if (length === 0) continue;
    let most = 0;
    for (const value of vector) most = Math.max(most, Math.abs(value));
    const at = kept.size * dimensions;
    for (let d = 0; d < dimensions; d += 1) {
      numbers[at + d] = Math.round((vector[d]! / most) * largest);
    }
    steps[kept.size] = ((most / length) * scale) / largest;
    kept.add(word);
  }
  return {
    ...{ text: [...kept].join('\n'), fold, dimensions },
    numbers: numbers.slice(0, kept.size * dimensions),
    steps: steps.slice(0, kept.size),
  };
}

function lengthOf(vector: Float32Array): number {
  let square = 0;
  for (const value of vector) square += value * value;
  return Math.sqrt(square);
}

function noVector(word: string, length: number): TagstreamError {
  const problem = Number.isFinite(length) ? 'has a line break' : 'has numbers that are not finite';
  return new TagstreamError('wrong-shape', `the word ${JSON.stringify(word)} ${problem}`, {
    fix: 'leave the word out, or correct it at the source of the vectors',
  });
}
