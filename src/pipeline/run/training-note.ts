import { type FileMark, fileMark } from '../../io/files/file-mark.js';
import type { TrainingNote } from '../../models/files/model-notes.js';
import type { Pipeline } from '../definition/pipeline.js';
import { sourceFiles } from '../definition/source-files.js';

/**
 * What a model file notes of the training of a pipeline; undefined where it reads its source once, as a stream.
 *
 * @param limit records that the run may read at most
 */
export function trainingNote(pipeline: Pipeline, limit?: number): TrainingNote | undefined {
  const { stages, train, source } = pipeline;
  const optimize = stages.find(({ component }) => component.name === 'optimize');
  const [optimizer] = Object.keys(optimize?.options ?? {});
  if (train?.epochs === undefined || optimizer === undefined) return undefined;
  const { split, limit: own } = source.options as Pick<TrainingNote, 'split' | 'limit'>;
  const limits = [own, limit].filter(value => value !== undefined);
  const marks = sourceFiles(pipeline).map(fileMark);
  return {
    ...{ optimizer, epochs: train.epochs },
    ...(limits.length === 0 ? {} : { limit: Math.min(...limits) }),
    ...(split === undefined ? {} : { split }),
    files: marks.filter((mark): mark is FileMark => mark !== undefined),
  };
}
