import { describe, expect, it } from 'vitest';
import type { TaggedDocument } from '../../../../src/core/sentence/tagged-document.js';
import { conllCodec } from '../../../../src/io/codecs/conll/conll-codec.js';

const labelMarginals = {
  labels: ['X', 'A B'],
  values: Float64Array.of(0.75, 0.25, 0.125, 0.875, 0.5, 0.5),
};

const tagged: TaggedDocument = {
  document: {},
  tokens: ['a', 'b', 'c'],
  sentences: [
    [0, 2],
    [2, 3],
  ],
  gold: ['X', 'X', 'X'],
  tags: ['X', 'A B', 'X'],
};

const write = (more: Partial<TaggedDocument>) =>
  conllCodec({ columns: ['form', 'tag'] }).write({ ...tagged, ...more });

describe('results in columns', () => {
  it('has the probability of each sentence before it', () => {
    expect(write({ logProbabilities: [0.5, 0.25].map(Math.log) })).toBe(
      '# 0.5\na X X\nb X A_B\n\n# 0.25\nc X X\n\n',
    );
  });

  it('has the probability of each tag behind it, and those of all in columns', () => {
    const marginals = [0.75, 0.875, 0.5];
    expect(write({ marginals })).toBe('a X X/0.75\nb X A_B/0.875\n\nc X X/0.5\n\n');
    expect(write({ marginals, labelMarginals })).toBe(
      [
        'a X X/0.75 X/0.75 A_B/0.25\n',
        'b X A_B/0.875 X/0.125 A_B/0.875\n\n',
        'c X X/0.5 X/0.5 A_B/0.5\n\n',
      ].join(''),
    );
  });

  it('has each of the best sequences of a sentence with its rank', () => {
    const one = (tags: string[], probability: number) => ({
      ...{ tags, score: 1, probability, logProbability: Math.log(probability) },
    });
    const nbest = [[one(['X', 'X'], 0.5), one(['X', 'A B'], 0.25)], [one(['X'], 1)]];
    const wanted = '# 0 0.5\na X X\nb X X\n\n# 1 0.25\na X X\nb X A_B\n\n# 0 1\nc X X\n\n';
    expect(write({ nbest })).toBe(wanted);
    expect(write({ nbest, logProbabilities: [-1, 0] })).toBe(wanted);
    // The columns of other taggers follow in each of them.
    const results = { pos: ['P', 'Q R', 'S'] };
    const further = { a: 'P', b: 'Q_R', c: 'S' } as const;
    const withColumns = wanted.replace(
      /^([abc]) .*$/gm,
      (row, token: keyof typeof further) => `${row} ${further[token]}`,
    );
    expect(write({ nbest, results })).toBe(withColumns);
    expect(write({ nbest, labelMarginals })).toContain('# 1 0.25\na X X/0.75 X/0.75 A_B/0.25\n');
  });

  it('has probabilities that are too small for a number', () => {
    for (const [log, text] of [
      [-1e6, '3.29683e-434295'],
      [-740, '4.18874e-322'],
      [-1.5e-9, '1'],
      [Math.log(0.0001234), '0.0001234'],
      [-400 * Math.LN10, '1e-400'],
      [Number.NEGATIVE_INFINITY, '0'],
    ] as const) {
      expect(write({ logProbabilities: [log, 0] })).toBe(
        `# ${text}\na X X\nb X A_B\n\n# 1\nc X X\n\n`,
      );
    }
  });

  it('keeps the rows and comments of the record', () => {
    const codec = conllCodec({ columns: ['form', 'pos'], comment: '#' });
    const raw = '# first\na\tN';
    const document = { tokens: ['a'], raw, format: codec.format };
    const probable = { document, tokens: ['a'], tags: ['X'], marginals: [1] };
    const logProbabilities = [Math.log(0.5)];
    expect(codec.write({ ...probable, logProbabilities })).toBe('# 0.5\n# first\na\tN\tX/1\n\n');
  });
});
