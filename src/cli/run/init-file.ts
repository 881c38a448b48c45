import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { TagstreamError } from '../../engine/core/errors.js';
import { isDefined } from '../../engine/core/figures.js';
import { counted } from '../../engine/core/wording/numbers.js';
import { gazetteer } from '../../engine/features/resources/gazetteer.js';
import { GazetteerLookup } from '../../engine/features/resources/gazetteer-lookup.js';
import {
  listCoverage,
  listProblems,
  percent,
} from '../../engine/features/resources/list-coverage.js';
import { quantisedVectors } from '../../engine/features/resources/quantised-vectors.js';
import { type Resources, requireEntries } from '../../engine/features/resources/resources.js';
import { wordClusters } from '../../engine/features/resources/word-clusters.js';
import { regexTokenizer } from '../../engine/text/tokenizers/regex-tokenizer.js';
import { readText } from '../../formats/reading/read-text.js';
import { points, signed, textTable } from '../../reports/figures.js';
import { readWordVectors } from '../../runtime/io/vectors/read-word-vectors.js';
import { vectorsFile } from '../../runtime/io/vectors/vectors-file.js';
import { atomicWrite } from '../../runtime/io/writing/atomic-write.js';
import { writeWhole } from '../../runtime/io/writing/write-whole.js';
import {
  initPipeline,
  type NewPipeline,
  pathFrom,
} from '../../runtime/pipeline/init/init-pipeline.js';
import {
  candidatesFor,
  type RecipeScore,
  searchRecipes,
  type Trial,
} from '../../runtime/pipeline/init/search-recipes.js';
import { crossValidate } from '../../runtime/pipeline/run/folds/cross-validate.js';
import type { ListFile, Recipe, RecipeLists } from '../../runtime/pipeline/training/recipe.js';
import { clustersFromText } from '../clusters/clusters-from-text.js';
import { clustersFromVectors } from '../clusters/clusters-from-vectors.js';
import { requireFilesApart } from '../files/require-files.js';
import {
  availableMemory,
  estimateWarnings,
  formatEstimate,
  nextStep,
} from '../report/estimate/format-estimate.js';
import { printError } from '../report/terminal.js';
import type { InitArguments } from './init-options.js';

/**
 * Writes a first pipeline for a labelled file, and reports the findings and the reasons for the
 * choices.
 */
export async function initFile(given: InitArguments): Promise<void> {
  const { file, test, out, task, columns, tag, labels, wordsOnly, fast, rawText, vectors } = given;
  requireBest(given);
  if (file === '-' || test === '-') {
    throw new TagstreamError('usage', 'init needs a file, because the pipeline file refers to it', {
      fix: 'write standard input to a file first',
    });
  }
  const usesFirst = given.best === true || given.stacked === true;
  const first = usesFirst && out !== '-' ? firstFile(out) : undefined;
  requireFilesApart({
    reads: {
      ...{ 'the labelled file': file, 'the test data': test, 'the raw text': rawText },
      ...{ 'a list of names': given.lists, 'the word vectors': vectors },
    },
    writes: {
      'the pipeline file': out,
      ...Object.fromEntries(listFiles(given).map(path => [`the clusters ${path}`, path])),
      ...(first === undefined ? {} : { 'the pipeline file of a first model': first }),
    },
  });
  const taken = [out, first].find((path = '-') => path !== '-' && existsSync(path));
  if (taken !== undefined && given.force !== true) {
    throw new TagstreamError('usage', `${taken} already exists`, {
      fix: 'give another name with --out, or replace it with --force',
    });
  }
  const names = (list: string | undefined) => list?.split(',').map(name => name.trim());
  const hints = { task, columns: names(columns), tag, labels: names(labels) };
  const { text: ofText } = given;
  const made = await initPipeline({ file, test, out, ...hints, wordsOnly, fast, text: ofText });
  for (const reason of made.reasons) printError(`${reason}\n`);
  for (const warning of made.warnings) printError(`tagstream: ${warning}\n`);
  const lists = await makeLists(made, given);
  const text =
    given.best === true
      ? await bestPipeline(made, given, lists)
      : textWithLists(made, lists, given.stacked === true ? first : undefined);
  const estimate = await made.estimate(text);
  if (estimate !== undefined) {
    printError(`${formatEstimate(estimate)}\n`);
    for (const warning of estimateWarnings(estimate, availableMemory())) {
      printError(`tagstream: ${warning}\n`);
    }
  }
  await writeWhole(out, text);
  if (out !== '-') printError(`wrote ${out}; ${nextStep(out, estimate, availableMemory())}\n`);
}

/**
 * Dropout of a model with word lists: without it, the model would rely on them and learn little
 * about the words themselves.
 */
const dropoutWithLists = 0.1;

/**
 * Returns the pipeline text with the lists, and the pipeline file of a first model, if there is
 * one.
 */
function textWithLists(made: NewPipeline, lists: RecipeLists, first: string | undefined): string {
  const { dropout = dropoutWithLists, ...recipe } = made.recipe;
  const isPlain = Object.keys(lists).length === 0;
  const own = isPlain ? made.recipe : { ...recipe, ...lists, dropout };
  if (first === undefined) return made.textWith(own);
  atomicWrite(first, made.textWith(own, basename(first, '.yaml').replaceAll('.', '-')));
  printError(
    `wrote ${first}, the pipeline of the first model, which is trained along with the other one; train --workers N runs N of its trainings in parallel\n`,
  );
  return made.textWith({ ...own, first: basename(first) });
}

/**
 * @throws TagstreamError `usage` for options that have no effect in combination, or that lack a
 * path for their output
 */
function requireBest({ best, minutes, out, ...given }: InitArguments): void {
  if (best !== true && minutes !== undefined) {
    throw new TagstreamError('usage', '--minutes needs --best', {
      fix: 'add --best, or leave out --minutes',
    });
  }
  const writes = { 'raw-text': given.rawText, vectors: given.vectors, stacked: given.stacked };
  const [option] = Object.entries(writes).find(([, value]) => value !== undefined) ?? [];
  if (option === undefined || out !== '-') return;
  throw new TagstreamError('usage', `--${option} writes files next to the pipeline file`, {
    fix: 'name the pipeline file with --out',
  });
}

/** Arguments of `init` that the trials need. */
interface BestArguments {
  /** Path of the new pipeline file. */
  readonly out: string;
  /** Maximum minutes of the trials. Default 5. */
  readonly minutes?: number | undefined;
  /** Number of worker threads. Default 1. */
  readonly workers?: number | undefined;
}

/** Number of trainings per trial. */
const folds = 3;

/** Maximum number of records per trial, sufficient to show differences. */
const mostRecords = 10_000;

/** Returns the path of a first model's pipeline file, next to the given one. */
function firstFile(out: string): string {
  return `${out.replace(/\.ya?ml$/, '')}.first.yaml`;
}

/**
 * Tries changes to a new pipeline by cross-validation on its training records, and prints the
 * results.
 *
 * @param lists names, clusters and vectors to try; cluster files are removed if they do not win
 * @returns text of the winning pipeline
 */
async function bestPipeline(
  made: NewPipeline,
  given: BestArguments,
  lists: RecipeLists = {},
): Promise<string> {
  const { out, minutes = 5, workers = 1 } = given;
  if (!(minutes > 0 && Number.isFinite(minutes))) {
    throw new TagstreamError('usage', `--minutes is ${minutes}`, { fix: 'give more than 0' });
  }
  const end = performance.now() + minutes * 60_000;
  const { task, spans, format, records, recipe: plain } = made;
  const first = made.ofDocuments && out !== '-' ? firstFile(out) : undefined;
  const set = records > mostRecords ? [`source.${format}.limit=${mostRecords}`] : [];
  if (set.length > 0) say(`trials read the first ${mostRecords} of ${records} records`);
  let scoreName = 'accuracy';
  // Length of the record runs, determined by the first trial.
  let run: number | undefined;
  const measure = async (recipe: Recipe): Promise<RecipeScore | undefined> => {
    const start = performance.now();
    const left = Math.floor(end - start);
    if (left <= 0) return undefined;
    if (recipe.first !== undefined) {
      const name = basename(first!, '.yaml').replaceAll('.', '-');
      atomicWrite(first!, made.textWith({ ...recipe, first: undefined }, name));
    }
    const validated = await crossValidate(out === '-' ? 'pipeline.yaml' : out, {
      ...{ text: made.textWith(recipe), set, folds, seed: 1, run, workers },
      signal: AbortSignal.timeout(left),
    });
    if (validated === undefined) return undefined;
    run = validated.run;
    const { pooled, scores } = validated.result;
    const name = isDefined(pooled.f1) ? 'f1' : 'accuracy';
    scoreName = name === 'f1' ? 'F1' : name;
    return {
      score: pooled[name]!,
      deviation: scores[name]!.deviation,
      seconds: (performance.now() - start) / 1000,
      counts: validated.evaluation.counts,
      spanScheme: name === 'f1',
    };
  };
  const stacked = first === undefined ? undefined : basename(first);
  const candidates = candidatesFor({ task, spans, lists, first: stacked, plain });
  const { best, trials } = await searchRecipes(plain, candidates, measure, ({ name, result }) =>
    say(
      result === undefined
        ? `${name}: not tried, out of time`
        : `${name}: ${scoreName} ${points(result.score)} in ${result.seconds.toFixed(1)} s`,
    ),
  );
  printError(`\n${textTable(rowsOf(trials, scoreName))}`);
  const kept = trials.filter(({ name, kept: isKept }) => isKept && name !== 'plain');
  if (trials[0]!.result === undefined) {
    say('no trial finished in time: wrote the plain pipeline; give more --minutes');
  } else {
    const names = kept.map(({ name }) => name).join(', ');
    say(names === '' ? 'the plain pipeline won' : `the winning pipeline has: ${names}`);
  }
  if (best.clusters === undefined) {
    for (const { file } of Object.values(lists.clusters ?? {})) await rm(join(dirname(out), file));
  }
  if (first !== undefined && best.first === undefined) await rm(first, { force: true });
  return made.textWith(best);
}

function rowsOf(trials: readonly Trial[], scoreName: string): string[][] {
  let before: number | undefined;
  const rows = trials.map(({ name, result, kept, pValue }, i) => {
    const shown = i === 0 ? name : `+ ${name}`;
    if (result === undefined) return [shown, '', '', '', '', '', 'not tried'];
    const gain = before === undefined ? '' : signed(result.score - before);
    if (kept) before = result.score;
    const chance = pValue === undefined ? '' : pValue.toFixed(3);
    const figures = [points(result.score), points(result.deviation), gain, chance];
    return [shown, ...figures, result.seconds.toFixed(1), kept ? 'kept' : ''];
  });
  return [['trial', scoreName, 'deviation', 'gain', 'chance', 'seconds', ''], ...rows];
}

function say(line: string): void {
  printError(`${line}\n`);
}

/** Arguments of `init` that name existing word lists. */
interface ListArguments {
  /** Path of the new pipeline file. */
  readonly out: string;
  /** Paths of files with one name per line. */
  readonly lists?: readonly string[] | undefined;
  /** Paths of text files from which word clusters are learned. */
  readonly rawText?: readonly string[] | undefined;
  /** Path of a word vector file, or name of an installed package. */
  readonly vectors?: string | undefined;
}

/** Parts of a new pipeline on which the lists depend. */
type ListUse = Pick<NewPipeline, 'task' | 'tokenizer' | 'sentences'>;

/** Settings for clusters learned from text: the defaults of `tagstream word-clusters`. */
const ofText = { classes: 200, minCount: 5, fold: false };

/**
 * Numbers of clusters learned from vectors: several numbers are better for taggers than one (Guo et
 * al. 2014).
 */
const sizes = [128, 512, 2048];

/** Number of words that are used, from the beginning of the vectors. */
const words = 60_000;

/** Returns the paths of cluster files next to a pipeline file. */
function listFiles({ out, rawText, vectors }: ListArguments): string[] {
  const name = out.replace(/\.ya?ml$/, '');
  return [
    ...(rawText === undefined ? [] : [`${name}.clusters.txt`]),
    ...(vectors === undefined ? [] : sizes.map(size => `${name}.vectors-${size}.txt`)),
  ];
}

/**
 * Reads name lists, learns clusters from raw text and from word vectors, writes their files, and
 * returns the pipeline settings that use them.
 *
 * Part-of-speech taggers gain from vectors, but nothing more from vector clusters, which are
 * therefore made only for other tasks.
 *
 * @throws (rejects with) TagstreamError `file`, and the errors of invalid files
 */
async function makeLists(
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
 * Returns the pipeline settings for name lists, each called after its file. A lower-case list is
 * looked up in lower case.
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
    printError(`${path}: its names occur ${counted(found, 'time')} in the labelled file${how}\n`);
    if (found === 0) {
      printError(
        `tagstream: ${path}: none of its names occurs in the labelled file; give one per line, spelled as in texts\n`,
      );
    }
    const name = freeName(basename(path), gazetteers);
    gazetteers[name] = { file: pathFrom(dirname(out), path), ...(fold ? { fold } : {}) };
  }
  return { gazetteers };
}

/**
 * Returns the name of a list in templates, derived from its file name, and numbered if the name is
 * taken.
 */
function freeName(file: string, taken: object): string {
  const name = file.replace(/(?<=.)\.(?:txt|gz|lst|list)/g, '').replace(/[^\w.-]+/g, '-');
  let free = name;
  for (let i = 2; Object.hasOwn(taken, free); i += 1) free = `${name}-${i}`;
  return free;
}

/**
 * Reports the number of words of the labelled file that are in lists, and warns about a poor match.
 */
function reportMatch(lists: Resources, tokens: readonly string[]): void {
  for (const coverage of listCoverage(lists, tokens)) {
    const { kind, share } = coverage;
    printError(`${kind}: ${percent(share)} of the words of the labelled file are covered\n`);
    for (const problem of listProblems(coverage)) printError(`tagstream: ${problem}\n`);
  }
}
