import type { TrainOptions } from '../options/train-options.js';

/** What is wrong, and what helps. */
export interface UnfitForSeparation {
  readonly problem: string;
  readonly fix: string;
}

/**
 * Why training cannot end at separation with these settings, where a chosen optimizer (`{ name: options }`) asks for it;
 * undefined where it can, or does not ask.
 */
export function unfitForSeparation(
  chosen: Readonly<Record<string, unknown>>,
  { epochs, dropout = 0, mode }: Partial<Pick<TrainOptions, 'epochs' | 'dropout' | 'mode'>>,
): UnfitForSeparation | undefined {
  const options = chosen.perceptron as { readonly untilSeparated?: boolean } | undefined;
  if (options?.untilSeparated !== true) return undefined;
  if (epochs === undefined) {
    return {
      problem: 'a stream has no passes that could be without a mistake',
      fix: 'give train.epochs, or leave untilSeparated out',
    };
  }
  if (dropout > 0) {
    return {
      problem: 'with dropout each pass has other features, and one without a mistake says nothing',
      fix: 'leave dropout or untilSeparated out',
    };
  }
  if (mode !== 'hogwild') return undefined;
  return {
    problem: 'in the mode hogwild no thread sees the mistakes of a whole pass',
    fix: 'use mode: deterministic, or leave untilSeparated out',
  };
}
