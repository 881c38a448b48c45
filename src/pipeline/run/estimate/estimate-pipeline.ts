import { isSectionFile } from '../../../models/files/section-file.js';
import type { Model } from '../../../models/model.js';
import type { ModelSpec } from '../../../models/model-spec.js';
import { learns, type Pipeline } from '../../definition/pipeline.js';
import { type PipelinePaths, runContext } from '../../definition/run-context.js';
import { buildTraining } from '../../stages/build-training.js';
import { dryPipeline } from '../dry-run/dry-pipeline.js';
import { firstPipeline } from '../stacked/first-pipeline.js';
import { jackknifeCost } from '../stacked/jackknife.js';
import { namedFirst } from '../stacked/named-first.js';
import { foreseenSize } from './foreseen-size.js';
import { type SmallerTraining, smallerTrainings } from './smaller-trainings.js';
import { estimateTraining, type TrainingEstimate } from './training-estimate.js';
import type { TrainingSize } from './training-size.js';

/** What a training will take, and ways to a smaller one. */
export interface ForeseenTraining extends TrainingEstimate {
  readonly smaller: readonly SmallerTraining[];
  /** Whether the model file is compact. */
  readonly compact: boolean;
}

/**
 * What the training of a pipeline file will take, by the beginning of its corpus; undefined where that cannot be said:
 * for streams, input that can be read only once, and optimizers and structures that nothing is known of.
 *
 * @param sentences of the whole corpus, where they are known
 * @throws TagstreamError as the run would
 */
export async function estimatePipeline(
  pipeline: Pipeline,
  sentences?: number,
): Promise<ForeseenTraining | undefined> {
  if (!canEstimate(pipeline) || pipeline.source.component.generated !== undefined) return undefined;
  if (pipeline.source.options.from !== undefined) return undefined;
  const dry = dryPipeline(pipeline, 1);
  if (!learns(dry)) return undefined;
  const context = runContext(dry);
  try {
    const training = buildTraining(dry.plan, context);
    await training.open();
    const size = await foreseenSize(dry, training, context, sentences);
    const own = size && estimateOf(pipeline, training.model, size);
    return own && (await withFirstModel(own, pipeline, context.paths, sentences));
  } finally {
    await context.scope.dispose();
  }
}

/** The same with the first model that a pipeline names. */
async function withFirstModel(
  own: ForeseenTraining,
  pipeline: Pipeline,
  paths: PipelinePaths,
  sentences: number | undefined,
): Promise<ForeseenTraining | undefined> {
  const named = namedFirst(pipeline, paths);
  if (named === undefined) return own;
  const { file, bytes } = named;
  if (isSectionFile(bytes)) return { ...own, model: own.model && own.model + bytes.length };
  const text = new TextDecoder().decode(bytes);
  const { workers = 1 } = pipeline.train ?? {};
  const first = await estimatePipeline(firstPipeline(text, file, pipeline), sentences);
  return (
    first && {
      ...own,
      seconds: own.seconds + (jackknifeCost * first.seconds) / workers,
      memory: Math.max(own.memory, workers * first.memory),
      model: own.model && first.model && own.model + first.model,
    }
  );
}

/**
 * The same for a training whose corpus has been read.
 *
 * @param read bytes of the process with the corpus
 */
export function estimateOf(
  pipeline: Pipeline,
  model: Model,
  size: TrainingSize,
  read?: number,
): ForeseenTraining | undefined {
  if (!canEstimate(pipeline) || !isChain(model.spec)) return undefined;
  const { component, options } = pipeline.plan.optimizer!;
  const optimizer = component.name;
  const workers = pipeline.train?.workers ?? 1;
  const compact = pipeline.train?.compact ?? pipeline.plan.features.options.preset !== undefined;
  const { epochs = 1, seeds } = pipeline.train ?? {};
  const given = { spec: model.spec, optimizer, options, epochs, seeds, workers, compact, read };
  const estimate = estimateTraining(size, given);
  return estimate && { ...estimate, smaller: smallerTrainings(size, given), compact };
}

/** Whether a chain is trained online, over a corpus that is held in memory, on this machine. */
function canEstimate({ plan }: Pipeline): boolean {
  return plan.kind === 'train' && plan.optimizer.kind === 'online';
}

/** Whether a model is a chain of labels with linear scores. */
function isChain({ scorer, hidden, segments, graph, layers, codes }: ModelSpec): boolean {
  return [scorer, hidden, segments, graph, layers, codes].every(one => one === undefined);
}
