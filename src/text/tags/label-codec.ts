/**
 * What labels of a model stand for, where they are not the values themselves: the label `-s` of `dogs` stands for `dog`.
 * Each value has one label for its token, and `decode(token, encode(token, value))` is the value.
 */
export interface LabelCodec {
  /** As options name it: `as: script`. */
  readonly name: string;
  /** The label of a value at a token, in training. */
  encode(token: string, value: string): string;
  /** The value of a label at a token; undefined where the label cannot be of this token, as one that cuts more than it has. */
  decode(token: string, label: string): string | undefined;
}
