/** Data that a checkpoint can hold: JSON values and typed arrays by name. */
export interface State {
  readonly json: Readonly<Record<string, unknown>>;
  readonly arrays: Readonly<
    Record<string, Uint8Array | Int32Array | Uint32Array | Float32Array | Float64Array>
  >;
}

/** A part of a training run whose state belongs into a checkpoint. */
export interface Stateful {
  /** The present state. Arrays may be views: the caller copies or writes them at once. */
  save(): State;
  /** Back to a saved state. */
  restore(state: State): void;
}
