import * as z from 'zod';
import { gazetteer } from '../../features/resources/gazetteer.js';
import { type Resources, resourceName } from '../../features/resources/resources.js';
import { wordClusters } from '../../features/resources/word-clusters.js';
import { readText } from '../../io/reading/read-text.js';
import type { RunSetup } from '../definition/run-setup.js';
import type { StageFile } from '../definition/stage-component.js';

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

const listsOf = <List extends z.ZodType>(each: List) =>
  z.record(z.string().regex(resourceName), each).optional();

/** The options of `featurize` that name lists. */
export const resourceOptions = {
  gazetteers: listsOf(list).describe(
    'lists of names for %gazetteer[0,0,NAME], by name: one entry per line, tokens separated by spaces; they become part of the model, also in a resumed run',
  ),
  clusters: listsOf(clusterList).describe(
    'word clusters in Brown format for %cluster[0,0,NAME,4], by name; they become part of the model too',
  ),
};

/** What is chosen of them. */
export interface ResourceChoice {
  readonly gazetteers?: Readonly<Record<string, z.output<typeof list>>> | undefined;
  readonly clusters?: Readonly<Record<string, z.output<typeof clusterList>>> | undefined;
}

/** The files of these lists. */
export function resourceFiles(chosen: ResourceChoice): StageFile[] {
  const filesOf = (at: 'gazetteers' | 'clusters', what: string) =>
    Object.values(chosen[at] ?? {}).map(choice => ({
      ...{ file: typeof choice === 'string' ? choice : choice.file, at, what, whole: true },
    }));
  return [...filesOf('gazetteers', 'a gazetteer'), ...filesOf('clusters', 'a file of clusters')];
}

/**
 * Reads the lists that a stage names; undefined where it names none.
 *
 * @throws TagstreamError `file`, `invalid-utf8`, `wrong-shape`
 */
export function readResources(
  { gazetteers, clusters }: ResourceChoice,
  setup: Pick<RunSetup, 'path'>,
): Resources | undefined {
  if (gazetteers === undefined && clusters === undefined) return undefined;
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
  return {
    ...(gazetteers === undefined
      ? {}
      : { gazetteers: read(gazetteers, (text, fold) => gazetteer(text, { fold })) }),
    ...(clusters === undefined
      ? {}
      : {
          clusters: read(clusters, (text, fold, source, choice) => {
            const bits = choice?.bits === 'none' ? [] : choice?.bits;
            return wordClusters(text, { fold, source, bits });
          }),
        }),
  };
}
