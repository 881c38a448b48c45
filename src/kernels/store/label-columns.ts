/** How labels are decoded from the chains of bits; see `fillCodes`. */
export type CodeDecoder = 'product' | 'marginals' | 'hamming';

/**
 * Labels as words of a code, one binary chain for each of its bits. Bit `b` has two columns of the parameters: `2b` for
 * the labels whose bit is 0, and `2b + 1` for those whose bit is 1.
 */
export interface OutputCodes {
  /** The bits, 0 or 1, of each label; empty until all labels are known. */
  readonly words: readonly (readonly number[])[];
  readonly decoder: CodeDecoder;
}

/**
 * Labels composed of parts, such as `NOUN|Case=Nom`: label `y` has the columns `columns[k]` of the parameters, k from
 * `starts[y]` to `starts[y + 1]`, ascending, none twice. Lists grow as labels are met; `starts` has one number more than
 * there are labels.
 */
export interface LabelParts {
  readonly starts: readonly number[];
  readonly columns: readonly number[];
}

/**
 * Labels of two layers or more, such as a part of speech and a chunk: label `p` has the columns `layers[k][p]` of the
 * parameters, one per layer k. Lists grow as labels are met.
 */
export type LabelLayers = readonly (readonly number[])[];
