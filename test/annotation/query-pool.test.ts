import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FeatureWeights, hashedFeatures } from '../../src/annotation/strategies/feature-weights.js';
import { QueryPool } from '../../src/annotation/strategies/query-pool.js';
import type { Strategy } from '../../src/annotation/strategies/strategy.js';
import type { Sentence } from '../../src/engine/core/sentence/sentence.js';
import { createModel } from '../../src/engine/models/create-model.js';

const sentence = (text: string): Sentence => ({
  tokens: text.split(' '),
  columns: {},
  document: {},
  part: { index: 0, count: 1, start: 0 },
});

/** Doubts every capitalized token, and needs no model. */
const doubtful: Strategy = {
  ...{ name: 'doubtful', summary: '', order: 'score' },
  doubts: (_, sentences) => {
    const tokens = sentences.flatMap(each => each.tokens);
    return { doubts: tokens.map(token => (/^[A-Z]/.test(token) ? 1 : 0)), over: tokens.length };
  },
};
const model = createModel({ templates: 'U:%lower[0,0]' });
const features = hashedFeatures(() => model);

/** A pool of texts, and what of it is answered. */
function poolOf(texts: readonly string[]) {
  const answered = new Set<number>();
  const pool = new QueryPool({
    ...{ strategy: doubtful, size: texts.length, seed: 1 },
    isOpen: record => !answered.has(record),
    read: record => [sentence(texts[record]!)],
    features,
  });
  pool.refresh(model, texts.length);
  const answer = (record: number) => {
    answered.add(record);
    pool.note(record);
  };
  const undo = (record: number) => {
    answered.delete(record);
    pool.reopen(record);
  };
  return { pool, answer, undo };
}

/** The order in which the records of a pool are asked. */
function askedOf(texts: readonly string[]): string[] {
  const { pool, answer } = poolOf(texts);
  const asked: string[] = [];
  for (;;) {
    const record = pool.next(model);
    if (record === undefined) return asked;
    answer(record);
    asked.push(texts[record]!);
  }
}

describe('the pool of records', () => {
  it('asks what is doubtful of many records first, and then other words', () => {
    const asked = askedOf(['saw Oslo', 'saw Oslo', 'saw Oslo', 'met MIRA', 'met MIRA', 'ate Kiwi']);
    expect(asked.slice(0, 2)).toEqual(['saw Oslo', 'met MIRA']);
    expect(asked.indexOf('ate Kiwi')).toBeGreaterThan(1);
    expect(askedOf(['so it is', 'in Oslo now', 'in Oslo'])[0]).toBe('in Oslo');
  });

  it('asks at each step the record of the highest score by all that was answered', () => {
    const word = fc.constantFrom('Oslo', 'MIRA', 'saw', 'Kiwi', 'a');
    const text = fc.array(word, { minLength: 1, maxLength: 5 }).map(words => words.join(' '));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), texts => {
        const isDoubtful = (each: string) => /^[A-Z]/.test(each);
        const words = texts.map(each => each.split(' '));
        const open = new Set(words.keys());
        const answered: string[] = [];
        const score = (record: number) =>
          words[record]!.filter(isDoubtful).reduce((sum, each) => {
            const records = [...open].filter(other => words[other]!.includes(each)).length;
            return sum + records / (1 + answered.filter(other => other === each).length);
          }, 0) / words[record]!.length;
        const { pool, answer } = poolOf(texts);
        while (open.size > 0) {
          // What is no longer open leaves with the choice.
          const best = Math.max(...[...open].map(score));
          const record = pool.next(model)!;
          expect(score(record)).toBeCloseTo(best, 9);
          answer(record);
          answered.push(...words[record]!);
          open.delete(record);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('counts what was answered before it was made, and forgets what is undone', () => {
    const texts = ['Oslo', 'Oslo', 'Oslo', 'Rome', 'Rome'];
    const { pool, answer, undo } = poolOf(texts);
    const first = pool.next(model)!;
    expect(texts[first]).toBe('Oslo');
    answer(first);
    expect(texts[pool.next(model)!]).toBe('Rome');
    undo(first);
    expect(texts[pool.next(model)!]).toBe('Oslo');
    const resumed = new QueryPool({
      ...{ strategy: doubtful, size: texts.length, seed: 1 },
      isOpen: record => record !== 0,
      read: record => [sentence(texts[record]!)],
      features,
    });
    resumed.note(0);
    resumed.refresh(model, texts.length);
    expect(texts[resumed.next(model)!]).toBe('Rome');
  });

  it('asks each record once, whatever there is', () => {
    const word = fc.constantFrom('Oslo', 'MIRA', 'saw', 'B-52s', 'é', '7');
    const text = fc.array(word, { minLength: 1, maxLength: 6 }).map(words => words.join(' '));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 30 }), texts => {
        expect(askedOf(texts).sort()).toEqual([...texts].sort());
      }),
      { numRuns: 40 },
    );
  });

  it('forgets the doubts about records that have left it', () => {
    const weights = new FeatureWeights(features.count);
    const doubts = { doubts: [0, 0.5], over: 2 };
    const [words, others] = ['in Oslo', 'to OSLO'].map(text => features.of([sentence(text)]));
    weights.add(doubts, words!);
    expect(weights.score(doubts, words!)).toBe(0.25);
    weights.add(doubts, others!);
    expect(weights.score(doubts, words!)).toBe(0.5);
    weights.remove(doubts, others!);
    weights.remove(doubts, words!);
    expect(weights.score(doubts, words!)).toBe(0);
  });
});
