import type { Results } from '../core/sentence/sentence.js';
import type { StringSentence } from '../features/texts/string-features.js';
import type { LabelCodec } from '../text/labels/label-codec.js';

/**
 * The further taggers of a bundle, which tag one after the other once the model itself has: each sees the columns before it as
 * they were predicted.
 */
export interface BundledLayers {
  /** What the file has of them. */
  readonly stored: StoredLayers;
  /** The column whose values mark spans, of the taggers that follow the model; undefined where none does. */
  readonly spanColumn: string | undefined;
  /** The results of each layer for sentences that the model itself has tagged, sentence by sentence. */
  resultsOf(
    sentences: readonly StringSentence[],
    tags: readonly (readonly string[])[],
  ): readonly Results[];
}

/** The layers of a bundle, as a model file has them. */
export interface StoredLayers {
  /** The column of the tags of the model itself, by which layers know it. */
  readonly column: string;
  readonly layers: readonly StoredLayer[];
}

/** A tagger of a bundle, as a model file has it. */
export interface StoredLayer {
  /** The name of its results. */
  readonly column: string;
  /** Makes values of its labels. */
  readonly codec: LabelCodec;
  /** The column whose value the codec sees in addition to the form of a token. */
  readonly by?: string | undefined;
  /** Its own model file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}
