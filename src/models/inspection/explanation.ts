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
 * The part of the score that a contribution comes from; `in` is the transition into the token, `out` that out of it,
 * `normaliser` what the scorer adds to the sums of weights: of a MEMM, -log N of the next token; `trees` the leaves
 * that the same features of the token lead to. Where features score more than labels and their neighbours: `segment` a
 * feature of a span, `link` one of a link, `pair` the plain transitions, `feature-pair` a transition feature.
 * `rule` is the contribution of a rule that suggests a label.
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
  /** The feature's name; of a transition, the chosen neighbour; of a normaliser, the next token; of trees, the features. */
  readonly name: string;
  /** The feature in words, as `word before: initial capital`; of features that single templates make. */
  readonly words?: string;
  /** Value of the feature; 1 for all but those with a number. */
  readonly value: number;
  /** Weight for the chosen tag; with `columns` what all of them add to the score. */
  readonly chosen: number;
  /** Weight for the runner-up. */
  readonly runnerUp: number;
  /** (chosen - runnerUp) * value. */
  readonly amount: number;
  /**
   * Which weights speak for the chosen tag / for the runner-up, where these are not those of the tags: hidden states, names of
   * a layer, bits, types of spans, pairs.
   */
  readonly columns?: string;
}

/** The explanation of a token's tag. */
export interface TokenExplanation {
  readonly token: string;
  readonly tag: string;
  /** p(y_t = tag | x). */
  readonly probability: number;
  /** The hidden state, where tags have any. */
  readonly state?: string;
  /** The most probable other tag at the token; absent where none is possible. */
  readonly runnerUp?: {
    readonly tag: string;
    readonly probability: number;
    readonly state?: string;
  };
  /** Score of the chosen tags less that with the runner-up at this token, its neighbours kept. */
  readonly difference?: number;
  /** Rules that apply to the token. */
  readonly rules?: readonly AppliedRule[];
  /** The tag without these rules, where it is another. */
  readonly withoutRules?: string;
  /** What the difference is the sum of, the strongest first; what adds nothing is left out. */
  readonly contributions: readonly ScoreContribution[];
}

/** Options of `explain`. */
export interface ExplainOptions {
  /** Rules for names and patterns, as `DecodeOptions` has them. */
  readonly rules?: readonly TagRule[] | undefined;
}

/** Returns what rules come to in a sentence; undefined without rules. */
export function ruledSentence(
  { labels, spec, tokenizer: learned }: Model,
  sentence: Sentence,
  { rules }: ExplainOptions,
): RuleResult | undefined {
  if (rules === undefined) return undefined;
  const tokenizer = spec.tokenize as TokenizerChoice | undefined;
  return new TagRules(rules, labels, tokenizer, learned?.tokenizer).apply(sentence);
}

/** Returns what suggestions add to the scores of two labels of a token, where that is not the same. */
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

/** Returns what a token's explanation says of rules; `without` is its tag without them. */
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
