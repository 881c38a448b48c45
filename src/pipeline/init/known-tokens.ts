import type { Document, Range } from '../../core/sentence/document.js';
import { isSpacedAfter, surfaceTokens } from '../../io/codecs/conllu/surface-tokens.js';
import { pushTrimmed } from '../../text/tokenizers/push-trimmed.js';
import { isWhiteSpace } from '../../text/white-space.js';

/** A text, and the ranges of it that a tokenizer should find. */
export interface KnownTokens {
  readonly text: string;
  readonly ranges: readonly Range[];
  /** `tokens`: all tokens of the text; `spans`: pieces of it that begin and end with tokens. */
  readonly of: 'tokens' | 'spans';
}

/** The texts of records whose tokens or spans are known, of the first `most` such records. */
export function knownTokens(documents: readonly Document[], most: number): KnownTokens[] {
  const marksSpaces = documents.some(hasMarkedSpaces);
  const found: KnownTokens[] = [];
  for (const document of documents) {
    const known = tokensIn(document, marksSpaces) ?? spansIn(document);
    if (known !== undefined) found.push(known);
    if (found.length === most) break;
  }
  return found;
}

/** @param marksSpaces whether the file says which tokens have no space after them */
function tokensIn(document: Document, marksSpaces: boolean): KnownTokens | undefined {
  const { text, tokens, offsets } = document;
  if (tokens === undefined || (text === undefined && !marksSpaces)) return undefined;
  if (text !== undefined && offsets !== undefined) return { text, ranges: offsets, of: 'tokens' };
  const surface = surfaceOf(document, tokens);
  const parts = surface.flatMap(each => each.parts);
  const joined = surface.map(each => each.parts.join('') + (each.isSpaced ? ' ' : '')).join('');
  for (const known of marksSpaces ? [text, joined] : [text]) {
    const ranges = known === undefined ? undefined : placesIn(known, parts);
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
  if (isConllu(document)) return surfaceTokens(document.raw!).some(({ isSpaced }) => !isSpaced);
  return miscOf(document)?.some(misc => !isSpacedAfter(misc)) === true;
}

function surfaceOf(document: Document, tokens: readonly string[]) {
  if (isConllu(document)) return surfaceTokens(document.raw!);
  const misc = miscOf(document);
  return tokens.map((token, i) => ({ parts: [token], isSpaced: isSpacedAfter(misc?.[i] ?? '_') }));
}

function isConllu({ raw, format }: Document): boolean {
  return raw !== undefined && format?.startsWith('conllu ') === true;
}

/** The column of CoNLL-U that marks missing spaces, in whatever format. */
function miscOf({ columns }: Document): readonly string[] | undefined {
  const misc: readonly unknown[] = columns?.misc ?? [];
  return misc.some(value => typeof value !== 'string') ? undefined : (misc as readonly string[]);
}

/** The places of tokens in a text in which they follow each other, with white space between; undefined if they do not. */
function placesIn(text: string, tokens: readonly string[]): Range[] | undefined {
  const ranges: Range[] = [];
  let at = 0;
  for (const token of tokens) {
    at = afterSpace(text, at);
    if (!text.startsWith(token, at)) return undefined;
    ranges.push([at, at + token.length]);
    at += token.length;
  }
  return afterSpace(text, at) === text.length ? ranges : undefined;
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isWhiteSpace(text.charCodeAt(at))) at += 1;
  return at;
}
