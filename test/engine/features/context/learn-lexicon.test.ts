import { describe, expect, it } from 'vitest';
import { learnLexicon } from '../../../../src/engine/features/context/learn-lexicon.js';
import { Lexicon } from '../../../../src/engine/features/context/lexicon.js';
import { sentenceOf } from '../sentence-of.js';

const of = (tokens: string[], tags: string[]) => sentenceOf(tokens, { tags });

describe('learnLexicon', () => {
  it('describes each tenth of the corpus by the other nine, and new texts by all of it', () => {
    const sentences = Array.from({ length: 20 }, (_, s) =>
      // Mona is a person in the first tenth and a place in the others; Ira comes in one tenth alone.
      of(['Mona', s < 2 ? 'Ira' : 'it'], [s < 2 ? 'B-PER' : 'B-LOC', s < 2 ? 'B-PER' : 'O']),
    );
    const { lexicon, columns } = learnLexicon(sentences, true);
    expect(columns[0]).toEqual(['LOC!9', '-']);
    expect(columns[1]).toEqual(['LOC!9', '-']);
    expect(columns[2]).toEqual(['LOC>9', '-']);
    expect(lexicon.columnOf(['Mona', 'Ira', 'It', 'mona', 'Rome'])).toEqual([
      ...['LOC>9', 'PER!2', '-', '-', '-'],
    ]);
  });

  it('names frequency and certainty, and takes the first of equal types', () => {
    const times = (n: number, word: string, tag: string) =>
      Array.from({ length: n }, () => of([word], [tag]));
    const { lexicon } = learnLexicon(
      [
        ...times(1, 'One', 'B-X'),
        ...times(3, 'Three', 'I-X'),
        ...times(9, 'Nine', 'S-X'),
        ...times(10, 'Ten', 'O'),
        ...times(7, 'Most', 'B-X'),
        ...times(3, 'Most', 'B-Y'),
        ...times(2, 'Half', 'B-Y'),
        ...times(2, 'Half', 'B-X'),
      ],
      true,
    );
    expect(lexicon.columnOf(['One', 'Three', 'Nine', 'Ten', 'Most', 'Half'])).toEqual([
      ...['X!1', 'X!2', 'X!4', 'O!9', 'X>9', 'X~4'],
    ]);
  });

  it('looks at all words where labels mark no spans, and leaves uncertain labels out', () => {
    const partial = { ...sentenceOf(['so', 'on']), partialTags: ['ADV', ['ADV', 'ADP']] };
    const { lexicon, columns } = learnLexicon([of(['so'], ['ADV']), partial], false);
    expect(lexicon.columnOf(['so', 'on', 'So'])).toEqual(['ADV!2', '-', 'ADV!2']);
    expect(columns).toEqual([['ADV!1'], ['ADV!1', '-']]);
    expect(new Lexicon(lexicon.stored, false).columnOf(['SO'])).toEqual(['ADV!2']);
  });
});
