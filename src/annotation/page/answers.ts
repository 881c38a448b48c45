import type { TokenExplanation } from '../../models/inspection/explanation.js';
import type { Agreement } from '../agreement/agreement.js';
import type { AnnotationTask } from '../task/annotation-task.js';
import type { ShownProgress, ShownRecord } from '../task/shown-record.js';

/** What the server answers, by path. */
export interface Answers {
  readonly start: {
    readonly task: AnnotationTask;
    readonly annotator: string;
    readonly queue: string;
    readonly strategy: string;
    readonly guidelines?: string;
    /** How many people label. */
    readonly people: number;
    readonly progress: ShownProgress;
    readonly next: ShownRecord | null;
  };
  readonly show: { readonly next: ShownRecord };
  readonly propose: { readonly tags: string[]; readonly marginals: number[] };
  readonly explain: {
    readonly start: number;
    readonly alternatives: readonly { readonly tags: string[]; readonly probability: number }[];
    readonly why: TokenExplanation;
  };
  readonly answer: { readonly progress: ShownProgress; readonly next: ShownRecord | null };
  readonly undo: { readonly progress: ShownProgress; readonly next: ShownRecord | null };
  readonly search: { readonly found: readonly number[] };
  readonly agreement: {
    readonly agreement: Agreement | null;
    readonly people: readonly {
      readonly name: string;
      readonly answered: number;
      readonly total: number;
    }[];
  };
  readonly save: { readonly file: string };
}
