import type { Position } from '../../engine/core/delivery/delivery.js';
import { TagstreamError } from '../../engine/core/errors.js';
import type { Document } from '../../engine/core/sentence/document.js';
import { badRecord } from '../bad-records/bad-record.js';
import { isBlankByte } from '../lines/line-bytes.js';
import { type Line, splitLines } from '../lines/line-splitter.js';
import type { DocumentDraft, ReadContext } from './codec.js';

/** A format with one record per line. */
export interface LineFormat {
  readonly format: string;
  readonly maxLineBytes: number;
  /** Maximum number of tokens, if not the default; see `Document.maxTokens`. */
  readonly maxTokens?: number | undefined;
  /**
   * Parses a record. Returns undefined or an empty list for a skipped record, which counts as a blank line; a record
   * may contain several documents.
   *
   * @throws TagstreamError if the line is not a record
   */
  parse(text: string): DocumentDraft | readonly DocumentDraft[] | undefined;
  /** Called with each document and its position, to give records without an id one. */
  identify?(draft: DocumentDraft, position: Position): void;
}

/** Yields the documents of a format with one record per line; blank lines are counted and skipped. */
export async function* readLineRecords(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  context: ReadContext,
  format: LineFormat,
): AsyncGenerator<readonly Document[], void, undefined> {
  const options = { maxLineBytes: format.maxLineBytes, from: context.from };
  for await (const lines of splitLines(bytes, options)) {
    const documents: Document[] = [];
    for (const line of lines) {
      if (line.bad === undefined && isBlank(line.text)) {
        context.onBlank?.();
      } else if (context.wanted?.(line.start) !== false) {
        readLine(line, context, format, documents);
      }
    }
    if (documents.length > 0) yield documents;
  }
}

/** Adds the documents of a line to `documents`. */
function readLine(
  line: Line,
  context: ReadContext,
  format: LineFormat,
  documents: Document[],
): void {
  const { number, start, end, text, bad } = line;
  const position = { source: context.source, line: number, start, end };
  if (bad !== undefined) {
    context.onBad(badRecord(position, bad.raw, bad.error, bad.truncated));
    return;
  }
  let found: DocumentDraft | readonly DocumentDraft[] | undefined;
  try {
    found = format.parse(text);
  } catch (thrown) {
    if (!(thrown instanceof TagstreamError)) throw thrown;
    context.onBad(badRecord(position, text, thrown));
    return;
  }
  if (!Array.isArray(found)) {
    if (found === undefined) context.onBlank?.();
    else documents.push(finished(found as DocumentDraft, text, position, context, format));
    return;
  }
  if (found.length === 0) context.onBlank?.();
  for (const draft of found) documents.push(finished(draft, text, position, context, format));
}

function finished(
  draft: DocumentDraft,
  text: string,
  position: Position,
  context: ReadContext,
  format: LineFormat,
): Document {
  draft.raw = text;
  draft.format = format.format;
  if (format.maxTokens !== undefined) draft.maxTokens = format.maxTokens;
  format.identify?.(draft, position);
  if (context.deliver !== undefined) draft.delivery = context.deliver(position, text);
  return draft;
}

/**
 * Whether a line consists only of blanks and tabs; other white space may be a token.
 *
 * @example
 * ['', ' \t', '\u00a0'].map(isBlank) // => [true, true, false]
 */
export function isBlank(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    if (!isBlankByte(text.charCodeAt(i))) return false;
  }
  return true;
}
