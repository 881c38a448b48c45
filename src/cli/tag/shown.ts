import type { TagArguments } from './tag-arguments.js';

/** What a reader of tagged text sees of the model. */
export interface ShownModel {
  /** Name of its file. */
  readonly model: string;
  readonly labels: readonly string[];
  /** Whether they mark spans. */
  readonly spans: boolean;
}

/** Whether tagged text is written to be read by people, in place of records. */
export function isShown({ pretty, html }: Pick<TagArguments, 'pretty' | 'html'>): boolean {
  return pretty === true || html !== undefined;
}
