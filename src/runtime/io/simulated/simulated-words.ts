import * as z from 'zod';
import { Random } from '../../../engine/core/random.js';

const labels = '123456';
const observations = 'abcde';

/**
 * Draws labelled sequences from a hidden Markov model with six labels and five observations, one per
 * line: the observations as letters, a tab, the labels as digits.
 *
 * Label k mostly emits observation k; labels 5 and 6 mostly share `e`, and only the preceding label distinguishes them.
 * The first label is uniform, and so are the next ones, except that 1 is followed by 5 and 2 by 6 with probability
 * `transition`. After Sokolovska, Lavergne, Cappe and Yvon (2010), section 6.1, whose probabilities and sizes are not
 * all given.
 *
 * @example
 * const options = { sequences: 2, length: 3, seed: 1, emission: 1, transition: 1 };
 * [...simulatedWords(options)].map(line => line.length) // => [8, 8]
 */
export function* simulatedWords(options: SimulatedOptions): Generator<string> {
  const { sequences, length, emission, transition } = options;
  const random = new Random(options.seed);
  for (let s = 0; s < sequences; s += 1) {
    let word = '';
    let tags = '';
    let label = -1;
    for (let t = 0; t < length; t += 1) {
      label = nextLabel(random, label, transition);
      word += observations[observed(random, label, emission)];
      tags += labels[label];
    }
    yield `${word}\t${tags}\n`;
  }
}

/** Draws the next label: after 1 and 2, 5 and 6 with their probability, otherwise any of the others. */
function nextLabel(random: Random, label: number, transition: number): number {
  if (label !== 0 && label !== 1) return random.below(labels.length);
  const usual = label + 4;
  if (random.uniform() < transition) return usual;
  const other = random.below(labels.length - 1);
  return other < usual ? other : other + 1;
}

/** Draws the label's usual observation with its probability, otherwise any of the others. */
function observed(random: Random, label: number, emission: number): number {
  const usual = Math.min(label, observations.length - 1);
  if (random.uniform() < emission) return usual;
  const other = random.below(observations.length - 1);
  return other < usual ? other : other + 1;
}

/** Options of sequences drawn from a hidden Markov model. */
export const simulatedOptions = z.strictObject({
  sequences: z.int().min(1).default(100).describe('sequences to draw'),
  length: z.int().min(1).max(10_000).default(5).describe('tokens in each'),
  seed: z
    .int()
    .default(1)
    .describe('seed; another seed draws different sequences from the same model'),
  emission: z
    .number()
    .min(0.2)
    .max(1)
    .default(0.97)
    .describe('probability of the most frequent observation of a label'),
  transition: z
    .number()
    .min(0)
    .max(1)
    .default(0.9)
    .describe('probability of each of the two transitions that differ from the rest'),
});

type SimulatedOptions = z.output<typeof simulatedOptions>;
