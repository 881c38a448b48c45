import { LabelPalette } from '../../reports/label-palette.js';
import type { AnnotationTask } from '../task/annotation-task.js';

/** The colours of labels, and what a tag says of its token. */
export class LabelLook {
  readonly #palette: LabelPalette;
  readonly #task: AnnotationTask;

  constructor(task: AnnotationTask) {
    this.#task = task;
    this.#palette = new LabelPalette(task.names);
  }

  /** The label of a tag; undefined for a token in no span. */
  labelOf(tag: string): string | undefined {
    if (this.#task.kind === 'tags') return tag;
    return tag === 'O' ? undefined : tag.slice(2);
  }

  /** Whether a label begins at a token. */
  begins(tag: string): boolean {
    return this.#task.kind === 'tags' || tag.startsWith('B-');
  }

  /** The class that gives a label its colour. */
  classOf(label: string): string {
    return `h${this.#palette.of(label)}`;
  }
}
