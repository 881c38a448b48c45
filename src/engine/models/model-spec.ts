import type { ScorerName } from '../core/scorer.js';
import type { GraphSpec } from '../features/links/link-feature.js';
import type { Resources } from '../features/resources/resources.js';
import type { SegmentSpec } from '../features/segments/segment-feature.js';
import type { TokenFunctions } from '../features/template/token-function.js';
import type { Pruning } from '../kernels/pruning/candidates.js';
import type { CodeSpec } from './labels/code-columns.js';

/** The feature index: the assignment of features to rows. */
export type IndexSpec =
  | {
      readonly mode: 'exact';
      readonly cutoff: number;
      /**
       * Number of sentences between two prunings on a stream; see `pruneFeatures`. No pruning if
       * absent.
       */
      readonly pruneEvery?: number;
      /**
       * Selection of features once a corpus is complete; see `selectFeatures`. Absent: all are
       * kept.
       */
      readonly information?: InformationSelection;
    }
  | { readonly mode: 'hashed'; readonly rows: number; readonly edgeRows: number };

/** A plug-in that a model requires. */
export interface UsedPlugin {
  /** Name of the plug-in. */
  readonly plugin: string;
  /** Package or file from which it was loaded, as named; absent if code passed it. */
  readonly module?: string;
  /** Names of its token functions that occur in the templates. */
  readonly functions: readonly string[];
}

/** The specification of a model before training; plain data, stored in the model file. */
export interface ModelSpec {
  /** Template text. */
  readonly templates: string;
  /** Column names by number, for templates such as `%x[0,1]`; the first is the token. */
  readonly columns: readonly string[];
  readonly index: IndexSpec;
  /** Whether a feature has weights for all labels, or only for pairs seen in labelled sentences. */
  readonly support: 'all' | 'observed';
  /**
   * Whether to store weights only for observed pairs, which requires the support `observed`. Rows have all labels
   * if absent.
   */
  readonly compressed?: true;
  /**
   * Pruning of a token's labels that score far below its best one, before sequences are considered. No pruning if
   * absent.
   */
  readonly prune?: Pruning;
  /** Scorer that turns sums of weights into potentials. Default: `linear`, whose potentials are the sums. */
  readonly scorer?: ScorerName;
  /** Covariances for the densities of a hidden Markov model. Only variances if absent. */
  readonly covariance?: 'full';
  /**
   * Hidden states of each label; with the scorer hmm, components of its densities. None if absent.
   */
  readonly hidden?: HiddenStates;
  /**
   * Scoring of spans in addition to tokens and transitions: a semi-Markov model. Absent for a chain.
   */
  readonly segments?: SegmentSpec;
  /** Graph whose nodes are the tokens, with links. Absent for a chain. */
  readonly graph?: GraphSpec;
  /**
   * Separator of labels that are tuples of tags, whose layers have separate weights. Absent for
   * other labels.
   */
  readonly layers?: { readonly separator: string };
  /** Separator of labels that consist of parts with their own weights. Absent for other labels. */
  readonly parts?: { readonly separator: string };
  /** Code whose words are the labels, with a binary chain for each bit. Absent: one chain of labels. */
  readonly codes?: CodeSpec;
  /** Scheme of labels if records use another one: IO, IOB1 or BIO. */
  readonly encode?: 'bioes';
  /** Tag dictionary to learn: the allowed labels of words with at least this frequency. */
  readonly dictionary?: { readonly minCount: number };
  /** Format of the training records (codec and options), for `tag` and `eval`. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Tokenizer of texts. */
  readonly tokenize?: Readonly<Record<string, unknown>>;
  /** Lists in which the templates look up words; files have separate sections for them. */
  readonly resources?: Resources;
  /** Plug-ins whose token functions occur in the templates, or whose codec read the records. */
  readonly uses?: readonly UsedPlugin[];
  /** Token functions in addition to the built-in ones; never written to files. */
  readonly functions?: TokenFunctions;
}

/** Hidden states of a model's labels; plain data, part of its specification. */
export interface HiddenStates {
  /** Number of states per label, at least 2. */
  readonly states: number;
  /**
   * Limit of the initial weights, which are in [-spread, spread], because equal states would stay
   * equal.
   */
  readonly spread: number;
  /** Seed of the initial weights. */
  readonly seed: number;
}

/** Default spread of initial weights. */
export const defaultSpread = 0.1;

/**
 * Normalises a number of states, or options; undefined for a single state, which is not hidden.
 *
 * @example
 * hiddenStatesOf(2) // => { states: 2, spread: 0.1, seed: 1 }
 * hiddenStatesOf(1) // => undefined
 */
export function hiddenStatesOf(
  chosen:
    | number
    | {
        readonly states: number;
        readonly spread?: number | undefined;
        readonly seed?: number | undefined;
      },
): HiddenStates | undefined {
  const {
    states,
    spread = defaultSpread,
    seed = 1,
  } = typeof chosen === 'number' ? { states: chosen } : chosen;
  return states === 1 ? undefined : { states, spread, seed };
}

/** Selection of the features with the most information about the label, limited in number or by a minimum. */
export interface InformationSelection {
  /** Maximum number of features kept. */
  readonly keep?: number | undefined;
  /** Minimum mutual information with the label, in nats. */
  readonly least?: number | undefined;
}
