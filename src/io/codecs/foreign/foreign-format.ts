import type { Document } from '../../../core/sentence/document.js';
import type { Overlaps } from '../../../core/sentence/text-span.js';
import type { Codec } from '../codec.js';
import type { JsonText } from '../ndjson/json-text.js';
import type { OnReplaced } from '../plain-cell.js';
import type { AnnotationChoice } from './annotations.js';
import type { OffsetUnit } from './counting.js';
import type { LabelledText } from './labelled-text.js';

/** A record as a tool writes it: parsed JSON. */
export type ForeignRecord = Readonly<Record<string, unknown>>;

/** What the options of a source say of records. */
export interface ForeignReading {
  /** What offsets count, where that is not to be found by the record. */
  readonly offsets?: OffsetUnit | undefined;
  /** What becomes of spans that overlap or are in pieces; `reject` if absent. */
  readonly overlaps?: Overlaps | undefined;
  /** Which annotation counts where a record has several. */
  readonly annotations?: AnnotationChoice | undefined;
}

/** The records of an annotation tool, which are JSON. Its functions keep nothing and change nothing. */
export interface ForeignFormat {
  readonly name: string;
  /**
   * Paths of all that says text, tokens and labels, `[]` for the items of a list: `entities[].label`. What is at no path
   * and below none belongs to the user.
   */
  readonly reads: readonly string[];
  /** Further such paths of a record, where it names its members itself. */
  readonly readsOf?: (record: ForeignRecord) => readonly string[];
  /** The lines of a file, where what belongs to a record is in several files. */
  readonly fileLines?: (path: string) => Uint8Array;
  /** The files of a record, where what belongs to it is in several: by what is added to their name. */
  readonly recordFiles?: Codec['recordFiles'];
  /** A file of it is a JSON array of records; otherwise it has a record per line. Both are read. */
  readonly inArray?: boolean;
  /**
   * The document that a record describes, its offsets in UTF-16 units; undefined for one that the annotator has put aside.
   *
   * @throws TagstreamError `wrong-shape` that says what is wrong with the record
   */
  toDocument(record: unknown, reading?: ForeignReading): Document | undefined;
  /** A document for each of its annotations, where a record may have those of several annotators. */
  eachDocument?(record: unknown, reading?: ForeignReading): readonly Document[];
  /** The record of a labelled text, with offsets as the tool counts them, or in the unit of `reading`. */
  fromDocument(
    labelled: LabelledText,
    reading?: ForeignReading,
    onReplaced?: OnReplaced,
  ): ForeignRecord;
  /** A record of the tool with other labels; ids, notes and all that is not labels stay byte for byte. */
  revise(
    own: JsonText,
    labelled: LabelledText,
    reading?: ForeignReading,
    onReplaced?: OnReplaced,
  ): JsonText;
  /** A record of the tool with the spans that a model has found, where `revise` would not put them in the right place. */
  addPredicted?(own: JsonText, labelled: LabelledText, reading?: ForeignReading): JsonText;
  /** Names what `toDocument` leaves out in places that it reads. */
  unread?(record: ForeignRecord): readonly string[];
}
