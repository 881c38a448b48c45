import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { counted } from '../../core/wording/counted.js';
import { gazetteer } from '../../features/resources/gazetteer.js';
import { GazetteerLookup } from '../../features/resources/gazetteer-lookup.js';
import { listCoverage, listProblems, percent } from '../../features/resources/list-coverage.js';
import { quantisedVectors } from '../../features/resources/quantised-vectors.js';
import { requireEntries } from '../../features/resources/require-entries.js';
import type { Resources } from '../../features/resources/resources.js';
import { wordClusters } from '../../features/resources/word-clusters.js';
import { readText } from '../../io/reading/read-text.js';
import { readWordVectors } from '../../io/vectors/read-word-vectors.js';
import { vectorsFile } from '../../io/vectors/vectors-file.js';
import { pathFrom } from '../../pipeline/init/choose-names.js';
import type { NewPipeline } from '../../pipeline/init/init-pipeline.js';
import type { ListFile, RecipeLists } from '../../pipeline/training/recipe.js';
import { regexTokenizer } from '../../text/tokenizers/regex-tokenizer.js';
import { clustersFromText } from '../clusters/clusters-from-text.js';
import { clustersFromVectors } from '../clusters/clusters-from-vectors.js';
import { printError } from '../report/terminal.js';

/** What of the arguments of `init` names words that others have collected. */
export interface ListArguments {
  /** Where the pipeline file will be. */
  readonly out: string;
  /** Files of names, one a line. */
  readonly lists?: readonly string[] | undefined;
  /** Files to learn word clusters from. */
  readonly rawText?: readonly string[] | undefined;
  /** A file of word vectors, or the name of an installed package. */
  readonly vectors?: string | undefined;
}

/** What of a new pipeline the lists depend on. */
export type ListUse = Pick<NewPipeline, 'task' | 'tokenizer' | 'sentences'>;

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
 * Reads lists of names, learns clusters of raw text and of word vectors, writes their files, and says how a pipeline uses
 * them.
 *
 * Parts of speech gain from vectors and nothing more from clusters of them, so these are made for other tasks.
 *
 * @throws (rejects with) TagstreamError `file`, and what is wrong with a file
 */
export async function makeLists(
  { task, tokenizer, sentences }: ListUse,
  given: ListArguments,
): Promise<RecipeLists> {
  const { out, rawText, vectors } = given;
  const names = nameLists(given, sentences);
  const clusters: Record<string, ListFile> = {};
  if (rawText !== undefined) {
    const [file] = listFiles(given);
    await clustersFromText({ ...ofText, inputs: rawText, out: file!, tokenizer });
    clusters.raw = { file: basename(file!) };
    reportMatch({ clusters: { raw: wordClusters(readText(file!)) } }, sentences.flat());
  }
  if (vectors === undefined) return rawText === undefined ? names : { ...names, clusters };
  const read = await readWordVectors(vectorsFile(vectors), words);
  const { words: known } = read;
  const isLower = known.every(word => word === word.toLowerCase());
  const fold = isLower ? { fold: true } : {};
  if (isLower) {
    printError(`${vectors}: its words are in lower case, so words are looked up in lower case\n`);
  }
  reportMatch(
    { vectors: { vectors: quantisedVectors(read, { fold: isLower }) } },
    sentences.flat(),
  );
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
  const lists = { ...names, vectors: { vectors: { file, ...fold } } };
  return Object.keys(clusters).length === 0 ? lists : { clusters, ...lists };
}

/**
 * How a pipeline uses lists of names, each by the name of its file. A list in lower case is looked up in lower case.
 *
 * @throws TagstreamError `file`; `wrong-shape` for a list without an entry
 */
function nameLists(
  { out, lists }: ListArguments,
  sentences: readonly (readonly string[])[],
): Pick<RecipeLists, 'gazetteers'> {
  if (lists === undefined) return {};
  const gazetteers: Record<string, ListFile> = {};
  for (const path of lists) {
    const text = readText(path);
    const fold = text === text.toLowerCase();
    const list = requireEntries(gazetteer(text, { fold, tokenizer: regexTokenizer() }), path);
    const lookup = new GazetteerLookup(list);
    const found = sentences.reduce(
      (sum, tokens) => sum + lookup.texts(tokens).filter(at => at === 'B' || at === 'S').length,
      0,
    );
    const how = fold ? ', in lower case' : '';
    printError(`${path}: its names come ${counted(found, 'time')} in the labelled file${how}\n`);
    if (found === 0) {
      printError(
        `tagstream: ${path}: none of its names is in the labelled file; give one a line, as texts write them\n`,
      );
    }
    const name = freeName(basename(path), gazetteers);
    gazetteers[name] = { file: pathFrom(dirname(out), path), ...(fold ? { fold } : {}) };
  }
  return { gazetteers };
}

/** What a list may be called in templates, by its file; numbered where another has the name. */
function freeName(file: string, taken: object): string {
  const name = file.replace(/(?<=.)\.(?:txt|gz|lst|list)/g, '').replace(/[^\w.-]+/g, '-');
  let free = name;
  for (let i = 2; Object.hasOwn(taken, free); i += 1) free = `${name}-${i}`;
  return free;
}

/** Says how many words of the labelled file lists know, and warns of a bad match. */
function reportMatch(lists: Resources, tokens: readonly string[]): void {
  for (const coverage of listCoverage(lists, tokens)) {
    const { kind, share } = coverage;
    printError(`${kind}: ${percent(share)} of the words of the labelled file are in them\n`);
    for (const problem of listProblems(coverage)) printError(`tagstream: ${problem}\n`);
  }
}
