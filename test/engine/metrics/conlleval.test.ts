import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { figureText } from '../../../src/engine/core/figures.js';
import { SpanScores } from '../../../src/engine/metrics/scores/span-scores.js';
import { spansOf } from '../../../src/engine/text/tags/spans.js';

/** Why, gold tags, predicted tags, then by hand: correct, gold and predicted spans, and F1. */
type Row = readonly [string, string, string, number, number, number, string];

/**
 * Each expectation was worked out on paper from the rules: 100 * 2c / (g + p) is F1; where c = 0 it is 0.
 * A `type change` is a tag whose type differs from that of the tag before it, `O` having the empty type.
 */
const plainRows: readonly Row[] = [
  // I after O starts a span, so that both are NP [0,2).
  ['I- at the start of a sentence', 'I-NP I-NP O', 'B-NP I-NP O', 1, 1, 1, '100.00'],
  // The span that reaches the last token ends with the sentence, in both.
  ['a span up to the last token', 'O B-NP I-NP', 'O I-NP I-NP', 1, 1, 1, '100.00'],
  // B after I starts, and so does I by its new type: NP [0,1), VP [1,2) in both.
  ['B- after I- of another type', 'I-NP B-VP O', 'I-NP I-VP O', 2, 2, 2, '100.00'],
  // A new type starts a span without B.
  ['a type change without B-', 'B-NP I-VP', 'B-NP B-VP', 2, 2, 2, '100.00'],
  // Gold NP [0,1), VP [1,2); predicted NP [0,2): only the gold span ends at 1.
  ['a type change that was missed', 'B-NP I-VP O', 'B-NP I-NP O', 0, 2, 1, '0.00'],
  // Each change of type starts a span, also back to the first type.
  ['types to and fro', 'B-A I-B I-A', 'B-A B-B B-A', 3, 3, 3, '100.00'],
  // Gold NP [0,1), NP [1,2); predicted NP [0,2).
  ['adjacent B- B- of one type against one span', 'B-NP B-NP', 'B-NP I-NP', 0, 2, 1, '0.00'],
  // Gold A [0,1), A [1,3); predicted A [0,3): the shared last token is not enough.
  ['spans that only end together', 'B-A B-A I-A', 'B-A I-A I-A', 0, 2, 1, '0.00'],
  // IOB1 has B only after a span of the same type: NP [0,2), NP [2,4) in both.
  ['IOB1 against BIO', 'I-NP I-NP B-NP I-NP', 'B-NP I-NP B-NP I-NP', 2, 2, 2, '100.00'],
  // IO cannot show the second span: gold NP [0,1), NP [1,2); predicted NP [0,2).
  ['IOB1 against IO', 'I-NP B-NP', 'I-NP I-NP', 0, 2, 1, '0.00'],
  // Predicted NP [0,1) and, as I after O starts, NP [2,3).
  ['O inside a span', 'B-NP I-NP I-NP', 'B-NP O I-NP', 0, 1, 2, '0.00'],
  // NP [0,1), NP [2,3) in both.
  ['O inside, in both', 'B-NP O I-NP', 'I-NP O B-NP', 2, 2, 2, '100.00'],
  // Recall has no denominator; F1 has one.
  ['no gold span', 'O O', 'B-NP O', 0, 0, 1, '0.00'],
  // Precision has no denominator; F1 has one.
  ['no predicted span', 'B-NP I-NP O', 'O O O', 0, 1, 0, '0.00'],
  // Nothing is defined.
  ['no span at all', 'O O', 'O O', 0, 0, 0, '-'],
  // A sentence without tokens has no spans.
  ['no token at all', '', '', 0, 0, 0, '-'],
  // Types swapped: no span has its type.
  ['all types wrong', 'B-NP O B-VP', 'B-VP O B-NP', 0, 2, 2, '0.00'],
  // The same tokens, another type.
  ['right tokens, wrong type', 'B-PER I-PER O', 'B-LOC I-LOC O', 0, 1, 1, '0.00'],
  // Predicted PER [0,1), LOC [1,2): at 1 only the predicted span ends.
  ['a type that goes wrong half-way', 'B-PER I-PER O', 'B-PER I-LOC O', 0, 1, 2, '0.00'],
  // Gold [0,1), predicted [0,2).
  ['one token too long', 'B-NP O', 'B-NP I-NP', 0, 1, 1, '0.00'],
  // Gold [0,2), predicted [0,1).
  ['one token too short, at the end', 'B-NP I-NP', 'B-NP O', 0, 1, 1, '0.00'],
  // Gold [0,2), predicted [1,2): the two never start together.
  ['starts late', 'B-NP I-NP O', 'O I-NP O', 0, 1, 1, '0.00'],
  // Gold [1,2), predicted [0,2).
  ['starts early', 'O B-NP', 'B-NP I-NP', 0, 1, 1, '0.00'],
  // NP [0,2) agrees (it ends before B in gold, before O in predicted); VP is at 2 and at 3.
  ['one of two right', 'B-NP I-NP B-VP O', 'B-NP I-NP O B-VP', 1, 2, 2, '50.00'],
  // Precision 100, recall 50: 2 / 3.
  ['one of two found', 'B-A B-B', 'B-A O', 1, 2, 1, '66.67'],
  // Precision 50, recall 33.33: 2 / 5.
  ['one of three right, two predicted', 'B-A B-B B-C', 'B-A O B-D', 1, 3, 2, '40.00'],
  // A [0,2) and C [5,7) agree; B is [3,4) and [3,5): 4 / 6.
  [
    'a wrong span between right ones',
    'B-A I-A O B-B O B-C I-C',
    'B-A I-A O B-B I-B B-C I-C',
    2,
    3,
    3,
    '66.67',
  ],
  // The type is all that follows the first hyphen: a-b.
  ['a hyphen in the type', 'B-a-b I-a-b O', 'I-a-b I-a-b O', 1, 1, 1, '100.00'],
  // a-b and a-c are two types: predicted a-b [0,1), a-c [1,2).
  ['types that differ after a hyphen', 'B-a-b I-a-b O', 'B-a-b I-a-c O', 0, 1, 2, '0.00'],
  // a-b is not a.
  ['a type that begins like the other', 'B-a-b', 'B-a', 0, 1, 1, '0.00'],
  // Types are compared as they are written.
  ['types in another case', 'B-np', 'B-NP', 0, 1, 1, '0.00'],
  // The empty type is a type like others, [0,2) and [3,4) in both.
  ['tags without type', 'B I O B', 'I I O I', 2, 2, 2, '100.00'],
  // Empty type against NP.
  ['tags without type against typed ones', 'B I O', 'B-NP I-NP O', 0, 1, 1, '0.00'],
  // Second span: B after B in gold, type change from NP to the empty type in predicted.
  ['a tag without type after a typed one', 'B-NP B', 'B-NP I', 2, 2, 2, '100.00'],
  // Gold NP [0,1) and an empty-typed [1,2); predicted NP [0,2).
  ['I without type does not continue with a typed span', 'B-NP I', 'B-NP I-NP', 0, 2, 1, '0.00'],
  // After the hyphen there is nothing: the empty type.
  ['a hyphen without type', 'B- I-', 'B I', 1, 1, 1, '100.00'],
  // E continues like I, and E before O ends: NP [0,3) in both.
  ['E- at the end of a span', 'B-NP I-NP E-NP O', 'B-NP I-NP I-NP O', 1, 1, 1, '100.00'],
  // E after B neither ends nor starts.
  ['E- right after B-', 'B-NP E-NP', 'B-NP I-NP', 1, 1, 1, '100.00'],
  // E after O starts a span.
  ['E- alone', 'O E-NP O', 'O B-NP O', 1, 1, 1, '100.00'],
  // E after E ends one span and starts the next.
  ['E- after E-', 'E-NP E-NP', 'B-NP B-NP', 2, 2, 2, '100.00'],
  // I after E ends one span and starts the next: NP [0,2), NP [2,3).
  ['I- after E-', 'B-NP E-NP I-NP', 'B-NP I-NP B-NP', 2, 2, 2, '100.00'],
  // [ and ] are spans of one token each.
  ['[ and ]', '[-NP ]-NP', 'B-NP B-NP', 2, 2, 2, '100.00'],
  // [ ends after itself, and I starts only after O or E or by type: token 1 is in no gold span.
  ['I- after [ of the same type', '[-NP I-NP', 'B-NP O', 1, 1, 1, '100.00'],
  // The same gold span [0,1) against [0,2).
  ['I- after [ does not prolong it', '[-NP I-NP', 'B-NP I-NP', 0, 1, 1, '0.00'],
  // ] ends after itself; B starts after B, I, O, E or by type, not after ] of its type.
  ['B after ] without types', '] B', 'B O', 1, 1, 1, '100.00'],
  // [ starts a second span at 1, but nothing ends the first there (B before [ of one type): it is
  // counted twice as found and, at the end of the sentence, once as correct.
  ['[ inside a span without types', 'B [', 'B [', 1, 2, 2, '50.00'],
  // Before a full stop the span ends by the change of type, and a full stop starts nothing.
  ['a full stop as tag', 'B-NP .', 'B-NP O', 1, 1, 1, '100.00'],
  // A full stop with the span's type neither ends nor starts: [0,2) in both.
  ['a full stop with a type', 'B-NP .-NP', 'B-NP I-NP', 1, 1, 1, '100.00'],
  // I starts after O, not after a full stop of the same (empty) type.
  ['I after a full stop', '. I', 'O I', 0, 0, 1, '0.00'],
  // An unknown prefix starts by its type, and ends by the change of type before O.
  ['an unknown prefix', 'X-PER O', 'B-PER O', 1, 1, 1, '100.00'],
  // Unknown prefixes of one type join: gold [0,2), predicted [0,1), [1,2).
  ['an unknown prefix twice', 'X-PER X-PER', 'B-PER B-PER', 0, 1, 2, '0.00'],
  // L continues with the type, and ends by the change of type before O.
  ['L- as in BILOU', 'B-PER L-PER O', 'B-PER I-PER O', 1, 1, 1, '100.00'],
  // B starts after B, I, O, E, not after U of its type: gold [0,2).
  ['B- after an unknown prefix', 'X-A B-A', 'B-A I-A', 1, 1, 1, '100.00'],
  // E ends before B, I, E, O or a change of type, not before U: gold [0,2).
  ['an unknown prefix after E-', 'E-A X-A', 'B-A I-A', 1, 1, 1, '100.00'],
  // Prefixes are upper case: b and i are unknown, [0,2) by type.
  ['lower-case prefixes', 'b-NP i-NP', 'B-NP I-NP', 1, 1, 1, '100.00'],
  // b is no B: gold [0,2) against two spans.
  ['lower-case b- twice', 'b-NP b-NP', 'B-NP B-NP', 0, 1, 2, '0.00'],
  // BB is no B: gold [0,2).
  ['a prefix of two letters', 'BB-NP BB-NP', 'B-NP I-NP', 1, 1, 1, '100.00'],
  // The prefix is empty, hence unknown; the type is NP.
  ['an empty prefix', '-NP O', 'B-NP O', 1, 1, 1, '100.00'],
  // Unknown prefixes without type never differ in type from O: no span.
  ['parts of speech', 'NN VB', 'NN VB', 0, 0, 0, '-'],
  // NP ends by the change to the empty type, which starts a span of its own.
  ['a part of speech after a typed tag', 'B-NP NN', 'B-NP NN', 2, 2, 2, '100.00'],
  // O is outside whatever its type, and I after O starts.
  ['O with a type', 'O-NP I-NP', 'O I-NP', 1, 1, 1, '100.00'],
  // B before O ends, also where the types are equal.
  ['O with the type of the span before it', 'B-NP O-NP', 'B-NP O', 1, 1, 1, '100.00'],
  // U starts by a change of type only, and after O-NP there is none.
  ['an unknown prefix after O of its type', 'O-NP X-NP', 'O X-NP', 0, 0, 1, '0.00'],
];

/** Where conlleval would count otherwise, and why the library does not. */
const ownRows: readonly Row[] = [
  // BIOES: E ends a span, B starts one; conlleval would make gold one span [0,4).
  ['E- before B- of one type', 'B-NP E-NP B-NP E-NP', 'B-NP I-NP B-NP I-NP', 2, 2, 2, '100.00'],
  // S is a span of its own after O.
  ['S- alone', 'O S-NP O', 'O B-NP O', 1, 1, 1, '100.00'],
  // S after S: gold [0,1), [1,2) against [0,2).
  ['S- twice', 'S-NP S-NP', 'B-NP I-NP', 0, 2, 1, '0.00'],
  // S ends after itself, so that I starts anew.
  ['I- after S-', 'S-NP I-NP', 'S-NP S-NP', 2, 2, 2, '100.00'],
  // The same for E.
  ['E- after S-', 'S-NP E-NP', 'B-NP B-NP', 2, 2, 2, '100.00'],
  // S starts after B, which ends.
  ['S- after B-', 'B-NP S-NP', 'B-NP B-NP', 2, 2, 2, '100.00'],
  // Gold [0,1), [1,2) against [0,2).
  ['S- after I-', 'I-NP S-NP O', 'I-NP I-NP O', 0, 2, 1, '0.00'],
  // Gold [0,2), [2,3) in both.
  ['S- after E-', 'B-NP E-NP S-NP', 'B-NP I-NP B-NP', 2, 2, 2, '100.00'],
  // conlleval takes the type 0 for no type at all.
  ['the type 0', 'B-0', 'B', 0, 1, 1, '0.00'],
];

function tagsOf(line: string): string[] {
  return line === '' ? [] : line.split(' ');
}

function check([, gold, predicted, correct, inGold, inPredicted, f1]: Row): void {
  const scores = new SpanScores();
  scores.add(tagsOf(gold), tagsOf(predicted));
  const { total } = scores;
  expect([total.correct, total.gold, total.predicted, figureText(total.f1)]).toEqual([
    correct,
    inGold,
    inPredicted,
    f1,
  ]);
}

describe('span counts by the rules of conlleval', () => {
  it.each(plainRows)('%s: %s / %s', (...row) => check(row));
});

describe('span counts where BIOES and plain names need other rules', () => {
  it.each(ownRows)('%s: %s / %s', (...row) => check(row));
});

describe('span counts on any tags', () => {
  const oddTag = fc.constantFrom(
    ...['O', 'B', 'I', '.', '[', ']', 'NN', '', '-', 'O-A', '.-A', '[-A', ']-A', 'X-A', 'X-B'],
    ...['B-A', 'I-A', 'E-A', 'S-A', 'B-B', 'I-B', 'E-B', 'S-B', 'B-A-B', 'I-A-B'],
  );
  const schemeTag = fc.constantFrom(
    ...['O', 'B-A', 'I-A', 'E-A', 'S-A', 'B-B', 'I-B', 'E-B', 'S-B', 'B', 'I', 'E', 'S'],
  );

  function pairs(tag: fc.Arbitrary<string>): fc.Arbitrary<[string, string][]> {
    // Predicted tags are often the gold ones, or spans would seldom agree.
    const pair = fc.oneof(
      tag.map((both): [string, string] => [both, both]),
      fc.tuple(tag, tag),
    );
    return fc.array(pair, { maxLength: 12 });
  }

  function countsOf(gold: readonly string[], predicted: readonly string[]): number[] {
    const scores = new SpanScores();
    scores.add(gold, predicted);
    return [scores.total.correct, scores.total.gold, scores.total.predicted];
  }

  /** Slow and independent: every pair of positions is tried as a span. */
  function slowSpans(tags: readonly string[]): Set<string> {
    const prefix = (t: number) => tags[t]?.charAt(0) ?? 'O';
    const type = (t: number) => tags[t]?.slice(2) ?? '';
    /** Whether tokens `t - 1` and `t` are in one span. */
    const joined = (t: number) =>
      prefix(t - 1) !== 'O' &&
      prefix(t) !== 'O' &&
      type(t - 1) === type(t) &&
      !'ES'.includes(prefix(t - 1)) &&
      !'BS'.includes(prefix(t));
    const found = new Set<string>();
    for (let start = 0; start < tags.length; start += 1) {
      for (let end = start + 1; end <= tags.length; end += 1) {
        const inner = tags.map((_, t) => t).filter(t => t > start && t < end);
        const whole =
          prefix(start) !== 'O' && inner.every(joined) && !joined(start) && !joined(end);
        if (whole) found.add(`${start} ${end} ${type(start)}`);
      }
    }
    return found;
  }

  it('are the sizes of the sets of spans and of their intersection, for tags of any scheme', () => {
    fc.assert(
      fc.property(pairs(schemeTag), sentence => {
        const gold = sentence.map(pair => pair[0]);
        const predicted = sentence.map(pair => pair[1]);
        const goldSpans = slowSpans(gold);
        const predictedSpans = slowSpans(predicted);
        const shared = [...goldSpans].filter(span => predictedSpans.has(span));
        expect(countsOf(gold, predicted)).toEqual([
          shared.length,
          goldSpans.size,
          predictedSpans.size,
        ]);
        expect(spansOf(gold).map(span => `${span.start} ${span.end} ${span.label}`)).toEqual([
          ...goldSpans,
        ]);
      }),
      { seed: 1, numRuns: 1000 },
    );
  });

  it('agree with spansOf, and do not depend on which side is gold', () => {
    fc.assert(
      fc.property(pairs(oddTag), sentence => {
        const gold = sentence.map(pair => pair[0]);
        const predicted = sentence.map(pair => pair[1]);
        const [correct, inGold, inPredicted] = countsOf(gold, predicted);
        expect(inGold).toBe(spansOf(gold).length);
        expect(inPredicted).toBe(spansOf(predicted).length);
        expect(correct).toBeLessThanOrEqual(Math.min(inGold, inPredicted));
        expect(countsOf(predicted, gold)).toEqual([correct, inPredicted, inGold]);
      }),
      { seed: 2, numRuns: 1000 },
    );
  });
});
