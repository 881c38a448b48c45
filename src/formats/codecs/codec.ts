import type { Delivery, Position } from '../../engine/core/delivery/delivery.js';
import type { Document, Origin } from '../../engine/core/sentence/document.js';
import type { TaggedDocument } from '../../engine/core/sentence/tagged-document.js';
import type { BadRecord } from '../bad-records/bad-record.js';
import type { IntoLines, StreamStart } from '../lines/line-splitter.js';
import type { OnDropped, OnReplaced } from './writing.js';

/** Context and callbacks of reading a stream. */
export interface ReadContext {
  /** Name of the stream in positions and errors. */
  readonly source: string;
  /** Called for each record that cannot be read, in order; reading continues. */
  onBad(bad: BadRecord): void;
  /** Called for each empty line; lines that only separate records do not count. */
  onBlank?(): void;
  /**
   * Called once for each record, good or bad, in order, with the offset of its first byte; if it returns false, the
   * record is skipped without being parsed.
   */
  wanted?(start: number): boolean;
  /** Creates the delivery of a record; if absent, documents have none. */
  deliver?(position: Position, raw: string): Delivery;
  /**
   * Start of the stream, if not byte 0. Only codecs with `recordsAreLines` can begin in the middle
   * of a line.
   */
  readonly from?: StreamStart | undefined;
}

/** Options for writing a tagged record. */
export interface WriteOptions {
  /** Extent of the output: `record`, the record with all results; `tags`, the shortest form that the format has. */
  readonly output?: 'record' | 'tags' | undefined;
  /** Pattern that replaces the spans of the text; only the record is written then. See `redact`. */
  readonly redact?: string | undefined;
  /**
   * Whether to write everything that the format can represent of a raw text: ids, paragraphs, multiword tokens and
   * white space.
   */
  readonly ofText?: boolean | undefined;
  /**
   * Called for each record whose results go below a key because other fields of the record already have their names.
   */
  readonly onBelow?: (() => void) | undefined;
  /** Called for each record without a text, which redaction writes unchanged. */
  readonly onTextless?: (() => void) | undefined;
}

/** The files to which a record is written. */
export interface RecordFiles {
  /** Common base name, from the record. */
  readonly name: string | undefined;
  /** Contents by file name suffix, such as `.txt`. */
  readonly contents: Readonly<Record<string, string>>;
}

/**
 * A format of records: reads byte streams into documents, writes documents as text.
 *
 * A codec is stateless, and may read and write several streams concurrently.
 */
export interface Codec {
  readonly name: string;
  /** Name and layout of the format. Documents carry it: a raw record is reused only by a codec with an equal format. */
  readonly format: string;
  /** Whether each record is a single line, so that reading can start after any of them. */
  readonly recordsAreLines: boolean;
  /**
   * Creates a function that is called with the lines of a stream in order and returns whether a line begins a record.
   * Absent if only blank lines separate records.
   */
  readonly recordStarts?: () => (line: string) => boolean;
  /** Converts the input into lines of records before `read`, for formats that are not line-based. */
  readonly intoLines?: IntoLines | undefined;
  /** Text of an empty tag, which may also be a value: data with only this tag counts as untagged. */
  readonly emptyTag?: string;
  /** Whether bad records are skipped by default; otherwise they end the reading. */
  readonly lenient?: boolean;
  /** Whether writing a document requires only its text and spans, not tokens. */
  readonly holdsSpans?: boolean;
  /** Whether the format can represent the results of several taggers. */
  readonly writesResults?: boolean;
  /** End of each record that `write` returns, if known: an output is cut only between records. */
  readonly recordEnd?: string | undefined;
  /** Whether a file of records is a JSON array, of which `write` returns one item. */
  readonly inArray?: boolean;
  /** Splits a record from `writeDocument` into its files, if it has several; see `RecordFiles`. */
  readonly recordFiles?: ((record: string) => RecordFiles) | undefined;
  /** Maximum number of bytes of a record, and of a line. */
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
   * Returns a tagged document as text, line end included.
   *
   * @throws TagstreamError `wrong-shape` if the format cannot represent it
   */
  write(tagged: TaggedDocument, options?: WriteOptions): string;
  /**
   * Returns a document without predictions as text, line end included, with gold tags as tags.
   *
   * @param onReplaced called for each value that the format cannot represent unchanged
   * @param onDropped called with the name of each value that the format cannot represent
   * @param marksSpans whether the tags of the whole data set mark spans, for span formats; if absent, the document's
   *   own tags decide
   * @throws TagstreamError `wrong-shape` if the format cannot represent the document
   */
  writeDocument(
    document: Document,
    onReplaced?: OnReplaced,
    onDropped?: OnDropped,
    marksSpans?: boolean,
  ): string;
  /**
   * Returns the same format for records that are only tagged, whose label fields may belong to other programs.
   *
   * @param redacts whether records are redacted, so that one without a text is read, and written unchanged
   */
  forTagging?(redacts?: boolean): Codec;
  /**
   * Returns the same format for streams in which labels may also arrive without their record: as its id and tags, or as
   * tags of single tokens (`Document.tagsAt`).
   */
  forLabels?(): Codec;
  /** Returns the line of a record that could not be tagged, with its error, line end included; see `Policy`. */
  writeBad?(bad: BadRecord): string;
  /** Names the parts of the record that the document from `read` lacks, such as comments and weights. */
  unread?(document: Document): readonly string[];
  /** Returns a document's original record, which is kept when the document is written as JSON; see `Origin`. */
  originOf?(document: Document): Origin | undefined;
  /** Returns the document as a plain object, if the format's records are JSON objects. */
  toRecord?(document: Document, onDropped?: OnDropped): Readonly<Record<string, unknown>>;
}

/** A document under construction. */
export type DocumentDraft = { -readonly [Key in keyof Document]: Document[Key] };
