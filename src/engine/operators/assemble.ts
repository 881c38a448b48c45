import { defer, filter, map, type OperatorFunction } from 'rxjs';
import { joinedLists } from '../core/arrays.js';
import { kinds, requireItem, requireKnown } from '../core/schema/require-argument.js';
import type { Range } from '../core/sentence/document.js';
import type { LabelMarginals, Results, Span, TaggedSentence } from '../core/sentence/sentence.js';
import type { TaggedDocument } from '../core/sentence/tagged-document.js';
import { spansOf } from '../text/tags/spans.js';

/** The additional content of assembled documents. */
export interface AssembleOptions {
  /** Whether to add spans; a function is called for each document, because the labels may still grow. */
  readonly spans?: boolean | (() => boolean);
  /** The column of additional results whose values mark the spans. Default: the tags mark them. */
  readonly spansIn?: string | undefined;
  /** Whether to add the score of each sentence. */
  readonly scores?: boolean;
  /** The id of the model, added to each document. */
  readonly modelId?: string | undefined;
}

/**
 * Returns an operator that assembles tagged documents from tagged sentences, which must arrive in order. It omits a document
 * with a missing, rejected or dropped sentence.
 *
 * @param options which results a document carries
 * @throws TagstreamError `config` for an unknown option
 */
export function assemble(
  options: AssembleOptions = {},
): OperatorFunction<TaggedSentence, TaggedDocument> {
  requireKnown('assemble', options, ['spans', 'spansIn', 'scores', 'modelId']);
  return joinParts('assemble', parts => assembled(parts, options));
}

/**
 * Merges all sentences of a document, which arrive in order, into one item. A document with a missing, rejected or
 * dropped sentence is omitted.
 */
export function joinParts<Whole>(
  operator: string,
  join: (parts: readonly TaggedSentence[]) => Whole,
): OperatorFunction<TaggedSentence, Whole> {
  return source =>
    defer(() => {
      let parts: TaggedSentence[] = [];
      return source.pipe(
        map(sentence => {
          requireItem(operator, sentence, kinds.taggedSentence);
          if (parts.length > 0 && parts[0]!.document !== sentence.document) {
            settle(parts);
            parts = [];
          }
          parts.push(sentence);
          if (sentence.part.index + 1 < sentence.part.count) return undefined;
          const whole = parts;
          parts = [];
          if (whole.length === sentence.part.count) return join(whole);
          settle(whole);
          return undefined;
        }),
        filter(whole => whole !== undefined),
      );
    });
}

/** Settles the deliveries of an incomplete document. */
function settle(parts: readonly TaggedSentence[]): void {
  for (const { delivery } of parts) {
    delivery?.release();
    delivery?.ack();
  }
}

function wants(spans: AssembleOptions['spans']): boolean {
  return typeof spans === 'function' ? spans() : spans === true;
}

type Draft = { -readonly [Key in keyof TaggedDocument]: TaggedDocument[Key] };

function assembled(parts: readonly TaggedSentence[], options: AssembleOptions): TaggedDocument {
  const { document, tokens, tags, offsets, gold, marginals } =
    parts.length === 1 ? parts[0]! : joined(parts);
  const untagged = parts.some(part => part.untagged === true);
  const whole: Draft = { document, tokens, tags: untagged ? [] : tags };
  if (untagged) whole.untagged = true;
  if (offsets !== undefined) whole.offsets = offsets;
  const multiword = parts.flatMap(multiwordInDocument);
  if (multiword.length > 0) whole.multiword = multiword;
  const [{ tokens: first }] = parts as [TaggedSentence];
  const sentences = parts.length === 1 && first.length === 0 ? [] : parts;
  const isDivided = document.tokens === undefined || document.sentences !== undefined;
  if (isDivided || parts.length > 1) whole.sentences = sentences.map(rangeOf);
  if (gold !== undefined) whole.gold = gold;
  if (options.modelId !== undefined) whole.modelId = options.modelId;
  if (parts[0]!.results !== undefined) whole.results = joinedResults(parts);
  if (untagged) return whole;
  if (wants(options.spans)) {
    whole.spans = parts.flatMap(part => spansInDocument(part, options.spansIn));
  }
  if (options.scores === true) whole.scores = sentences.map(part => part.score);
  if (marginals !== undefined) whole.marginals = marginals;
  // All sentences have the fields of the first one.
  const { probability, nbest, labelMarginals, pairMarginals } = parts[0]!;
  if (labelMarginals !== undefined) whole.labelMarginals = joinedMarginals(parts);
  if (pairMarginals !== undefined) {
    whole.pairMarginals = sentences.map(part => part.pairMarginals!);
  }
  if (probability !== undefined) {
    whole.probabilities = sentences.map(part => part.probability!);
    whole.logProbabilities = sentences.map(part => part.logProbability!);
  }
  if (nbest !== undefined) whole.nbest = sentences.map(part => part.nbest!);
  return whole;
}

type Joined = Pick<
  TaggedSentence,
  'document' | 'tokens' | 'tags' | 'offsets' | 'gold' | 'marginals'
>;

/** Concatenates the fields of a document's parts, which all have the fields of the first part. */
function joined(parts: readonly TaggedSentence[]): Joined {
  const { document, offsets, marginals } = parts[0]!;
  // Some sentences of a partially labelled document may be fully labelled.
  const gold = parts.every(part => part.gold !== undefined);
  return {
    document,
    tokens: joinedLists(parts.map(part => part.tokens)),
    tags: joinedLists(parts.map(part => part.tags)),
    ...(offsets === undefined
      ? {}
      : { offsets: joinedLists(parts.map(part => part.offsets ?? [])) }),
    ...(gold ? { gold: parts.flatMap(part => part.gold ?? []) } : {}),
    ...(marginals === undefined ? {} : { marginals: parts.flatMap(part => part.marginals ?? []) }),
  };
}

/** Concatenates the results of all parts, which have the same columns. */
function joinedResults(parts: readonly TaggedSentence[]): Results {
  const { results } = parts[0]!;
  if (parts.length === 1) return results!;
  const joined = Object.create(null) as Record<string, readonly string[]>;
  for (const column of Object.keys(results!)) {
    joined[column] = joinedLists(parts.map(part => part.results![column]!));
  }
  return joined;
}

/**
 * Concatenates the marginals of the parts' tokens. The labels are those of the last part: a model that learns from a
 * stream may have met more of them since the first, which then had the probability 0.
 */
function joinedMarginals(parts: readonly TaggedSentence[]): LabelMarginals {
  const { labels } = parts.at(-1)!.labelMarginals!;
  const count = parts.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const values = new Float64Array(count * labels.length);
  let at = 0;
  for (const { tokens, labelMarginals } of parts) {
    const { labels: known, values: own } = labelMarginals!;
    for (let t = 0; t < tokens.length; t += 1, at += labels.length) {
      values.set(own.subarray(t * known.length, (t + 1) * known.length), at);
    }
  }
  return { labels, values };
}

function rangeOf({ part, tokens }: TaggedSentence): Range {
  return [part.start, part.start + tokens.length];
}

function multiwordInDocument({ part, multiword = [] }: TaggedSentence): Range[] {
  return multiword.map(([start, end]) => [part.start + start, part.start + end]);
}

function spansInDocument(
  { part, tags, spans, results }: TaggedSentence,
  column: string | undefined,
): Span[] {
  const found = column === undefined ? (spans ?? spansOf(tags)) : spansOf(results![column]!);
  return found.map(({ label, start, end, probability }) => ({
    label,
    start: part.start + start,
    end: part.start + end,
    ...(probability === undefined ? {} : { probability }),
  }));
}
