import type { LogArguments } from '../../options/log-options.js';

/** Arguments of `annotate`. */
export interface AnnotateArguments extends LogArguments {
  readonly records: string;
  readonly out: string;
  readonly labels?: string | undefined;
  readonly tags?: string | undefined;
  readonly model?: string | undefined;
  readonly preset?: string | undefined;
  /** `LABEL=FILE`. */
  readonly gazetteer?: readonly string[] | undefined;
  /** `LABEL=EXPRESSION`. */
  readonly pattern?: readonly string[] | undefined;
  readonly strategy: string;
  readonly seed?: number | undefined;
  readonly guidelines?: string | undefined;
  readonly save?: string | undefined;
  readonly retrain?: boolean | undefined;
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  readonly token?: string | undefined;
}
