import { lastValueFrom, tap } from 'rxjs';
import { TagstreamError } from '../../../engine/core/errors.js';
import type {
  DivergedPoint,
  LearningCurve,
  LearningPoint,
} from '../../../engine/metrics/learning-curve.js';
import { divergenceOf } from '../../../engine/models/learning/training-history.js';
import { readsOnce } from '../../../formats/reading/read-bytes.js';
import { documentSource } from '../../io/sources/document-source.js';
import { unkeptRecords } from '../definition/dead-letters.js';
import { changePipeline, type Pipeline, stagesWithout } from '../definition/pipeline.js';
import { sourceFiles } from '../definition/places.js';
import type { RunOptions } from '../setup/run-options.js';
import { selectionOf } from '../sources/source-component.js';
import { runPipeline } from './run-pipeline.js';

/** The training data of a point on the curve: a share up to 1, or a number of records. */
export type CurveSize = { readonly share: number } | { readonly records: number };

/** Options of a learning curve. */
export interface CurveOptions extends Pick<RunOptions, 'kernel' | 'signal'> {
  readonly sizes: readonly CurveSize[];
  /** Called with each point as soon as it is available. */
  readonly onPoint?: (point: LearningPoint) => void;
  /** Called with each part of the data on which training diverges. */
  readonly onDiverged?: (point: DivergedPoint) => void;
}

/**
 * Trains a pipeline on growing parts of its source, each from the first record, and scores each model on the pipeline's
 * test data. Writes no model, checkpoint or dead letter. A training that diverges gives no point, and is listed with its
 * reason. Costs one training per point.
 *
 * @throws TagstreamError `config` for a pipeline that trains nothing, has no test data, or reads the standard input or
 *   a pipe; and the errors of training
 */
export async function learnCurve(
  pipeline: Pipeline,
  { sizes, onPoint, onDiverged, ...run }: CurveOptions,
): Promise<LearningCurve> {
  requireTrainable(pipeline);
  const total = await countRecords(pipeline, run.signal);
  const points: LearningPoint[] = [];
  const diverged: DivergedPoint[] = [];
  for (const records of recordsOf(sizes, total)) {
    if (run.signal?.aborted === true) break;
    const options = { ...pipeline.source.options, ...(records < total ? { limit: records } : {}) };
    const part = changePipeline(pipeline, {
      stages: stagesWithout(pipeline, ['checkpoint']),
      model: undefined,
      deploy: undefined,
      source: { ...pipeline.source, options },
    });
    try {
      const result = await runPipeline(part, { ...run, deadLetters: unkeptRecords(pipeline) });
      if (result.stopped) break;
      const scores = result.test!;
      if (scores.sentences === 0) throw nothingToScore(pipeline);
      const point = { records, scores };
      points.push(point);
      onPoint?.(point);
    } catch (thrown) {
      const reason = divergenceOf(thrown);
      if (reason === undefined) throw thrown;
      diverged.push({ records, reason });
      onDiverged?.({ records, reason });
    }
  }
  return { name: pipeline.name, points, diverged };
}

function requireTrainable(pipeline: Pipeline): void {
  const { trains, test, file } = pipeline;
  const refuse = (problem: string, fix: string) => {
    throw new TagstreamError('config', problem, { place: { source: file }, fix });
  };
  if (!trains)
    refuse('the pipeline does not train a model', 'add the stages contribute and optimize');
  if (test === undefined) {
    refuse('a learning curve needs test data', 'add the section test to the pipeline');
  }
  const { from } = pipeline.source.options;
  if (from !== undefined || sourceFiles(pipeline).some(readsOnce)) {
    refuse('a learning curve reads its source several times', 'use a source with files');
  }
}

function nothingToScore({ file }: Pipeline): TagstreamError {
  const problem = 'no sentence of the test data is fully labelled, so none can be scored';
  return new TagstreamError('empty-sentence', problem, { place: { source: file } });
}

/** Returns the distinct numbers of records in ascending order, from at least one to at most all. */
function recordsOf(sizes: readonly CurveSize[], total: number): number[] {
  const records = sizes.map(size =>
    Math.min(total, Math.max(1, 'share' in size ? Math.round(size.share * total) : size.records)),
  );
  return [...new Set(records)].sort((a, b) => a - b);
}

/** Counts the records, including bad ones, in the source's files. */
async function countRecords(pipeline: Pipeline, signal?: AbortSignal): Promise<number> {
  const { component, options } = pipeline.source;
  const deadLetters = unkeptRecords(pipeline);
  const documents = documentSource({
    files: sourceFiles(pipeline),
    codec: component.codec(options),
    deadLetters,
    signal,
    selection: selectionOf(options),
  }).pipe(tap(({ delivery }) => delivery?.release()));
  await lastValueFrom(documents, { defaultValue: undefined });
  return deadLetters.records;
}
