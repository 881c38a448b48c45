import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { listCoverage, listProblems, percent } from '../../features/resources/list-coverage.js';
import { quantisedVectors } from '../../features/resources/quantised-vectors.js';
import type { Resources } from '../../features/resources/resources.js';
import { wordClusters } from '../../features/resources/word-clusters.js';
import { readText } from '../../io/reading/read-text.js';
import { readWordVectors } from '../../io/vectors/read-word-vectors.js';
import { vectorsFile } from '../../io/vectors/vectors-file.js';
import { pathFrom } from '../../pipeline/init/choose-names.js';
import type { NewPipeline } from '../../pipeline/init/init-pipeline.js';
import type { ListFile, Recipe } from '../../pipeline/training/recipe.js';
import { clustersFromText } from '../clusters/clusters-from-text.js';
import { clustersFromVectors } from '../clusters/clusters-from-vectors.js';
import { printError } from '../report/terminal.js';

/** What of the arguments of `init` names words that others have collected. */
export interface ListArguments {
  /** Where the pipeline file will be. */
  readonly out: string;
  /** Files to learn word clusters from. */
  readonly rawText?: readonly string[] | undefined;
  /** A file of word vectors, or the name of an installed package. */
  readonly vectors?: string | undefined;
}

/** What of a new pipeline the lists depend on. */
export type ListUse = Pick<NewPipeline, 'task' | 'tokenizer' | 'words'>;

/** How clusters of text are learned: as `tagstream clusters` does by default. */
const ofText = { classes: 200, minCount: 5, fold: false };

/** Numbers of clusters of vectors: several serve taggers better than one (Guo et al. 2014). */
const sizes = [128, 512, 2048];

/** Words of the vectors that are taken, the first ones. */
const words = 60_000;

/** The files of clusters next to a pipeline file. */
export function listFiles({ out, rawText, vectors }: ListArguments): string[] {
  const name = out.replace(/\.ya?ml$/, '');
  return [
    ...(rawText === undefined ? [] : [`${name}.clusters.txt`]),
    ...(vectors === undefined ? [] : sizes.map(size => `${name}.vectors-${size}.txt`)),
  ];
}

/**
 * Learns clusters of raw text and of word vectors, writes their files, and says how a pipeline uses them.
 *
 * Parts of speech gain from vectors and nothing more from clusters of them, so these are made for other tasks.
 *
 * @throws (rejects with) TagstreamError `file`, and what is wrong with a file
 */
export async function makeLists(
  { task, tokenizer, words: own }: ListUse,
  given: ListArguments,
): Promise<Pick<Recipe, 'clusters' | 'vectors'>> {
  const { out, rawText, vectors } = given;
  const clusters: Record<string, ListFile> = {};
  if (rawText !== undefined) {
    const [file] = listFiles(given);
    await clustersFromText({ ...ofText, inputs: rawText, out: file!, tokenizer });
    clusters.raw = { file: basename(file!) };
    reportMatch({ clusters: { raw: wordClusters(readText(file!)) } }, own);
  }
  if (vectors === undefined) return rawText === undefined ? {} : { clusters };
  const read = await readWordVectors(vectorsFile(vectors), words);
  const { words: known } = read;
  const isLower = known.every(word => word === word.toLowerCase());
  const fold = isLower ? { fold: true } : {};
  if (isLower) {
    printError(`${vectors}: its words are in lower case, so words are looked up in lower case\n`);
  }
  reportMatch({ vectors: { vectors: quantisedVectors(read, { fold: isLower }) } }, own);
  const fitting = sizes.filter(size => 2 * size <= known.length);
  if (task !== 'pos' && fitting.length > 0) {
    const name = `${out.replace(/\.ya?ml$/, '')}.vectors-{classes}.txt`;
    await clustersFromVectors({ vectors, inputs: [], out: name, classes: fitting, words, seed: 1 });
    for (const size of fitting) {
      const file = basename(name.replace('{classes}', String(size)));
      clusters[`vectors${size}`] = { file, ...fold, bits: 'none' };
    }
  }
  const file = existsSync(vectors) ? pathFrom(dirname(out), vectors) : vectors;
  const lists = { vectors: { vectors: { file, ...fold } } };
  return Object.keys(clusters).length === 0 ? lists : { clusters, ...lists };
}

/** Says how many words of the labelled file lists know, and warns of a bad match. */
function reportMatch(lists: Resources, tokens: readonly string[]): void {
  for (const coverage of listCoverage(lists, tokens)) {
    const { kind, share } = coverage;
    printError(`${kind}: ${percent(share)} of the words of the labelled file are in them\n`);
    for (const problem of listProblems(coverage)) printError(`tagstream: ${problem}\n`);
  }
}
