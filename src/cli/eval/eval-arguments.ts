import type { KernelArguments } from '../options/computing-options.js';
import type { ConstraintArguments } from '../options/decoding-options.js';
import type { UseArguments } from '../options/use-option.js';

/** Arguments of `eval`. */
export interface EvalArguments extends KernelArguments, ConstraintArguments, UseArguments {
  /** A labelled file, or a pipeline file, whose held-out data is meant. */
  readonly gold: string;
  /** Of a pipeline its own model if absent. */
  readonly model?: string | undefined;
  readonly format?: string | undefined;
  /** Tokens and sentences are found in the text of the file, and scored too. */
  readonly fromText?: boolean | undefined;
  readonly json?: boolean | undefined;
  /** How much is printed. */
  readonly report?: 'short' | 'full' | undefined;
  /** Where the page goes. */
  readonly html?: string | undefined;
  /** Sentences with errors on the page. */
  readonly errors?: number | undefined;
  /** The training data, for its words. */
  readonly train?: string | undefined;
  /** The model file of another tagger. */
  readonly against?: string | undefined;
  readonly resamples?: number | undefined;
  readonly seed?: number | undefined;
  /** What `curve --json` has written, for the page. */
  readonly curve?: string | undefined;
}
