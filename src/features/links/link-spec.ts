/** Which links equal words get; plain data. */
export interface SameWordLinks {
  /** Words with a first letter in upper case, or all. */
  readonly of: 'capitalised' | 'all';
  /** Name of the column whose values are compared; `form` is the tokens. */
  readonly column: string;
  /** Each token is linked with so many of the nearest equal ones before it. */
  readonly perToken: number;
}

/** Most links of a token with those before it. */
export const mostPerToken = 16;

/** Tokens as nodes of a graph; plain data, part of a model. */
export interface GraphSpec {
  /** Links between equal words of a record; none if absent. Links that records name are taken in any case. */
  readonly sameWord?: SameWordLinks;
  /** What is scored of a link beside its type, as `shape` or `distance`: see `parseLinkFeatures`; nothing if absent. */
  readonly features?: readonly string[];
  /**
   * `free`: a weight for each pair of labels of a link type; `associative`: for equal labels alone, and not below 0.
   */
  readonly potentials: 'free' | 'associative';
  /** Widest junction tree by which a record is inferred exactly. */
  readonly maxWidth: number;
  /** In which order loopy belief propagation sends messages. */
  readonly schedule: 'flooding' | 'residual';
}
