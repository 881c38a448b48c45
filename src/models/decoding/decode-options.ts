import type { TransitionMask } from '../../inference/mask-scores.js';
import type { TagScheme } from '../../text/tags/tag-scheme.js';
import type { BundledTokenizer } from '../../text/tokenizers/bundled-tokenizer.js';
import type { LabelSet } from '../labels/label-set.js';
import type { DictionaryEntries, TagDictionary } from '../labels/tag-dictionary.js';
import type { SequenceRule } from './sequence-rules.js';
import type { TagRule } from './tag-rules.js';

/** Options of decoding: how to choose labels, and which further results to compute. */
export interface DecodeOptions {
  /**
   * `viterbi`: the best sequence; `posterior`: the best label of each token, whatever labels are next to it;
   * `minimum-risk`: the allowed sequence with the fewest expected errors; `loopy`: as posterior, from the sums of
   * loopy belief propagation, for labels of layers and without results that need exact sums. Default viterbi.
   */
  readonly decoding?: 'viterbi' | 'posterior' | 'minimum-risk' | 'loopy' | undefined;
  /**
   * Also the probability of each chosen label at its token; `all`: those of all labels as well; `pairs`: those of pairs of
   * neighbouring labels as well, p(y_{t-1}, y_t | x), above `pairThreshold`, summed in float64 without pruning.
   */
  readonly marginals?: boolean | 'all' | 'pairs' | undefined;
  /** Pairs of labels are given where they are more probable than this, from 0 to 1. With `marginals: 'pairs'`. Default 0.01. */
  readonly pairThreshold?: number | undefined;
  /** Also p(y | x) of each sentence's labels. */
  readonly probability?: boolean | undefined;
  /** Also returns this number of best sequences, with score and probability. */
  readonly nbest?: number | undefined;
  /** Also the spans that the labels mark, with the probability of each. */
  readonly spanProbabilities?: boolean | undefined;
  /**
   * `scheme`: only transitions that the model's tag scheme allows, or that came in training; `any`: all.
   * Posterior decoding knows no transitions, so that there it is `any`. Default scheme.
   */
  readonly transitions?: 'scheme' | 'any' | undefined;
  /** Replaces the model's tag dictionary; false: use none. */
  readonly dictionary?: DictionaryEntries | false | undefined;
  /**
   * Conditions on the labels of each whole sentence: counts and orders. The best sequence is the best of those that
   * do, and its probability that among them; a sentence that cannot is rejected. With viterbi decoding alone.
   */
  readonly sequence?: readonly SequenceRule[] | undefined;
  /**
   * Rules for single names and patterns, in their order. One gives way to constraints of the sentence and to the rules before
   * it, and all of them in a sentence that would have no labels. They hold for all that is computed.
   */
  readonly rules?: readonly TagRule[] | undefined;
  /**
   * Whether labels are pruned where the model says so: probabilities are then those among what is left. Sentences with
   * constraints, a dictionary, rules and probabilities of spans look at all labels in any case. Default true.
   */
  readonly prune?: boolean | undefined;
  /** Whether the constraints that sentences bring along hold. Default true. */
  readonly constraints?: boolean | undefined;
}

/** The values of an option, the first of which is the default, and its description. */
interface Choice<Value> {
  readonly among: readonly Value[];
  readonly describe: string;
}

/**
 * The options of decoding that are given as text: values, limits and descriptions for pipeline files and the command line.
 * Dictionaries, rules and sequence rules are files or plain data, and are documented there.
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
  probability: { among: [false, true], describe: 'add the probability of each tag sequence' },
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

/** Names of the options of decoding. */
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
 * Returns whether options request more than the best sequence, so that all sequences must be considered.
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

/** Returns whether options ask for the probabilities of labels, sequences or spans. */
export function asksForProbabilities(options: DecodeOptions): boolean {
  const { marginals = false, probability, spanProbabilities } = options;
  return marginals !== false || probability === true || spanProbabilities === true;
}

/** The results that tell how sure a prediction is. */
export type ConfidenceOptions = Pick<DecodeOptions, 'marginals' | 'pairThreshold' | 'probability'>;

/**
 * Separates the options for confidences from the others; `asked` is undefined if there are none.
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

/** The part of a model that a decoder needs; a `Model` is one. */
export interface DecodingRules {
  readonly labels: LabelSet;
  readonly scheme: TagScheme;
  /** The transitions that the tag scheme forbids; undefined if there are none. */
  readonly transitionMask: TransitionMask | undefined;
  readonly dictionary: TagDictionary | undefined;
  /** The learned tokenizer, if the model has one. */
  readonly tokenizer?: BundledTokenizer | undefined;
  /** How its texts are tokenized, if known. */
  readonly spec?: { readonly tokenize?: Readonly<Record<string, unknown>> | undefined };
}

/**
 * Returns the labels of a model without restrictions: all transitions are allowed, and there is no dictionary.
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
