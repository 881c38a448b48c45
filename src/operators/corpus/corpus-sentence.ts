import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Sentence } from '../../core/sentence/sentence.js';

/**
 * A sentence of a corpus that is gone over in passes, with its number in it and the pass that it ends.
 *
 * All of one hidden class, whether they end a pass or not: one that gets a property more, or another kind of value, is of
 * another, for which the engine compiles all that reads sentences once more, in each pass. What is named here lies in the
 * object itself, and not in an array beside it that would have to be fetched in each visit.
 */
export class CorpusSentence implements EncodedSentence {
  readonly length: number;
  readonly passEnd: number | undefined;
  readonly stateStarts: Uint32Array;
  readonly stateRows: Uint32Array;
  declare readonly number: number;
  readonly sentence: Sentence;

  constructor(encoded: EncodedSentence, number: number | undefined, passEnd: number | undefined) {
    this.length = encoded.length;
    this.stateStarts = encoded.stateStarts;
    this.stateRows = encoded.stateRows;
    this.sentence = encoded.sentence;
    Object.assign(this, encoded);
    this.passEnd = passEnd;
    if (number !== undefined) this.number = number;
  }
}
