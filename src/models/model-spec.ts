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
      /** Sentences from one pruning to the next, on a stream: see `pruneFeatures`. None if absent. */
      readonly pruneEvery?: number;
      /** Features that stay once a corpus is complete: see `selectFeatures`. All if absent. */
      readonly information?: InformationSelection;
    }
  | { readonly mode: 'hashed'; readonly rows: number; readonly edgeRows: number };

/** A plug-in that a model cannot do without. */
export interface UsedPlugin {
  /** Its name. */
  readonly plugin: string;
  /** The package or file that it was loaded from, as it was named; absent where code gave it. */
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
  /** Weights are stored for observed pairs alone, which needs the support `observed`. Rows of all labels if absent. */
  readonly compressed?: true;
  /** Labels of a token that are far behind its best one are left out before sequences are looked at. None if absent. */
  readonly prune?: Pruning;
  /** What makes potentials of the sums of weights. Linear if absent: they are the potentials. */
  readonly scorer?: ScorerName;
  /** Densities of numbers of a hidden Markov model have covariances. Variances alone if absent. */
  readonly covariance?: 'full';
  /** Hidden states of each label; components of its densities with the scorer hmm. One if absent: the labels are all there is. */
  readonly hidden?: HiddenStates;
  /** Scores spans in addition to tokens and transitions: a semi-Markov model. Absent for a chain. */
  readonly segments?: SegmentSpec;
  /** Tokens are nodes of a graph, with links. Absent for a chain. */
  readonly graph?: GraphSpec;
  /** Labels are pairs of tags with this separator between, whose layers have weights of their own. Plain if absent. */
  readonly layers?: { readonly separator: string };
  /** Labels are of parts with this separator between, which have weights of their own. Plain if absent. */
  readonly parts?: { readonly separator: string };
  /** Labels are words of a code, with a binary chain for each bit. One chain of the labels if absent. */
  readonly codes?: CodeSpec;
  /** The scheme that labels are in, where records have another: IO, IOB1 or BIO. */
  readonly encode?: 'bioes';
  /** Learn the labels that words which come so often may have. */
  readonly dictionary?: { readonly minCount: number };
  /** What the records look like that it was trained on: codec and options, for `tag` and `eval`. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** How it gets tokens from text. */
  readonly tokenize?: Readonly<Record<string, unknown>>;
  /** Lists that the templates look words up in; they have sections of their own in files. */
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
  /** Weights start within [-spread, spread], as states that start alike stay alike. */
  readonly spread: number;
  /** Seed of where they start. */
  readonly seed: number;
}

/** How far from 0 weights start by default. */
export const defaultSpread = 0.1;

/**
 * Returns what is meant by a number of states, or by options; undefined for one state, which is not hidden.
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

/** Which features stay: those with the most information about the label, limited in number or by a minimum. */
export interface InformationSelection {
  /** Features that stay at most. */
  readonly keep?: number | undefined;
  /** Least mutual information with the label, in nats. */
  readonly least?: number | undefined;
}
