import type { Options } from 'yargs';
import { TagstreamError } from '../../core/errors.js';

/** As in `models/decoding/decode-options.ts`, which is not loaded for the sake of a number. */
const mostAlternatives = 1000;

/** Options of `tag` that say how tags are chosen, and what is reported of them. */
export const decodingOptions = {
  decoding: {
    choices: ['viterbi', 'posterior', 'minimum-risk', 'loopy'] as const,
    default: 'viterbi' as const,
    describe:
      'viterbi: the best tag sequence; posterior: the best tag of each token; minimum-risk: minimum Bayes risk decoding, the allowed sequence with the fewest expected errors; loopy: posterior from approximate sums, for models of two layers',
  },
  probability: { type: 'boolean', describe: 'add the probability of each tag sequence' },
  nbest: {
    type: 'number',
    requiresArg: true,
    describe: 'add the N best tag sequences, with score and probability',
    coerce: alternativeCount,
  },
  'span-probabilities': { type: 'boolean', describe: 'add the probability of each span' },
} as const satisfies Readonly<Record<string, Options>>;

/** Options of `tag` and `eval` that say which tags are possible. */
export const constraintOptions = {
  transitions: {
    choices: ['scheme', 'any'] as const,
    default: 'scheme' as const,
    describe: 'scheme: only tag sequences that the tag scheme allows; any: all sequences',
  },
  dictionary: {
    type: 'string',
    requiresArg: true,
    describe:
      "a dictionary file of words and their allowed tags, instead of the model's own (--no-dictionary: none)",
  },
  rules: {
    type: 'string',
    requiresArg: true,
    describe:
      'a file of rules for names and patterns, in YAML: - { set: LOC, names: [Oslo] }, - { forbid: PER, pattern: "[0-9]+" }, - { suggest: ORG, file: firms.txt, weight: 2 }',
  },
} as const satisfies Readonly<Record<string, Options>>;

/** Arguments that come of `constraintOptions`. */
export interface ConstraintArguments {
  readonly transitions?: 'scheme' | 'any' | undefined;
  /** A file; false: no dictionary. */
  readonly dictionary?: string | false | undefined;
  /** A file. */
  readonly rules?: string | undefined;
}

/** @throws TagstreamError `usage` unless it is a whole number from 1 to 1000 */
function alternativeCount(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= mostAlternatives) {
    return Number(value);
  }
  throw new TagstreamError('usage', `--nbest ${String(value)} is not a number of sequences`, {
    fix: `give one whole number from 1 to ${mostAlternatives}`,
  });
}
