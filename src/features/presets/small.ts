import { around, type Preset, type PresetSection, sequences } from './preset.js';

/**
 * Features that a few hundred sentences can teach about names: words in lower case, types, endings
 * and shapes.
 */
const few: readonly PresetSection[] = [
  { about: 'The word and its neighbours.', lines: around([-1, 0, 1], '%lower[@,0]') },
  {
    about: 'What words look like, alone and in pairs.',
    lines: ['%type[0,0]', ...sequences(2, 1, '%type[@,0]'), '%shape[0,0]'],
  },
  { about: 'Ends.', lines: ['%suffix[0,0,2]', '%suffix[0,0,3]'] },
];

/** Templates for named entities, for up to about a hundred sentences. */
export const smallNerPreset: Preset = {
  name: 'ner-small',
  summary: 'named entities, from some ten labelled sentences on: words in lower case, their looks',
  sections: () => few,
};

/** Templates for named entities, for a few hundred to a few thousand sentences. */
export const mediumNerPreset: Preset = {
  name: 'ner-medium',
  summary: 'named entities, from some hundred labelled sentences on: a wider window, more ends',
  sections: () => [
    ...few,
    { about: 'Words two away.', lines: around([-2, 2], '%lower[@,0]') },
    {
      about: 'Beginnings, and longer ends.',
      lines: ['%prefix[0,0,2]', '%prefix[0,0,3]', '%suffix[0,0,4]'],
    },
    {
      about: 'The word before, types of three words, and shapes of the neighbours.',
      lines: [
        '%lower[-1,0]/%type[0,0]',
        ...sequences(3, 1, '%type[@,0]'),
        ...around([-1, 1], '%shape[@,0]'),
      ],
    },
  ],
};

/** Templates for chunks, for up to a few hundred sentences. */
export const smallChunkPreset: Preset = {
  name: 'chunk-small',
  summary: 'chunks, from some ten labelled sentences on: three words and three parts of speech',
  sections: pos =>
    pos === undefined
      ? [
          ...few,
          {
            about: 'Ends of the neighbours, and of two words in a row.',
            lines: [...around([-1, 1], '%suffix[@,0,2]'), ...sequences(2, 1, '%suffix[@,0,2]')],
          },
        ]
      : [
          few[0]!,
          {
            about: 'Parts of speech: one, two and three in a row.',
            lines: [1, 2, 3].flatMap(size => sequences(size, 1, `%x[@,${pos}]`)),
          },
        ],
};
