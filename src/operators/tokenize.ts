import { concatMap, from, type OperatorFunction, pipe } from 'rxjs';
import { shareDelivery } from '../core/delivery/share-delivery.js';
import { TagstreamError } from '../core/errors.js';
import { constrainedToken } from '../core/sentence/constrained-token.js';
import type { Constraints, TokenConstraint } from '../core/sentence/constraints.js';
import type { Column, Document, Range } from '../core/sentence/document.js';
import { type KnownTags, knownTags } from '../core/sentence/known-tags.js';
import type { Sentence } from '../core/sentence/sentence.js';
import {
  defaultMaxTokens,
  recordSentences,
  recordTokens,
  tooLarge,
} from '../core/sentence/sentence-limit.js';
import { splitSentences } from '../text/sentences/sentence-splitter.js';
import { regexTokenizer } from '../text/tokenizers/regex-tokenizer.js';
import type { Tokenizer } from '../text/tokenizers/tokenizer.js';
import { attempt } from './attempt.js';

/** The options of `tokenize`. */
export interface TokenizeOptions {
  /** For documents without tokens. Default: `regexTokenizer()`. */
  readonly tokenizer?: Tokenizer;
  /** Whether text is split into sentences. Default true. */
  readonly sentences?: boolean;
  /** Language of the text, for splitting into sentences. Default `en`. */
  readonly locale?: string;
}

/**
 * Documents to sentences: tokens and sentences of a text are found; a document that has tokens keeps
 * them, and its sentences.
 *
 * One document becomes one sentence or several, in order. A document without any token is rejected
 * (`empty-sentence`), and so is one with a constraint on a token that it does not have (`constraint`), or with
 * a sentence of more than `maxTokens` tokens, or 16 times as many tokens or twice as many sentences in all
 * (`too-large`); a document may say how many, and they are 100,000 by default.
 * Documents are not changed.
 *
 * @example
 * const sentences = await lastValueFrom(of({ text: 'It rains. Stay in!' }).pipe(tokenize(), toArray()));
 * sentences.map(sentence => sentence.tokens) // => [['It', 'rains', '.'], ['Stay', 'in', '!']]
 */
export function tokenize(options: TokenizeOptions = {}): OperatorFunction<Document, Sentence> {
  const tokenizer = options.tokenizer ?? regexTokenizer();
  const split = options.sentences ?? true;
  return pipe(
    attempt((document: Document) => sentencesOf(document, tokenizer, split, options.locale)),
    concatMap(sentences => from(sentences)),
  );
}

function sentencesOf(
  document: Document,
  tokenizer: Tokenizer,
  split: boolean,
  locale: string | undefined,
): Sentence[] {
  const text = document.text ?? '';
  const { maxTokens = defaultMaxTokens } = document;
  const mostTokens = recordTokens * maxTokens;
  const offsets = document.tokens === undefined ? tokenizer(text, mostTokens) : document.offsets;
  // Before anything is made of them.
  requireAtMost(mostTokens, document.tokens ?? offsets!, 'tokens');
  const tokens = document.tokens ?? offsets!.map(([start, end]) => text.slice(start, end));
  if (tokens.length === 0) {
    throw new TagstreamError('empty-sentence', 'the record has no tokens', {
      fix: 'omit empty records',
    });
  }
  if (document.constraints !== undefined) {
    for (const key of Object.keys(document.constraints)) constrainedToken(key, tokens.length);
  }
  const ranges = rangesOf(document, tokens.length, offsets, split, locale);
  requireAtMost(recordSentences * maxTokens, ranges, 'sentences');
  for (const [start, end] of ranges) {
    if (end - start <= maxTokens) continue;
    throw tooLarge(`a sentence of ${end - start} tokens`, String(maxTokens));
  }
  const delivery = shareDelivery(document.delivery, ranges.length);
  return ranges.map(([start, end], index) => ({
    tokens: whole(ranges) ? tokens : tokens.slice(start, end),
    columns: columnsOf(document, start, end, ranges),
    ...tagsOf(document, start, end),
    ...(document.weight === undefined ? {} : { weight: document.weight }),
    ...(offsets === undefined ? {} : { offsets: offsets.slice(start, end) }),
    ...(document.constraints === undefined
      ? {}
      : { constraints: constraintsWithin(document.constraints, start, end) }),
    document,
    part: { index, count: ranges.length, start },
    ...(delivery === undefined ? {} : { delivery }),
  }));
}

/** @throws TagstreamError `too-large` */
function requireAtMost(most: number, items: readonly unknown[], what: string): void {
  if (items.length > most) throw tooLarge(`more than ${most} ${what} in one record`, 'so many');
}

function tagsOf({ tags, partialTags }: Document, start: number, end: number): KnownTags {
  if (tags !== undefined) return { tags: tags.slice(start, end) };
  return partialTags === undefined ? {} : knownTags(partialTags.slice(start, end));
}

function rangesOf(
  document: Document,
  length: number,
  offsets: readonly Range[] | undefined,
  split: boolean,
  locale: string | undefined,
): readonly Range[] {
  // Tokens that came with the record are one sentence, unless it says otherwise.
  if (document.tokens !== undefined) {
    return document.sentences?.length ? document.sentences : [[0, length]];
  }
  if (!split || offsets === undefined) return [[0, length]];
  return splitSentences(document.text!, offsets, locale === undefined ? {} : { locale });
}

function whole(ranges: readonly Range[]): boolean {
  return ranges.length === 1;
}

function columnsOf(
  document: Document,
  start: number,
  end: number,
  ranges: readonly Range[],
): Readonly<Record<string, Column>> {
  const columns = document.columns ?? {};
  if (whole(ranges)) return columns;
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, column.slice(start, end) as Column]),
  );
}

/** Constraints on the tokens `[start, end)` of a document, by their numbers in the sentence. */
function constraintsWithin(constraints: Constraints, start: number, end: number): Constraints {
  const within: Record<string, TokenConstraint> = {};
  for (const [key, constraint] of Object.entries(constraints)) {
    const token = Number(key) - start;
    if (token >= 0 && token < end - start) within[token] = constraint;
  }
  return within;
}
