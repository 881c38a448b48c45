/** A token, as a label codec sees it. */
export interface ColumnToken {
  readonly form: string;
  /** Its value in the column that the codec goes by, such as its part of speech; undefined where there is none. */
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
  /** Returns the label of a token with this value; undefined if the value means no label. */
  encode(token: ColumnToken, value: string): string | undefined;
  /** The value of a token with this label; never throws, for any label that the model knows and any form. */
  decode(token: ColumnToken, label: string): string;
  /**
   * The value of a token by the probabilities of all labels, where that says more than the label with the largest.
   *
   * @param probabilities p(label | token) in the order of `labels`, from `start` on
   */
  choose?(
    token: ColumnToken,
    labels: readonly string[],
    probabilities: ArrayLike<number>,
    start: number,
  ): string;
  /** The value of a token that has it whatever its label is; undefined where the label counts. */
  settled?(token: ColumnToken): string | undefined;
  /** All that `LabelCodecKind.read` needs to make the same codec: plain JSON. */
  toJSON(): object;
}

/** A kind of label codecs, by its name in a pipeline file: `lemma: { as: script }`. */
export interface LabelCodecKind {
  readonly name: string;
  /** A codec for these tokens, all of the training data in its order; the same tokens give the same codec. */
  learn(tokens: Iterable<ValuedToken>): LabelCodec;
  /**
   * The codec that `toJSON` gave.
   *
   * @returns undefined if the JSON does not describe such a codec
   */
  read(stored: object): LabelCodec | undefined;
}
