import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../../src/engine/core/errors.js';
import type { PartialTag } from '../../../../src/engine/core/sentence/partial-tag.js';
import type { State } from '../../../../src/engine/core/training/state.js';
import type { Scores } from '../../../../src/engine/core/training/training-step.js';
import { DriftWatch } from '../../../../src/engine/metrics/drift-watch.js';
import { ProgressiveScores } from '../../../../src/engine/metrics/scores/progressive-scores.js';
import { TaggingScores } from '../../../../src/engine/metrics/scores/tagging-scores.js';
import { spansOf } from '../../../../src/engine/text/tags/spans.js';
import { digest } from '../../models/examples/digest.js';
import { sentences } from '../sentences.js';

type Corpus = readonly { readonly gold: string[]; readonly predicted: string[] }[];

function scoresOf(corpus: Corpus, spanScheme: boolean): Scores {
  // Sentences of random tags have no scheme.
  const tagging = new TaggingScores(spanScheme, 'none');
  for (const { gold, predicted } of corpus) tagging.add(gold, predicted);
  const { tagF1: _, ...scores } = tagging.scores();
  return scores;
}

/** What a checkpoint does to a state: JSON goes through text, arrays through bytes. */
function stored(state: State): State {
  return structuredClone({ ...state, json: JSON.parse(JSON.stringify(state.json)) });
}

/** A state whose arrays are compared by their bytes, which is far quicker. */
function comparable({ json, arrays }: State) {
  return { json, arrays: Object.entries(arrays).map(([name, array]) => [name, digest(array)]) };
}

const settings = { seed: 6, numRuns: 300 };
const windows = fc.integer({ min: 1, max: 6 });

describe('ProgressiveScores', () => {
  it('counts since the start and over the last sentences', () => {
    const progress = new ProgressiveScores({ spanScheme: true, window: 2 });
    progress.add(['B-A', 'O'], ['O', 'O']);
    expect(progress.inWindow()).toEqual(progress.scores());
    progress.add(['B-A', 'O'], ['B-A', 'O']);
    progress.add(['B-A', 'I-A'], ['B-A', 'I-A']);
    expect(progress.inWindow()).toEqual({
      sentences: 2,
      tokens: 4,
      accuracy: 100,
      precision: 100,
      recall: 100,
      f1: 100,
    });
    const { accuracy, f1, recall, ...others } = progress.scores();
    expect(others).toEqual({ sentences: 3, tokens: 6, precision: 100 });
    expect(accuracy).toBeCloseTo(500 / 6, 12);
    expect(recall).toBeCloseTo(200 / 3, 12);
    expect(f1).toBeCloseTo(80, 12);
  });

  it('is the scores of all sentences and of the last ones, after every sentence', () => {
    fc.assert(
      fc.property(sentences, windows, fc.boolean(), (corpus, window, spanScheme) => {
        const progress = new ProgressiveScores({ spanScheme, window });
        corpus.forEach(({ gold, predicted }, n) => {
          progress.add(gold, predicted);
          const sofar = corpus.slice(0, n + 1);
          expect(progress.scores()).toEqual(scoresOf(sofar, spanScheme));
          expect(progress.inWindow()).toEqual(scoresOf(sofar.slice(-window), spanScheme));
        });
      }),
      settings,
    );
  });

  it('resumes from a saved state as if it had never stopped', () => {
    fc.assert(
      fc.property(sentences, sentences, windows, (before, after, window) => {
        const steady = new ProgressiveScores({ spanScheme: true, window });
        for (const { gold, predicted } of before) steady.add(gold, predicted);
        const state = stored(steady.save());
        const resumed = new ProgressiveScores({ spanScheme: true, window });
        // Whatever it had counted is forgotten.
        resumed.add(['B-A', 'B-B'], ['B-A', 'O']);
        resumed.restore(state);
        expect(comparable(resumed.save())).toEqual(comparable(state));
        for (const { gold, predicted } of after) {
          steady.add(gold, predicted);
          resumed.add(gold, predicted);
        }
        expect(resumed.scores()).toEqual(steady.scores());
        expect(resumed.inWindow()).toEqual(steady.inWindow());
        expect(resumed.decayed.scores(true)).toEqual(steady.decayed.scores(true));
        expect(comparable(resumed.save())).toEqual(comparable(steady.save()));
      }),
      { ...settings, numRuns: 100 },
    );
  });

  it('keeps its state apart from the one it was restored from', () => {
    const first = new ProgressiveScores({ spanScheme: false, window: 2 });
    const second = new ProgressiveScores({ spanScheme: false, window: 2 });
    first.add(['N'], ['N']);
    second.restore(first.save());
    second.add(['N'], ['V']);
    expect(first.inWindow()).toEqual({ sentences: 1, tokens: 1, accuracy: 100 });
    expect(second.inWindow()).toEqual({ sentences: 2, tokens: 2, accuracy: 50 });
  });

  it('has a window of 1000 sentences by default', () => {
    expect(new ProgressiveScores({ spanScheme: false }).save().json).toMatchObject({
      sentences: 0,
      window: 1000,
      spanScheme: false,
      halfLife: 1000,
    });
  });

  it.each([0, -1, 1.5, Number.NaN, 1_000_001])('refuses a window of %d', window => {
    const make = () => new ProgressiveScores({ spanScheme: false, window });
    expect(make).toThrow(TagstreamError);
    expect(make).toThrow(`the window of the progressive scores is ${window}`);
  });

  it('counts the same spans and tokens with weights, and the losses', () => {
    const progress = new ProgressiveScores({ spanScheme: true, halfLife: 1 });
    progress.add(['B-A', 'O'], ['B-A', 'B-A'], 4);
    progress.add(['B-A', 'O'], ['O', 'O'], 1);
    // Weights 1/2 and 1: tokens 3, of them right 1.5; spans right 0.5, gold 1.5, predicted 1.
    const { f1, recall, ...decayed } = progress.decayed.scores(true);
    expect(decayed).toEqual({ sentences: 1.5, tokens: 3, accuracy: 50, precision: 50, loss: 1 });
    expect(recall).toBeCloseTo(100 / 3, 12);
    expect(f1).toBeCloseTo(40, 12);
    expect(progress.sentences).toBe(2);
  });

  it.each([
    [4, 4],
    [4, 2],
    [2, 5],
  ])('goes on from a window of %i with one of %i', (before, after) => {
    const add = (progress: ProgressiveScores, from: number, to: number) => {
      for (let n = from; n < to; n += 1) progress.add(['N', 'V'], ['N', n % 3 === 0 ? 'V' : 'N']);
    };
    const first = new ProgressiveScores({ spanScheme: false, window: before, halfLife: 5 });
    add(first, 0, 7);
    const second = new ProgressiveScores({ spanScheme: false, window: after, halfLife: 6 });
    second.restore(first.save());
    const whole = new ProgressiveScores({ spanScheme: false, window: after });
    add(whole, 0, 7);
    expect(second.scores()).toEqual(whole.scores());
    // A wider window knows only what the narrower one had.
    expect(second.inWindow().sentences).toBe(Math.min(before, after));
    expect(second.decayed.scores(false)).toEqual(first.decayed.scores(false));
    for (const n of [7, 8, 9]) {
      add(second, n, n + 1);
      add(whole, n, n + 1);
      const third = new ProgressiveScores({ spanScheme: false, window: after, halfLife: 6 });
      third.restore(second.save());
      expect(third.inWindow()).toEqual(second.inWindow());
      expect(third.save()).toEqual(second.save());
    }
    expect(second.inWindow()).toEqual(whole.inWindow());
  });

  it('refuses the state of another kind of tags', () => {
    const state = new ProgressiveScores({ spanScheme: true, window: 2 }).save();
    expect(() => new ProgressiveScores({ spanScheme: false, window: 2 }).restore(state)).toThrow(
      'were saved with spans true, but this run has spans false',
    );
  });

  it('refuses a state with parts missing, and stays as it was', () => {
    const progress = new ProgressiveScores({ spanScheme: false, window: 2 });
    progress.add(['N'], ['N']);
    const { json, arrays } = progress.save();
    const damaged: State[] = [
      { json: { ...json, sentences: 'many' }, arrays },
      { json: { ...json, sentences: -1 }, arrays },
      { json, arrays: {} },
      { json, arrays: { ...arrays, total: new Float64Array(3) } },
      { json, arrays: { ...arrays, decayed: undefined as never } },
      { json, arrays: { ...arrays, ring: new Uint32Array(3) } },
      { json, arrays: { ...arrays, ring: new Float64Array(10) } },
    ];
    for (const state of damaged) {
      expect(() => progress.restore(state)).toThrow(
        'the state of the progressive scores is incomplete',
      );
    }
    expect(progress.scores()).toEqual({ sentences: 1, tokens: 1, accuracy: 100 });
  });

  it('counts nothing of a sentence whose lengths differ', () => {
    const progress = new ProgressiveScores({ spanScheme: true, window: 2 });
    expect(() => progress.add(['B-A'], [])).toThrow('1 gold tags but 0 predicted tags');
    expect(progress.scores().sentences).toBe(0);
  });
});

const tags = ['O', 'B-A', 'I-A', 'B-B', 'I-B'];
const tag = fc.constantFrom(...tags);

/** A token: its gold tag, what is known of it, and the predicted tag, which is right more often than chance has it. */
const token = fc.record({
  gold: tag,
  known: fc.constantFrom('tag', 'tag', 'set', 'open', 'several'),
  other: tag,
  predicted: fc.option(tag, { freq: 2 }),
});
const partial = fc.array(token, { minLength: 1, maxLength: 7 }).map(tokens => ({
  gold: tokens.map(({ gold }) => gold),
  known: tokens.map(({ gold, known, other }): PartialTag => {
    if (known === 'open') return null;
    if (known === 'several') return gold === other ? null : [gold, other];
    return known === 'set' ? [gold] : gold;
  }),
  predicted: tokens.map(({ gold, predicted }) => predicted ?? gold),
}));

/** Counts of tokens and spans by the definition, where the open tags are those of `gold`. */
function countsOf(gold: string[], known: readonly PartialTag[], predicted: string[]) {
  const isKnown = known.map(each => typeof each === 'string' || each?.length === 1);
  const at = (t: number) => isKnown[t] ?? true;
  const counted = (of: string[]) =>
    spansOf(of)
      .filter(({ start, end }) => {
        for (let t = start - 1; t <= end; t += 1) if (!at(t)) return false;
        return true;
      })
      .map(({ label, start, end }) => `${label} ${start} ${end}`);
  const [golden, found] = [counted(gold), counted(predicted)];
  return {
    tokens: isKnown.filter(is => is).length,
    equal: gold.filter((each, t) => isKnown[t] && each === predicted[t]).length,
    spans: {
      correct: found.filter(span => golden.includes(span)).length,
      ...{ gold: golden.length, predicted: found.length },
    },
  };
}

describe('ProgressiveScores of partially labelled sentences', () => {
  it('counts what the known tags settle, whatever the open ones are', { tags: 'slow' }, () => {
    const open = fc.array(tag, { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(partial, fc.array(open, { maxLength: 5 }), (sentence, fillings) => {
        const { gold, known, predicted } = sentence;
        const progress = new ProgressiveScores({ spanScheme: true, window: 1 });
        progress.add(known, predicted);
        const ways = fillings.map(filling =>
          known.map((each, t) => (typeof each === 'string' ? each : (each?.[0] ?? filling[t]!))),
        );
        const total = [...progress.save().arrays.total!];
        const counted = [gold, ...ways].map(way => {
          const { tokens, equal, spans } = countsOf(way, known, predicted);
          return [tokens, equal, spans.correct, spans.gold, spans.predicted];
        });
        expect(counted).toEqual(counted.map(() => total));
      }),
      { ...settings, numRuns: 2000 },
    );
  });

  it('counts a sentence without a known tag nowhere', () => {
    const progress = new ProgressiveScores({ spanScheme: true, window: 2 });
    const watch = new DriftWatch();
    const [fresh, unseen] = [stored(progress.save()), stored(watch.save())];
    for (const known of [
      [null, ['B-A', 'O']],
      [null, null],
    ]) {
      progress.add(known, ['O', 'O'], 3);
      watch.see(known, ['O', 'O']);
    }
    expect(progress.save()).toEqual(fresh);
    expect(watch.save()).toEqual(unseen);
    expect(() => progress.add([null], [])).toThrow('1 gold tags but 0 predicted tags');
  });

  it('counts spans by the tags on both sides of them', () => {
    const countsWith = (known: PartialTag[], predicted: string[]) => {
      const progress = new ProgressiveScores({ spanScheme: true });
      progress.add(known, predicted);
      return [...progress.save().arrays.total!];
    };
    // It may go on.
    expect(countsWith(['B-A', null], ['B-A', 'O'])).toEqual([1, 1, 0, 0, 0]);
    expect(countsWith(['B-A', 'O', null], ['B-A', 'O', 'O'])).toEqual([2, 2, 1, 1, 1]);
    expect(countsWith(['O', 'O', null], ['B-A', 'O', 'B-A'])).toEqual([2, 1, 0, 0, 1]);
    // Whether it is right is known, but right ones in its place would not count.
    expect(countsWith(['O', null], ['B-A', 'O'])).toEqual([1, 0, 0, 0, 0]);
  });
});

describe('DriftWatch of partially labelled sentences', () => {
  it('sees the errors that the scores count', () => {
    fc.assert(
      fc.property(fc.array(partial, { minLength: 1, maxLength: 8 }), corpus => {
        const watch = new DriftWatch();
        const oracle = { tags: [0, 0], spans: [0, 0] };
        // Of few sentences the usual errors have the half-life of the recent ones.
        const usual = 2 ** (-1 / 30);
        for (const { gold, known, predicted } of corpus) {
          watch.see(known, predicted);
          const { tokens, equal, spans } = countsOf(gold, known, predicted);
          if (tokens === 0) continue;
          const units = spans.gold + spans.predicted;
          oracle.tags = [
            oracle.tags[0]! * usual + (tokens - equal),
            oracle.tags[1]! * usual + tokens,
          ];
          oracle.spans = [
            oracle.spans[0]! * usual + (units - 2 * spans.correct),
            oracle.spans[1]! * usual + units,
          ];
        }
        const { tags: seen, spans } = watch.save().arrays;
        expect([...seen!.slice(0, 2)]).toEqual(oracle.tags);
        expect([...spans!.slice(0, 2)]).toEqual(oracle.spans);
      }),
      settings,
    );
  });
});
