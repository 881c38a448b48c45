import type { Document } from '../../core/sentence/document.js';
import type { Recipe } from '../training/recipe.js';

/** A further column that a new pipeline learns: its options as they stand in the file. */
export interface ChosenColumn {
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** What lemmas follow from: ends of words, with their part of speech and features. */
const lemmaTemplates = [
  'UL1:%x[0,0]',
  'UL2:%x[0,upos]',
  'UL3:%suffix[0,0,2]/%x[0,upos]',
  'UL4:%suffix[0,0,3]/%x[0,upos]',
  'UL5:%suffix[0,0,3]',
  'UL6:%suffix[0,0,4]',
  'UL7:%x[-1,upos]/%x[0,upos]',
];

/** The optimizer of columns with many labels. */
const descent = { sgd: { eta0: 0.1, l2: 0.4, schedule: 'inverse', average: true } };

/** The same with the features, where they are learned too. */
const withFeatures = ['UL8:%suffix[0,0,1]/%x[0,feats]', 'UL9:%suffix[0,0,2]/%x[0,feats]'];

/**
 * The columns of a treebank that a model can learn beside parts of speech: those that hold values.
 *
 * @param recipe of the pipeline, whose optimizer the columns have too, where it can store weights of many labels
 */
export function chooseColumns(
  labelled: readonly Document[],
  { optimizer }: Recipe,
): ChosenColumn[] {
  const hasValues = (name: string) =>
    labelled.some(
      ({ columns, tags }) =>
        columns?.[name]?.some((value, t) => value !== '_' && value !== tags?.[t]) === true,
    );
  // Rows of all labels are too large, and others have no weights of single pairs.
  const own = Object.hasOwn(optimizer, 'sgd') ? {} : { optimizer: descent };
  const many = { support: 'observed', compressed: true, prune: {}, ...own };
  const features = hasValues('feats');
  return [
    ...(hasValues('xpos') ? [{ name: 'xpos', options: many }] : []),
    ...(features ? [{ name: 'feats', options: many }] : []),
    ...(hasValues('lemma')
      ? [
          {
            name: 'lemma',
            options: {
              as: 'script',
              templates: [...lemmaTemplates, ...(features ? withFeatures : [])],
              ...many,
            },
          },
        ]
      : []),
  ];
}
