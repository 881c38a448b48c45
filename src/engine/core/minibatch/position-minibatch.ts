import type { EncodedSentence } from './encoded-sentence.js';
import type { CompactFeatures, Minibatch } from './minibatch.js';
import { edgeRowsOf, joinRows, type PackedRows, stateRowsOf } from './packed-rows.js';

/**
 * A minibatch whose sentences have segment candidates. The positions of a sentence are its tokens
 * followed by its candidates, so that scoring and updates treat both alike. `tokenEnds` has the
 * position at which each sentence's tokens end.
 */
export class PositionMinibatch implements Minibatch {
  readonly sentences: readonly EncodedSentence[];
  readonly tokens: number;
  readonly sentenceStarts: Uint32Array;
  readonly tokenEnds: Uint32Array;
  readonly stateStarts: Uint32Array;
  readonly stateRows: Uint32Array;
  readonly stateValues: Float64Array | undefined;
  readonly edgeStarts: Uint32Array | undefined;
  readonly edgeRows: Uint32Array | undefined;
  readonly edgeValues: Float64Array | undefined;
  readonly gold: Int32Array;
  readonly labelled: Uint8Array;
  readonly weights: Float64Array | undefined;
  readonly passEnd: number | undefined;
  readonly compact: CompactFeatures | undefined;

  constructor(of: Minibatch) {
    const { sentences } = of;
    const starts = new Uint32Array(sentences.length + 1);
    const ends = new Uint32Array(sentences.length);
    for (const [s, sentence] of sentences.entries()) {
      starts[s + 1] = starts[s]! + positionsOf(sentence);
      ends[s] = starts[s]! + sentence.length;
    }
    const tokens = starts[sentences.length]!;
    const gold = new Int32Array(tokens).fill(-1);
    for (const [s, { gold: labels }] of sentences.entries()) {
      if (labels !== undefined) gold.set(labels, starts[s]!);
    }
    this.sentences = sentences;
    this.tokens = tokens;
    this.sentenceStarts = starts;
    this.tokenEnds = ends;
    const state = packRows(sentences, stateRowsOf);
    this.stateStarts = state.starts;
    this.stateRows = state.rows;
    this.stateValues = state.values;
    if (of.edgeStarts !== undefined) {
      const edges = packRows(sentences, paddedEdges);
      this.edgeStarts = edges.starts;
      this.edgeRows = edges.rows;
      this.edgeValues = edges.values;
    }
    this.gold = gold;
    this.labelled = of.labelled;
    this.weights = of.weights;
    this.passEnd = of.passEnd;
    this.compact = of.compact;
  }
}

/** Returns the number of a sentence's tokens and segment candidates. */
export function positionsOf({ stateStarts }: EncodedSentence): number {
  return stateStarts.length - 1;
}

/**
 * Returns transition rows padded for segment candidates, which have none; links are transitions
 * themselves.
 */
function paddedEdges(sentence: EncodedSentence): ReturnType<typeof edgeRowsOf> {
  const { edgeStarts, edgeRows, edgeValues } = sentence;
  if (edgeStarts !== undefined && edgeStarts.length === positionsOf(sentence) + 1) {
    return { starts: edgeStarts, rows: edgeRows!, values: edgeValues };
  }
  const { starts, rows, values } = edgeRowsOf(sentence);
  const padded = new Uint32Array(positionsOf(sentence) + 1).fill(starts[sentence.length]!);
  padded.set(starts);
  return { starts: padded, rows, values };
}

/** Joins the rows of sentences; the rows of a single sentence are not copied. */
export function packRows(
  sentences: readonly EncodedSentence[],
  rowsOf: (sentence: EncodedSentence) => PackedRows,
): PackedRows {
  const parts = sentences.map(rowsOf);
  if (parts.length !== 1) return joinRows(parts);
  const { starts, rows, values } = parts[0]!;
  return { starts, rows, values };
}
