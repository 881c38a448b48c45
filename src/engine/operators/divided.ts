import { TagstreamError } from '../core/errors.js';
import type { Document, Range } from '../core/sentence/document.js';
import type { KnownTags } from '../core/sentence/partial-tag.js';
import {
  defaultMaxTokens,
  recordSentences,
  recordTokens,
  requireAtMost,
  requireShort,
} from '../core/sentence/sentence-limit.js';
import { tagsOfSpans } from '../text/tags/tags-of-spans.js';
import type { Tokenizer } from '../text/tokenizers/tokenizer.js';
import { type FoundWords, sentencesOf, wordsOf } from '../text/words-of.js';

/** A document with its tokens, sentences and gold tags. */
export interface Divided {
  readonly tokens: readonly string[];
  readonly offsets: readonly Range[] | undefined;
  /** Token range of each multiword token of the text, from its tokenizer or its record. */
  readonly multiword: readonly Range[];
  /** Token ranges of the sentences. */
  readonly ranges: readonly Range[];
  readonly known: KnownTags;
  /** Number of gold spans omitted because they overlap others. */
  readonly dropped: number;
}

export interface DividedOptions {
  readonly tokenizer: Tokenizer;
  /** Whether the text is split into sentences. */
  readonly split: boolean;
  readonly locale: string | undefined;
  readonly abbreviations: readonly string[] | undefined;
}

/**
 * Finds the tokens and sentences of a document without them, and converts its gold spans to tags. No sentence ends
 * inside a gold span. A document without tokens becomes one sentence without tokens or labels.
 *
 * @throws TagstreamError `wrong-shape` if there is neither text nor tokens, `too-large`, and the errors of `tagsOfSpans`
 */
export function divided(document: Document, options: DividedOptions): Divided {
  const { tokenizer } = options;
  const text = document.text ?? '';
  if (document.tokens === undefined && (document.text ?? undefined) === undefined) {
    throw new TagstreamError('wrong-shape', 'the document has neither text nor tokens', {
      fix: 'give { text: "..." } or { tokens: [...] }',
    });
  }
  const { maxTokens = defaultMaxTokens } = document;
  const mostTokens = recordTokens * maxTokens;
  const words = document.tokens === undefined ? wordsOf(tokenizer, text, mostTokens) : undefined;
  const offsets = words === undefined ? document.offsets : words.offsets;
  // Checks the number before anything is built from the tokens.
  requireAtMost(mostTokens, document.tokens ?? offsets!, 'tokens');
  const tokens =
    document.tokens ??
    offsets!.map(([start, end], t) => words?.forms?.get(t) ?? text.slice(start, end));
  const multiword = words?.multiword ?? document.multiword ?? [];
  // Without tokens there is nothing to label.
  if (tokens.length === 0) {
    return { tokens, offsets, multiword, ranges: [[0, 0]], known: {}, dropped: 0 };
  }
  const { tags, partialTags, spans, misaligned, overlaps } = document;
  const isProjected = spans !== undefined && tags === undefined && partialTags === undefined;
  const gold =
    isProjected && offsets !== undefined
      ? tagsOfSpans(text, spans, offsets, misaligned, overlaps)
      : undefined;
  const found = rangesOf(document, tokens.length, words, options);
  const ranges = gold === undefined ? found : united(found, gold.ranges);
  requireAtMost(recordSentences * maxTokens, ranges, 'sentences');
  requireShort(ranges, maxTokens);
  return {
    tokens,
    offsets,
    multiword,
    ranges,
    known: gold?.known ?? known(document),
    dropped: gold?.dropped ?? 0,
  };
}

function known({ tags, partialTags }: Document): KnownTags {
  if (tags !== undefined) return { tags };
  return partialTags === undefined ? {} : { partialTags };
}

function rangesOf(
  document: Document,
  length: number,
  words: FoundWords | undefined,
  { split, locale, abbreviations }: DividedOptions,
): readonly Range[] {
  // Tokens of a record form one sentence, unless the record says otherwise.
  if (words === undefined) return document.sentences?.length ? document.sentences : [[0, length]];
  return split ? sentencesOf(words, document.text!, { locale, abbreviations }) : [[0, length]];
}

/** Merges sentences that share a span. Both lists are in order. */
function united(sentences: readonly Range[], spans: readonly Range[]): readonly Range[] {
  const ranges: Range[] = [];
  let span = 0;
  for (const [start, end] of sentences) {
    while (span < spans.length && spans[span]![1] <= start) span += 1;
    const last = ranges.at(-1);
    const isCut = last !== undefined && span < spans.length && spans[span]![0] < start;
    if (isCut) ranges[ranges.length - 1] = [last[0], end];
    else ranges.push([start, end]);
  }
  return ranges;
}
