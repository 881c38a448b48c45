import type { Options } from 'yargs';
import { TagstreamError } from '../../engine/core/errors.js';
import { type DecodeOptions, decodeForms } from '../../engine/models/decoding/decode-options.js';
import { flag, number, text } from './option-kinds.js';

const { decoding, transitions, nbest, marginals, pairThreshold, dictionary } = decodeForms;

/** Options of `tag` that determine how tags are chosen, and what is reported about them. */
export const decodingOptions = {
  decoding: { choices: decoding.among, default: decoding.among[0], describe: decoding.describe },
  probability: flag(decodeForms.probability.describe),
  nbest: number(nbest.describe, { coerce: alternativeCount }),
  'span-probabilities': flag(decodeForms.spanProbabilities.describe),
} as const satisfies Readonly<Record<string, Options>>;

/** Option of `tag` for tag probabilities. */
export const marginalsOption = {
  marginals: { type: 'string', describe: marginals.describe, coerce: marginalsOf },
  'pair-threshold': number(pairThreshold.describe, { coerce: thresholdOf }),
} as const satisfies Readonly<Record<string, Options>>;

/** Options of `tag` and `eval` that determine which tags are possible. */
export const constraintOptions = {
  transitions: {
    choices: transitions.among,
    default: transitions.among[0],
    describe: transitions.describe,
  },
  dictionary: text(`${dictionary.describe} (--no-dictionary: none)`),
  rules: text(
    'a file of rules for names and patterns, in YAML: - { set: LOC, names: [Oslo] }, - { forbid: PER, pattern: "[0-9]+" }, - { suggest: ORG, file: firms.txt, weight: 2 }',
  ),
} as const satisfies Readonly<Record<string, Options>>;

/** Arguments of `constraintOptions`. */
export interface ConstraintArguments extends Pick<DecodeOptions, 'transitions'> {
  /** Path of a dictionary file; false: no dictionary. */
  readonly dictionary?: string | false | undefined;
  /** Path of a rules file. */
  readonly rules?: string | undefined;
}

/** @throws TagstreamError `usage` unless the value is a whole number within the limits */
function alternativeCount(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const { least, most } = nbest;
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) {
    return Number(value);
  }
  throw new TagstreamError('usage', `--nbest ${String(value)} is not a number of sequences`, {
    fix: `give one whole number from ${least} to ${most}`,
  });
}

/** @throws TagstreamError `usage` unless the value is a probability */
function thresholdOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const { least, most } = pairThreshold;
  if (Number(value) >= least && Number(value) <= most) return Number(value);
  throw new TagstreamError('usage', `--pair-threshold ${String(value)} is not a probability`, {
    fix: `give one number from ${least} to ${most}`,
  });
}

const meanings = new Map<unknown, DecodeOptions['marginals']>([
  ['all', 'all'],
  ['pairs', 'pairs'],
  ['chosen', true],
  ['true', true],
  ['false', false],
  [false, false],
]);

/**
 * Returns the marginals requested by `--marginals`.
 *
 * @throws TagstreamError `usage` for an unknown value
 */
function marginalsOf(value: unknown): DecodeOptions['marginals'] {
  if (value === undefined) return undefined;
  const meaning = meanings.get(value);
  if (meaning !== undefined) return meaning;
  throw new TagstreamError('usage', `--marginals is ${JSON.stringify(value)}`, {
    fix: 'write --marginals for the probabilities of the chosen tags, --marginals all for those of all tags, --marginals pairs for those of pairs',
  });
}
