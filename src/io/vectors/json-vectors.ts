import { notVectors } from './not-vectors.js';
import type { VectorList } from './vector-list.js';

/** What stands before the first vector. */
const beginning = /"vectors"\s*:\s*\{/;

/** A word and its numbers. */
const entry = /\s*,?\s*("(?:[^"\\]|\\.)*")\s*:\s*\[([^\]]*)\]/y;

/**
 * Reads JSON as the npm packages `wink-embeddings-*` have it: `dimensions`, `wordIndex`, and `vectors` by word, in each of
 * which the place of the word among all words by frequency stands at `wordIndex`. Words are taken by that place.
 */
export async function jsonVectors(
  chunks: AsyncIterable<Uint8Array>,
  list: VectorList,
): Promise<void> {
  const decoder = new TextDecoder();
  const found: { readonly place: number; readonly word: string; readonly numbers: Float32Array }[] =
    [];
  let [rest, placeAt, words] = ['', 0, 0];
  let isInVectors = false;
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    if (!isInVectors) {
      const begun = beginning.exec(rest);
      if (begun === null) continue;
      const head = rest.slice(0, begun.index);
      list.dimensions = numberIn(head, 'dimensions');
      placeAt = numberIn(head, 'wordIndex');
      words = Math.min(list.most, numberIn(head, 'size'));
      if (!(placeAt >= list.dimensions && words > 0)) {
        throw notVectors(
          list.source,
          'this JSON does not say where the numbers of its vectors are',
        );
      }
      rest = rest.slice(begun.index + begun[0].length);
      isInVectors = true;
    }
    entry.lastIndex = 0;
    let at = 0;
    for (let next = entry.exec(rest); next !== null; next = entry.exec(rest)) {
      at = entry.lastIndex;
      const numbers = next[2]!.split(',').map(Number);
      const place = numbers[placeAt];
      if (place === undefined || !numbers.every(Number.isFinite)) {
        throw notVectors(
          list.source,
          `the vector of ${next[1]} is not ${placeAt + 1} numbers or more`,
        );
      }
      if (place >= words) continue;
      const word = JSON.parse(next[1]!) as string;
      found.push({ place, word, numbers: Float32Array.from(numbers.slice(0, list.dimensions)) });
    }
    rest = rest.slice(at);
    if (found.length === words) break;
  }
  if (!isInVectors) throw notVectors(list.source, 'this JSON has no "vectors"');
  found.sort((a, b) => a.place - b.place);
  for (const { word, numbers } of found) list.add(word, numbers);
}

function numberIn(text: string, key: string): number {
  return Number(new RegExp(`"${key}"\\s*:\\s*(\\d+)`).exec(text)?.[1]);
}
