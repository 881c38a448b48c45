import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { smallCorpus } from '../../optimizers/small-corpus.js';
import { syntheticCorpus } from '../examples/synthetic-corpus.js';
import type { TrainOptions } from '../examples/train.js';
import { listTemplates, wordLists, wordVectors } from '../examples/word-lists.js';

export const corpus = syntheticCorpus(new Random(1), 60);
export const words = 'U0:%x[0,0]\nU1:%x[-1,0]\nU2:%x[1,0]\nB';
const edges = `${words}\nB0:%x[0,0]`;

/** Tags of chunks, made of those of the corpus. */
function chunkTag(tag: string, t: number, tags: readonly string[]): string {
  if (tag === 'L0') return 'O';
  return t > 0 && tags[t - 1] === 'L1' && tag === 'L2' ? 'I-L1' : `B-${tag}`;
}

/** Models of all kinds, and the sentences that they are trained on. */
export const modelKinds: [string, TrainOptions, readonly Sentence[]][] = [
  ['of words and transitions', { spec: { templates: words } }, corpus],
  ['without transitions', { spec: { templates: 'U0:%x[0,0]' } }, corpus],
  ['of transitions that look at words', { spec: { templates: edges } }, corpus],
  ['of observed pairs', { spec: { templates: edges, support: 'observed' } }, corpus],
  [
    'of single pairs of many labels',
    { spec: { templates: words, support: 'observed', compressed: true }, passes: 1 },
    syntheticCorpus(new Random(3), 40, { labels: 24 }),
  ],
  ['with a cutoff', { spec: { templates: words, index: { mode: 'exact', cutoff: 5 } } }, corpus],
  [
    'of hashed features',
    { spec: { templates: edges, index: { mode: 'hashed', rows: 64, edgeRows: 16 } } },
    corpus,
  ],
  [
    'of hashed features and observed pairs',
    {
      spec: {
        templates: edges,
        support: 'observed',
        index: { mode: 'hashed', rows: 64, edgeRows: 16 },
      },
    },
    corpus,
  ],
  [
    'of numbers',
    { spec: { templates: 'U0:%x[0,0]\nU1:%v[0,n]\nB\nB1:%v[0,n]', columns: ['form', 'n'] } },
    smallCorpus(new Random(2), 60),
  ],
  ['with word lists', { spec: { templates: listTemplates, resources: wordLists } }, corpus],
  [
    'with word vectors',
    {
      spec: {
        templates: 'U0:%x[-1,0]\nU1:%vector[0,0,v]\nU2:%vector[1,0,v]\nB',
        resources: { ...wordLists, ...wordVectors },
      },
    },
    corpus,
  ],
  [
    'with rules for transitions and a dictionary',
    { spec: { templates: words, dictionary: { minCount: 3 } } },
    corpus.map(sentence => ({ ...sentence, tags: sentence.tags!.map(chunkTag) })),
  ],
  [
    'of the average',
    { spec: { templates: words }, options: { average: true, averageAfter: 1 } },
    corpus,
  ],
];
