import type { Span } from '../../core/sentence/span.js';
import type { Check } from '../definition/check-options.js';

/** What came of one check. */
export interface CheckResult {
  /** As given, or what it is about. */
  readonly name: string;
  readonly passed: boolean;
  /** Line of the check in the pipeline file. */
  readonly line?: number;
  /** Why it failed, where that is not a difference of tags or spans. */
  readonly problem?: string;
  readonly tokens?: readonly string[];
  readonly tags?: { readonly expected: readonly string[]; readonly got: readonly string[] };
  readonly spans?: {
    readonly expected: NonNullable<Check['spans']>;
    readonly got: readonly TextSpan[];
  };
  /** Percent. */
  readonly scores?: readonly CheckedScore[];
}

/** A span with its text. */
export type TextSpan = Span & { readonly text: string };

export const checkedScoreNames = ['accuracy', 'precision', 'recall', 'f1'] as const;

/** A score and the least that it may be. */
export interface CheckedScore {
  readonly score: (typeof checkedScoreNames)[number];
  readonly minimum: number;
  /** Absent where the model's tags mark no spans. */
  readonly got?: number;
}
