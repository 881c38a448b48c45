import * as z from 'zod';
import { gazetteer } from '../../features/resources/gazetteer.js';
import {
  defaultVectorScale,
  quantisedVectors,
} from '../../features/resources/quantised-vectors.js';
import { requireEntries } from '../../features/resources/require-entries.js';
import {
  type QuantisedVectors,
  type Resources,
  resourceName,
} from '../../features/resources/resources.js';
import { wordClusters } from '../../features/resources/word-clusters.js';
import { readText } from '../../io/reading/read-text.js';
import { readWordVectorsSync } from '../../io/vectors/read-word-vectors.js';
import { vectorsFile } from '../../io/vectors/vectors-file.js';
import { regexTokenizer } from '../../text/tokenizers/regex-tokenizer.js';
import type { RunSetup } from '../definition/run-setup.js';
import type { StageFile } from '../definition/stage-component.js';

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

const vectorChoice = z.strictObject({
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
  readonly vectors?: Readonly<Record<string, z.output<typeof vectorList>>> | undefined;
}

/** The files of these lists. */
export function resourceFiles(chosen: ResourceChoice): StageFile[] {
  const filesOf = (at: 'gazetteers' | 'clusters' | 'vectors', what: string) =>
    Object.values(chosen[at] ?? {}).map(choice => ({
      ...{ file: typeof choice === 'string' ? choice : choice.file, at, what, whole: true },
    }));
  return [
    ...filesOf('gazetteers', 'a gazetteer'),
    ...filesOf('clusters', 'a file of clusters'),
    ...filesOf('vectors', 'a file of word vectors'),
  ];
}

/**
 * Reads the lists that a stage names; undefined where it names none.
 *
 * @throws TagstreamError `file`, `invalid-utf8`, `wrong-shape`
 */
export function readResources(
  { gazetteers, clusters, vectors }: ResourceChoice,
  setup: Pick<RunSetup, 'path' | 'tokenizer'>,
): Resources | undefined {
  if (gazetteers === undefined && clusters === undefined && vectors === undefined) return undefined;
  const read = <Choice extends { readonly file: string; readonly fold: boolean }, List>(
    chosen: Readonly<Record<string, string | Choice>>,
    make: (text: string, fold: boolean, source: string, choice: Choice | undefined) => List,
  ) =>
    Object.fromEntries(
      Object.entries(chosen).map(([name, choice]) => {
        const named = typeof choice === 'string' ? undefined : choice;
        const source = setup.path(typeof choice === 'string' ? choice : choice.file);
        return [name, make(readText(source), named?.fold ?? false, source, named)];
      }),
    );
  const tokenizer = setup.tokenizer.tokenizer ?? regexTokenizer();
  return {
    ...(gazetteers === undefined
      ? {}
      : {
          gazetteers: read(gazetteers, (text, fold, source) =>
            requireEntries(gazetteer(text, { fold, tokenizer }), source),
          ),
        }),
    ...(clusters === undefined
      ? {}
      : {
          clusters: read(clusters, (text, fold, source, choice) => {
            const bits = choice?.bits === 'none' ? [] : choice?.bits;
            return wordClusters(text, { fold, source, bits });
          }),
        }),
    ...(vectors === undefined
      ? {}
      : {
          vectors: Object.fromEntries(
            Object.entries(vectors).map(([name, choice]) => [name, readVectors(choice, setup)]),
          ),
        }),
  };
}

function readVectors(
  choice: z.output<typeof vectorList>,
  setup: Pick<RunSetup, 'path'>,
): QuantisedVectors {
  const chosen = typeof choice === 'string' ? vectorChoice.parse({ file: choice }) : choice;
  const { file, words, fold, scale } = chosen;
  return quantisedVectors(readWordVectorsSync(vectorsFile(file, setup.path('.')), words), {
    fold,
    scale,
  });
}
