import type { Document, Range } from '../../core/sentence/document.js';
import {
  namedTokenizer,
  type TokenizerChoice,
  tokenizerNames,
} from '../../text/tokenizers/named-tokenizer.js';
import type { Tokenizer } from '../../text/tokenizers/tokenizer.js';
import { tokenizeOptions } from '../options/tokenize-options.js';
import { type KnownTokens, knownTokens } from './known-tokens.js';

/** The tokenizer that fits the text of a file best. */
export interface ChosenTokenizer {
  readonly name: TokenizerChoice['tokenizer'];
  readonly tokenizer: Tokenizer;
  readonly isDefault: boolean;
  /** The score of the tokenizer, then those of the others. */
  readonly figures: string;
}

/** Most records that are scored. */
const mostRecords = 2000;

/** Points that another tokenizer must gain over the default. */
const leastGain = 0.1;

const { tokenizer: usual, locale } = tokenizeOptions.parse({});

/** The candidates: all but `characters`, which is for letters. */
const names = tokenizerNames.filter(name => name !== 'characters');

/**
 * Chooses the tokenizer that finds the tokens of a file best, by F1 of their offsets. Where more records have spans than
 * tokens, it chooses the one by which most spans begin and end with tokens. The default stays unless another one is better by
 * more than 0.1 points. Undefined where no record has a text with tokens or spans.
 *
 * @example
 * const document = { text: '北京喜欢', tokens: ['北京', '喜欢'], offsets: [[0, 2], [2, 4]] };
 * chooseTokenizer([document])?.figures
 * // => '100 % of the tokens of the file (F1), regex 0, treebank 0, whitespace 0'
 */
export function chooseTokenizer(documents: readonly Document[]): ChosenTokenizer | undefined {
  const known = knownTokens(documents, mostRecords);
  if (known.length === 0) return undefined;
  const tokenized = known.filter(({ of }) => of === 'tokens');
  const byTokens = tokenized.length * 2 >= known.length;
  const counted = byTokens ? tokenized : known.filter(({ of }) => of === 'spans');
  const score = byTokens ? tokenScore : spanScore;
  const scores = names.map(name => {
    const tokenizer = namedTokenizer({ tokenizer: name, locale });
    return { name, tokenizer, score: score(counted, tokenizer) };
  });
  const ranked = [...scores].sort((a, b) => b.score - a.score);
  const best = ranked[0]!;
  const plain = scores.find(({ name }) => name === usual)!;
  const chosen = best.score > plain.score + leastGain ? best : plain;
  const others = ranked.filter(each => each !== chosen);
  const percent = `${rounded(chosen.score)} %`;
  const own = byTokens
    ? `${percent} of the tokens of the file (F1)`
    : `its tokens fit ${percent} of the spans of the file`;
  return {
    name: chosen.name,
    tokenizer: chosen.tokenizer,
    isDefault: chosen === plain,
    figures: [own, ...others.map(each => `${each.name} ${rounded(each.score)}`)].join(', '),
  };
}

function rounded(score: number): number {
  return Number(score.toFixed(1));
}

/** F1 of tokens, in percent. */
function tokenScore(known: readonly KnownTokens[], tokenizer: Tokenizer): number {
  let hits = 0;
  let both = 0;
  for (const { text, ranges } of known) {
    const found = tokenizer(text);
    hits += inBoth(ranges, found);
    both += ranges.length + found.length;
  }
  return both === 0 ? 0 : (200 * hits) / both;
}

/** Ranges that are in both of two lists in order. */
function inBoth(a: readonly Range[], b: readonly Range[]): number {
  let hits = 0;
  let at = 0;
  for (const [start, end] of a) {
    while (at < b.length && b[at]![0] < start) at += 1;
    if (at < b.length && b[at]![0] === start && b[at]![1] === end) hits += 1;
  }
  return hits;
}

/** The share of the spans that begin and end with tokens, in percent. */
function spanScore(known: readonly KnownTokens[], tokenizer: Tokenizer): number {
  let hits = 0;
  let all = 0;
  for (const { text, ranges } of known) {
    const found = tokenizer(text);
    const starts = new Set(found.map(([start]) => start));
    const ends = new Set(found.map(([, end]) => end));
    hits += ranges.filter(([start, end]) => starts.has(start) && ends.has(end)).length;
    all += ranges.length;
  }
  return (100 * hits) / all;
}
