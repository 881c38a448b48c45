import { TagstreamError } from '../../core/errors.js';
import { type Figure, ratio } from '../../core/figures.js';

/** Predictions whose probabilities fall into one bin `(from, to]`. */
export interface CalibrationBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Mean predicted probability; null in an empty bin. */
  readonly confidence: Figure;
  /** Share of correct predictions, from 0 to 1; null in an empty bin. */
  readonly accuracy: Figure;
}

/** The calibration of probabilities, that is their agreement with accuracy; plain data. */
export interface CalibrationSummary {
  readonly count: number;
  /** Mean gap between the confidence and the accuracy of a prediction's bin, from 0 to 1; null without predictions. */
  readonly expectedError: Figure;
  /** Largest gap between confidence and accuracy in a non-empty bin; null without predictions. */
  readonly maximumError: Figure;
  readonly bins: readonly CalibrationBin[];
}

/**
 * The reliability of probabilities in bins of equal width, and the expected calibration error:
 *
 *     ECE = sum over bins b of count(b) / count * |accuracy(b) - confidence(b)|
 *
 * A bin holds probabilities above its lower end, up to its upper end; 0 falls into the first. Memory is
 * constant.
 *
 * @example
 * const calibration = new Calibration(2);
 * for (const right of [true, true, true, false]) calibration.add(0.9, right);
 * calibration.summary().expectedError.toFixed(2) // => '0.15'
 */
export class Calibration {
  readonly #counts: Float64Array;
  readonly #confidence: Float64Array;
  readonly #correct: Float64Array;

  /**
   * @param bins number of bins; default 15
   * @throws TagstreamError `config` unless it is a whole number from 1
   */
  constructor(bins = 15) {
    if (!(Number.isSafeInteger(bins) && bins >= 1)) {
      throw new TagstreamError('config', `cannot measure calibration with ${bins} bins`, {
        fix: 'give a whole number of at least 1',
      });
    }
    this.#counts = new Float64Array(bins);
    this.#confidence = new Float64Array(bins);
    this.#correct = new Float64Array(bins);
  }

  /** Counts one prediction; a probability rounded past 0 or 1 counts as 0 or 1. */
  add(probability: number, correct: boolean): void {
    const bins = this.#counts.length;
    const p = Math.min(1, Math.max(0, probability));
    const bin = Math.max(0, Math.ceil(p * bins) - 1);
    this.#counts[bin]! += 1;
    this.#confidence[bin]! += p;
    if (correct) this.#correct[bin]! += 1;
  }

  summary(): CalibrationSummary {
    const width = 1 / this.#counts.length;
    const bins = Array.from(this.#counts, (count, i) => ({
      from: i * width,
      to: (i + 1) * width,
      count,
      confidence: ratio(this.#confidence[i]!, count),
      accuracy: ratio(this.#correct[i]!, count),
    }));
    const count = bins.reduce((sum, bin) => sum + bin.count, 0);
    let weighted = 0;
    let maximumError: Figure = null;
    for (const { accuracy, confidence, count: own } of bins) {
      if (accuracy === null || confidence === null) continue;
      const gap = Math.abs(accuracy - confidence);
      weighted += own * gap;
      maximumError = Math.max(maximumError ?? 0, gap);
    }
    return { count, expectedError: ratio(weighted, count), maximumError, bins };
  }
}
