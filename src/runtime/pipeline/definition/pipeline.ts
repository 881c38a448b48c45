import type * as z from 'zod';
import type { NamesKept } from '../../../engine/models/inspection/note-model.js';
import type { Chosen } from '../options/one-of.js';
import { makePlan, type PlanSections } from '../plan/make-plan.js';
import type { LearnPlan, Plan, TrainPlan } from '../plan/plan.js';
import type { ChosenSource } from '../sources/source-component.js';
import type { Check } from './check-options.js';
import type { StageComponent } from './stage-component.js';

/** The sections of a pipeline file, checked, with their components. */
export interface PipelineParts extends PlanSections {
  readonly name: string;
  /** The file, or a name for text that is not from a file. */
  readonly file: string;
  readonly stages: readonly Chosen<StageComponent>[];
  /** Maximum number of first models trained at the same time, each in its own thread. */
  readonly firstWorkers: number;
  readonly model: string | undefined;
  /** Which feature names the model file keeps. */
  readonly names: NamesKept;
  readonly test: ChosenSource | undefined;
  /** The checks that the finished model must pass. */
  readonly checks: readonly Check[] | undefined;
  /** Maximum number of seconds for an orderly shutdown. */
  readonly shutdownTimeout: number | undefined;
  /** The file as plain data after substitution, overrides and defaults. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The schema that has checked it. */
  readonly schema: z.ZodType;
}

/** A checked pipeline file and its plan. Change it with `changePipeline`, so that its plan changes too. */
export interface Pipeline extends PipelineParts {
  readonly plan: Plan;
  /** Whether the pipeline learns: it has the stage `optimize`. */
  readonly trains: boolean;
}

/** A pipeline that learns. */
export type LearningPipeline = Pipeline & { readonly plan: TrainPlan | LearnPlan };

/** Returns whether a pipeline learns, rather than only tags. */
export function learns(pipeline: Pipeline): pipeline is LearningPipeline {
  return pipeline.plan.kind !== 'tag';
}

/** Returns a pipeline of parts whose stages are complete and in order. */
export function createPipeline(parts: PipelineParts): Pipeline {
  const plan = makePlan(parts);
  return { ...parts, plan, trains: plan.kind !== 'tag' };
}

/** Returns a pipeline with some parts changed, and its plan updated. */
export function changePipeline(pipeline: Pipeline, changes: Partial<PipelineParts>): Pipeline {
  return createPipeline({ ...pipeline, ...changes });
}

/** Returns the stages of a pipeline except those with the given names. */
export function stagesWithout(
  { stages }: Pick<Pipeline, 'stages'>,
  names: readonly string[],
): Pipeline['stages'] {
  return stages.filter(({ component }) => !names.includes(component.name));
}

/** Returns the stages of a pipeline, with some options changed in the stages with the given names. */
export function stagesWith(
  stages: Pipeline['stages'],
  names: readonly string[],
  changes: Options,
): Pipeline['stages'] {
  return stages.map(stage =>
    names.includes(stage.component.name)
      ? { ...stage, options: { ...stage.options, ...changes } }
      : stage,
  );
}

/**
 * Returns a pipeline for a dry run: one pass in one thread, no checkpoints, and at most `limit`
 * held-out records.
 */
export function dryPipeline(pipeline: Pipeline, limit: number): Pipeline {
  const { train, test } = pipeline;
  const stages = stagesWithout(pipeline, ['checkpoint']).map(stage => ({
    ...stage,
    options: heldOutLimited(stage.options, limit),
  }));
  return changePipeline(pipeline, {
    stages,
    firstWorkers: 1,
    train: train && {
      ...train,
      workers: 1,
      seeds: 1,
      mode: 'deterministic',
      ...(train.epochs === undefined ? {} : { epochs: 1 }),
    },
    test: test && { ...test, options: limited(test.options, limit) },
  });
}

type Options = Readonly<Record<string, unknown>>;

/** Returns the options of the stage evaluate, which must run after the only pass. */
function heldOutLimited(options: Options, limit: number): Options {
  if (options.on === undefined) return options;
  const [[format, source]] = Object.entries(options.on as Record<string, Options>) as [
    [string, Options],
  ];
  return { ...options, every: 'epoch', on: { [format]: limited(source, limit) } };
}

function limited(options: Options, limit: number): Options {
  const own = options.limit as number | undefined;
  return { ...options, limit: Math.min(own ?? limit, limit) };
}
