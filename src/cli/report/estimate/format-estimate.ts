import { totalmem } from 'node:os';
import { grouped } from '../../../engine/core/wording/numbers.js';
import type { EstimatedPart } from '../../../runtime/pipeline/run/estimate/estimate-parts.js';
import type {
  ForeseenTraining,
  SmallerTraining,
} from '../../../runtime/pipeline/run/estimate/estimate-pipeline.js';
import {
  mostParameters,
  type TrainingEstimate,
} from '../../../runtime/pipeline/run/estimate/training-estimate.js';

/**
 * Formats the estimate of a training on one line; if there are several trainings, first the whole, then each of them.
 *
 * @example
 * const size = { sentences: 9, tokens: 90, columns: 1, active: 20, labels: 4, features: 1000, edges: 0, pairs: undefined };
 * formatEstimate({ size, seconds: 0.2, memory: 1.26e8, parameters: 16_064, model: 2870 })
 * // => 'estimate: 1,000 features; memory about 130 MB; time about 1 s; model file about 2.9 kB'
 */
export function formatEstimate({
  size,
  seconds,
  memory,
  model,
  parts,
}: TrainingEstimate & Partial<Pick<ForeseenTraining, 'parts'>>): string {
  const features =
    parts === undefined ? size.features : parts.reduce((sum, part) => sum + part.features, 0);
  const whole = [
    `${grouped(rounded(features))} features`,
    `memory about ${bytesText(memory)}`,
    `time about ${durationText(seconds)}`,
    ...(model === undefined ? [] : [`model file about ${bytesText(model)}`]),
  ];
  const each = (parts ?? []).map(partText);
  return `estimate: ${whole.join('; ')}${each.length === 0 ? '' : ` (${each.join('; ')})`}`;
}

function partText({ what, seconds, memory, model }: EstimatedPart): string {
  const figures = [durationText(seconds), bytesText(memory)];
  return `${what} ${[...figures, ...(model === undefined ? [] : [`file ${bytesText(model)}`])].join(', ')}`;
}

/**
 * Returns advice if a training does not fit into memory or its model is large: each remedy with its
 * cost.
 *
 * @param available bytes available to the process
 */
export function estimateWarnings(foreseen: ForeseenTraining, available: number): string[] {
  const { memory, parameters, model, smaller, compact } = foreseen;
  const warnings: string[] = [];
  if (!fits(foreseen, available)) {
    const why =
      parameters >= mostParameters
        ? `its weights take about ${bytesText(parameters)}, but the limit is ${bytesText(mostParameters)}`
        : `about ${bytesText(memory)} of memory are needed, but only ${bytesText(available)} are available`;
    const ways = smaller.filter(({ estimate }) => fits(estimate, available)).map(described);
    warnings.push(
      `${why}; ${ways.length === 0 ? 'take part of the corpus (source: limit), or fewer templates' : `what fits: ${ways.join('; or ')}`}`,
    );
  }
  const large = model === undefined ? undefined : largeModelNote('will have about', model, compact);
  return large === undefined ? warnings : [...warnings, large];
}

/**
 * Returns the next step after writing a pipeline file: to train it unchanged or, if that does not
 * fit into memory, with the first remedy that does.
 *
 * @param available bytes available to the process
 */
export function nextStep(
  file: string,
  foreseen: ForeseenTraining | undefined,
  available: number,
): string {
  const train = `next: tagstream train ${file}`;
  if (foreseen === undefined || fits(foreseen, available)) return train;
  const way = foreseen.smaller.find(({ estimate }) => fits(estimate, available));
  return way === undefined
    ? 'it does not fit here: take part of the corpus (source: limit) or fewer templates before you train'
    : `${train} --set ${way.how}`;
}

function fits({ memory, parameters }: TrainingEstimate, available: number): boolean {
  return memory <= available && parameters < mostParameters;
}

function described({ how, estimate }: SmallerTraining): string {
  return `--set ${how} (about ${bytesText(estimate.memory)})`;
}

/** Formats a duration with two significant digits. */
function durationText(seconds: number): string {
  if (seconds < 100) return `${Math.max(1, rounded(seconds))} s`;
  const minutes = seconds / 60;
  return minutes < 100 ? `${rounded(minutes)} min` : `${rounded(minutes / 60)} h`;
}

/** Model file bytes above which a smaller model is suggested. */
const largeModel = 20e6;

/**
 * Returns a note that a model file is large and how to make it smaller; undefined if it is not
 * large.
 *
 * @param compact whether the model is already compact; undefined for a model that cannot be
 * @example
 * largeModelNote('has', 9.4e7, false)
 * // => 'the model file has 94 MB; --set train.compact=true rounds weights and writes a tenth of that or less'
 * largeModelNote('has', 9.4e7, true)
 * // => 'the model file has 94 MB; --set stages.featurize.cutoff=2 drops features seen only once'
 * largeModelNote('has', 1e6, false) // => undefined
 */
export function largeModelNote(
  has: 'has' | 'will have about',
  bytes: number,
  compact: boolean | undefined,
): string | undefined {
  if (bytes <= largeModel) return undefined;
  const way =
    compact === false
      ? '--set train.compact=true rounds weights and writes a tenth of that or less'
      : '--set stages.featurize.cutoff=2 drops features seen only once';
  return `the model file ${has} ${bytesText(bytes)}; ${way}`;
}

/** Rounds a number to two significant digits. */
export function rounded(value: number): number {
  return value < 1 ? 0 : Number(value.toPrecision(2));
}

/**
 * Formats a number of bytes with two significant digits.
 *
 * @example
 * bytesText(1_234_567) // => '1.2 MB'
 * bytesText(999_999) // => '1 MB'
 */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  const shown = rounded(bytes);
  const power = Math.min(3, Math.floor(Math.log10(Math.max(1, shown)) / 3));
  return `${grouped(rounded(shown / 1000 ** power))} ${units[power]}`;
}

/**
 * Returns the memory available to this process, in bytes: that of the machine or of its container.
 */
export function availableMemory(): number {
  const constrained = process.constrainedMemory?.() ?? 0;
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
