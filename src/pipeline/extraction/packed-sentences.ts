/** Encoded sentences one after the other in a few arrays, to be moved from thread to thread. */
export interface PackedSentences {
  /** Tokens of each sentence. */
  readonly lengths: Uint32Array<ArrayBuffer>;
  readonly state: PackedFeatures;
  /** Absent where no template conditions transitions. */
  readonly edges: PackedFeatures | undefined;
  /** Labels of all tokens; -1 at those of partially labelled sentences. */
  readonly gold: Int32Array<ArrayBuffer>;
  /**
   * Labels that each token may have, as features are packed; absent where no sentence is partially labelled.
   */
  readonly allowed: PackedFeatures | undefined;
  /** How often each sentence counts; absent where no record says. */
  readonly weights: Float64Array<ArrayBuffer> | undefined;
  /** Ids of the records that the sentences are of; absent where none has one. */
  readonly ids: readonly (string | undefined)[] | undefined;
}

/** The features of packed sentences. */
export interface PackedFeatures {
  /** Of each sentence one number more than it has tokens; each begins at 0 again. */
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly rows: Uint32Array<ArrayBuffer>;
  /** Values of the sentences that have some, one after the other; absent where none has. */
  readonly values: Float64Array<ArrayBuffer> | undefined;
  /** 1 for each sentence that has values; absent with `values`. */
  readonly valued: Uint8Array<ArrayBuffer> | undefined;
}

/** The memory of packed sentences. */
export function buffersOf(sentences: PackedSentences): ArrayBuffer[] {
  const { lengths, state, edges, gold, allowed, weights } = sentences;
  const features = [state, edges, allowed].flatMap(packed =>
    packed === undefined ? [] : [packed.starts, packed.rows, packed.values, packed.valued],
  );
  return [lengths, gold, weights, ...features].flatMap(array =>
    array === undefined ? [] : [array.buffer],
  );
}
