import type { EncodedSentence } from '../../../core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../../core/minibatch/minibatch.js';
import { packMinibatch } from '../../../core/minibatch/pack-minibatch.js';

/** The same sentences with the state features of these rows alone, whose numbers stay. Cost O(features of all tokens). */
export function withRows(corpus: readonly Minibatch[], rows: Uint8Array): readonly Minibatch[] {
  return corpus.map(({ sentences }) =>
    packMinibatch(sentences.map(sentence => restricted(sentence, rows))),
  );
}

function restricted(sentence: EncodedSentence, rows: Uint8Array): EncodedSentence {
  const { stateStarts, stateRows, stateValues } = sentence;
  const starts = new Uint32Array(stateStarts.length);
  const kept: number[] = [];
  for (let t = 0; t + 1 < stateStarts.length; t += 1) {
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      if (rows[stateRows[k]!] === 1) kept.push(k);
    }
    starts[t + 1] = kept.length;
  }
  return {
    ...sentence,
    stateStarts: starts,
    stateRows: Uint32Array.from(kept, k => stateRows[k]!),
    ...(stateValues === undefined
      ? {}
      : { stateValues: Float64Array.from(kept, k => stateValues[k]!) }),
  };
}
