import { concatMap, from, type OperatorFunction, pipe } from 'rxjs';
import { shareDelivery } from '../core/delivery/delivery.js';
import { TagstreamError } from '../core/errors.js';
import { kinds, requireArgument, requireKnown } from '../core/schema/require-argument.js';
import {
  type Column,
  type Constraints,
  constrainedToken,
  type Document,
  type Range,
  requireDocument,
  type TokenConstraint,
} from '../core/sentence/document.js';
import { type KnownTags, knownTags } from '../core/sentence/partial-tag.js';
import type { Sentence } from '../core/sentence/sentence.js';
import type { Model } from '../models/model.js';
import { requireTokenizer } from '../models/text/learned-tokenizer.js';
import { localeProblem } from '../text/sentences/segmenter.js';
import { sentenceRules } from '../text/sentences/sentence-splitter.js';
import { regexTokenizer } from '../text/tokenizers/regex-tokenizer.js';
import type { Tokenizer } from '../text/tokenizers/tokenizer.js';
import { attempt } from './attempt.js';
import { type DividedOptions, divided } from './divided.js';

/** The options of `tokenize`. */
export interface TokenizeOptions {
  /** Tokenizer for documents without tokens. Default: `regexTokenizer()`. */
  readonly tokenizer?: Tokenizer;
  /** A model whose learned tokenizer splits documents without tokens, instead of `tokenizer`. */
  readonly model?: Model;
  /** Whether to split text into sentences. Default true. */
  readonly sentences?: boolean;
  /** Language of the text, for splitting into sentences. Default `en`. */
  readonly locale?: string;
  /**
   * Additional abbreviations that do not end a sentence, with or without their last full stop: `z. B.`; `Art
   * #NUMERIC_ONLY#` only counts before a number.
   */
  readonly abbreviations?: readonly string[] | undefined;
}

/**
 * Returns an operator that turns documents into sentences. It finds the tokens and sentences of a text; a document with
 * tokens keeps its tokens and sentences.
 *
 * A document becomes one or more sentences, in order; a document without tokens, such as an empty text, becomes one sentence without
 * tokens. Documents are not changed. Gold spans of a text become gold tags in BIO (see `tagsOfSpans`).
 *
 * The operator rejects a document with a constraint on a token that does not exist (`constraint`); with a sentence of
 * more than `maxTokens` tokens (default 100,000), more than 16 times as many tokens in total, or more than twice as
 * many sentences (`too-large`); with spans that do not fit its tokens; and anything that is not a document, such as a
 * number as text (`wrong-shape`).
 *
 * @param options the tokenizer, its language, and limits
 * @throws TagstreamError `config` if the locale is not a language tag, an abbreviation is invalid, an option has no
 *   effect with the others, or a model has no learned tokenizer
 * @example
 * const sentences = await lastValueFrom(of({ text: 'It rains. Stay in!' }).pipe(tokenize(), toArray()));
 * sentences.map(sentence => sentence.tokens) // => [['It', 'rains', '.'], ['Stay', 'in', '!']]
 */
export function tokenize(options: TokenizeOptions = {}): OperatorFunction<Document, Sentence> {
  const known = ['tokenizer', 'model', 'sentences', 'locale', 'abbreviations'];
  requireKnown('tokenize', options, known);
  if (options.tokenizer !== undefined) {
    requireArgument('tokenize.tokenizer', options.tokenizer, kinds.function);
  }
  const problem = options.locale === undefined ? undefined : localeProblem(options.locale);
  if (problem !== undefined) throw new TagstreamError('config', `tokenize.locale: ${problem}`);
  const { abbreviations, locale } = options;
  requireEffect(options);
  const tokenizer = learnedOf(options.model) ?? options.tokenizer ?? regexTokenizer();
  if (abbreviations !== undefined) {
    requireArgument('tokenize.abbreviations', abbreviations, kinds.list);
    sentenceRules({ locale, abbreviations });
  }
  const divide = { tokenizer, split: options.sentences ?? true, locale, abbreviations };
  return pipe(
    attempt((document: Document) => sentencesOf(document, divide)),
    concatMap(sentences => from(sentences)),
  );
}

/** @throws TagstreamError `config` for options without effect */
function requireEffect({ tokenizer, model, sentences, abbreviations }: TokenizeOptions): void {
  const refuse = (option: string, problem: string) => {
    throw new TagstreamError('config', `tokenize.${option}: ${problem}`, { fix: 'leave it out' });
  };
  if (model !== undefined && tokenizer !== undefined) {
    refuse('tokenizer', 'the model contains the tokenizer');
  }
  if (abbreviations === undefined) return;
  if (model !== undefined) refuse('abbreviations', 'the model finds the sentences itself');
  if (sentences === false) refuse('abbreviations', 'the text is not split into sentences');
}

function learnedOf(model: Model | undefined): Tokenizer | undefined {
  if (model === undefined) return undefined;
  requireArgument('tokenize.model', model, kinds.model);
  return requireTokenizer(model.tokenizer, 'tokenize.model: the model').tokenizer;
}

function sentencesOf(document: Document, options: DividedOptions): Sentence[] {
  // Codecs name their format, and have already checked their documents.
  if (document?.format === undefined) requireDocument(document);
  const { tokens, offsets, multiword, ranges, known } = divided(document, options);
  if (document.constraints !== undefined) {
    for (const key of Object.keys(document.constraints)) constrainedToken(key, tokens.length);
  }
  const delivery = shareDelivery(document.delivery, ranges.length);
  return ranges.map(([start, end], index) => ({
    tokens: whole(ranges) ? tokens : tokens.slice(start, end),
    columns: columnsOf(document, start, end, ranges),
    ...tagsWithin(known, start, end),
    ...(document.weight === undefined ? {} : { weight: document.weight }),
    ...(offsets === undefined ? {} : { offsets: offsets.slice(start, end) }),
    ...multiwordWithin(multiword, start, end),
    ...(document.constraints === undefined
      ? {}
      : { constraints: constraintsWithin(document.constraints, start, end) }),
    document,
    part: { index, count: ranges.length, start },
    ...(delivery === undefined ? {} : { delivery }),
  }));
}

function tagsWithin({ tags, partialTags }: KnownTags, start: number, end: number): KnownTags {
  if (tags !== undefined) return { tags: tags.slice(start, end) };
  return partialTags === undefined ? {} : knownTags(partialTags.slice(start, end));
}

/** Returns the multiword tokens of a sentence, as ranges of its tokens. No sentence ends inside one. */
function multiwordWithin(
  multiword: readonly Range[],
  start: number,
  end: number,
): Pick<Sentence, 'multiword'> {
  if (multiword.length === 0) return {};
  const own = multiword.filter(([from, to]) => from >= start && to <= end);
  if (own.length === 0) return {};
  return { multiword: own.map(([from, to]): Range => [from - start, to - start]) };
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

/** Returns the constraints on the tokens `[start, end)` of a document, by token index in the sentence. */
function constraintsWithin(constraints: Constraints, start: number, end: number): Constraints {
  const within: Record<string, TokenConstraint> = {};
  for (const [key, constraint] of Object.entries(constraints)) {
    const token = Number(key) - start;
    if (token >= 0 && token < end - start) within[token] = constraint;
  }
  return within;
}
