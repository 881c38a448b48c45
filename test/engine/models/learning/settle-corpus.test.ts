import { describe, expect, it } from 'vitest';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { settleCorpus } from '../../../../src/engine/models/learning/settle-corpus.js';
import { sentenceOf } from '../../features/sentence-of.js';

const sentences = [
  sentenceOf(['a', 'b'], { tags: ['X', 'Y'] }),
  sentenceOf(['b', 'a'], { tags: ['Y', 'Y'] }),
  sentenceOf(['a', 'c'], { tags: ['X', 'Z'] }),
];

describe('settleCorpus', () => {
  it('freezes the model and gives it the size of the corpus', () => {
    const model = createModel({ templates: 'U:%x[0,0]' });
    const encoded = sentences.map(sentence => model.encode(sentence));
    expect(settleCorpus(model, encoded)).toBe(encoded);
    expect([model.frozen, model.corpusSize]).toEqual([true, 3]);
  });

  it('encodes all once more where a cutoff drops features', () => {
    const index = { mode: 'exact', cutoff: 3 } as const;
    const model = createModel({ templates: 'U:%x[0,0]\nB:%x[0,0]', index });
    const settled = settleCorpus(
      model,
      sentences.map(sentence => model.encode(sentence)),
    );
    // Of the words only a has been seen three times, as a token and as the end of a transition.
    expect(settled.map(({ stateRows }) => Array.from(stateRows))).toEqual([[0], [0], [0]]);
    expect(settled.map(({ edgeRows }) => Array.from(edgeRows!))).toEqual([[1], [1], [1]]);
    expect(settled.map(({ gold }) => Array.from(gold!))).toEqual([
      [0, 1],
      [1, 1],
      [0, 2],
    ]);
  });

  it('lets all observed pairs of the features that are left have weights', () => {
    const index = { mode: 'exact', cutoff: 3 } as const;
    const templates = 'U:%x[0,0]\nB\nB:%x[0,0]';
    const model = createModel({ templates, index, support: 'observed' });
    settleCorpus(
      model,
      sentences.map(sentence => model.encode(sentence)),
    );
    const { support, pairs, width } = model.parameters;
    // a: X twice, which was before it had a row, and Y once.
    expect(Array.from(support!.state.subarray(0, 3))).toEqual([1, 1, 0]);
    const transitions = [0, 1, 2].map(from =>
      Array.from(support!.transitions.subarray(from * width, from * width + 3)),
    );
    expect(transitions).toEqual([
      [0, 1, 1],
      [0, 1, 0],
      [0, 0, 0],
    ]);
    expect(pairs.size).toBe(1);
    expect([pairs.from[0], pairs.to[0], pairs.heads[1]]).toEqual([1, 1, 0]);
  });
});
