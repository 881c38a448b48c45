import type { Sentence } from '../../core/sentence/sentence.js';
import type { TokenizerChoice } from '../../text/tokenizers/named-tokenizer.js';
import { type RuleResult, type TagRule, TagRules } from '../decoding/tag-rules.js';
import type { Model } from '../model.js';
import type { ScoreContribution, TokenExplanation } from './explanation.js';

/** What is explained beside the model. */
export interface ExplainOptions {
  /** Rules for names and patterns, as `DecodeOptions` has them. */
  readonly rules?: readonly TagRule[] | undefined;
}

/** What rules come to in a sentence; undefined without rules. */
export function ruledSentence(
  { labels, spec }: Model,
  sentence: Sentence,
  { rules }: ExplainOptions,
): RuleResult | undefined {
  if (rules === undefined) return undefined;
  const tokenizer = spec.tokenize as TokenizerChoice | undefined;
  return new TagRules(rules, labels, tokenizer).apply(sentence);
}

/** What suggestions add to the scores of two labels of a token, where that is not the same. */
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

/** What a token's explanation says of rules; `without` is its tag without them. */
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
