import * as z from 'zod';
import { gazetteer } from '../../features/resources/gazetteer.js';
import { type Resources, resourceName } from '../../features/resources/resources.js';
import { wordClusters } from '../../features/resources/word-clusters.js';
import { readText } from '../../io/reading/read-text.js';
import type { RunSetup } from '../definition/run-setup.js';
import type { StageFile } from '../definition/stage-component.js';

const list = z.union([
  z.string().min(1),
  z.strictObject({
    file: z.string().min(1).describe('the file, which may be gzip'),
    fold: z.boolean().default(false).describe('ignore case'),
  }),
]);

const lists = z.record(z.string().regex(resourceName), list).optional();

/** The options of `featurize` that name lists. */
export const resourceOptions = {
  gazetteers: lists.describe(
    'lists of names for %gazetteer[0,0,NAME], by name: one entry per line, tokens separated by spaces; they become part of the model, also in a resumed run',
  ),
  clusters: lists.describe(
    'word clusters in Brown format for %cluster[0,0,NAME,4], by name; they become part of the model too',
  ),
};

/** What is chosen of them. */
export interface ResourceChoice {
  readonly gazetteers?: Readonly<Record<string, z.output<typeof list>>> | undefined;
  readonly clusters?: Readonly<Record<string, z.output<typeof list>>> | undefined;
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
  const read = <List>(
    chosen: ResourceChoice['clusters'],
    make: (text: string, fold: boolean, source: string) => List,
  ) =>
    Object.fromEntries(
      Object.entries(chosen ?? {}).map(([name, choice]) => {
        const { file, fold } = typeof choice === 'string' ? { file: choice, fold: false } : choice;
        const source = setup.path(file);
        return [name, make(readText(source), fold, source)];
      }),
    );
  return {
    ...(gazetteers === undefined
      ? {}
      : { gazetteers: read(gazetteers, (text, fold) => gazetteer(text, { fold })) }),
    ...(clusters === undefined
      ? {}
      : {
          clusters: read(clusters, (text, fold, source) => wordClusters(text, { fold, source })),
        }),
  };
}
