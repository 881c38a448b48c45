import type { Delivery, Position } from '../../core/delivery/delivery.js';
import { TagstreamError } from '../../core/errors.js';
import type { Document } from '../../core/sentence/document.js';
import { sourceName } from '../../io/reading/open-input.js';
import { tokenizedDocument } from '../../io/tokenized-document.js';
import type { SpanOpenings } from '../../text/tags/span-openings.js';
import type { Tokenizer } from '../../text/tokenizers/tokenizer.js';

/** A record with what is known of its tags for sure. */
export interface LabelledRecord {
  readonly document: Document;
  readonly tags: readonly string[];
}

/**
 * A record as training will see it, its gold spans as gold tags; undefined for one without tags, and one whose spans do not
 * fit its tokens.
 *
 * @param tokenizer that of the pipeline; undefined for the default
 * @param onUnfit receives the error of spans that do not fit
 */
export function labelledRecord(
  document: Document,
  tokenizer: Tokenizer | undefined,
  onUnfit: (error: TagstreamError) => void,
): LabelledRecord | undefined {
  const found = projected(document, tokenizer, onUnfit);
  if (found === undefined) return undefined;
  const { tags, partialTags = [] } = found;
  const known = tags ?? partialTags.filter(tag => typeof tag === 'string');
  return known.length === 0 ? undefined : { document: found, tags: known };
}

/** Whether spans do not fit because of other spans. */
export function isOverlap({ fix }: TagstreamError): boolean {
  return fix?.includes('set overlaps to') === true;
}

/** A delivery of records that are only looked at: it has their place. */
export function readOnly(position: Position): Delivery {
  return { position, release: nothing, ack: nothing, reject: nothing };
}

function nothing(): void {}

/** Counts the spans of a record that begin as their scheme forbids, if all its tags are known. */
export function seeOpenings(openings: SpanOpenings, { tags, delivery }: Document): void {
  if (tags === undefined) return;
  openings.see(tags, () => {
    const { source, line } = delivery!.position;
    return `${sourceName(source)}:${line}`;
  });
}

function projected(
  document: Document,
  tokenizer: Tokenizer | undefined,
  onUnfit: (error: TagstreamError) => void,
) {
  if (document.spans === undefined) return document;
  try {
    return tokenizedDocument(document, tokenizer === undefined ? {} : { tokenizer });
  } catch (thrown) {
    if (!(thrown instanceof TagstreamError)) throw thrown;
    onUnfit(thrown);
    return undefined;
  }
}
