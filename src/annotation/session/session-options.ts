import type { Resources } from '../../features/resources/resources.js';
import type { TokenizeOptions } from '../../operators/tokenize.js';
import type { SpanRules } from '../learning/span-rules.js';
import type { RecordQueue } from '../queue/record-queue.js';
import type { Strategy } from '../strategies/strategy.js';
import type { AnnotationTask } from '../task/annotation-task.js';

/** What a session works with. */
export interface SessionOptions {
  /** The records to be labelled, or the name of their file; the session closes them. */
  readonly queue: RecordQueue | string;
  /** File of the answers; with several annotators each has one of its own beside it, `out.NAME.ndjson`. */
  readonly out: string;
  readonly task: AnnotationTask;
  /** Templates, where there is no model to start from. Default: `ner` for spans, `pos` for tags. */
  readonly preset?: 'ner' | 'chunk' | 'pos' | undefined;
  readonly resources?: Resources | undefined;
  /** A model file to start from. */
  readonly model?: Uint8Array | undefined;
  /** What proposes spans until the model has learned from some answers. */
  readonly rules?: SpanRules | undefined;
  readonly tokenizer?: TokenizeOptions | undefined;
  readonly strategy: Strategy;
  /** Default 1. */
  readonly seed?: number | undefined;
  /** Who labels. Default one person, without a name. */
  readonly annotators?: readonly string[] | undefined;
  /** Share of the records that everybody gets. Default 0. */
  readonly overlap?: number | undefined;
  /** Whether the model is trained from scratch in the background. Default true, unless it started from a model. */
  readonly retrain?: boolean | undefined;
  /** Receives what a person in front of the terminal should know of. */
  readonly onNotice?: ((text: string) => void) | undefined;
}
