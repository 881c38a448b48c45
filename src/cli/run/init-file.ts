import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { TagstreamError } from '../../core/errors.js';
import { atomicWrite } from '../../io/writing/atomic-write.js';
import { writeWhole } from '../../io/writing/write-whole.js';
import { initPipeline, type NewPipeline } from '../../pipeline/init/init-pipeline.js';
import type { RecipeLists, Task } from '../../pipeline/training/recipe.js';
import { requireFilesApart } from '../files/require-files-apart.js';
import { availableMemory } from '../report/estimate/available-memory.js';
import { estimateWarnings, formatEstimate, nextStep } from '../report/estimate/format-estimate.js';
import { printError } from '../report/terminal.js';
import { bestPipeline, firstFile } from './best-pipeline.js';
import { listFiles, makeLists } from './init-lists.js';

/** Arguments of `init`. */
export interface InitArguments {
  readonly file: string;
  readonly test?: string | undefined;
  readonly out: string;
  readonly task?: Task | undefined;
  readonly columns?: string | undefined;
  readonly tag?: string | undefined;
  readonly labels?: string | undefined;
  readonly wordsOnly?: boolean | undefined;
  readonly force?: boolean | undefined;
  /** Takes a recipe that trains faster. */
  readonly fast?: boolean | undefined;
  /** Tries what is there by cross-validation. */
  readonly best?: boolean | undefined;
  readonly minutes?: number | undefined;
  readonly workers?: number | undefined;
  /** Files of names, one a line. */
  readonly lists?: readonly string[] | undefined;
  /** Files to learn word clusters from. */
  readonly rawText?: readonly string[] | undefined;
  /** A file of word vectors, or the name of an installed package. */
  readonly vectors?: string | undefined;
  /** Writes a second pipeline for a first model, whose tags this one looks at. */
  readonly stacked?: boolean | undefined;
}

/** Writes a first pipeline for a labelled file, and says what was seen and why it is as it is. */
export async function initFile(given: InitArguments): Promise<void> {
  const { file, test, out, task, columns, tag, labels, wordsOnly, fast, rawText, vectors } = given;
  requireBest(given);
  if (file === '-' || test === '-') {
    throw new TagstreamError('usage', 'init needs a file that the pipeline can name', {
      fix: 'write the standard input to a file first',
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
  const made = await initPipeline({ file, test, out, ...hints, wordsOnly, fast });
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

/** Dropout where there are lists: else the model would rely on them, and learn little of the words themselves. */
const dropoutWithLists = 0.1;

/** The text with the lists, and the pipeline file of a first model if there is to be one. */
function textWithLists(made: NewPipeline, lists: RecipeLists, first: string | undefined): string {
  const { dropout = dropoutWithLists, ...recipe } = made.recipe;
  const isPlain = Object.keys(lists).length === 0;
  const own = isPlain ? made.recipe : { ...recipe, ...lists, dropout };
  if (first === undefined) return made.textWith(own);
  atomicWrite(first, made.textWith(own, basename(first, '.yaml').replaceAll('.', '-')));
  printError(
    `wrote ${first}, the pipeline of the first model, which is trained along with the other one; train --workers N makes N of its trainings at the same time\n`,
  );
  return made.textWith({ ...own, first: basename(first) });
}

/** @throws TagstreamError `usage` for options that do nothing together, or have no place for what they write */
function requireBest({ best, minutes, out, ...given }: InitArguments): void {
  if (best !== true && minutes !== undefined) {
    throw new TagstreamError('usage', '--minutes is for the trials of --best', {
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
