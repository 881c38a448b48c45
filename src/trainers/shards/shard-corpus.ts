import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { PackedRows } from '../../core/minibatch/join-rows.js';
import type { CompactFeatures, Minibatch } from '../../core/minibatch/minibatch.js';
import { PackedMinibatch } from '../../core/minibatch/packed-minibatch.js';
import { packRows, positionsOf } from '../../core/minibatch/position-minibatch.js';
import { stateRowsOf } from '../../core/minibatch/rows-of-sentence.js';
import { CorpusMinibatch } from '../../kernels/group/corpus-minibatch.js';
import type { PlacedCorpus } from '../../kernels/group/placed-corpus.js';

/** Sentences that shards are made of, wherever they are. */
export interface ShardCorpus {
  /** First token of each sentence, and the number of tokens; candidates of segments count as such. */
  readonly sentenceStarts: Uint32Array;
  /** State features of the tokens of sentences `[from, to)`; the first start may be above 0. */
  rows(from: number, to: number): PackedRows;
  minibatch(from: number, to: number, compact: CompactFeatures): Minibatch;
}

/** Those of this thread. */
export function corpusOfSentences(sentences: readonly EncodedSentence[]): ShardCorpus {
  const sentenceStarts = new Uint32Array(sentences.length + 1);
  for (const [s, sentence] of sentences.entries()) {
    sentenceStarts[s + 1] = sentenceStarts[s]! + positionsOf(sentence);
  }
  return {
    sentenceStarts,
    rows: (from, to) => packRows(sentences.slice(from, to), stateRowsOf),
    minibatch: (from, to, compact) => new PackedMinibatch(sentences.slice(from, to), compact),
  };
}

/** Those in memory that threads share. */
export function corpusInMemory(corpus: PlacedCorpus): ShardCorpus {
  const { sentenceStarts, stateStarts, stateRows, stateValues } = corpus;
  const numbers = Int32Array.from({ length: sentenceStarts.length - 1 }, (_, s) => s);
  return {
    sentenceStarts,
    rows: (from, to) => ({
      starts: stateStarts.subarray(sentenceStarts[from]!, sentenceStarts[to]! + 1),
      rows: stateRows,
      values: stateValues,
    }),
    minibatch: (from, to, compact) => new CorpusMinibatch(corpus, numbers, from, to, compact),
  };
}
