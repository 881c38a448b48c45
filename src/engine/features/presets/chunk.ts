import { affixes, around, type Preset, sequences } from './preset.js';

const window = [-2, -1, 0, 1, 2];

/**
 * Templates for chunks, from words and parts of speech, or from words and their endings if there
 * are none.
 */
export const chunkPreset: Preset = {
  name: 'chunk',
  summary: 'chunks: words and parts of speech (where there are any) in a window of two',
  sections: pos => [
    {
      about: 'Words in a window of two.',
      lines: [...around(window, '%x[@,0]'), ...around(window, '%lower[@,0]')],
    },
    { about: 'Two words in a row.', lines: sequences(2, 1, '%x[@,0]') },
    ...(pos === undefined ? wordsAlone : [...withParts(pos), ...looks]),
  ],
};

/** Returns sections with parts of speech, alone and combined with words. */
function withParts(pos: string) {
  const part = `%x[@,${pos}]`;
  const at = (offset: number) => part.replace('@', String(offset));
  return [
    {
      about: 'Parts of speech in a window of two: one, two and three in a row.',
      lines: [...around(window, part), ...sequences(2, 2, part), ...sequences(3, 2, part)],
    },
    {
      about: 'A word and a part of speech.',
      lines: [
        ...around([-1, 0, 1], `%lower[0,0]/${part}`),
        ...around([-1, 1], `%lower[@,0]/${at(0)}`),
        ...[-1, 1].map(offset => `%lower[${offset},0]/${at(offset)}`),
      ],
    },
    {
      about: 'The word and two parts of speech.',
      lines: [
        `%lower[0,0]/${at(-1)}/${at(0)}`,
        `%lower[0,0]/${at(0)}/${at(1)}`,
        `%lower[0,0]/${at(-1)}/${at(1)}`,
      ],
    },
  ];
}

const neighbourEnds = [2, 3].flatMap(length => around([-1, 1], `%Suffix[@,0,${length}]`));

const types = [...around([-1, 0, 1], '%type[@,0]'), ...sequences(2, 1, '%type[@,0]')];

const looks = [
  {
    about: 'Beginnings and ends, of the neighbours too.',
    lines: [
      ...[2, 3, 4].flatMap(length => [`%prefix[0,0,${length}]`, `%suffix[0,0,${length}]`]),
      ...neighbourEnds,
    ],
  },
  { about: 'What words look like.', lines: ['%shape[0,0]', ...types] },
];

/** Sections used without parts of speech. */
const wordsAlone = [
  { about: 'Beginnings and ends.', lines: affixes(5) },
  {
    about: 'Ends in a window of two: one, two and three in a row.',
    lines: [
      ...[2, 3].flatMap(length => around([-2, -1, 1, 2], `%Suffix[@,0,${length}]`)),
      ...sequences(2, 1, '%Suffix[@,0,2]'),
      ...sequences(3, 1, '%Suffix[@,0,2]'),
    ],
  },
  {
    about: 'A word and the end of its neighbour.',
    lines: [
      ...around([-1, 1], '%lower[0,0]/%Suffix[@,0,2]'),
      ...around([-1, 1], '%lower[@,0]/%Suffix[0,0,2]'),
    ],
  },
  {
    about: 'What words look like.',
    lines: ['%shape[0,0]', ...types, ...sequences(3, 1, '%type[@,0]')],
  },
];
