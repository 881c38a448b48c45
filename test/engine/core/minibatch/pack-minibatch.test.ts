import { describe, expect, it } from 'vitest';
import type { EncodedSentence } from '../../../../src/engine/core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { PackedMinibatch } from '../../../../src/engine/core/minibatch/packed-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import { randomSentence } from '../../../contracts/oracle/problems/random-sentence.js';

function someSentences(random: Random, count: number): EncodedSentence[] {
  return Array.from({ length: count }, () =>
    randomSentence(random, {
      length: 1 + random.below(6),
      labels: 4,
      stateRows: 10,
      edgeFeatures: random.below(2) * 5,
      stateValues: random.below(2) === 0,
      edgeValues: random.below(2) === 0,
      gold: (['all', 'none', 'partial'] as const)[random.below(3)]!,
    }),
  );
}

/** The active features of each token, as [row, value] pairs. */
function features(
  starts: Uint32Array | undefined,
  rows: Uint32Array | undefined,
  values: Float64Array | undefined,
  length: number,
): [number, number][][] {
  return Array.from({ length }, (_, t) =>
    starts === undefined
      ? []
      : Array.from(rows!.subarray(starts[t]!, starts[t + 1]!), (row, i) => [
          row,
          values?.[starts[t]! + i] ?? 1,
        ]),
  );
}

/** A sentence with what few have: a weight, candidates of segments, the end of a pass, partial labels. */
function furnished(random: Random, sentence: EncodedSentence): EncodedSentence {
  const has = () => random.below(3) === 0;
  const { gold, ...unlabelled } = sentence;
  const { length } = sentence;
  const isPartial = has();
  const allowed = {
    starts: Uint32Array.from({ length: length + 1 }, (_, t) => t),
    labels: new Uint32Array(length),
  };
  const candidates = has() ? 3 : 0;
  const { stateStarts, stateRows, stateValues } = sentence;
  const last = stateRows.length;
  return {
    ...unlabelled,
    ...(gold === undefined || isPartial ? {} : { gold }),
    ...(isPartial ? { allowed } : {}),
    ...(has() ? { weight: 1 + random.below(3) } : {}),
    ...(has() ? { passEnd: 2 } : {}),
    ...(candidates === 0
      ? {}
      : {
          candidates,
          stateStarts: Uint32Array.of(...stateStarts, last + 1, last + 1, last + 2),
          stateRows: Uint32Array.of(...stateRows, 1, 4),
          ...(stateValues === undefined
            ? {}
            : { stateValues: Float64Array.of(...stateValues, 0.5, 2) }),
        }),
  };
}

const parts = [
  ...(['tokens', 'sentenceStarts', 'stateStarts', 'stateRows', 'stateValues'] as const),
  ...(['edgeStarts', 'edgeRows', 'edgeValues', 'gold', 'labelled'] as const),
  ...(['allowedStarts', 'allowedLabels', 'weights', 'passEnd'] as const),
];

describe('packMinibatch', () => {
  it('puts the tokens of all sentences one after the other', () => {
    const random = new Random(50);
    for (let i = 0; i < 200; i += 1) {
      const sentences = someSentences(random, 1 + random.below(5));
      const batch = packMinibatch(sentences);
      const lengths = sentences.map(each => each.length);
      expect(batch.tokens).toBe(lengths.reduce((a, b) => a + b, 0));
      expect(batch.sentences).toEqual(sentences);
      expect(batch.sentenceStarts.length).toBe(sentences.length + 1);
      for (const [s, length] of lengths.entries()) {
        expect(batch.sentenceStarts[s + 1]! - batch.sentenceStarts[s]!).toBe(length);
      }
      expect(features(batch.stateStarts, batch.stateRows, batch.stateValues, batch.tokens)).toEqual(
        sentences.flatMap(each =>
          features(each.stateStarts, each.stateRows, each.stateValues, each.length),
        ),
      );
      expect(features(batch.edgeStarts, batch.edgeRows, batch.edgeValues, batch.tokens)).toEqual(
        sentences.flatMap(each =>
          features(each.edgeStarts, each.edgeRows, each.edgeValues, each.length),
        ),
      );
      expect(Array.from(batch.gold)).toEqual(
        sentences.flatMap(each =>
          each.gold === undefined ? new Array(each.length).fill(-1) : Array.from(each.gold),
        ),
      );
      expect(Array.from(batch.labelled)).toEqual(
        sentences.map(each => (each.gold?.every(label => label >= 0) ? 1 : 0)),
      );
    }
  });

  it('has values, and edge features, only where a sentence has some', () => {
    const random = new Random(51);
    const shape = { length: 3, labels: 2, stateRows: 5, gold: 'none' } as const;
    const plain = randomSentence(random, {
      ...shape,
      edgeFeatures: 0,
      stateValues: false,
      edgeValues: false,
    });
    const full = randomSentence(random, {
      ...shape,
      edgeFeatures: 2,
      stateValues: true,
      edgeValues: true,
    });
    const parts = ['stateValues', 'edgeStarts', 'edgeRows', 'edgeValues'] as const;
    const present = (sentences: EncodedSentence[]) => {
      const batch = packMinibatch(sentences);
      return parts.filter(part => batch[part] !== undefined);
    };
    expect(present([plain])).toEqual([]);
    expect(present([plain, plain])).toEqual([]);
    expect(present([full])).toEqual(parts);
    expect(present([plain, full, plain])).toEqual(parts);
  });

  it('does not copy the features of a single sentence', () => {
    const random = new Random(52);
    const [sentence] = someSentences(random, 1);
    const batch = packMinibatch([sentence!]);
    expect(batch.stateRows).toBe(sentence!.stateRows);
    expect(batch.stateStarts).toBe(sentence!.stateStarts);
  });

  it('does not change the sentences', () => {
    const sentences = someSentences(new Random(53), 4);
    const before = structuredClone(sentences);
    const batch = packMinibatch(sentences);
    batch.gold.fill(3);
    batch.stateRows.fill(0);
    expect(sentences).toEqual(before);
  });

  it('gives a single sentence what packing it gives', () => {
    const random = new Random(55);
    for (let i = 0; i < 400; i += 1) {
      const sentence = furnished(random, someSentences(random, 1)[0]!);
      const single = packMinibatch([sentence]);
      const packed = new PackedMinibatch([sentence]);
      expect(single.sentences).toEqual([sentence]);
      for (const part of parts) expect([part, single[part]]).toEqual([part, packed[part]]);
      for (const part of [...parts, 'tokenEnds'] as const) {
        const [one, other] = [single, packed].map(batch => batch.positions?.[part]);
        expect([part, one]).toEqual([part, other]);
      }
    }
  });

  it('ends a pass where its last sentence does', () => {
    const [first, last] = someSentences(new Random(54), 2) as [EncodedSentence, EncodedSentence];
    expect(packMinibatch([first, { ...last, passEnd: 3 }]).passEnd).toBe(3);
    expect(packMinibatch([first, last]).passEnd).toBeUndefined();
  });

  it('is empty for no sentence', () => {
    const batch = packMinibatch([]);
    expect([batch.tokens, batch.gold.length, batch.labelled.length]).toEqual([0, 0, 0]);
    expect(Array.from(batch.sentenceStarts)).toEqual([0]);
    expect(Array.from(batch.stateStarts)).toEqual([0]);
  });
});
