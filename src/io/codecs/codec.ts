import type { Delivery, Position } from '../../core/delivery/delivery.js';
import type { Document, Origin } from '../../core/sentence/document.js';
import type { TaggedDocument } from '../../core/sentence/tagged-document.js';
import type { BadRecord } from '../bad-records/bad-record.js';
import type { IntoLines, StreamStart } from '../lines/line-splitter.js';
import type { OnDropped, OnReplaced } from './writing.js';

/** The context of reading a stream, and its callbacks. */
export interface ReadContext {
  /** Name of the stream in positions and errors. */
  readonly source: string;
  /** Called for each record that cannot be read, in order; reading continues. */
  onBad(bad: BadRecord): void;
  /** Called for each empty line; lines that only separate records do not count. */
  onBlank?(): void;
  /**
   * Called once for each record, good or bad, in order, with the offset of its first byte; if it
   * returns false, the record is skipped unparsed.
   */
  wanted?(start: number): boolean;
  /** Creates the delivery of a record; without it documents have none. */
  deliver?(position: Position, raw: string): Delivery;
  /**
   * Start of the stream, if not byte 0. Only codecs with `recordsAreLines` can begin in the middle
   * of a line.
   */
  readonly from?: StreamStart | undefined;
}

/** Options of writing a tagged record. */
export interface WriteOptions {
  /** `record`: the record with all results. `tags`: the shortest form that a format has. */
  readonly output?: 'record' | 'tags' | undefined;
  /** Writes the record alone, with the spans of its text replaced by this pattern; see `redact`. */
  readonly redact?: string | undefined;
  /** Writes everything that the format can represent of a raw text: ids, paragraphs, multiword tokens and white space. */
  readonly ofText?: boolean | undefined;
  /**
   * Called for each record whose results go below a key because it already has other fields with these
   * names.
   */
  readonly onBelow?: (() => void) | undefined;
}

/** The files that a record is written to. */
export interface RecordFiles {
  /** Their common base name, from the record. */
  readonly name: string | undefined;
  /** Contents by suffix, such as `.txt`. */
  readonly contents: Readonly<Record<string, string>>;
}

/**
 * A format of records: reads byte streams into documents, writes documents as text.
 *
 * A codec is stateless: it may read and write several streams at the same time.
 */
export interface Codec {
  readonly name: string;
  /** Name and layout. Documents carry it; a raw record is only reused by a codec of equal format. */
  readonly format: string;
  /** Each record is a single line, so that reading can start after any of them. */
  readonly recordsAreLines: boolean;
  /**
   * Creates a function that receives the lines of a stream in order and returns whether each begins a record. Absent if
   * only blank lines separate records.
   */
  readonly recordStarts?: () => (line: string) => boolean;
  /** Turns the input into lines of records before `read`, for inputs that are not lines. */
  readonly intoLines?: IntoLines | undefined;
  /** The text of an empty tag, which may also be a value: data with only this tag has no tags. */
  readonly emptyTag?: string;
  /** Bad records are skipped by default; otherwise they end the reading. */
  readonly lenient?: boolean;
  /** Writing a document only requires its text and spans, no tokens. */
  readonly holdsSpans?: boolean;
  /** It can hold the results of several taggers. */
  readonly writesResults?: boolean;
  /** What each record that `write` returns ends with, if known: an output is cut only between records. */
  readonly recordEnd?: string | undefined;
  /** A file of records is a JSON array; `write` returns one item of it. */
  readonly inArray?: boolean;
  /** The files of a record from `writeDocument`, if it consists of several; see `RecordFiles`. */
  readonly recordFiles?: ((record: string) => RecordFiles) | undefined;
  /** Bytes of the longest record, and of the longest line. */
  readonly maxRecordBytes: number;
  /**
   * Reads the documents of a byte stream, one array per chunk that completes some. Bad records are
   * reported to `context.onBad`; throws only errors of the stream or of `context`.
   */
  read(
    bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    context: ReadContext,
  ): AsyncIterable<readonly Document[]>;
  /**
   * A tagged document as text, line end included.
   *
   * @throws TagstreamError `wrong-shape` if the format cannot hold it
   */
  write(tagged: TaggedDocument, options?: WriteOptions): string;
  /**
   * Returns a document without predictions as text, line end included, with gold tags as tags.
   *
   * @param onReplaced called for each value that the format cannot represent unchanged
   * @param onDropped called with the name of everything that the format cannot hold
   * @param marksSpans whether the tags of the whole data set mark spans, for formats of spans; judged by its own if absent
   * @throws TagstreamError `wrong-shape` if the format cannot hold it
   */
  writeDocument(
    document: Document,
    onReplaced?: OnReplaced,
    onDropped?: OnDropped,
    marksSpans?: boolean,
  ): string;
  /** The same format for records that are only tagged, whose label fields may belong to other programs. */
  forTagging?(): Codec;
  /**
   * The same format for streams in which labels may also arrive without their record: as its id and
   * tags, or tags of single tokens (`Document.tagsAt`).
   */
  forLabels?(): Codec;
  /** The line of a record that could not be tagged, with its error, line end included; see `Policy`. */
  writeBad?(bad: BadRecord): string;
  /** Names what the record has but the document from `read` does not, such as comments and weights. */
  unread?(document: Document): readonly string[];
  /** Its original record, kept when the document is written as JSON; see `Origin`. */
  originOf?(document: Document): Origin | undefined;
  /** The document as a plain object, if the format is one of objects written as JSON. */
  toRecord?(document: Document, onDropped?: OnDropped): Readonly<Record<string, unknown>>;
}

/** A document under construction. */
export type DocumentDraft = { -readonly [Key in keyof Document]: Document[Key] };
