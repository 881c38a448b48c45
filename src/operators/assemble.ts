import { defer, filter, map, type OperatorFunction } from 'rxjs';
import type { Range } from '../core/document.js';
import type { TaggedSentence } from '../core/sentence.js';
import type { Span } from '../core/span.js';
import type { TaggedDocument } from '../core/tagged-document.js';
import { spansOf } from '../text/spans.js';

/** What assembled documents bring along. */
export interface AssembleOptions {
  /** Whether spans of the tags are wanted, asked for each document: labels may still be growing. */
  readonly spans?: () => boolean;
  /** The score of each sentence. */
  readonly scores?: boolean;
}

/**
 * Tagged sentences to tagged documents: the sentences of one document, which follow each other, become
 * one again. A document of which a sentence was rejected is left out.
 */
export function assemble(
  options: AssembleOptions = {},
): OperatorFunction<TaggedSentence, TaggedDocument> {
  return source =>
    defer(() => {
      let parts: TaggedSentence[] = [];
      return source.pipe(
        map(sentence => {
          if (parts.length > 0 && parts[0]!.document !== sentence.document) parts = [];
          parts.push(sentence);
          if (sentence.part.index + 1 < sentence.part.count) return undefined;
          const whole = parts;
          parts = [];
          return whole.length === sentence.part.count ? assembled(whole, options) : undefined;
        }),
        filter(document => document !== undefined),
      );
    });
}

function assembled(parts: readonly TaggedSentence[], options: AssembleOptions): TaggedDocument {
  const first = parts[0]!;
  const marginals = parts.flatMap(part => part.marginals ?? []);
  const several = parts.length > 1;
  return {
    document: first.document,
    tokens: several ? parts.flatMap(part => part.tokens) : first.tokens,
    tags: several ? parts.flatMap(part => part.tags) : first.tags,
    ...(first.offsets === undefined ? {} : { offsets: parts.flatMap(part => part.offsets ?? []) }),
    ...(several ? { sentences: parts.map(rangeOf) } : {}),
    ...(first.gold === undefined ? {} : { gold: parts.flatMap(part => part.gold ?? []) }),
    ...(options.spans?.() === true ? { spans: parts.flatMap(spansInDocument) } : {}),
    ...(options.scores === true ? { scores: parts.map(part => part.score) } : {}),
    ...(marginals.length === 0 ? {} : { marginals }),
  };
}

function rangeOf({ part, tokens }: TaggedSentence): Range {
  return [part.start, part.start + tokens.length];
}

function spansInDocument({ part, tags }: TaggedSentence): Span[] {
  return spansOf(tags).map(({ label, start, end }) => ({
    label,
    start: part.start + start,
    end: part.start + end,
  }));
}
