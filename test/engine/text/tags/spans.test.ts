import { describe, expect, it } from 'vitest';
import { spansOf } from '../../../../src/engine/text/tags/spans.js';

/** Tags, and their spans as `label start end`. */
const rows: readonly (readonly [string, string[]])[] = [
  ['B-NP I-NP O B-VP', ['NP 0 2', 'VP 3 4']],
  ['I-NP I-NP B-NP', ['NP 0 2', 'NP 2 3']],
  ['I-NP I-VP O I-VP', ['NP 0 1', 'VP 1 2', 'VP 3 4']],
  ['S-A B-A E-A S-A', ['A 0 1', 'A 1 3', 'A 3 4']],
  ['B-A I-A E-A B-A E-A', ['A 0 3', 'A 3 5']],
  ['E-A E-A I-A I-A', ['A 0 1', 'A 1 2', 'A 2 4']],
  ['B I O B', [' 0 2', ' 3 4']],
  ['B-a-b I-a-b I-a', ['a-b 0 2', 'a 2 3']],
  ['O O', []],
  ['NN VB', []],
  ['[-A I-A ]-A', ['A 0 1', 'A 2 3']],
  ['B [', [' 0 1', ' 1 2']],
  ['B-A . I-A', ['A 0 1', 'A 2 3']],
  ['U-A L-A U-A O', ['A 0 1', 'A 1 2', 'A 2 3']],
  ['B-A L-A U-A B-A I-A L-A', ['A 0 2', 'A 2 3', 'A 3 6']],
  ['B M E S B E', [' 0 3', ' 3 4', ' 4 6']],
  ['B-A M-A M-A E-A W-A', ['A 0 4', 'A 4 5']],
  ['X-A X-A', ['A 0 2']],
];

describe('spansOf', () => {
  it.each(rows)('%s', (tags, expected) => {
    expect(spansOf(tags.split(' ')).map(s => `${s.label} ${s.start} ${s.end}`)).toEqual(expected);
  });

  it('finds none without tags', () => {
    expect(spansOf([])).toEqual([]);
  });
});
