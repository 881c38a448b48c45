import type { Span } from '../../core/sentence/span.js';
import { spansOf } from '../../text/tags/spans.js';
import type { Calibration } from './calibration.js';

/**
 * Counts the predicted spans of one sentence that have a probability: right are those that the gold
 * tags mark with the same ends and the same label. Costs one pass over both lists.
 *
 * @example
 * const calibration = new Calibration(1);
 * addSpanProbabilities(calibration, ['B-X', 'O'], [{ label: 'X', start: 0, end: 1, probability: 0.8 }]);
 * calibration.summary().bins[0] // => { from: 0, to: 1, count: 1, confidence: 0.8, accuracy: 1 }
 */
export function addSpanProbabilities(
  calibration: Calibration,
  gold: readonly string[],
  predicted: readonly Span[],
): void {
  const goldSpans = new Map(spansOf(gold).map(span => [span.start, span]));
  for (const { label, start, end, probability } of predicted) {
    if (probability === undefined) continue;
    const match = goldSpans.get(start);
    calibration.add(probability, match !== undefined && match.end === end && match.label === label);
  }
}
