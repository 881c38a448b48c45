import type { Log } from '../../../core/log.js';
import type { Pipeline } from '../../../pipeline/definition/pipeline.js';
import { estimateOf } from '../../../pipeline/run/estimate/estimate-pipeline.js';
import { trainingSize } from '../../../pipeline/run/estimate/training-size.js';
import type { TrainingObserver } from '../../../pipeline/run/run-once.js';
import { availableMemory } from './available-memory.js';
import { estimateWarnings, formatEstimate } from './format-estimate.js';
import { largeModelNote } from './large-model.js';

/**
 * Logs what a training will take when its corpus has been read, and warns where that does not fit.
 *
 * @param onLarge called if that said what makes a large model small
 */
export function reportEstimate(
  pipeline: Pipeline,
  log: Log,
  onLarge: () => void,
): NonNullable<TrainingObserver['onSettled']> {
  return (corpus, model) => {
    const size = trainingSize(model, corpus);
    const estimate = estimateOf(pipeline, model, size, process.memoryUsage.rss());
    if (estimate === undefined) return;
    const { memory, parameters, seconds, model: bytes } = estimate;
    log.info(formatEstimate(estimate), { memory, parameters, seconds, model: bytes });
    for (const warning of estimateWarnings(estimate, availableMemory())) log.warn(warning);
    if (bytes !== undefined && largeModelNote('has', bytes, estimate.compact) !== undefined) {
      onLarge();
    }
  };
}
