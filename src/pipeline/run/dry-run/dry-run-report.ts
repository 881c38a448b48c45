import type { Scores } from '../../../core/training/training-step.js';

/** What a pipeline would do, and what came of its first records. */
export interface DryRunReport {
  readonly pipeline: string;
  readonly format: string;
  /** Inputs with their sizes; what is not a plain file has none. */
  readonly inputs: readonly { readonly file: string; readonly bytes: number | null }[];
  /** Stages with their options. */
  readonly stages: readonly Readonly<Record<string, unknown>>[];
  /** What the run would write, had it been one. */
  readonly writes: {
    readonly model: string | null;
    /** Tagged records; `-` is the standard output. */
    readonly records: string | null;
    readonly checkpoints: string | null;
    readonly deadLetters: string | null;
  };
  /** Of the first records: how many were read, and what is in them. */
  readonly records: number;
  readonly bad: number;
  /** The error of the first bad record. */
  readonly firstBad: string | null;
  readonly sentences: number;
  readonly tokens: number;
  /** Sentences with gold tags. */
  readonly labelled: number;
  readonly labels: readonly string[];
  readonly features: number;
  /** Of training, in nats a token. */
  readonly loss: number | null;
  /** On the first held-out records. */
  readonly heldOut: Scores | null;
  /** Labelled sentences among the first of the test data. */
  readonly test: number | null;
  /** The first record as it would be written, line end included. */
  readonly firstOutput: string | null;
}
