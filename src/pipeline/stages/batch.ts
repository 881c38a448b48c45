import { batch } from '../../operators/batch.js';
import { defineStage } from '../definition/stage-component.js';
import { batchOptions } from '../options/stage-options.js';

/** Sentences of a round that make the wait at its end a small part of it. */
const leastRound = 256;

export const batchStage = defineStage({
  name: 'batch',
  summary:
    'packs sentences into minibatches, by default of one sentence; required before contribute and tag',
  example: 'batch: { sentences: 8 }',
  takes: ['encoded sentence'],
  gives: 'minibatch',
  options: batchOptions,
  create: (chosen, setup) => {
    const { train, ledger } = setup;
    setup.minibatches = { sentences: chosen.sentences, tokens: chosen.tokens };
    return batch({
      ledger,
      // Hogwild makes a step for each sentence; its minibatches are rounds between which threads wait.
      ...(train?.mode === 'hogwild'
        ? { sentences: Math.max(leastRound, chosen.sentences ?? 1) }
        : chosen.sentences === undefined
          ? {}
          : { sentences: chosen.sentences }),
      ...(chosen.tokens === undefined ? {} : { tokens: chosen.tokens }),
      // Where nothing is learned no record waits for others.
      ...(train === undefined ? { milliseconds: chosen.milliseconds ?? 0 } : {}),
    });
  },
});
