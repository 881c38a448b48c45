import type { Results } from '../core/sentence/sentence.js';
import type { StringSentence } from '../features/texts/string-features.js';
import type { LabelCodec } from '../text/labels/label-codec.js';

/**
 * A bundle's additional taggers, which run in sequence after the model itself: each reads the columns that the previous
 * ones predicted.
 */
export interface BundledLayers {
  /** The layers as stored in a model file. */
  readonly stored: StoredLayers;
  /** Column of the first later tagger whose values mark spans; undefined if there is none. */
  readonly spanColumn: string | undefined;
  /**
   * Returns each layer's results, sentence by sentence, for sentences that the model itself has
   * tagged.
   */
  resultsOf(
    sentences: readonly StringSentence[],
    tags: readonly (readonly string[])[],
  ): readonly Results[];
}

/** A bundle's layers as stored in a model file. */
export interface StoredLayers {
  /** Column of the model's own tags, by which layers refer to them. */
  readonly column: string;
  readonly layers: readonly StoredLayer[];
}

/** A bundle's tagger as stored in a model file. */
export interface StoredLayer {
  /** Column of its results. */
  readonly column: string;
  /** Codec that decodes its labels to values. */
  readonly codec: LabelCodec;
  /** Column whose value the codec reads in addition to a token's form. */
  readonly by?: string | undefined;
  /**
   * Bytes of its own model file. If `loadTagger` read the bundle, they are read at each access.
   */
  readonly bytes: Uint8Array<ArrayBuffer>;
}
