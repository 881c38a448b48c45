import * as z from 'zod';
import { defaultVectorScale } from '../../features/resources/quantised-vectors.js';
import { resourceName } from '../../features/resources/resources.js';

/** Words of a list of vectors, if nothing else is said. */
const defaultVectorWords = 60_000;

const listShape = {
  file: z.string().min(1).describe('the file, which may be gzip'),
  fold: z.boolean().default(false).describe('ignore case'),
};

const list = z.union([z.string().min(1), z.strictObject(listShape)]);

const clusterList = z.union([
  z.string().min(1),
  z.strictObject({
    ...listShape,
    bits: z
      .union([z.literal('none'), z.array(z.int().min(1)).min(1)])
      .optional()
      .describe(
        'lengths of the beginnings of paths that automatic templates look at beside whole paths, as [4, 6, 10], the default; none for clusters of word vectors, whose paths have no coarser clusters in them',
      ),
  }),
]);

export const vectorChoice = z.strictObject({
  file: z
    .string()
    .min(1)
    .describe(
      'the file, which may be gzip: word2vec (text or binary), GloVe, fastText (.vec), or the name of an installed npm package wink-embeddings-*',
    ),
  fold: listShape.fold,
  words: z
    .int()
    .min(1)
    .max(10_000_000)
    .default(defaultVectorWords)
    .describe('the first words that are taken, the most frequent ones in most files'),
  scale: z
    .number()
    .positive()
    .default(defaultVectorScale)
    .describe('the length of all vectors: the larger, the less their weights are held back'),
});

const vectorList = z.union([z.string().min(1), vectorChoice]);

const listsOf = <List extends z.ZodType>(each: List) =>
  z.record(z.string().regex(resourceName), each).optional();

/** The options of `featurize` that name lists. */
export const resourceOptions = {
  gazetteers: listsOf(list).describe(
    'lists of names for %gazetteer[0,0,NAME], by name: one entry per line, divided into tokens as texts are; they become part of the model, also in a resumed run',
  ),
  clusters: listsOf(clusterList).describe(
    'word clusters in Brown format for %cluster[0,0,NAME,4], by name; they become part of the model too',
  ),
  vectors: listsOf(vectorList).describe(
    'word vectors for %vector[0,0,NAME], by name; they become part of the model too',
  ),
};

/** What is chosen of them. */
export interface ResourceChoice {
  readonly gazetteers?: Readonly<Record<string, z.output<typeof list>>> | undefined;
  readonly clusters?: Readonly<Record<string, z.output<typeof clusterList>>> | undefined;
  readonly vectors?: Readonly<Record<string, VectorChoice>> | undefined;
}

/** A file of word vectors, or how it is read. */
export type VectorChoice = z.output<typeof vectorList>;
