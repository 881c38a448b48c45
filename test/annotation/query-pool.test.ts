import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KindWeights } from '../../src/annotation/strategies/kind-weights.js';
import { QueryPool } from '../../src/annotation/strategies/query-pool.js';
import type { Strategy } from '../../src/annotation/strategies/strategy.js';
import { tokenKinds } from '../../src/annotation/strategies/token-kinds.js';
import type { Sentence } from '../../src/core/sentence/sentence.js';
import type { Model } from '../../src/models/model.js';

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
const model = undefined as unknown as Model;

/** The order in which the records of a pool are asked. */
function askedOf(texts: readonly string[]): string[] {
  const asked: number[] = [];
  const pool = new QueryPool({
    ...{ strategy: doubtful, size: texts.length, seed: 1 },
    isOpen: record => !asked.includes(record),
    read: record => [sentence(texts[record]!)],
  });
  pool.refresh(model, texts.length);
  for (;;) {
    const record = pool.next(model);
    if (record === undefined) return asked.map(each => texts[each]!);
    pool.note(record);
    asked.push(record);
  }
}

describe('the pool of records', () => {
  it('asks what is doubtful of many records first, and then another kind of it', () => {
    const asked = askedOf(['saw Oslo', 'saw Oslo', 'saw Oslo', 'met MIRA', 'met MIRA', 'ate Kiwi']);
    expect(asked.slice(0, 2)).toEqual(['saw Oslo', 'met MIRA']);
    expect(asked.indexOf('ate Kiwi')).toBeGreaterThan(1);
    expect(askedOf(['so it is', 'in Oslo now', 'in Oslo'])[0]).toBe('in Oslo');
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
    const weights = new KindWeights();
    const doubts = { doubts: [0.5, 0.3], over: 2 };
    const [kinds, others] = ['in Oslo', 'to Rome'].map(text => tokenKinds([sentence(text)]));
    weights.add(doubts, kinds!);
    const alone = weights.score(doubts, kinds!, weights.asked(kinds!));
    weights.add(doubts, others!);
    weights.add(doubts, kinds!);
    expect(weights.score(doubts, kinds!, weights.asked(kinds!))).toBeGreaterThan(alone);
    weights.remove(doubts, kinds!);
    weights.remove(doubts, others!);
    expect(weights.score(doubts, kinds!, weights.asked(kinds!))).toBeCloseTo(alone, 12);
    weights.remove(doubts, kinds!);
    expect(weights.score(doubts, kinds!, weights.asked(kinds!))).toBeCloseTo(0, 6);
  });

  it('takes tokens for one kind by their words, neighbours, endings and classes', () => {
    const kinds = (text: string, columns = {}) => [
      ...tokenKinds([{ ...sentence(text), columns }]).subarray(4, 8),
    ];
    const same = (a: number[], b: number[]) => a.map((kind, i) => kind === b[i]);
    expect(same(kinds('in Oslo now'), kinds('in Rome now'))).toEqual([false, true, true, false]);
    expect(same(kinds('in Oslo'), kinds('in oslo'))).toEqual([true, false, false, false]);
    expect(same(kinds('at Oslo'), kinds('in Oslo'))).toEqual([true, false, true, true]);
    const verb = kinds('we can', { pos: ['PRP', 'MD'] });
    expect(same(verb, kinds('we can', { pos: ['PRP', 'NN'] }))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
