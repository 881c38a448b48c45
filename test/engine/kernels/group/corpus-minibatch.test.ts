import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import { CorpusMinibatch } from '../../../../src/engine/kernels/group/corpus-minibatch.js';
import { placedCorpus, shareCorpus } from '../../../../src/engine/kernels/group/placed-corpus.js';
import { LinearMemory } from '../../../../src/engine/kernels/memory/linear-memory.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { smallCorpus } from '../../optimizers/small-corpus.js';

const arrays = [
  ...(['sentenceStarts', 'stateStarts', 'stateRows', 'stateValues'] as const),
  ...(['edgeStarts', 'edgeRows', 'edgeValues', 'gold', 'labelled', 'tokens'] as const),
];

it.each(['U0:%x[0,0]\nB', 'U0:%x[0,0]\nU2:%v[0,n]\nB\nB0:%x[0,0]\nB1:%v[0,n]'])(
  'gathers what packMinibatch packs, of %j',
  templates => {
    const model = createModel({ templates, columns: ['form', 'n'] });
    const corpus = smallCorpus(new Random(3), 20).map(sentence => model.encode(sentence));
    const memory = new LinearMemory();
    memory.share();
    const placed = placedCorpus(memory, shareCorpus(memory, packMinibatch(corpus)));
    const numbers = fc.array(fc.nat(19), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(numbers, fc.nat(7), (chosen, skipped) => {
        const from = Math.min(skipped, chosen.length - 1);
        const expected = packMinibatch(chosen.slice(from).map(number => corpus[number]!));
        const made = new CorpusMinibatch(placed, Int32Array.from(chosen), from, chosen.length);
        for (const name of arrays) expect(made[name]).toEqual(expected[name]);
        const words = new Uint32Array(memory.buffer);
        const { starts, rows, firstTokens } = made.placed;
        const token = firstTokens[0]!;
        const first = words[starts / 4 + token]!;
        expect(words[rows / 4 + first]).toBe(expected.stateRows[0]);
      }),
    );
  },
);
