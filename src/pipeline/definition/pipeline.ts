import type { NamesKept } from '../../models/inspection/note-model.js';
import type { Chosen } from '../options/one-of.js';
import { makePlan, type PlanSections } from '../plan/make-plan.js';
import type { LearnPlan, Plan, TrainPlan } from '../plan/plan.js';
import type { ChosenSource } from '../sources/source-component.js';
import type { Check } from './check-options.js';
import type { StageComponent } from './stage-component.js';

/** The sections of a pipeline file, checked, with their components. */
export interface PipelineParts extends PlanSections {
  readonly name: string;
  /** The file, or a name for text that came from elsewhere. */
  readonly file: string;
  readonly stages: readonly Chosen<StageComponent>[];
  /** Trainings of a first model at the same time, each in its own thread. */
  readonly firstWorkers: number;
  readonly model: string | undefined;
  /** Names of features to keep in it. */
  readonly names: NamesKept;
  /** The alias of a registry that its models are deployed to. */
  readonly deploy: string | undefined;
  readonly test: ChosenSource | undefined;
  /** What the finished model has to get right. */
  readonly checks: readonly Check[] | undefined;
  /** Seconds that the run may take to end in order. */
  readonly shutdownTimeout: number | undefined;
  /** The file as plain data after substitution, overrides and defaults. */
  readonly config: Readonly<Record<string, unknown>>;
}

/**
 * A checked pipeline file and the plan that it comes to. It is changed by `changePipeline`, so that its plan changes with
 * it.
 */
export interface Pipeline extends PipelineParts {
  readonly plan: Plan;
  /** Whether it learns: it has the stage `optimize`. */
  readonly trains: boolean;
}

/** A pipeline that learns. */
export type LearningPipeline = Pipeline & { readonly plan: TrainPlan | LearnPlan };

/** Whether a pipeline learns, and does not only tag. */
export function learns(pipeline: Pipeline): pipeline is LearningPipeline {
  return pipeline.plan.kind !== 'tag';
}

/** A pipeline of these parts, whose stages are complete and in order. */
export function createPipeline(parts: PipelineParts): Pipeline {
  const plan = makePlan(parts);
  return { ...parts, plan, trains: plan.kind !== 'tag' };
}

/** The same pipeline with some parts changed, and the plan of that. */
export function changePipeline(pipeline: Pipeline, changes: Partial<PipelineParts>): Pipeline {
  return createPipeline({ ...pipeline, ...changes });
}

/** The stages of a pipeline that do not have these names. */
export function stagesWithout(
  { stages }: Pick<Pipeline, 'stages'>,
  names: readonly string[],
): Pipeline['stages'] {
  return stages.filter(({ component }) => !names.includes(component.name));
}

/** The stages of a pipeline, those of these names with some options changed. */
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
 * A pipeline as a dry run goes through it: one pass in one thread, no checkpoints, and no more held-out
 * records than `limit`.
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

/** Of the stage evaluate, which is to take part after the one pass that there is. */
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
