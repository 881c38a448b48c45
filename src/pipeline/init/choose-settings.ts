import type { Task } from './guess/guess.js';

/** How a new pipeline trains. */
export interface Settings {
  readonly epochs: number;
  /** Options of the optimizer sgd. */
  readonly sgd: Readonly<Record<string, number | string | boolean>>;
}

/** Sentences of all passes together that do for a corpus of some size. */
const visits = 120_000;

/**
 * Passes and step size by the number of sentences: a small corpus needs more passes and weaker penalties.
 *
 * @example
 * chooseSettings('ner', 8000) // => ({ epochs: 15, sgd: { eta0: 0.1, l2: 0.2, average: true } })
 * chooseSettings('pos', 100) // => ({ epochs: 30, sgd: { eta0: 0.1, l2: 0.05, average: true } })
 */
export function chooseSettings(task: Task, records: number): Settings {
  const epochs = Math.max(5, Math.min(30, Math.round(visits / Math.max(1, records))));
  const letters = task === 'letters';
  const l2 = records < 2000 ? 0.05 : letters ? 0.5 : 0.2;
  const eta0 = letters ? 0.2 : 0.1;
  return { epochs, sgd: { eta0, l2, average: true } };
}
