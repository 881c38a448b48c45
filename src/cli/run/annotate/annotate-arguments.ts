import type { LogArguments } from '../../options/log-options.js';
import type { ShutdownArguments } from '../../options/shutdown-option.js';

/** Arguments of `annotate`. */
export interface AnnotateArguments extends LogArguments, ShutdownArguments {
  readonly records?: string | undefined;
  readonly out?: string | undefined;
  readonly labels?: string | undefined;
  readonly tags?: string | undefined;
  readonly model?: string | undefined;
  readonly preset?: 'ner' | 'chunk' | 'pos' | undefined;
  /** `LABEL=FILE`. */
  readonly gazetteer?: readonly string[] | undefined;
  /** `LABEL=EXPRESSION`. */
  readonly pattern?: readonly string[] | undefined;
  readonly strategy: string;
  readonly seed?: number | undefined;
  /** A number of people, or their names with commas between. */
  readonly annotators?: string | undefined;
  readonly overlap?: number | undefined;
  readonly guidelines?: string | undefined;
  readonly save?: string | undefined;
  readonly retrain?: boolean | undefined;
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  readonly token?: string | undefined;
  /** The address of the page behind a proxy. */
  readonly origin?: string | undefined;
  /** A labelled file that stands for the person. */
  readonly simulate?: string | undefined;
  /** Names with commas between. */
  readonly strategies?: string | undefined;
  readonly seeds?: number | undefined;
  readonly tokens?: number | undefined;
  readonly reach?: boolean | undefined;
  readonly test?: string | undefined;
  /** Of the records, or of the labelled files. */
  readonly format?: string | undefined;
  readonly html?: string | undefined;
  readonly svg?: string | undefined;
}
