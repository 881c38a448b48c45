import type { Log } from '../../../core/log.js';
import type { Pipeline } from '../../../pipeline/definition/pipeline.js';
import type { RunSetup } from '../../../pipeline/definition/run-setup.js';
import { estimateOf } from '../../../pipeline/run/estimate/estimate-pipeline.js';
import { trainingSize } from '../../../pipeline/run/estimate/training-size.js';
import { availableMemory } from './available-memory.js';
import { estimateWarnings, formatEstimate } from './format-estimate.js';
import { largeModelNote } from './large-model.js';

/**
 * Logs what a training will take as soon as its corpus has been read, and warns where that does not fit.
 *
 * @param onLarge called if that said what makes a large model small
 */
export function reportEstimate(
  pipeline: Pipeline,
  setup: RunSetup,
  log: Log,
  onLarge: () => void,
): void {
  setup.onSettled = corpus => {
    const size = trainingSize(setup.model, corpus);
    const estimate = estimateOf(pipeline, setup, size, process.memoryUsage.rss());
    if (estimate === undefined) return;
    const { memory, parameters, seconds, model } = estimate;
    log.info(formatEstimate(estimate), { memory, parameters, seconds, model });
    for (const warning of estimateWarnings(estimate, availableMemory())) log.warn(warning);
    if (model !== undefined && largeModelNote('has', model, estimate.compact) !== undefined) {
      onLarge();
    }
  };
}
