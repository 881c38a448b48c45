import type { ScorerName } from '../core/scorer.js';
import type { GraphSpec } from '../features/links/link-feature.js';
import type { Resources } from '../features/resources/resources.js';
import type { SegmentSpec } from '../features/segments/segment-feature.js';
import type { TokenFunctions } from '../features/template/token-function.js';
import type { Pruning } from '../kernels/pruning/candidates.js';
import type { CodeSpec } from './labels/code-columns.js';

/** The index of features: how they are assigned to rows. */
export type IndexSpec =
  | {
      readonly mode: 'exact';
      readonly cutoff: number;
      /** Sentences between two prunings on a stream: see `pruneFeatures`. No pruning if absent. */
      readonly pruneEvery?: number;
      /** Features selected once a corpus is complete: see `selectFeatures`. All if absent. */
      readonly information?: InformationSelection;
    }
  | { readonly mode: 'hashed'; readonly rows: number; readonly edgeRows: number };

/** A plug-in that a model requires. */
export interface UsedPlugin {
  /** Its name. */
  readonly plugin: string;
  /** The package or file that it was loaded from, as named; absent if code passed it. */
  readonly module?: string;
  /** Its token functions in the templates. */
  readonly functions: readonly string[];
}

/** The specification of a model before training; plain data, stored in the model file. */
export interface ModelSpec {
  /** Text of the templates. */
  readonly templates: string;
  /** Names of the columns by number, for templates that say `%x[0,1]`; the first is the token. */
  readonly columns: readonly string[];
  readonly index: IndexSpec;
  /** Weights for all labels of a feature, or only for pairs seen in labelled sentences. */
  readonly support: 'all' | 'observed';
  /** Stores weights only for observed pairs, which needs the support `observed`. Rows of all labels if absent. */
  readonly compressed?: true;
  /**
   * Prunes labels of a token that are far behind its best one, before sequences are considered. No pruning if absent.
   */
  readonly prune?: Pruning;
  /** The scorer, which turns sums of weights into potentials. Default: `linear`, whose potentials are the sums. */
  readonly scorer?: ScorerName;
  /** Gives the densities of a hidden Markov model covariances. Only variances if absent. */
  readonly covariance?: 'full';
  /** Hidden states of each label; components of its densities with the scorer hmm. None if absent. */
  readonly hidden?: HiddenStates;
  /** Scores spans in addition to tokens and transitions: a semi-Markov model. Absent for a chain. */
  readonly segments?: SegmentSpec;
  /** Tokens are nodes of a graph, with links. Absent for a chain. */
  readonly graph?: GraphSpec;
  /** Set if labels are pairs of tags with this separator, whose layers have separate weights. */
  readonly layers?: { readonly separator: string };
  /** Set if labels consist of parts with this separator, which have their own weights. */
  readonly parts?: { readonly separator: string };
  /**
   * Encodes labels as words of a code, with a binary chain for each bit. One chain of labels if absent.
   */
  readonly codes?: CodeSpec;
  /** The scheme of labels if records use another: IO, IOB1 or BIO. */
  readonly encode?: 'bioes';
  /** Learns the allowed labels of words that are at least this frequent. */
  readonly dictionary?: { readonly minCount: number };
  /** The format of the training records: codec and options, for `tag` and `eval`. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** How texts are tokenized. */
  readonly tokenize?: Readonly<Record<string, unknown>>;
  /** Lists in which the templates look up words; files have separate sections for them. */
  readonly resources?: Resources;
  /** Plug-ins whose token functions the templates name, or whose codec read the records. */
  readonly uses?: readonly UsedPlugin[];
  /** Token functions in addition to the built-in ones; never written to files. */
  readonly functions?: TokenFunctions;
}

/** Hidden states of the labels of a model; plain data, part of its specification. */
export interface HiddenStates {
  /** States of each label, from 2. */
  readonly states: number;
  /** Weights start within [-spread, spread], because equal states would stay equal. */
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

/**
 * Which features are kept: those with the most information about the label, limited in number or by a minimum.
 */
export interface InformationSelection {
  /** Most features kept. */
  readonly keep?: number | undefined;
  /** Least mutual information with the label, in nats. */
  readonly least?: number | undefined;
}
