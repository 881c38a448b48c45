import { existsSync } from 'node:fs';
import { TagstreamError } from '../../core/errors.js';
import { writeWhole } from '../../io/writing/write-whole.js';
import { initPipeline } from '../../pipeline/init/init-pipeline.js';
import type { Task } from '../../pipeline/training/recipe.js';
import { requireFilesApart } from '../files/require-files-apart.js';
import { availableMemory } from '../report/estimate/available-memory.js';
import { estimateWarnings, formatEstimate, nextStep } from '../report/estimate/format-estimate.js';
import { printError } from '../report/terminal.js';
import { bestPipeline, clustersFile, firstFile } from './best-pipeline.js';

/** Arguments of `init`. */
export interface InitArguments {
  readonly file: string;
  readonly test?: string | undefined;
  readonly out: string;
  readonly task?: Task | undefined;
  readonly columns?: string | undefined;
  readonly tag?: string | undefined;
  readonly wordsOnly?: boolean | undefined;
  readonly force?: boolean | undefined;
  /** Takes a recipe that trains faster. */
  readonly fast?: boolean | undefined;
  /** Tries what is there by cross-validation. */
  readonly best?: boolean | undefined;
  readonly minutes?: number | undefined;
  readonly workers?: number | undefined;
  /** Files to learn word clusters from. */
  readonly rawText?: readonly string[] | undefined;
}

/** Writes a first pipeline for a labelled file, and says what was seen and why it is as it is. */
export async function initFile(given: InitArguments): Promise<void> {
  const { file, test, out, task, columns, tag, wordsOnly, fast, rawText } = given;
  requireBest(given);
  if (file === '-' || test === '-') {
    throw new TagstreamError('usage', 'init needs a file that the pipeline can name', {
      fix: 'write the standard input to a file first',
    });
  }
  const first = given.best === true && out !== '-' ? firstFile(out) : undefined;
  requireFilesApart({
    reads: { 'the labelled file': file, 'the test data': test, 'the raw text': rawText },
    writes: {
      'the pipeline file': out,
      ...(rawText === undefined ? {} : { 'the file of clusters': clustersFile(out) }),
      ...(first === undefined ? {} : { 'the pipeline file of a first model': first }),
    },
  });
  const taken = [out, first].find((path = '-') => path !== '-' && existsSync(path));
  if (taken !== undefined && given.force !== true) {
    throw new TagstreamError('usage', `${taken} already exists`, {
      fix: 'give another name with --out, or replace it with --force',
    });
  }
  const names = columns?.split(',').map(name => name.trim());
  const made = await initPipeline({ file, test, out, task, columns: names, tag, wordsOnly, fast });
  for (const reason of made.reasons) printError(`${reason}\n`);
  for (const warning of made.warnings) printError(`tagstream: ${warning}\n`);
  const text = given.best === true ? await bestPipeline(made, given) : made.text;
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

/** @throws TagstreamError `usage` for options that do nothing without `--best`, or have no place for what they write */
function requireBest({ best, rawText, minutes, out }: InitArguments): void {
  const idle = rawText !== undefined ? '--raw-text' : minutes !== undefined ? '--minutes' : '';
  if (best !== true && idle !== '') {
    throw new TagstreamError('usage', `${idle} is for the trials of --best`, {
      fix: `add --best, or leave out ${idle}`,
    });
  }
  if (rawText === undefined) return;
  if (out !== '-') return;
  throw new TagstreamError('usage', 'clusters of --raw-text need a file beside the pipeline file', {
    fix: 'name the pipeline file with --out',
  });
}
