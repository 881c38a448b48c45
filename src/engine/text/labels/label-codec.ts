/** A token as seen by a label codec. */
export interface ColumnToken {
  readonly form: string;
  /**
   * Value in the column on which the codec depends, such as the part of speech; undefined if there
   * is none.
   */
  readonly tag: string | undefined;
}

/** A token whose value is known. */
export interface ValuedToken extends ColumnToken {
  readonly value: string;
}

/**
 * Converts the values of a column to the labels that a tagger learns, and back.
 *
 * `decode(token, encode(token, value))` is `value` for each value in the training data.
 */
export interface LabelCodec {
  /** Name of the codec's kind. */
  readonly name: string;
  /** Returns the label of a token with this value; undefined if the value has no label. */
  encode(token: ColumnToken, value: string): string | undefined;
  /**
   * Returns the value of a token with this label. Never throws, for any label known to the model
   * and any form.
   */
  decode(token: ColumnToken, label: string): string;
  /**
   * Chooses the value of a token by the probabilities of all labels; present if that is better than
   * decoding the most probable label.
   *
   * @param probabilities p(label | token) in the order of `labels`, from `start` on
   */
  choose?(
    token: ColumnToken,
    labels: readonly string[],
    probabilities: ArrayLike<number>,
    start: number,
  ): string;
  /** Returns the value of a token if it does not depend on its label; otherwise undefined. */
  settled?(token: ColumnToken): string | undefined;
  /**
   * Returns everything that `LabelCodecKind.read` needs to create the same codec, as plain JSON.
   */
  toJSON(): object;
}

/** A kind of label codecs, by its name in a pipeline file: `lemma: { as: script }`. */
export interface LabelCodecKind {
  readonly name: string;
  /** Learns a codec from the whole training data, in order; the same tokens give the same codec. */
  learn(tokens: Iterable<ValuedToken>): LabelCodec;
  /**
   * Restores the codec from `toJSON`.
   *
   * @returns undefined if the JSON does not describe such a codec
   */
  read(stored: object): LabelCodec | undefined;
}

/** Assigns numbers from 0 to values, in order of occurrence. */
export class Numbers<T> {
  readonly values: T[] = [];
  readonly #numbers = new Map<T, number>();

  of(value: T): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#numbers.set(value, this.values.length);
    return this.values.push(value) - 1;
  }
}

/** Returns whether stored data is a list of texts. */
export function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(each => typeof each === 'string');
}

/** Returns whether a value is an array of integers from 0 and below `end`. */
export function areIndices(value: unknown, end: number): boolean {
  return (
    Array.isArray(value) && value.every(each => Number.isInteger(each) && each >= 0 && each < end)
  );
}

/**
 * Forms in a model file: one text with a line for each, which is parsed much faster than a list, or a list
 * if a form contains a line break.
 */
export type StoredForms = string | readonly string[];

/** Returns forms for a model file. */
export function storedForms(forms: readonly string[]): StoredForms {
  const isPlain = forms.length > 0 && forms.every(form => !form.includes('\n'));
  return isPlain ? forms.join('\n') : forms;
}

/** Inverts `storedForms`. */
export function formsOf(stored: StoredForms): readonly string[] {
  return typeof stored === 'string' ? stored.split('\n') : stored;
}

/** Returns whether stored data are forms. */
export function areForms(value: unknown): value is StoredForms {
  return typeof value === 'string' || areTexts(value);
}
