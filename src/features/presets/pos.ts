import { affixes, around, type Preset, sequences } from './preset.js';

/** Templates for parts of speech and other tags of single words, from words alone. */
export const posPreset: Preset = {
  name: 'pos',
  summary: 'parts of speech: words, how they begin and end, and what they look like',
  sections: () => [
    {
      about: 'The word and its neighbours, and words in a window of two in lower case.',
      lines: [...around([-1, 0, 1], '%x[@,0]'), ...around([-2, -1, 0, 1, 2], '%lower[@,0]')],
    },
    {
      about: 'The word with its neighbours, both neighbours, and the two before.',
      lines: [
        ...sequences(2, 1, '%lower[@,0]'),
        '%lower[-1,0]/%lower[1,0]',
        '%lower[-2,0]/%lower[-1,0]',
      ],
    },
    { about: 'Beginnings and ends.', lines: affixes(6) },
    {
      about: 'The end of the word, and a neighbour or what the word looks like.',
      lines: [
        '%lower[-1,0]/%Suffix[0,0,2]',
        '%Suffix[0,0,2]/%lower[1,0]',
        '%Suffix[0,0,3]/%type[0,0]',
      ],
    },
    {
      about: 'What stands before and behind hyphens, and before the first letter, and the length.',
      lines: ['%M[0,0,"^[^-]+"]', '%M[0,0,"[^-]+$"]', '%m[0,0,"^\\P{L}+"]', '%length[0,0]'],
    },
    {
      about: 'What the word and its neighbours look like.',
      lines: [
        '%shape[0,0]',
        '%type[0,0]',
        ...sequences(2, 1, '%type[@,0]'),
        ...sequences(3, 1, '%type[@,0]'),
      ],
    },
    {
      about: 'The word, and what it and its neighbours look like.',
      lines: ['%lower[0,0]/%type[0,0]', '%x[0,0]/%type[1,0]', '%type[-1,0]/%lower[0,0]'],
    },
  ],
};
