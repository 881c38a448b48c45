import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import {
  CorpusMinibatch,
  CorpusMinibatches,
} from '../../../../src/engine/kernels/group/corpus-minibatch.js';
import { placedCorpus, shareCorpus } from '../../../../src/engine/kernels/group/placed-corpus.js';
import { LinearMemory } from '../../../../src/engine/kernels/memory/linear-memory.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { partlyLabelled } from '../../optimizers/partly-labelled.js';
import { smallCorpus } from '../../optimizers/small-corpus.js';

const arrays = [
  ...(['sentenceStarts', 'stateStarts', 'stateRows', 'stateValues', 'weights'] as const),
  ...(['edgeStarts', 'edgeRows', 'edgeValues', 'gold', 'labelled', 'tokens'] as const),
  ...(['allowedStarts', 'allowedLabels', 'placed'] as const),
];

it('gives what a minibatch of its own would hold, from arrays that are used again', () => {
  const model = createModel({ templates: 'U0:%x[0,0]\nB\nB0:%x[0,0]', columns: ['form'] });
  const sentences = partlyLabelled(new Random(8), smallCorpus(new Random(4), 20));
  const corpus = sentences
    .map((sentence, i) => ({ ...sentence, weight: 1 + (i % 3) }))
    .map(sentence => model.encode(sentence));
  const memory = new LinearMemory();
  const placed = placedCorpus(memory, shareCorpus(memory, packMinibatch(corpus)));
  const minibatches = new CorpusMinibatches(placed);
  const numbers = fc.array(fc.nat(19), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(numbers, fc.nat(4), (chosen, skipped) => {
      const given = [Int32Array.from(chosen), Math.min(skipped, chosen.length)] as const;
      const expected = new CorpusMinibatch(placed, ...given, chosen.length);
      const made = minibatches.of(...given, chosen.length);
      for (const name of arrays) expect(made[name]).toEqual(expected[name]);
    }),
  );
  const two = minibatches.of(Int32Array.of(1, 2), 0, 2);
  expect(minibatches.of(Int32Array.of(3, 4), 0, 2)).toBe(two);
  expect(minibatches.of(Int32Array.of(3), 0, 1)).not.toBe(two);
});
