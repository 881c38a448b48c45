import { TagstreamError } from '../../core/errors.js';
import { requireKnown } from '../../core/schema/require-argument.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { suggestion } from '../../core/wording/nearest.js';
import { gazetteer } from '../../features/resources/gazetteer.js';
import { GazetteerLookup } from '../../features/resources/gazetteer-lookup.js';
import { type TextPattern, textPattern } from '../../text/patterns/text-pattern.js';
import { detectScheme } from '../../text/tags/detect-scheme.js';
import { isSpanScheme, type SchemeLetters, schemeLetters } from '../../text/tags/tag-scheme.js';
import { namedTokenizer, type TokenizerChoice } from '../../text/tokenizers/named-tokenizer.js';
import { regexTokenizer } from '../../text/tokenizers/regex-tokenizer.js';
import type { Tokenizer } from '../../text/tokenizers/tokenizer.js';
import type { LabelSet } from '../labels/label-set.js';
import type { TokenMask } from './constraint-masks.js';

/** The effect of a rule on the labels of matching tokens. */
export type RuleEffect = 'set' | 'forbid' | 'suggest';

/**
 * A rule for names or a pattern: a label that matching tokens must, must not or should have. Plain data.
 *
 * The label is a span label (`LOC`) if the model's tags mark spans, otherwise a tag; `O` means no span.
 */
export interface TagRule {
  /** Label of the one span that the matching tokens must form. */
  readonly set?: string | undefined;
  /** Label that no matching token may have. */
  readonly forbid?: string | undefined;
  /** Label whose score is increased by `weight` at each matching token. */
  readonly suggest?: string | undefined;
  /** Weight of a suggestion; if negative, it discourages the label. Default 2. */
  readonly weight?: number | undefined;
  /** Regular expression with the flag u; a match covers all tokens that it touches. */
  readonly pattern?: string | undefined;
  /** Names, tokenized like texts; of the names that begin at a token, the longest counts. */
  readonly names?: readonly string[] | undefined;
  /** Whether names match regardless of case. Default false. */
  readonly fold?: boolean | undefined;
  /** The position of the rule, for errors and explanations, such as `rules.yaml:3`. */
  readonly from?: string | undefined;
}

/** A rule that applies to tokens `[start, end)` of a sentence. */
export interface AppliedRule {
  readonly effect: RuleEffect;
  readonly label: string;
  readonly start: number;
  readonly end: number;
  /** Weight of a suggestion. */
  readonly weight?: number;
  /** The position of the rule, or its number from 1. */
  readonly from: string;
}

/** A suggestion for some of a token's labels. */
export interface TokenBonus {
  readonly token: number;
  /** 1 for each suggested label. */
  readonly labels: Uint8Array;
  readonly weight: number;
  readonly rule: AppliedRule;
}

/** The effect of rules on a sentence. */
export interface RuleResult {
  readonly applied: readonly AppliedRule[];
  /** Allowed labels of single tokens, each token once, including earlier restrictions. */
  readonly masks: readonly TokenMask[];
  readonly bonuses: readonly TokenBonus[];
}

/** Default weight of a suggestion. */
const usualWeight = 2;

const ruleKeys = ['set', 'forbid', 'suggest', 'weight', 'pattern', 'names', 'fold', 'from'];
const effects = ['set', 'forbid', 'suggest'] as const;

interface CompiledRule {
  readonly effect: RuleEffect;
  readonly label: string;
  readonly weight: number;
  readonly from: string;
  readonly pattern: TextPattern | undefined;
  readonly names: GazetteerLookup | undefined;
}

/** Rules for the labels of a model, ready to apply. */
export class TagRules {
  readonly #rules: readonly CompiledRule[];
  readonly #labels: LabelSet;
  readonly #letters: SchemeLetters | undefined;
  readonly #masks = new Map<string, Uint8Array>();

  /**
   * @param tokenizer the tokenizer for texts
   * @param learned the model's tokenizer, if it has one
   * @throws TagstreamError `config` for a malformed rule, an invalid pattern, or a label that the model does
   *   not have
   */
  constructor(
    rules: readonly TagRule[],
    labels: LabelSet,
    tokenizer: TokenizerChoice = { tokenizer: 'regex', locale: 'en' },
    learned?: Tokenizer,
  ) {
    this.#labels = labels;
    const divide = namedTokenizer(tokenizer, learned);
    const scheme = detectScheme(labels.reported);
    this.#letters = isSpanScheme(scheme) ? schemeLetters[scheme] : undefined;
    if (!Array.isArray(rules)) throw noList();
    const known = this.#knownLabels();
    this.#rules = rules.map((rule: TagRule, i) => {
      const compiled = compile(rule, rule?.from ?? `rule ${i + 1}`, divide);
      if (known.includes(compiled.label)) return compiled;
      throw bad(
        compiled.from,
        `the model has no label "${compiled.label}"`,
        suggestion(compiled.label, known),
      );
    });
  }

  /** Applies the rules to a sentence in order, skipping matches that contradict earlier restrictions or rules. */
  apply(sentence: Sentence, asked: readonly TokenMask[] = []): RuleResult {
    const masks = new Map(asked.map(({ token, allowed }) => [token, allowed]));
    const applied: AppliedRule[] = [];
    const bonuses: TokenBonus[] = [];
    const { length } = sentence.tokens;
    let text: SentenceText | undefined;
    for (const rule of this.#rules) {
      text ??= rule.pattern === undefined ? undefined : sentenceText(sentence);
      for (const [start, end] of found(rule, sentence, text)) {
        const { effect, label, from } = rule;
        const weight = effect === 'suggest' ? { weight: rule.weight } : {};
        const match: AppliedRule = { effect, label, start, end, from, ...weight };
        if (effect === 'suggest') {
          for (let token = start; token < end; token += 1) {
            const labels = this.#placed(label, token - start, end - start);
            bonuses.push({ token, labels, weight: rule.weight, rule: match });
          }
        } else if (!restrict(masks, this.#asks(match, length))) continue;
        applied.push(match);
      }
    }
    return {
      applied,
      bonuses,
      masks: Array.from(masks, ([token, allowed]) => ({ token, allowed })),
    };
  }

  /** Returns what a rule that sets or forbids requires of tokens. */
  #asks({ effect, label, start, end }: AppliedRule, length: number): TokenMask[] {
    const masks: TokenMask[] = [];
    const forbid = (token: number, tags: readonly string[], key: string) => {
      const allowed = this.#maskOf(`not ${key}`, () => tags, true);
      if (token >= 0 && token < length) masks.push({ token, allowed });
    };
    if (effect === 'forbid') {
      const tags = this.#tagsOf(label);
      for (let token = start; token < end; token += 1) forbid(token, tags, label);
      return masks;
    }
    for (let token = start; token < end; token += 1) {
      masks.push({ token, allowed: this.#placed(label, token - start, end - start) });
    }
    if (this.#letters === undefined || label === 'O') return masks;
    // The span ends exactly at the last token.
    const { first, inside, last } = this.#letters;
    if (first === inside) {
      for (const token of [start - 1, end]) forbid(token, this.#tagsOf(label), label);
    } else {
      forbid(
        end,
        [inside, last].map(letter => `${letter}-${label}`),
        `inside ${label}`,
      );
    }
    return masks;
  }

  /** Returns 1 for each label that is possible at token `at` of a span of `length` tokens. */
  #placed(label: string, at: number, length: number): Uint8Array {
    const letters = this.#letters;
    if (letters === undefined || label === 'O') return this.#maskOf(label, () => [label], false);
    const isFirst = at === 0;
    const isLast = at === length - 1;
    const { first, inside, last, single, firstTouching, lastTouching } = letters;
    const own = isFirst && isLast ? single : isFirst ? first : isLast ? last : inside;
    const touching = [isFirst ? firstTouching : undefined, isLast ? lastTouching : undefined];
    const all = [own, ...touching].filter(letter => letter !== undefined);
    return this.#maskOf(`${all.join('')} ${label}`, () => all.map(one => `${one}-${label}`), false);
  }

  #maskOf(key: string, tags: () => readonly string[], excludes: boolean): Uint8Array {
    const known = this.#masks.get(key);
    if (known !== undefined) return known;
    const { size, states } = this.#labels;
    const mask = new Uint8Array(size).fill(excludes ? 1 : 0);
    for (const tag of tags()) {
      for (const y of this.#labels.numbersOf(tag)) mask.fill(excludes ? 0 : 1, y, y + states);
    }
    this.#masks.set(key, mask);
    return mask;
  }

  /** Returns all tags with a label. */
  #tagsOf(label: string): readonly string[] {
    if (this.#letters === undefined || label === 'O') return [label];
    return this.#labels.tags.filter(tag => tag.slice(2) === label);
  }

  #knownLabels(): readonly string[] {
    const { tags } = this.#labels;
    if (this.#letters === undefined) return tags;
    return [...new Set(tags.map(tag => (tag === 'O' ? tag : tag.slice(2))))];
  }
}

/**
 * Checks that a model has the labels that the rules name.
 *
 * @throws TagstreamError `config`
 */
export function requireRulesFor(
  { labels }: { readonly labels: LabelSet },
  rules: readonly TagRule[],
): void {
  if (labels.size > 0) new TagRules(rules, labels);
}

/** Restricts the labels of tokens, unless a token would have none left. */
function restrict(masks: Map<number, Uint8Array>, asked: readonly TokenMask[]): boolean {
  const made: TokenMask[] = [];
  for (const { token, allowed } of asked) {
    const before = masks.get(token);
    const both = before === undefined ? allowed : allowed.map((is, y) => is & before[y]!);
    if (!both.includes(1)) return false;
    made.push({ token, allowed: both });
  }
  for (const { token, allowed } of made) masks.set(token, allowed);
  return true;
}

/** Finds the tokens matched by a rule, in order. */
function found(
  { names, pattern }: CompiledRule,
  { tokens }: Sentence,
  text: SentenceText | undefined,
): (readonly [start: number, end: number])[] {
  const ranges: (readonly [number, number])[] = [];
  if (names !== undefined) {
    const places = names.texts(tokens);
    for (let start = 0; start < places.length; start += 1) {
      let end = start;
      if (places[start] === 'S') end = start + 1;
      else if (places[start] === 'B') {
        while (places[end] !== 'E') end += 1;
        end += 1;
      }
      if (end > start) ranges.push([start, end]);
    }
    return ranges;
  }
  let next = 0;
  pattern!.visit(text!.text, (from, to) => {
    while (next < tokens.length && text!.ends[next]! <= from) next += 1;
    let end = next;
    while (end < tokens.length && text!.starts[end]! < to) end += 1;
    // Of several matches that touch the same token, the first wins.
    if (to > from && end > next && (ranges.at(-1)?.[1] ?? 0) <= next) ranges.push([next, end]);
    return true;
  });
  return ranges;
}

/** A sentence's text, and the offsets of its tokens. */
export interface SentenceText {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Returns a sentence's text, or its tokens joined by spaces if there is none. */
export function sentenceText({ tokens, offsets, document }: Sentence): SentenceText {
  if (offsets !== undefined && offsets.length > 0 && document.text !== undefined) {
    const from = offsets[0]![0];
    const text = document.text.slice(from, offsets.at(-1)![1]);
    const starts = offsets.map(([start]) => start - from);
    return { text, starts, ends: offsets.map(([, end]) => end - from) };
  }
  let at = 0;
  const starts = tokens.map(token => {
    const start = at;
    at += token.length + 1;
    return start;
  });
  const ends = tokens.map((token, t) => starts[t]! + token.length);
  return { text: tokens.join(' '), starts, ends };
}

/**
 * Checks a rule without a model.
 *
 * @throws TagstreamError `config`
 */
export function requireRule(rule: TagRule): void {
  compile(rule, rule.from ?? 'rule', regexTokenizer());
}

function compile(rule: TagRule, from: string, tokenizer: Tokenizer): CompiledRule {
  requireKnown(from, rule, ruleKeys);
  const { weight, pattern, names, fold } = rule;
  const chosen = effects.filter(effect => rule[effect] !== undefined);
  const [effect] = chosen;
  if (effect === undefined || chosen.length > 1) {
    const problem = effect === undefined ? 'the rule does nothing' : 'the rule does two things';
    throw bad(from, problem, 'give one of set, forbid and suggest, with a label');
  }
  const label = rule[effect];
  if (typeof label !== 'string' || label === '') {
    throw bad(from, `${effect} is not a label`, `write it as ${effect}: LOC`);
  }
  if ((pattern === undefined) === (names === undefined)) {
    throw bad(from, 'the rule needs either a pattern or names', 'give pattern or names');
  }
  if (weight !== undefined && effect !== 'suggest') {
    throw bad(from, `weight applies to suggest, not to ${effect}`, 'leave weight out');
  }
  if (weight !== undefined && !Number.isFinite(weight)) {
    throw bad(from, `the weight is ${weight}`, 'give a number, such as 2');
  }
  const base = { effect, label, weight: weight ?? usualWeight, from };
  if (pattern !== undefined) {
    if (fold !== undefined) {
      throw bad(from, 'fold applies to names, not to a pattern', 'write both cases: [Aa]');
    }
    return { ...base, names: undefined, pattern: compiledPattern(pattern, from) };
  }
  if (!Array.isArray(names) || names.some(name => typeof name !== 'string')) {
    throw bad(from, 'names is not a list of strings', 'write them as [Oslo, New York]');
  }
  const list = gazetteer(names, { fold, tokenizer });
  if (list.text === '') throw bad(from, 'there are no names', 'give at least one');
  return { ...base, pattern: undefined, names: new GazetteerLookup(list) };
}

function compiledPattern(source: unknown, from: string): TextPattern {
  try {
    if (typeof source !== 'string' || source === '') throw new Error('it is empty, or no text');
    return textPattern(source);
  } catch (cause) {
    const { problem, fix, message } = cause as Partial<TagstreamError> & Error;
    throw bad(
      from,
      `the pattern is not valid: ${problem ?? message}`,
      fix ?? 'write a regular expression as JavaScript does, with the flag u',
      cause,
    );
  }
}

function bad(from: string, problem: string, fix: string, cause?: unknown): TagstreamError {
  const [, source, line] = /^(.+):(\d+)$/s.exec(from) ?? [];
  return new TagstreamError('config', problem, {
    place: source === undefined ? { source: from } : { source, line: Number(line) },
    fix,
    cause,
  });
}

function noList(): TagstreamError {
  return new TagstreamError('config', 'the rules are not a list', {
    fix: "give a list of rules, as [{ set: 'LOC', names: ['Oslo'] }]",
  });
}
