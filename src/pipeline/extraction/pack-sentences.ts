import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { PackedRows } from '../../core/minibatch/join-rows.js';
import { allowedRowsOf, edgeRowsOf, stateRowsOf } from '../../core/minibatch/rows-of-sentence.js';
import type { PackedFeatures, PackedSentences } from './packed-sentences.js';

/**
 * Packs labelled sentences; of their texts only the records' ids stay. Cost O(features).
 *
 * @param sentences all with features of transitions, or none
 */
export function packSentences(sentences: readonly EncodedSentence[]): PackedSentences {
  const lengths = Uint32Array.from(sentences, ({ length }) => length);
  const gold = new Int32Array(lengths.reduce((sum, length) => sum + length, 0));
  let token = 0;
  for (const sentence of sentences) {
    if (sentence.gold === undefined) gold.fill(-1, token, token + sentence.length);
    else gold.set(sentence.gold, token);
    token += sentence.length;
  }
  const hasEdges = sentences[0]?.edgeStarts !== undefined;
  const isPartial = sentences.some(({ allowed }) => allowed !== undefined);
  const isWeighted = sentences.some(({ weight }) => weight !== undefined);
  const ids = sentences.map(({ sentence }) => sentence.document.id);
  return {
    lengths,
    state: packFeatures(sentences.map(stateRowsOf)),
    edges: hasEdges ? packFeatures(sentences.map(edgeRowsOf)) : undefined,
    gold,
    allowed: isPartial ? packFeatures(sentences.map(allowedRowsOf)) : undefined,
    weights: isWeighted ? Float64Array.from(sentences, ({ weight = 1 }) => weight) : undefined,
    ids: ids.some(id => id !== undefined) ? ids : undefined,
  };
}

function packFeatures(parts: readonly PackedRows[]): PackedFeatures {
  let startCount = 0;
  let rowCount = 0;
  let valueCount = 0;
  for (const { starts, rows, values } of parts) {
    startCount += starts.length;
    rowCount += rows.length;
    valueCount += values?.length ?? 0;
  }
  const starts = new Uint32Array(startCount);
  const rows = new Uint32Array(rowCount);
  const values = new Float64Array(valueCount);
  let start = 0;
  let row = 0;
  let value = 0;
  for (const part of parts) {
    starts.set(part.starts, start);
    start += part.starts.length;
    rows.set(part.rows, row);
    row += part.rows.length;
    if (part.values === undefined) continue;
    values.set(part.values, value);
    value += part.values.length;
  }
  if (valueCount === 0) return { starts, rows, values: undefined, valued: undefined };
  const valued = Uint8Array.from(parts, part => (part.values === undefined ? 0 : 1));
  return { starts, rows, values, valued };
}
