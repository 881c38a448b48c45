import { gazetteer } from '../../features/resources/gazetteer.js';
import { quantisedVectors } from '../../features/resources/quantised-vectors.js';
import { requireEntries } from '../../features/resources/require-entries.js';
import type { QuantisedVectors, Resources } from '../../features/resources/resources.js';
import { wordClusters } from '../../features/resources/word-clusters.js';
import { readText } from '../../io/reading/read-text.js';
import { readWordVectorsSync } from '../../io/vectors/read-word-vectors.js';
import { vectorsFile } from '../../io/vectors/vectors-file.js';
import type { TokenizeOptions } from '../../operators/tokenize.js';
import { regexTokenizer } from '../../text/tokenizers/regex-tokenizer.js';
import type { PipelinePaths } from '../definition/run-context.js';
import type { StageFile } from '../definition/stage-component.js';
import {
  type ResourceChoice,
  type VectorChoice,
  vectorChoice,
} from '../options/resource-options.js';

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
  paths: PipelinePaths,
  { tokenizer = regexTokenizer() }: TokenizeOptions,
): Resources | undefined {
  if (gazetteers === undefined && clusters === undefined && vectors === undefined) return undefined;
  const read = <Choice extends { readonly file: string; readonly fold: boolean }, List>(
    chosen: Readonly<Record<string, string | Choice>>,
    make: (text: string, fold: boolean, source: string, choice: Choice | undefined) => List,
  ) =>
    Object.fromEntries(
      Object.entries(chosen).map(([name, choice]) => {
        const named = typeof choice === 'string' ? undefined : choice;
        const source = paths.resolve(typeof choice === 'string' ? choice : choice.file);
        return [name, make(readText(source), named?.fold ?? false, source, named)];
      }),
    );
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
            Object.entries(vectors).map(([name, choice]) => [name, readVectors(choice, paths)]),
          ),
        }),
  };
}

function readVectors(choice: VectorChoice, paths: PipelinePaths): QuantisedVectors {
  const chosen = typeof choice === 'string' ? vectorChoice.parse({ file: choice }) : choice;
  const { file, words, fold, scale } = chosen;
  return quantisedVectors(readWordVectorsSync(vectorsFile(file, paths.resolve('.')), words), {
    fold,
    scale,
  });
}
