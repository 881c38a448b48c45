/** A token, as seen by a label codec. */
export interface ColumnToken {
  readonly form: string;
  /** Its value in the column that the codec goes by, such as its part of speech; undefined if there is none. */
  readonly tag: string | undefined;
}

/** A token whose value is known. */
export interface ValuedToken extends ColumnToken {
  readonly value: string;
}

/**
 * Turns the values of a column into the labels that a tagger learns, and back.
 *
 * `decode(token, encode(token, value))` is `value` for each value that was learned from.
 */
export interface LabelCodec {
  /** That of its kind. */
  readonly name: string;
  /** Returns the label of a token with this value; undefined if the value has no label. */
  encode(token: ColumnToken, value: string): string | undefined;
  /**
   * Returns the value of a token with this label; never throws, for any label known to the model and any
   * form.
   */
  decode(token: ColumnToken, label: string): string;
  /**
   * Chooses the value of a token by the probabilities of all labels, if that is better than decoding the most
   * probable label.
   *
   * @param probabilities p(label | token) in the order of `labels`, from `start` on
   */
  choose?(
    token: ColumnToken,
    labels: readonly string[],
    probabilities: ArrayLike<number>,
    start: number,
  ): string;
  /**
   * Returns the value of a token that does not depend on its label; undefined if the label counts.
   */
  settled?(token: ColumnToken): string | undefined;
  /** Everything that `LabelCodecKind.read` needs to create the same codec: plain JSON. */
  toJSON(): object;
}

/** A kind of label codecs, by its name in a pipeline file: `lemma: { as: script }`. */
export interface LabelCodecKind {
  readonly name: string;
  /**
   * Learns a codec from these tokens, the whole training data in order; the same tokens give the same codec.
   */
  learn(tokens: Iterable<ValuedToken>): LabelCodec;
  /**
   * Restores the codec from `toJSON`.
   *
   * @returns undefined if the JSON does not describe such a codec
   */
  read(stored: object): LabelCodec | undefined;
}
