import type { WordVectors } from '../../features/vectors/word-vectors.js';
import { openInput } from '../reading/open-input.js';
import { binaryVectors } from './binary-vectors.js';
import { jsonVectors } from './json-vectors.js';
import { notVectors } from './not-vectors.js';
import { textVectors } from './text-vectors.js';
import { VectorList } from './vector-list.js';

/** Bytes by which a format is recognised. */
const looked = 65_536;

/**
 * Reads the first words of a file of word vectors: text as of word2vec, fastText (`.vec`) or GloVe, binary word2vec, or
 * JSON as of the npm packages `wink-embeddings-*`; gzip or not. Words that came before, and those that no file of clusters
 * can hold, are left out, and so are vectors of zeros.
 *
 * @param most words that are read
 * @throws TagstreamError `file`; `wrong-shape` with the line or the word, `invalid-utf8`
 */
export async function readWordVectors(path: string, most: number): Promise<WordVectors> {
  const input = await openInput(path);
  const { source } = input;
  try {
    const chunks = input.chunks[Symbol.asyncIterator]();
    const head: Uint8Array[] = [];
    for (let bytes = 0; bytes < looked; ) {
      const next = await chunks.next();
      if (next.done === true) break;
      // A reader may use the memory of a chunk again.
      head.push(next.value.slice());
      bytes += next.value.length;
    }
    const beginning = Buffer.concat(head);
    const list = new VectorList(most, source);
    const all = prepended(beginning, { [Symbol.asyncIterator]: () => chunks });
    const kind = kindOf(beginning);
    if (kind === 'json') await jsonVectors(all, list);
    else if (kind === 'binary') await binaryVectors(all, list);
    else await textVectors(all, list);
    if (list.words.length === 0) throw notVectors(source, 'there is no word with a vector');
    return list.vectors();
  } finally {
    input.close();
  }
}

/** Text has numbers behind the first word; after a line of two numbers binary vectors may follow. */
function kindOf(head: Buffer): 'json' | 'binary' | 'text' {
  if (/^\s*\{/.test(head.toString('latin1', 0, 16))) return 'json';
  const [, , dimensions] = /^(\d+) (\d+)\s*\n/.exec(head.toString('latin1', 0, 64)) ?? [];
  if (dimensions === undefined) return 'text';
  const start = head.indexOf(10) + 1;
  const end = head.indexOf(10, start);
  const line = head.toString('latin1', start, end < 0 ? head.length : end);
  return /^\S+(?:[ \t]+[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)+\s*$/i.test(line)
    ? 'text'
    : 'binary';
}

async function* prepended(
  head: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (head.length > 0) yield head;
  yield* rest;
}
