import { TagstreamError } from '../../../../engine/core/errors.js';
import { type Figure, isDefined } from '../../../../engine/core/figures.js';
import {
  kinds,
  requireArgument,
  requireKnown,
} from '../../../../engine/core/schema/require-argument.js';
import type { Scores } from '../../../../engine/core/training/training-step.js';
import { type Spread, spreadOf } from '../../../../engine/metrics/evaluation/cross-validation.js';
import {
  oneStandardError,
  standardErrorOf,
} from '../../../../engine/metrics/evaluation/one-standard-error.js';
import type { KernelName } from '../../../../engine/models/kernels.js';
import { learns, type Pipeline } from '../../definition/pipeline.js';
import { loadPipeline } from '../../loading/load-pipeline.js';
import { crossValidateAll, type DivergedFold } from './cross-validate.js';

/** Penalties that a grid may contain. */
const penaltyNames = ['l1', 'l2'] as const;

/** A penalty of an optimizer. */
export type PenaltyName = (typeof penaltyNames)[number];

/** Values of each penalty, which are tried in all combinations. */
export type PenaltyValues = Readonly<Partial<Record<PenaltyName, readonly number[]>>>;

/** Options for choosing penalties by cross-validation. */
export interface PenaltyGridOptions {
  /**
   * Penalties and their values, such as `{ l1: [0, 0.5, 1], l2: [0.01] }`; the first penalty determines which of two
   * settings is stronger.
   */
  readonly grid: PenaltyValues;
  /** Overrides for settings of the pipeline file. */
  readonly set?: readonly string[] | undefined;
  /** Number of folds. Default 10. */
  readonly folds?: number | undefined;
  /** Seed for assigning the records to the folds. Default 1. */
  readonly seed?: number | undefined;
  /** Number of consecutive records in the same fold. Default: 1, or more if records belong to documents. */
  readonly run?: number | undefined;
  /** Maximum number of folds trained at the same time, each in a thread. Default 1. */
  readonly workers?: number | undefined;
  readonly kernel?: KernelName | undefined;
  /** Ends the selection; all results are then lost. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the scores of each fold (from 1) for each setting (from 0), in order. */
  readonly onFold?: ((fold: number, scores: Scores, setting: number) => void) | undefined;
  /** Receives each fold whose training diverges, with the reason and the setting. */
  readonly onDiverged?: ((fold: number, reason: string, setting: number) => void) | undefined;
}

/** Penalties with their scores, as plain data. */
export interface GridSetting {
  readonly penalties: Readonly<Partial<Record<PenaltyName, number>>>;
  /** F1 of spans, or accuracy, in percent. */
  readonly score: Spread;
  /** Standard error of the mean score: deviation / sqrt(folds). */
  readonly standardError: number;
  /** Number of nonzero weights. */
  readonly active: Spread;
  /** The folds; the score is null where it is undefined. */
  readonly folds: readonly { readonly score: Figure; readonly active: number }[];
}

/** Penalties with which the training of some folds diverged. */
export interface DivergedSetting {
  readonly penalties: GridSetting['penalties'];
  readonly folds: readonly DivergedFold[];
}

/** The result of the cross-validation of a grid, as plain data. */
export interface PenaltyGrid {
  /** The compared score: F1 if the tags mark spans, else accuracy. */
  readonly score: 'f1' | 'accuracy';
  /** Settings ordered by the first penalty, then the second, as in the grid; without those that diverged. */
  readonly settings: readonly GridSetting[];
  /** Settings whose training diverged in some fold, which are not compared. */
  readonly diverged: readonly DivergedSetting[];
  /** The setting with the best mean. */
  readonly best: GridSetting;
  /** The strongest penalties whose mean is within one standard error of the best. */
  readonly chosen: GridSetting;
  /** The chosen penalties as settings of the pipeline file, such as `stages.optimize.sgd.l2=0.1`. */
  readonly set: readonly string[];
  readonly seed: number;
  /** Number of consecutive records in the same fold. */
  readonly run: number;
}

/**
 * Chooses the penalties of a pipeline by cross-validation, by the one-standard-error rule: the strongest penalties
 * whose mean score is at least the best mean less its standard error. All settings are trained on the same folds; the
 * result is the same for any number of workers. Costs one training per setting and fold.
 *
 * @param file a pipeline file
 * @returns the scored grid; undefined if it was stopped
 * @throws (rejects with) TagstreamError `config` for a grid without two settings, or a penalty that the optimizer does
 *   not have; those of `loadPipeline`; `empty-sentence` for a fold without a sentence that can be scored; `numeric` if the
 *   training diverges with every setting
 */
export async function crossValidateGrid(
  file: string,
  options: PenaltyGridOptions,
): Promise<PenaltyGrid | undefined> {
  requireArgument('crossValidateGrid: the file', file, kinds.text);
  requireKnown('crossValidateGrid', options, [
    ...[
      'grid',
      'set',
      'folds',
      'seed',
      'run',
      'workers',
      'kernel',
      'signal',
      'onFold',
      'onDiverged',
    ],
  ]);
  const { grid, set = [], folds = 10, seed = 1, workers = 1, ...more } = options;
  for (const [name, value, least] of [
    ['folds', folds, 2],
    ['seed', seed, 0],
    ['workers', workers, 1],
  ] as const) {
    if (Number.isSafeInteger(value) && value >= least) continue;
    throw refused(`${name} of ${value}`, `give a whole number of at least ${least}`);
  }
  const settings = gridSettings(grid);
  const pipeline = loadPipeline(file, { set });
  const lists = settings.map(penalties => penaltySettings(pipeline, penalties));
  const validated = await crossValidateAll(
    file,
    lists.map(list => [...set, ...list]),
    { ...more, folds, seed, workers },
  );
  if (validated.length < settings.length) return undefined;
  const diverged = validated.flatMap(({ diverged: folded }, i) =>
    folded.length === 0 ? [] : [{ penalties: settings[i]!, folds: folded }],
  );
  const places = validated.flatMap(({ diverged: folded }, i) => (folded.length === 0 ? [i] : []));
  if (places.length === 0) throw nothingConverges(file, diverged[0]!.folds[0]!);
  const hasSpans = places.some(i => isDefined(validated[i]!.result.scores.f1?.mean));
  const score = hasSpans ? 'f1' : 'accuracy';
  const scored = places.map((i): GridSetting => {
    const { result, active } = validated[i]!;
    const scores = result.folds.map(fold => fold[score] ?? null);
    return {
      penalties: settings[i]!,
      score: result.scores[score]!,
      standardError: standardErrorOf(scores.filter(isDefined)),
      active: spreadOf(active),
      folds: scores.map((of, fold) => ({ score: of, active: active[fold]! })),
    };
  });
  const { best, chosen } = oneStandardError(
    scored.map(({ penalties, folds: each }) => ({
      penalties: Object.values(penalties),
      scores: each.map(fold => fold.score).filter(isDefined),
    })),
  );
  return {
    ...{ score, settings: scored, best: scored[best]!, chosen: scored[chosen]! },
    ...{ set: lists[places[chosen]!]!, diverged, seed, run: validated[0]!.run },
  };
}

/**
 * Returns all combinations of the penalties' values.
 *
 * @throws TagstreamError `config`
 * @example
 * gridSettings({ l1: [0, 1], l2: [0.5] }) // => [{ l1: 0, l2: 0.5 }, { l1: 1, l2: 0.5 }]
 */
export function gridSettings(grid: PenaltyValues): GridSetting['penalties'][] {
  requireKnown('the grid', grid, penaltyNames);
  let settings: GridSetting['penalties'][] = [{}];
  for (const [name, values] of Object.entries(grid)) {
    const wrong = values.find(value => !(Number.isFinite(value) && value >= 0));
    if (wrong !== undefined) throw refused(`${name} of ${wrong}`, 'give numbers of at least 0');
    if (new Set(values).size < values.length) {
      throw refused(`${name} has a duplicate value: ${values.join(', ')}`, 'leave one of them out');
    }
    settings = settings.flatMap(before => values.map(value => ({ ...before, [name]: value })));
  }
  if (settings.length > 1) return settings;
  throw refused('the grid needs at least two settings', 'give several values, such as l1=0,0.5,1');
}

/** Returns penalties as settings of a pipeline's optimizer, in the form of `--set`. */
function penaltySettings(pipeline: Pipeline, penalties: GridSetting['penalties']): string[] {
  if (!learns(pipeline)) {
    throw new TagstreamError('config', 'the pipeline does not train a model', {
      place: { source: pipeline.file },
      fix: 'add the stages contribute and optimize',
    });
  }
  const { name: optimizer } = pipeline.plan.optimizer.component;
  return Object.entries(penalties).map(
    ([name, value]) => `stages.optimize.${optimizer}.${name}=${value}`,
  );
}

function nothingConverges(file: string, { reason }: DivergedFold): TagstreamError {
  return new TagstreamError('numeric', `the training diverges with every setting: ${reason}`, {
    place: { source: file },
    fix: 'lower eta0, or give smaller penalties',
  });
}

function refused(problem: string, fix: string): TagstreamError {
  return new TagstreamError('config', `a grid of penalties: ${problem}`, { fix });
}
