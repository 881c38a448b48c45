import { describe, expect, it } from 'vitest';
import { outside, SeenTransitions } from '../../../../src/engine/models/labels/seen-transitions.js';
import { learnedRules, maskOf } from '../../../../src/engine/models/labels/transition-rules.js';
import { detectScheme } from '../../../../src/engine/text/tags/detect-scheme.js';

/** The rules that sentences of tags, one a line, have followed. */
function rulesOf(names: readonly string[], ...sentences: readonly string[]) {
  const seen = new SeenTransitions();
  for (const line of sentences) {
    seen.note(Int32Array.from(line.split(' '), tag => names.indexOf(tag)));
  }
  return learnedRules(names, detectScheme(names), seen);
}

const bio = ['O', 'B-X', 'I-X', 'B-Y', 'I-Y'];

describe('learned transition rules', () => {
  it('are those of the scheme where the data keeps to it', () => {
    expect(rulesOf(bio, 'O B-X I-X B-Y', 'B-Y I-Y O')).toEqual({ scheme: 'BIO', also: [] });
    const bioes = ['O', 'B-X', 'I-X', 'E-X', 'S-X'];
    expect(rulesOf(bioes, 'S-X O B-X E-X')).toEqual({ scheme: 'BIOES', also: [] });
  });

  it('allow what breaks the scheme but came in training', () => {
    const rules = rulesOf(bio, 'O B-X I-X', 'O I-Y B-Y', 'I-X O');
    expect(rules).toEqual({
      scheme: 'BIO',
      also: [
        [outside, 2],
        [0, 4],
      ],
    });
    const { pairs, first, last } = maskOf(rules, bio)!;
    const forbidden = Array.from({ length: pairs.length / 2 }, (_, i) =>
      [pairs[2 * i]!, pairs[2 * i + 1]!].map(y => bio[y]).join(' '),
    );
    expect(forbidden).toEqual(['O I-X', 'B-X I-Y', 'I-X I-Y', 'B-Y I-X', 'I-Y I-X']);
    expect([Array.from(first), Array.from(last)]).toEqual([[4], []]);
  });

  it('are none for IOB1 and IOE, whose names of labels look the same', () => {
    expect(rulesOf(bio, 'I-X I-X O I-Y', 'O I-X B-X I-X')).toEqual({ scheme: 'none', also: [] });
    const ioe = ['O', 'I-X', 'E-X'];
    expect(rulesOf(ioe, 'I-X E-X O', 'O E-X')).toEqual({ scheme: 'none', also: [] });
  });

  it('are none where no labelled sentence was seen, or labels are no scheme', () => {
    expect(rulesOf(bio)).toEqual({ scheme: 'none', also: [] });
    expect(rulesOf(['A', 'B'], 'A B')).toEqual({ scheme: 'none', also: [] });
    expect(maskOf({ scheme: 'none', also: [] }, bio)).toBeUndefined();
    expect(maskOf({ scheme: 'IO', also: [] }, bio)).toBeUndefined();
  });

  it('forbid ends within a span of BIOES', () => {
    const names = ['O', 'B-X', 'I-X', 'E-X', 'S-X'];
    const { first, last, pairs } = maskOf({ scheme: 'BIOES', also: [] }, names)!;
    expect([Array.from(first), Array.from(last)]).toEqual([
      [2, 3],
      [1, 2],
    ]);
    // Of 25 pairs: after B and I only I and E, after O, E and S only O, B and S.
    expect(pairs.length / 2).toBe(25 - 2 * 2 - 3 * 3);
  });

  it('keep what was seen over a checkpoint, and pass unknown labels over', () => {
    const seen = new SeenTransitions();
    seen.note(Int32Array.of(0, -1, 2, 65_535));
    const again = new SeenTransitions(seen.save());
    expect([...again.pairs()]).toEqual([
      [outside, 0],
      [2, 65_535],
      [65_535, outside],
    ]);
    expect(again.save()).toEqual(seen.save());
  });
});
