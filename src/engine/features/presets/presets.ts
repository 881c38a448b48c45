import { chunkPreset } from './chunk.js';
import { affixes, around, type Preset, type PresetSection, sequences } from './preset.js';

/** What a few hundred sentences can teach of a name: words in lower case, types, ends and shapes. */
const few: readonly PresetSection[] = [
  { about: 'The word and its neighbours.', lines: around([-1, 0, 1], '%lower[@,0]') },
  {
    about: 'What words look like, alone and in pairs.',
    lines: ['%type[0,0]', ...sequences(2, 1, '%type[@,0]'), '%shape[0,0]'],
  },
  { about: 'Ends.', lines: ['%suffix[0,0,2]', '%suffix[0,0,3]'] },
];

/** Named entities, for up to about a hundred sentences. */
const smallNerPreset: Preset = {
  name: 'ner-small',
  summary: 'named entities, from some ten labelled sentences on: words in lower case, their looks',
  sections: () => few,
};

/** Named entities, for some hundred to some thousand sentences. */
const mediumNerPreset: Preset = {
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

/** Chunks, for up to some hundred sentences. */
const smallChunkPreset: Preset = {
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

const window = [-2, -1, 0, 1, 2];

/** Named entities: from words, what they look like, and parts of speech. */
const nerPreset: Preset = {
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

/** Parts of speech of the neighbours brought nothing on held-out entities. */
function partOf(pos: string) {
  return {
    about: 'The part of speech, and what the word looks like.',
    lines: [`%x[0,${pos}]`, `%type[0,0]/%x[0,${pos}]`],
  };
}

/** Parts of speech and other tags of single words: from the words alone. */
const posPreset: Preset = {
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

/** All presets, by which `featurize: { preset: ... }` and `tagstream presets` look up names. */
export const presets: readonly Preset[] = [
  ...[posPreset, chunkPreset, nerPreset],
  ...[smallChunkPreset, smallNerPreset, mediumNerPreset],
];
