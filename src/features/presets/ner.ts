import { affixes, around, type Preset, sequences } from './preset.js';

const window = [-2, -1, 0, 1, 2];

/** Templates for named entities, from words, their spelling, and parts of speech. */
export const nerPreset: Preset = {
  name: 'ner',
  summary: 'named entities: words, their looks, and parts of speech (where there are any)',
  sections: pos => [
    {
      about: 'Words in a window of two.',
      lines: [...around(window, '%x[@,0]'), ...around(window, '%lower[@,0]')],
    },
    { about: 'Two words in a row.', lines: sequences(2, 1, '%lower[@,0]') },
    {
      about: 'Words before, wherever they stand.',
      lines: around([-4, -3, -2, -1], '%lower[@,0]'),
      shared: true,
    },
    {
      about: 'Words behind, wherever they stand.',
      lines: around([1, 2, 3, 4], '%lower[@,0]'),
      shared: true,
    },
    { about: 'Beginnings and ends.', lines: affixes(6) },
    {
      about: 'What words look like: one, two and three in a row.',
      lines: [
        ...around(window, '%type[@,0]'),
        ...sequences(2, 1, '%type[@,0]'),
        ...sequences(3, 2, '%type[@,0]'),
        ...around([-1, 0, 1], '%shape[@,0]'),
      ],
    },
    {
      about: 'A word, and what the word beside it looks like.',
      lines: [
        '%lower[-1,0]/%type[0,0]',
        '%type[0,0]/%lower[1,0]',
        '%lower[0,0]/%type[0,0]',
        '%lower[0,0]/%type[1,0]',
        '%type[-1,0]/%lower[0,0]',
        '%type[-1,0]/%lower[0,0]/%type[1,0]',
      ],
    },
    ...(pos === undefined ? [] : [partOf(pos)]),
  ],
};

/**
 * Returns the section with parts of speech, without those of neighbours, which did not help on
 * held-out entities.
 */
function partOf(pos: string) {
  return {
    about: 'The part of speech, and what the word looks like.',
    lines: [`%x[0,${pos}]`, `%type[0,0]/%x[0,${pos}]`],
  };
}
