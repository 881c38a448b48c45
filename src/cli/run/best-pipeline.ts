import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { TagstreamError } from '../../core/errors.js';
import { atomicWrite } from '../../io/writing/atomic-write.js';
import { candidatesFor } from '../../pipeline/init/best/candidates.js';
import {
  type RecipeScore,
  searchRecipes,
  type Trial,
} from '../../pipeline/init/best/search-recipes.js';
import type { NewPipeline } from '../../pipeline/init/init-pipeline.js';
import { crossValidate } from '../../pipeline/run/folds/cross-validate.js';
import type { Recipe, RecipeLists } from '../../pipeline/training/recipe.js';
import { points, signed } from '../../reports/figures.js';
import { textTable } from '../../reports/text-table.js';
import { printError } from '../report/terminal.js';

/** What of the arguments of `init` the trials need. */
export interface BestArguments {
  /** Where the pipeline file will be. */
  readonly out: string;
  /** Default 5. */
  readonly minutes?: number | undefined;
  /** Default 1. */
  readonly workers?: number | undefined;
}

/** Trainings of a trial. */
const folds = 3;

/** Records of a trial at most: differences show with these too. */
const mostRecords = 10_000;

/** The file of a first model beside a pipeline file. */
export function firstFile(out: string): string {
  return `${out.replace(/\.ya?ml$/, '')}.first.yaml`;
}

/**
 * Tries changes of a new pipeline by cross-validation of its training records, and prints how they did.
 *
 * @param lists names, clusters and vectors to try; files of clusters are removed if they do not win
 * @returns the text of the pipeline that won
 */
export async function bestPipeline(
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
  // Of the first trial, which finds it out.
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
    scoreName = pooled.f1 === undefined ? 'accuracy' : 'F1';
    return {
      score: pooled.f1 ?? pooled.accuracy,
      deviation: (scores.f1 ?? scores.accuracy)!.deviation,
      seconds: (performance.now() - start) / 1000,
      counts: validated.evaluation.counts,
      spanScheme: pooled.f1 !== undefined,
    };
  };
  const stacked = first === undefined ? undefined : basename(first);
  const candidates = candidatesFor({ task, spans, lists, first: stacked, plain });
  const { best, trials } = await searchRecipes(plain, candidates, measure, ({ name, result }) =>
    say(
      result === undefined
        ? `${name}: not tried, the time is over`
        : `${name}: ${scoreName} ${points(result.score)} in ${result.seconds.toFixed(1)} s`,
    ),
  );
  printError(`\n${textTable(rowsOf(trials, scoreName))}`);
  const kept = trials.filter(({ name, kept: isKept }) => isKept && name !== 'plain');
  if (trials[0]!.result === undefined) {
    say('no trial ended in time: the plain pipeline is written; give more --minutes');
  } else {
    const names = kept.map(({ name }) => name).join(', ');
    say(names === '' ? 'the plain pipeline won' : `the pipeline that won has: ${names}`);
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
