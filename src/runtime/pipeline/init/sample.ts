import { isOfDocument } from '../../../engine/core/document-runs.js';
import type { TagstreamError } from '../../../engine/core/errors.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import type { SharedSentences } from '../../../engine/models/inspection/training-sample.js';
import { detectScheme } from '../../../engine/text/tags/detect-scheme.js';
import { SpanOpenings } from '../../../engine/text/tags/span-openings.js';
import type { TagScheme } from '../../../engine/text/tags/tag-scheme.js';
import type { Codec } from '../../../formats/codecs/codec.js';
import { arrayCutOff } from '../../../formats/reading/open-input.js';
import type { Head } from '../../../formats/reading/read-head.js';
import { type ChosenTokenizer, chooseTokenizer } from './choose-tokenizer.js';
import { notLabelled } from './guess/not-labelled.js';
import { isOverlap, labelledRecord, readOnly, seeOpenings } from './labelled-record.js';

/** The options of a sample. */
export interface SampleOptions {
  /** Held-out sentences that are searched for among the records. */
  readonly shared?: SharedSentences | undefined;
  /** Tokenizer for texts with spans; by default chosen from the records. */
  readonly tokenizer?: ChosenTokenizer | undefined;
}

/** The labelled records at the beginning of a file, with counts. */
export interface Sample {
  readonly labelled: readonly Document[];
  /** Number of records with spans that do not fit their tokens. */
  readonly misaligned: number;
  /** Number of `misaligned` records with overlapping spans. */
  readonly overlapping: number;
  /** Number of records without labels. */
  readonly unlabelled: number;
  readonly tokens: number;
  /** Mean number of letters per token. */
  readonly tokenLength: number;
  /** Labels, starting with the most frequent. */
  readonly labels: readonly string[];
  readonly scheme: TagScheme;
  /** A remark on spans that begin in a way that their scheme forbids. */
  readonly openings: string | undefined;
  /** Share of the tokens that are tagged `O`. */
  readonly outside: number;
  /** Number of labelled records. */
  readonly records: number;
  /** Whether documents begin among the records. */
  readonly ofDocuments: boolean;
  /** The best tokenizer for the records' texts, if some have known tokens or spans. */
  readonly tokenizer: ChosenTokenizer | undefined;
}

/**
 * Reads the beginning of a file as training will read it.
 *
 * @throws TagstreamError the error of the first unreadable record, or of the file; `wrong-shape` if no record is
 *   labelled
 */
export async function sampleOf(
  head: Head,
  codec: Codec,
  source: string,
  options: SampleOptions = {},
): Promise<Sample> {
  const openings = new SpanOpenings();
  const labelled: Document[] = [];
  const tags: string[] = [];
  const all: Document[] = [];
  let failure: TagstreamError | undefined;
  let misaligned = 0;
  let overlapping = 0;
  let unfit: TagstreamError | undefined;
  const bytes = wholeRecords(head, codec, source);
  const onBad: Parameters<Codec['read']>[1]['onBad'] = ({ error, position }) => {
    failure ??= error.at({ source, line: position.line });
  };
  for await (const documents of codec.read([bytes], { source, onBad, deliver: readOnly })) {
    for (const document of documents) all.push(document);
  }
  if (failure !== undefined) throw failure;
  const { shared, tokenizer = chooseTokenizer(all) } = options;
  for (const document of all) {
    const found = labelledRecord(document, tokenizer?.tokenizer, error => {
      misaligned += 1;
      if (isOverlap(error)) overlapping += 1;
      unfit ??= error.at({ source });
    });
    if (found === undefined) continue;
    labelled.push(found.document);
    shared?.look({ tokens: found.document.tokens! });
    seeOpenings(openings, found.document);
    for (const tag of found.tags) tags.push(tag);
  }
  if (labelled.length === 0) throw unfit ?? notLabelled('no record has tags', source);
  const counts = new Map<string, number>();
  for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const labels = [...counts].sort(([, a], [, b]) => b - a).map(([label]) => label);
  const letters = labelled.flatMap(({ tokens }) => tokens!.map(token => Array.from(token).length));
  return {
    labelled,
    misaligned,
    overlapping,
    unlabelled: all.length - labelled.length - misaligned,
    tokens: tags.length,
    tokenLength: letters.reduce((sum, length) => sum + length, 0) / letters.length,
    labels,
    ...{ scheme: detectScheme(labels), openings: openings.warning },
    outside: (counts.get('O') ?? 0) / tags.length,
    records: labelled.length,
    ofDocuments: labelled.some((document, i) => i > 0 && isOfDocument(document)),
    tokenizer,
  };
}

/**
 * Returns the bytes of the complete records at the beginning of a file; records of a JSON array are returned as lines.
 *
 * @param source name of the file, for errors
 * @throws TagstreamError `file` if the file is damaged, or a completely read array has no end
 */
export function wholeRecords(
  { bytes, whole, damage }: Head,
  { intoLines, recordsAreLines }: Pick<Codec, 'intoLines' | 'recordsAreLines'>,
  source: string,
): Uint8Array {
  if (damage !== undefined) throw damage;
  if (intoLines?.isNeeded(bytes) === true) {
    const maker = intoLines.begin();
    const lines = maker.lines(bytes);
    if (!whole) return lines.subarray(0, lineEnd(lines));
    const { rest, missing } = maker.end();
    if (missing !== undefined) throw arrayCutOff(source, missing);
    return Buffer.concat([lines, rest]);
  }
  if (whole) return bytes;
  return bytes.subarray(0, recordsAreLines ? lineEnd(bytes) : blockEnd(bytes));
}

function lineEnd(bytes: Uint8Array): number {
  return bytes.lastIndexOf(10) + 1;
}

/** Returns the offset of the last blank line, or the end of the last line if there is none. */
function blockEnd(bytes: Uint8Array): number {
  for (let i = lineEnd(bytes) - 1; i > 0; i -= 1) {
    const before = bytes[i - 1] === 13 ? i - 2 : i - 1;
    if (bytes[i] === 10 && bytes[before] === 10) return i + 1;
  }
  return lineEnd(bytes);
}
