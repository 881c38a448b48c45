import type { AnnotationTask } from '../task/annotation-task.js';
import { clearSpan, type FixedTags, markSpan } from '../task/fixed-tags.js';
import type { ShownRecord } from '../task/shown-record.js';
import type { TokenState } from './token-view.js';

/** The state of a record while a person edits it. */
export class Editor {
  readonly record: ShownRecord;
  readonly #task: AnnotationTask;
  readonly #history: FixedTags[] = [];
  fixed: FixedTags;
  tags: readonly string[];
  marginals: readonly number[];
  cursor = 0;
  anchor = 0;

  constructor(record: ShownRecord, task: AnnotationTask) {
    this.record = record;
    this.#task = task;
    this.tags = record.tags;
    this.marginals = record.marginals;
    this.fixed = record.decided ?? record.tokens.map(() => null);
    this.cursor = record.asked?.[0] ?? this.undecided[0] ?? 0;
    this.anchor = this.cursor;
  }

  get state(): TokenState {
    const { tags, marginals, fixed, cursor, anchor } = this;
    return { tags, marginals, fixed, undecided: new Set(this.undecided), cursor, anchor };
  }

  /** Positions of the tokens to be decided before the record can be accepted. */
  get undecided(): readonly number[] {
    if (this.record.decided === undefined) return [];
    return this.fixed.flatMap((tag, t) => (tag === null ? [t] : []));
  }

  /** Number of changes, not counting undone ones. */
  get corrections(): number {
    return this.#history.length;
  }

  /** Moves the cursor to a token of the record, and optionally extends the selection to it. */
  move(to: number, extend: boolean): void {
    this.cursor = Math.max(0, Math.min(this.record.tokens.length - 1, to));
    if (!extend) this.anchor = this.cursor;
  }

  /**
   * Labels the selection. A single token in a span that already has the label is removed from that
   * span. The record's own sentences divide the selection into spans, as no span crosses their ends.
   */
  mark(label: string): void {
    const { start, end } = this.#selected();
    if (this.#task.kind === 'tags') {
      const fixed = [...this.fixed].fill(label, start, end);
      this.#change(fixed);
      this.move(end, false);
      return;
    }
    const sentences =
      this.record.isGuessed === true ? [[start, end] as const] : this.record.sentences;
    let fixed = this.fixed;
    for (const [first, last] of sentences) {
      const part = { label, start: Math.max(first, start), end: Math.min(last, end) };
      if (part.start < part.end) fixed = markSpan(fixed, part);
    }
    this.#change(fixed);
  }

  /** Removes the label of the selection, or of the span at the cursor. */
  clear(): void {
    if (this.#task.kind === 'tags') return;
    const span = this.#spanAt(this.cursor);
    const { start, end } =
      this.anchor === this.cursor && span !== undefined ? span : this.#selected();
    this.#change(clearSpan(this.fixed, start, end));
  }

  /** Adopts another annotator's tags for all tokens. */
  takeVersion(tags: readonly string[]): void {
    this.#change([...tags]);
  }

  /** Undoes the last change; returns false if there is none. */
  undo(): boolean {
    const last = this.#history.pop();
    if (last === undefined) return false;
    this.fixed = last;
    return true;
  }

  /** Adopts the model's new proposal. */
  take(tags: readonly string[], marginals: readonly number[]): void {
    this.tags = tags;
    this.marginals = marginals;
  }

  /** Returns the start of the next (or previous) span, counted from the cursor. */
  spanFrom(step: 1 | -1): number {
    const begins = (t: number) =>
      this.tags[t] !== 'O' && (t === 0 || !this.tags[t]!.startsWith('I-'));
    return this.#find(step, begins);
  }

  /** Returns the next (or previous) token in question that is undecided or uncertain. */
  unsureFrom(step: 1 | -1): number {
    const wanted = this.record.decided === undefined ? this.record.asked : this.undecided;
    const asked = wanted && new Set(wanted);
    return this.#find(
      step,
      t => asked?.has(t) ?? (this.fixed[t] === null && this.marginals[t]! < 0.9),
    );
  }

  #find(step: 1 | -1, wanted: (t: number) => boolean): number {
    for (let t = this.cursor + step; t >= 0 && t < this.tags.length; t += step) {
      if (wanted(t)) return t;
    }
    return this.cursor;
  }

  #selected(): { readonly start: number; readonly end: number } {
    return {
      start: Math.min(this.cursor, this.anchor),
      end: Math.max(this.cursor, this.anchor) + 1,
    };
  }

  #spanAt(t: number): { readonly start: number; readonly end: number } | undefined {
    if (this.tags[t] === 'O') return undefined;
    let start = t;
    while (start > 0 && this.tags[start]!.startsWith('I-')) start -= 1;
    let end = t + 1;
    while (end < this.tags.length && this.tags[end]!.startsWith('I-')) end += 1;
    return { start, end };
  }

  /** Shows the change at once; the model's new proposal follows. */
  #change(fixed: FixedTags): void {
    this.#history.push(this.fixed);
    this.fixed = fixed;
    this.tags = this.tags.map((tag, t) => fixed[t] ?? tag);
  }
}
