import type { TransitionMask } from '../../inference/mask-scores.js';
import type { TagScheme } from '../../text/tags/tag-scheme.js';
import type { BundledTokenizer } from '../../text/tokenizers/bundled-tokenizer.js';
import type { LabelSet } from '../labels/label-set.js';
import type { DictionaryEntries, TagDictionary } from '../labels/tag-dictionary.js';
import type { SequenceRule } from './sequence-rules.js';
import type { TagRule } from './tag-rules.js';

/** Options of decoding: the method of choosing labels, and the further results to compute. */
export interface DecodeOptions {
  /**
   * `viterbi`: the best sequence; `posterior`: each token's best label, regardless of its neighbours' labels, or the
   * result of `minimum-risk` if labels of another scheme form no sequence in this way; `minimum-risk`: the allowed
   * sequence with the fewest expected errors; `loopy`: like posterior, from the sums of loopy belief propagation, for
   * labels with layers and only without results that need exact sums. Default viterbi.
   */
  readonly decoding?: 'viterbi' | 'posterior' | 'minimum-risk' | 'loopy' | undefined;
  /**
   * Whether to return the probability of each chosen label at its token; `all`: also those of all labels; `pairs`: also
   * those of neighbouring label pairs, p(y_{t-1}, y_t | x), above `pairThreshold`, summed in float64 without pruning.
   */
  readonly marginals?: boolean | 'all' | 'pairs' | undefined;
  /** Probability above which label pairs are returned, from 0 to 1. Used with `marginals: 'pairs'`. Default 0.01. */
  readonly pairThreshold?: number | undefined;
  /** Whether to return p(y | x) of each sentence's labels, and its logarithm. */
  readonly probability?: boolean | undefined;
  /** Number of best sequences to return, with scores, probabilities and their logarithms. */
  readonly nbest?: number | undefined;
  /** Whether to return the spans that the labels mark, each with its probability. */
  readonly spanProbabilities?: boolean | undefined;
  /**
   * Allowed transitions. `scheme`: only those that the model's tag scheme allows or that occurred in
   * training; `any`: all. Posterior decoding ignores transitions, so there it is `any`. Default scheme.
   */
  readonly transitions?: 'scheme' | 'any' | undefined;
  /** Tag dictionary that replaces the model's own; false: use none. */
  readonly dictionary?: DictionaryEntries | false | undefined;
  /**
   * Conditions on each sentence's whole label sequence: counts and orders. The result is the best sequence that
   * satisfies them, with its probability among these; a sentence without such a sequence is rejected. Only with
   * viterbi decoding.
   */
  readonly sequence?: readonly SequenceRule[] | undefined;
  /**
   * Rules for single names and patterns, applied in order. A rule yields to the sentence's constraints and to earlier
   * rules; all of them yield in a sentence that would have no labels left. They apply to all computed results.
   */
  readonly rules?: readonly TagRule[] | undefined;
  /**
   * Whether to prune labels if the model says so; probabilities are then relative to the remaining labels. Sentences
   * with constraints, a dictionary, rules or span probabilities always consider all labels. Default true.
   */
  readonly prune?: boolean | undefined;
  /** Whether constraints given with sentences apply. Default true. */
  readonly constraints?: boolean | undefined;
}

/** An option's values, the first of which is the default, and its description. */
interface Choice<Value> {
  readonly among: readonly Value[];
  readonly describe: string;
}

/**
 * Decoding options given as text: values, limits and descriptions for pipeline files and the command line.
 * Dictionaries, rules and sequence rules are files or plain data, and are documented in their own modules.
 */
export const decodeForms = {
  decoding: {
    among: ['viterbi', 'posterior', 'minimum-risk', 'loopy'],
    describe:
      'viterbi: the best tag sequence; posterior: the best tag of each token; minimum-risk: minimum Bayes risk decoding, the allowed sequence with the fewest expected errors; loopy: posterior from approximate sums, for models of layers',
  },
  marginals: {
    among: [false, true, 'all', 'pairs'],
    describe:
      'add the probability of each tag; all: those of all tags at each token; pairs: those of the tags of neighbouring tokens',
  },
  pairThreshold: {
    least: 0,
    most: 1,
    describe: 'with marginals: pairs, give pairs of tags above this probability [default: 0.01]',
  },
  probability: {
    among: [false, true],
    describe: 'add the probability of each tag sequence, and its logarithm',
  },
  nbest: {
    least: 1,
    most: 1000,
    describe: 'add the N best tag sequences, with score and probability',
  },
  spanProbabilities: { among: [false, true], describe: 'add the probability of each span' },
  transitions: {
    among: ['scheme', 'any'],
    describe: 'scheme: only tag sequences that the tag scheme allows; any: all sequences',
  },
  dictionary: {
    describe: "a dictionary file of words and their allowed tags, instead of the model's own",
  },
} as const satisfies {
  readonly [Name in keyof DecodeOptions]?:
    | Choice<NonNullable<DecodeOptions[Name]>>
    | { readonly least: number; readonly most: number; readonly describe: string }
    | { readonly describe: string };
};

/** Names of the decoding options. */
export const decodeOptionNames = [
  ...[
    'decoding',
    'marginals',
    'pairThreshold',
    'probability',
    'nbest',
    'spanProbabilities',
    'transitions',
  ],
  ...['dictionary', 'sequence', 'rules', 'prune', 'constraints'],
] as const;

/**
 * Returns whether options request more than the best sequence, which requires all sequences to be
 * considered.
 *
 * @example
 * asksForMore({ decoding: 'viterbi', transitions: 'any' }) // => false
 * asksForMore({ nbest: 3 }) // => true
 */
export function asksForMore(options: DecodeOptions): boolean {
  const { decoding = 'viterbi', nbest } = options;
  if (options.sequence !== undefined || options.rules !== undefined) return true;
  return asksForProbabilities(options) || nbest !== undefined || decoding !== 'viterbi';
}

/** Returns whether options request the probabilities of labels, sequences or spans. */
export function asksForProbabilities(options: DecodeOptions): boolean {
  const { marginals = false, probability, spanProbabilities } = options;
  return marginals !== false || probability === true || spanProbabilities === true;
}

/** Options for results that measure the confidence of a prediction. */
export type ConfidenceOptions = Pick<DecodeOptions, 'marginals' | 'pairThreshold' | 'probability'>;

/**
 * Separates the confidence options from the others; `asked` is undefined if there are none.
 *
 * @example
 * confidenceIn({ marginals: true, nbest: 2 }) // => { asked: { marginals: true }, others: { nbest: 2 } }
 * confidenceIn({ marginals: false }) // => { asked: undefined, others: {} }
 */
export function confidenceIn<Options extends ConfidenceOptions>({
  marginals = false,
  pairThreshold,
  probability = false,
  ...others
}: Options): {
  readonly asked: ConfidenceOptions | undefined;
  readonly others: Omit<Options, keyof ConfidenceOptions>;
} {
  const asked = {
    ...(marginals === false ? {} : { marginals }),
    ...(pairThreshold === undefined ? {} : { pairThreshold }),
    ...(probability ? { probability } : {}),
  };
  return { asked: Object.keys(asked).length === 0 ? undefined : asked, others };
}

/** The part of a model that a decoder needs; a `Model` has it. */
export interface DecodingRules {
  readonly labels: LabelSet;
  readonly scheme: TagScheme;
  /** Transitions that the tag scheme forbids; undefined if there are none. */
  readonly transitionMask: TransitionMask | undefined;
  readonly dictionary: TagDictionary | undefined;
  /** The learned tokenizer, if the model has one. */
  readonly tokenizer?: BundledTokenizer | undefined;
  /** Specification of the tokenizer for its texts, if known. */
  readonly spec?: { readonly tokenize?: Readonly<Record<string, unknown>> | undefined };
}

/**
 * Returns a model's labels without restrictions: all transitions are allowed, and there is no dictionary.
 *
 * @example
 * unrestricted({ labels: new LabelSet(['B-X']), scheme: 'bio', transitionMask: {}, dictionary: {} }).transitionMask // => undefined
 */
export function unrestricted(rules: DecodingRules): DecodingRules {
  return {
    get labels() {
      return rules.labels;
    },
    get scheme() {
      return rules.scheme;
    },
    transitionMask: undefined,
    dictionary: undefined,
  };
}
