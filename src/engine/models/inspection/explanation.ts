import type { Sentence } from '../../core/sentence/sentence.js';
import type { TokenizerChoice } from '../../text/tokenizers/named-tokenizer.js';
import {
  type AppliedRule,
  type RuleResult,
  type TagRule,
  TagRules,
} from '../decoding/tag-rules.js';
import type { Model } from '../model.js';

/**
 * The source of a contribution to the score. `in` is the transition into the token, `out` the transition out of it,
 * `normaliser` the scorer's addition to the sums of weights (for a MEMM, -log N of the next token), `trees` the leaves
 * that the same features of the token lead to. If features score more than labels and their neighbours, `segment` is a
 * span feature, `link` a link feature, `pair` the plain transitions, `feature-pair` a transition feature. `rule` is
 * the contribution of a rule that suggests a label.
 */
export type ContributionKind =
  | 'feature'
  | 'in'
  | 'out'
  | 'feature-in'
  | 'feature-out'
  | 'normaliser'
  | 'trees'
  | 'segment'
  | 'link'
  | 'pair'
  | 'feature-pair'
  | 'rule';

/** The contribution of one feature or transition to the scores of the chosen tag and of the runner-up. */
export interface ScoreContribution {
  readonly kind: ContributionKind;
  /**
   * The feature's name; for a transition, the chosen neighbour; for a normaliser, the next token; for trees, the features.
   */
  readonly name: string;
  /**
   * The feature in words, such as `word before: initial capital`; only for features of single
   * templates.
   */
  readonly words?: string;
  /** Value of the feature; 1 except for numeric features. */
  readonly value: number;
  /** Weight for the chosen tag; with `columns`, the sum over all of them. */
  readonly chosen: number;
  /** Weight for the runner-up. */
  readonly runnerUp: number;
  /** The contribution, (chosen - runnerUp) * value. */
  readonly amount: number;
  /**
   * Names of the columns whose weights support the chosen tag / the runner-up, if they are not tags: hidden states,
   * names in a layer, bits, span types, pairs.
   */
  readonly columns?: string;
}

/** The explanation of a token's tag. */
export interface TokenExplanation {
  readonly token: string;
  readonly tag: string;
  /** The probability p(y_t = tag | x). */
  readonly probability: number;
  /** Hidden state, if tags have any. */
  readonly state?: string;
  /** The most probable other tag at the token; absent if none is possible. */
  readonly runnerUp?: {
    readonly tag: string;
    readonly probability: number;
    readonly state?: string;
  };
  /** Score of the chosen tags minus their score with the runner-up at this token. */
  readonly difference?: number;
  /** Rules that apply to the token. */
  readonly rules?: readonly AppliedRule[];
  /** The tag without these rules, if different. */
  readonly withoutRules?: string;
  /** Contributions whose sum is the difference, strongest first, without zeros. */
  readonly contributions: readonly ScoreContribution[];
}

/** Options of `explain`. */
export interface ExplainOptions {
  /** Rules for names and patterns, as in `DecodeOptions`. */
  readonly rules?: readonly TagRule[] | undefined;
}

/** Returns the effect of rules on a sentence; undefined without rules. */
export function ruledSentence(
  { labels, spec, tokenizer: learned }: Model,
  sentence: Sentence,
  { rules }: ExplainOptions,
): RuleResult | undefined {
  if (rules === undefined) return undefined;
  const tokenizer = spec.tokenize as TokenizerChoice | undefined;
  return new TagRules(rules, labels, tokenizer, learned?.tokenizer).apply(sentence);
}

/**
 * Returns the contribution of suggestions to the scores of two labels of a token, if it differs
 * between them.
 */
export function suggested(
  ruled: RuleResult | undefined,
  token: number,
  label: number,
  other: number,
): ScoreContribution[] {
  const found: ScoreContribution[] = [];
  for (const { token: at, labels, weight, rule } of ruled?.bonuses ?? []) {
    if (at !== token || labels[label] === labels[other]) continue;
    const [chosen, runnerUp] = [label, other].map(y => labels[y]! * weight) as [number, number];
    const name = `suggest ${rule.label} (${rule.from})`;
    found.push({ kind: 'rule', name, value: 1, chosen, runnerUp, amount: chosen - runnerUp });
  }
  return found;
}

/** Returns the rules in a token's explanation; `without` is the token's tag without them. */
export function ruleNotes(
  ruled: RuleResult | undefined,
  token: number,
  tag: string,
  without: string | undefined,
): Pick<TokenExplanation, 'rules' | 'withoutRules'> {
  const rules = (ruled?.applied ?? []).filter(({ start, end }) => start <= token && token < end);
  return {
    ...(rules.length === 0 ? {} : { rules }),
    ...(without === undefined || without === tag ? {} : { withoutRules: without }),
  };
}
