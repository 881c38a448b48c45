import type { Results } from '../core/sentence/sentence.js';
import type { StringSentence } from '../features/texts/string-features.js';
import type { LabelCodec } from '../text/labels/label-codec.js';

/**
 * The additional taggers of a bundle, which run in sequence after the model itself: each sees the predicted columns of the
 * previous ones.
 */
export interface BundledLayers {
  /** Its form in a model file. */
  readonly stored: StoredLayers;
  /** The column of the first later tagger whose values mark spans; undefined if there is none. */
  readonly spanColumn: string | undefined;
  /**
   * Returns the results of each layer for sentences tagged by the model itself, sentence by sentence.
   */
  resultsOf(
    sentences: readonly StringSentence[],
    tags: readonly (readonly string[])[],
  ): readonly Results[];
}

/** The layers of a bundle as stored in a model file. */
export interface StoredLayers {
  /** The column of the model's own tags, by which layers refer to it. */
  readonly column: string;
  readonly layers: readonly StoredLayer[];
}

/** A tagger of a bundle as stored in a model file. */
export interface StoredLayer {
  /** The name of its results. */
  readonly column: string;
  /** Decodes its labels to values. */
  readonly codec: LabelCodec;
  /** The column whose value the codec sees in addition to the form of a token. */
  readonly by?: string | undefined;
  /** Its own model file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}
