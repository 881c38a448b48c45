import type { TagstreamError } from '../../core/errors.js';
import type { Codec } from '../../io/codecs/codec.js';
import { openInput } from '../../io/reading/open-input.js';
import type { SharedSentences } from '../../models/inspection/shared-sentences.js';
import { SpanOpenings } from '../../text/tags/span-openings.js';
import type { Tokenizer } from '../../text/tokenizers/tokenizer.js';
import { isOverlap, labelledRecord, readOnly, seeOpenings } from './labelled-record.js';

/** What a whole labelled file holds. */
export interface LabelledCounts {
  /** Labelled records that can be read. */
  readonly records: number;
  readonly tokens: number;
  /** Labels, the most frequent first. */
  readonly labels: readonly string[];
  /** What to know of spans that begin as the scheme forbids. */
  readonly openings: string | undefined;
  /** Records with spans that do not fit their tokens. */
  readonly misaligned: number;
  /** Those of them whose spans overlap. */
  readonly overlapping: number;
  /** Records without labels. */
  readonly unlabelled: number;
  /** Records that cannot be read, and the error of the first. */
  readonly bad: number;
  readonly firstBad: TagstreamError | undefined;
}

/**
 * Counts records, tokens and labels of a whole file. Cost as that of reading it; nothing of it is kept.
 *
 * @param options.shared held-out sentences that are looked for among the records
 * @param options.tokenizer for records with spans of a text; undefined for the default
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
