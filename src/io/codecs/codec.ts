import type { Delivery, Position } from '../../core/delivery/delivery.js';
import type { Document, Origin } from '../../core/sentence/document.js';
import type { TaggedDocument } from '../../core/sentence/tagged-document.js';
import type { BadRecord } from '../bad-records/bad-record.js';
import type { IntoLines, StreamStart } from '../lines/line-splitter.js';
import type { OnDropped, OnReplaced } from './writing.js';

/** What a codec knows about the stream it reads, and to whom it reports. */
export interface ReadContext {
  /** Name of the stream in positions and errors. */
  readonly source: string;
  /** Called for each record that cannot be read, in order; reading continues. */
  onBad(bad: BadRecord): void;
  /** Called for each line that holds nothing; lines that only separate records do not count. */
  onBlank?(): void;
  /**
   * Asked once for each record, good or bad, in order, with the offset of its first byte; where it
   * says no, the record is skipped unparsed.
   */
  wanted?(start: number): boolean;
  /** Makes the delivery of a record that was read; without it documents have none. */
  deliver?(position: Position, raw: string): Delivery;
  /**
   * Where the stream begins, when not at byte 0. Only codecs with `recordsAreLines` can begin in the
   * middle of a line.
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
  /** Called for each record whose results go below a key, because it has other fields in their place. */
  readonly onBelow?: (() => void) | undefined;
}

/** Files that a record is written to. */
export interface RecordFiles {
  /** The name that they have in common, as the record has it. */
  readonly name: string | undefined;
  /** What each holds, by what is added to the name: `.txt`. */
  readonly contents: Readonly<Record<string, string>>;
}

/**
 * A format of records: reads byte streams into documents, writes documents as text.
 *
 * A codec holds no state of a stream: one codec may read and write several at the same time.
 */
export interface Codec {
  readonly name: string;
  /** Name and layout. Documents carry it; a raw record is only reused by a codec of equal format. */
  readonly format: string;
  /** Each record is one line, so that reading can begin after any of them. */
  readonly recordsAreLines: boolean;
  /**
   * Makes a function that receives the lines of a stream in order and tells whether a record begins with each. Absent where
   * only blank lines divide records.
   */
  readonly recordStarts?: () => (line: string) => boolean;
  /** Turns the input into lines of records before `read`, for inputs that are not lines. */
  readonly intoLines?: IntoLines | undefined;
  /** The text of an empty tag, which may also be a value: data in which all tags are this has no tags. */
  readonly emptyTag?: string;
  /** Bad records are skipped by default; otherwise they end the reading. */
  readonly lenient?: boolean;
  /** A document needs no tokens to be written, only its text and spans. */
  readonly holdsSpans?: boolean;
  /** It has a place for the results of several taggers. */
  readonly writesResults?: boolean;
  /** What each record ends with as `write` gives it, where that is known: an output is cut between records only. */
  readonly recordEnd?: string | undefined;
  /** A file of records is a JSON array, of which what `write` gives for each is an item. */
  readonly inArray?: boolean;
  /** The files of a record as `writeDocument` gives it, where it has several in a folder; see `RecordFiles`. */
  readonly recordFiles?: ((record: string) => RecordFiles) | undefined;
  /** Bytes of the longest record that is taken; also those of the longest line. */
  readonly maxRecordBytes: number;
  /**
   * The documents of a byte stream, one array for each chunk that completes some. Bad records are
   * reported to `context.onBad`; throws only what the stream itself or `context` throws.
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
   * @param onDropped called with the name of all that the format does not hold
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
  /** The same format, for streams in which labels may also come without their record: its id and tags, or those of single tokens (`Document.tagsAt`). */
  forLabels?(): Codec;
  /** The line of a record that could not be tagged, with its error, line end included; see `Policy`. */
  writeBad?(bad: BadRecord): string;
  /** Names of what the record holds that the document which `read` made of it does not, as comments and weights. */
  unread?(document: Document): readonly string[];
  /** Its own record, to be kept where the document is written as JSON; see `Origin`. */
  originOf?(document: Document): Origin | undefined;
  /** The document as a plain object, if the format is one of objects written as JSON. */
  toRecord?(document: Document, onDropped?: OnDropped): Readonly<Record<string, unknown>>;
}

/** A document in the making. */
export type DocumentDraft = { -readonly [Key in keyof Document]: Document[Key] };
