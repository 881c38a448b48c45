import type { Delivery, Position } from '../../../engine/core/delivery/delivery.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import type { SharedSentences } from '../../../engine/models/inspection/training-sample.js';
import { SpanOpenings } from '../../../engine/text/tags/span-openings.js';
import type { Tokenizer } from '../../../engine/text/tokenizers/tokenizer.js';
import type { Codec } from '../../../formats/codecs/codec.js';
import { openInput, sourceName } from '../../../formats/reading/open-input.js';
import { tokenizedDocument } from '../../io/tokenized-document.js';

/** A record with its certain tags. */
export interface LabelledRecord {
  readonly document: Document;
  readonly tags: readonly string[];
}

/**
 * Returns a record as training will see it, with gold spans as gold tags; undefined without tags, or if the spans do
 * not fit the tokens.
 *
 * @param tokenizer the pipeline's tokenizer; undefined for the default
 * @param onUnfit receives the error about spans that do not fit
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

/** Returns whether spans do not fit because they overlap. */
export function isOverlap({ fix }: TagstreamError): boolean {
  return fix?.includes('set overlaps to') === true;
}

/** Returns a delivery for records that are only examined, with their position. */
export function readOnly(position: Position): Delivery {
  return { position, release: nothing, ack: nothing, reject: nothing };
}

function nothing(): void {}

/** Counts the spans of a record that begin in a way that their scheme forbids, if all its tags are known. */
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

/** Counts of a whole labelled file. */
interface LabelledCounts {
  /** Number of labelled records that can be read. */
  readonly records: number;
  readonly tokens: number;
  /** Labels, starting with the most frequent. */
  readonly labels: readonly string[];
  /** A remark on spans that begin in a way that their scheme forbids. */
  readonly openings: string | undefined;
  /** Number of records with spans that do not fit their tokens. */
  readonly misaligned: number;
  /** Number of `misaligned` records with overlapping spans. */
  readonly overlapping: number;
  /** Number of records without labels. */
  readonly unlabelled: number;
  /** Number of unreadable records, and the error of the first. */
  readonly bad: number;
  readonly firstBad: TagstreamError | undefined;
}

/**
 * Counts records, tokens and labels of a whole file. Costs as much as reading the file; keeps nothing in memory.
 *
 * @param options.shared held-out sentences that are searched for among the records
 * @param options.tokenizer for records with spans in a text; undefined for the default
 * @throws TagstreamError `file` if it cannot be read
 */
export async function countLabelled(
  file: string,
  codec: Codec,
  options: { readonly shared?: SharedSentences; readonly tokenizer?: Tokenizer | undefined } = {},
): Promise<LabelledCounts> {
  const { shared, tokenizer } = options;
  const openings = new SpanOpenings();
  const input = await openInput(file, { intoLines: codec.intoLines });
  const { source } = input;
  const counts = new Map<string, number>();
  let records = 0;
  let tokens = 0;
  let misaligned = 0;
  let overlapping = 0;
  let all = 0;
  let bad = 0;
  let firstBad: TagstreamError | undefined;
  const onBad: Parameters<Codec['read']>[1]['onBad'] = ({ error, position }) => {
    bad += 1;
    firstBad ??= error.at({ source, line: position.line });
  };
  const onUnfit = (error: TagstreamError) => {
    misaligned += 1;
    if (isOverlap(error)) overlapping += 1;
  };
  try {
    for await (const documents of codec.read(input.chunks, { source, onBad, deliver: readOnly })) {
      all += documents.length;
      for (const document of documents) {
        const found = labelledRecord(document, tokenizer, onUnfit);
        if (found === undefined) continue;
        records += 1;
        shared?.look({ tokens: found.document.tokens! });
        seeOpenings(openings, found.document);
        tokens += found.tags.length;
        for (const tag of found.tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
      }
    }
  } finally {
    input.close();
  }
  const labels = [...counts].sort(([, a], [, b]) => b - a).map(([label]) => label);
  const unlabelled = all - records - misaligned;
  return {
    records,
    tokens,
    labels,
    openings: openings.warning,
    misaligned,
    overlapping,
    unlabelled,
    bad,
    firstBad,
  };
}
