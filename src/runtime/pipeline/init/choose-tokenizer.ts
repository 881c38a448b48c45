import type { Document, Range } from '../../../engine/core/sentence/document.js';
import { placeTokens } from '../../../engine/text/place-tokens.js';
import {
  builtInTokenizers,
  namedTokenizer,
  type TokenizerChoice,
} from '../../../engine/text/tokenizers/named-tokenizer.js';
import type { Tokenizer } from '../../../engine/text/tokenizers/tokenizer.js';
import { pushTrimmed } from '../../../engine/text/white-space.js';
import {
  isSpacedAfter,
  layoutOfFormat,
  surfaceTokens,
} from '../../../formats/codecs/conllu/surface-words.js';
import { tokenizeOptions } from '../options/tokenize-options.js';

/** The tokenizer that best fits the text of a file. */
export interface ChosenTokenizer {
  readonly name: TokenizerChoice['tokenizer'];
  readonly tokenizer: Tokenizer;
  readonly isDefault: boolean;
  /** The tokenizer's score, followed by those of the others. */
  readonly figures: string;
}

/** Maximum number of records that are scored. */
const mostRecords = 2000;

/** Minimum gain over the default, in points, for choosing another tokenizer. */
const leastGain = 0.1;

const { tokenizer: usual, locale } = tokenizeOptions.parse({});

/** The candidates: all except `characters`, which is for letters. */
const names = builtInTokenizers.filter(name => name !== 'characters');

/**
 * Chooses the tokenizer that best finds the tokens of a file, by the F1 of their offsets. If more records have spans
 * than tokens, it chooses the tokenizer whose tokens align with the most spans. It keeps the default unless another one
 * is better by more than 0.1 points. Returns undefined if no record has a text with tokens or spans.
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

/** Returns the F1 of tokens, in percent. */
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

/** Returns the number of ranges that two sorted lists share. */
function inBoth(a: readonly Range[], b: readonly Range[]): number {
  let hits = 0;
  let at = 0;
  for (const [start, end] of a) {
    while (at < b.length && b[at]![0] < start) at += 1;
    if (at < b.length && b[at]![0] === start && b[at]![1] === end) hits += 1;
  }
  return hits;
}

/** Returns the share of the spans that begin and end with tokens, in percent. */
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

/** A text, and the ranges that a tokenizer should find in it. */
interface KnownTokens {
  readonly text: string;
  readonly ranges: readonly Range[];
  /** What the ranges are: `tokens`: all tokens of the text; `spans`: pieces that begin and end with tokens. */
  readonly of: 'tokens' | 'spans';
}

/** Returns the texts with known tokens or spans among the first `most` records. */
function knownTokens(documents: readonly Document[], most: number): KnownTokens[] {
  const marksSpaces = documents.some(hasMarkedSpaces);
  const found: KnownTokens[] = [];
  for (const document of documents) {
    const known = tokensIn(document, marksSpaces) ?? spansIn(document);
    if (known !== undefined) found.push(known);
    if (found.length === most) break;
  }
  return found;
}

/** @param marksSpaces whether the file marks tokens without a space after them */
function tokensIn(document: Document, marksSpaces: boolean): KnownTokens | undefined {
  const { text, tokens, offsets } = document;
  if (tokens === undefined || (text === undefined && !marksSpaces)) return undefined;
  if (text !== undefined && offsets !== undefined) return { text, ranges: offsets, of: 'tokens' };
  const surface = surfaceOf(document, tokens);
  const parts = surface.flatMap(each => each.parts);
  const joined = surface.map(each => each.parts.join('') + (each.isSpaced ? ' ' : '')).join('');
  for (const known of marksSpaces ? [text, joined] : [text]) {
    const ranges = known === undefined ? undefined : placeTokens(known, parts);
    if (ranges !== undefined) return { text: known!, ranges, of: 'tokens' };
  }
  return undefined;
}

function spansIn({ text, tokens, spans }: Document): KnownTokens | undefined {
  if (text === undefined || tokens !== undefined || spans === undefined) return undefined;
  const ranges: Range[] = [];
  for (const { start, end } of spans) pushTrimmed(ranges, text, start, end);
  return ranges.length === 0 ? undefined : { text, ranges, of: 'spans' };
}

function hasMarkedSpaces(document: Document): boolean {
  if (isConllu(document)) return surfaceIn(document).some(({ isSpaced }) => !isSpaced);
  return miscOf(document)?.some(misc => !isSpacedAfter(misc)) === true;
}

function surfaceOf(document: Document, tokens: readonly string[]) {
  if (isConllu(document)) return surfaceIn(document);
  const misc = miscOf(document);
  return tokens.map((token, i) => ({ parts: [token], isSpaced: isSpacedAfter(misc?.[i] ?? '_') }));
}

function surfaceIn({ raw, format }: Document) {
  return surfaceTokens(raw!, layoutOfFormat(format));
}

function isConllu({ raw, format }: Document): boolean {
  return raw !== undefined && format?.startsWith('conllu ') === true;
}

/** Returns the column that marks missing spaces in CoNLL-U, whatever the file's format. */
function miscOf({ columns }: Document): readonly string[] | undefined {
  const misc: readonly unknown[] = columns?.misc ?? [];
  return misc.some(value => typeof value !== 'string') ? undefined : (misc as readonly string[]);
}
