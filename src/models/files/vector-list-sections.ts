import type { QuantisedVectors } from '../../features/resources/resources.js';

/** The sections of a list of vectors but for its words: no other list has a name with these beginnings. */
const steps = 'vector-steps.';
const numbers = 'vector-numbers.';

/**
 * The words of a list of vectors, one a line, the steps of the vectors as float32, the lowest byte first, and a byte for
 * each of their numbers.
 */
export function packVectors(
  name: string,
  vectors: QuantisedVectors,
): Record<string, Uint8Array<ArrayBuffer>> {
  return {
    [`vectors.${name}`]: new TextEncoder().encode(vectors.text),
    [`${steps}${name}`]: bytesOf(vectors.steps),
    [`${numbers}${name}`]: bytesOf(vectors.numbers),
  };
}

/** The list of these sections; undefined where they do not fit together. */
export function unpackVectors(
  name: string,
  list: Pick<QuantisedVectors, 'text' | 'fold' | 'dimensions'>,
  section: (name: string) => Uint8Array,
): QuantisedVectors | undefined {
  const { text, dimensions } = list;
  const words = text === '' ? 0 : text.split('\n').length;
  const stepBytes = section(`${steps}${name}`);
  const numberBytes = section(`${numbers}${name}`);
  const fits = stepBytes.length === 4 * words && numberBytes.length === dimensions * words;
  if (dimensions < 1 || !fits) return undefined;
  // Copies, which begin where a float may.
  const vectors = {
    ...list,
    numbers: new Int8Array(bytesOf(numberBytes).buffer),
    steps: new Float32Array(bytesOf(stepBytes).buffer),
  };
  return vectors.steps.every(step => step >= 0 && Number.isFinite(step)) ? vectors : undefined;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer, byteOffset, byteLength).slice() as Uint8Array<ArrayBuffer>;
}
