import { grown } from '../../../engine/core/arrays.js';
import { canGrow, type GrowingIndex } from '../../../engine/features/index/placed-index.js';
import { TextFeatures } from '../../../engine/features/texts/text-features.js';
import { TextInterner } from '../../../engine/features/texts/text-interner.js';
import type { LabelSet } from '../../../engine/models/labels/label-set.js';
import type { Model } from '../../../engine/models/model.js';
import { RowReader } from '../../../formats/codecs/conll/row-reader.js';
import { PlainRecords } from '../../../formats/codecs/ndjson/plain-records.js';
import { type LabelledReader, LabelledTexts } from '../../../formats/codecs/plain-reader.js';
import type { BlockTask } from '../blocks/block-task.js';
import { plainColumns, plainFormat } from '../blocks/plain-format.js';
import type { CodecChoice } from '../catalogue/codec-of.js';
import type { KeptColumns, KeptTexts } from './kept-sentence.js';
import type { PackedSentences } from './packed-sentences.js';

/** Maximum number of bytes per block; the buffers have room for anything in a block of this size. */
const mostBytes = 2 ** 24;

/** The contents found in a block. */
export interface PlainBlockResult {
  readonly sentences: PackedSentences;
  /** Number of records, including those without labels. */
  readonly read: number;
  /** Number of skipped blank lines. */
  readonly blank: number;
}

/**
 * Reads and encodes blocks of labelled sentences that are plain (`RowReader`, `PlainRecords`), from bytes to packed
 * rows. It leaves all others to the stages that accept any record. Labels and features are added to the model.
 */
export class PlainExtractor {
  readonly #labels: LabelSet;
  readonly #interner: TextInterner;
  readonly #reader: LabelledTexts;
  /** Texts by number; their labels as tags, and the numbers of the kept texts, or -1. */
  readonly #texts: string[] = [];
  #labelOf = new Int32Array(1024).fill(-1);
  #keptAs = new Int32Array(1024).fill(-1);

  /**
   * Returns an extractor; undefined if the format or the features need the slow path.
   *
   * @param model model with an index that `onlyGrows`
   */
  static of(model: Model, codec: CodecChoice): PlainExtractor | undefined {
    const { extractor, stateIndex, parameters } = model;
    if (!(canGrow(stateIndex) && stateIndex.onlyGrows)) return undefined;
    // A table belongs to a template, which is unknown for rows here.
    if (parameters.layout.tables !== undefined) return undefined;
    if (!TextFeatures.canMake(extractor.plan)) return undefined;
    const columns = new Set(extractor.plan.atoms.map(({ column }) => column));
    const reading = plainReading(codec, [...columns]);
    return reading === undefined ? undefined : new PlainExtractor(model, stateIndex, reading);
  }

  private constructor(model: Model, index: GrowingIndex, { inJson, reader }: PlainReading) {
    this.#labels = model.labels;
    const named = (number: number, text: string) => this.#name(number, text);
    this.#interner = new TextInterner(model.extractor.plan, index, { inJson, named });
    this.#reader = new LabelledTexts(this.#interner.texts, reader(this.#interner));
  }

  /** Extracts a block; returns undefined, without any effect, if a sentence is not plain or the block is too long. */
  extract({ block }: BlockTask): PlainBlockResult | undefined {
    const reader = this.#reader;
    if (block.bytes.length > mostBytes) return undefined;
    if (!reader.read(block.bytes)) return undefined;
    const { count, blank } = reader;
    const { firsts, ids } = reader.sentences;
    const lengths = new Uint32Array(firsts.length - 1);
    for (let s = 0; s < lengths.length; s += 1) lengths[s] = firsts[s + 1]! - firsts[s]!;
    const gold = this.#gold();
    const rows = this.#interner.encode(reader.columns, firsts);
    const state = { ...rows, values: undefined, valued: undefined };
    const absent = { edges: undefined, allowed: undefined, weights: undefined };
    return { sentences: { lengths, state, gold, ...absent, ids }, read: count, blank };
  }

  #gold(): Int32Array<ArrayBuffer> {
    const numbers = this.#reader.numbers(this.#interner.columns.length);
    const gold = new Int32Array(numbers.length);
    const labelOf = this.#labelOf;
    for (let t = 0; t < gold.length; t += 1) {
      const number = numbers[t]!;
      let label = labelOf[number]!;
      if (label < 0) {
        label = this.#labels.intern(this.#texts[number]!);
        labelOf[number] = label;
      }
      gold[t] = label;
    }
    return gold;
  }

  /** Returns the columns of the last extracted block, and keeps its texts. */
  keptColumns(texts: KeptTexts): KeptColumns {
    const names = [...this.#interner.columns, 'tag'];
    const numbers = names.map((_, column) => {
      const kept = this.#reader.numbers(column).slice();
      for (let t = 0; t < kept.length; t += 1) kept[t] = this.#keep(kept[t]!, texts);
      return kept;
    });
    return { texts, names, numbers, made: { columns: [] } };
  }

  #keep(number: number, texts: KeptTexts): number {
    let kept = this.#keptAs[number]!;
    if (kept < 0) {
      kept = texts.add(this.#texts[number]!);
      this.#keptAs[number] = kept;
    }
    return kept;
  }

  #name(number: number, text: string): void {
    this.#texts[number] = text;
    if (number >= this.#labelOf.length) {
      this.#labelOf = grown(this.#labelOf, new Int32Array(2 * number).fill(-1));
      this.#keptAs = grown(this.#keptAs, new Int32Array(2 * number).fill(-1));
    }
    // The number belongs to another text if all texts have been forgotten meanwhile.
    this.#labelOf[number] = -1;
    this.#keptAs[number] = -1;
  }
}

/** How plain sentences of a format are read. */
interface PlainReading {
  /** Whether texts have the escapes of JSON strings. */
  readonly inJson: boolean;
  reader(interner: TextInterner): LabelledReader;
}

/**
 * Returns how to read the plain sentences of a format; undefined if it has none.
 *
 * @param codec a format with valid options
 * @param columns columns that templates use
 */
function plainReading(codec: CodecChoice, columns: readonly string[]): PlainReading | undefined {
  return ofRecords(codec, columns) ?? ofColumns(codec, columns);
}

function ofRecords(codec: CodecChoice, columns: readonly string[]): PlainReading | undefined {
  const format = plainFormat(codec);
  if (format === undefined || !PlainRecords.canRead(columns)) return undefined;
  // Texts of other programs have no labels, and records with other fields may have any content.
  if (format.textField !== undefined || format.into !== undefined) return undefined;
  return {
    inJson: true,
    reader: ({ texts, columns: read }) =>
      new PlainRecords(texts, { ...format, columns: read.slice(1), labelled: true }),
  };
}

function ofColumns(codec: CodecChoice, columns: readonly string[]): PlainReading | undefined {
  const format = plainColumns(codec);
  if (format === undefined || !RowReader.canRead(format.layout, columns, { labelled: true }))
    return undefined;
  return {
    inJson: false,
    reader: ({ texts, columns: read }) =>
      new RowReader(texts, { ...format, columns: read, labelled: true }),
  };
}
