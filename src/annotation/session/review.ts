import {
  type Agreement,
  agreedTags,
  agreementOf,
  isAgreed,
  type SharedRecord,
} from '../agreement/agreement.js';
import type { AnnotationTask } from '../task/annotation-task.js';
import type { FixedTags } from '../task/fixed-tags.js';
import type { Annotator } from './annotator.js';

/** The annotators' versions of the records that they share. */
export class Review {
  readonly #people: readonly Annotator[];
  readonly #task: AnnotationTask;
  #disputed: ReadonlySet<number> = new Set();

  constructor(people: readonly Annotator[], task: AnnotationTask) {
    this.#people = people;
    this.#task = task;
  }

  /** Records on which annotators disagreed at the last `refresh`. */
  get disputed(): ReadonlySet<number> {
    return this.#disputed;
  }

  /** Examines all answers again. */
  refresh(): void {
    const disputed = this.#shared().filter(shared => !isAgreed(shared));
    this.#disputed = new Set(disputed.map(({ record }) => record));
  }

  /** Returns each annotator's tags of a record. */
  versions(record: number): SharedRecord['versions'] {
    return this.#people.flatMap(({ name, answers }) => {
      const tags = answers.has(record) ? answers.of(record)?.tags : undefined;
      // Tokens not in question cannot be compared.
      const isWhole = tags?.every(tag => tag !== null) === true;
      return isWhole ? [{ annotator: name, tags: tags as readonly string[] }] : [];
    });
  }

  /**
   * Returns the tags on which the annotators agree, null where they disagree; undefined if fewer
   * than two have labelled the record.
   */
  agreed(record: number): FixedTags | undefined {
    const versions = this.versions(record).map(({ tags }) => tags);
    return versions.length < 2 ? undefined : agreedTags(versions, this.#task.kind);
  }

  agreement(): Agreement | undefined {
    return agreementOf(this.#shared(), this.#task, this.#people.length);
  }

  /**
   * Returns the line of each record with undisputed labels: the reviewer's if there is one,
   * otherwise that of the first annotator.
   *
   * @returns the lines in the order of the records, and the number of records omitted because they
   * are still undecided
   */
  merged(reviewer: Annotator): { readonly lines: readonly string[]; readonly undecided: number } {
    this.refresh();
    const lines = new Map<number, string>();
    let undecided = 0;
    for (const { answers } of [...this.#people].reverse()) {
      for (const line of answers.linesByRecord()) lines.set(...line);
    }
    for (const record of this.#disputed) {
      if (reviewer.answers.has(record)) continue;
      lines.delete(record);
      undecided += 1;
    }
    for (const line of reviewer.answers.linesByRecord()) lines.set(...line);
    const ordered = [...lines].sort(([a], [b]) => a - b).map(([, line]) => line);
    return { lines: ordered, undecided };
  }

  #shared(): SharedRecord[] {
    const counts = new Map<number, number>();
    for (const { answers } of this.#people) {
      for (const record of answers.records) counts.set(record, (counts.get(record) ?? 0) + 1);
    }
    return [...counts]
      .filter(([, count]) => count > 1)
      .map(([record]) => ({ record, versions: this.versions(record) }))
      .filter(({ versions }) => versions.length > 1);
  }
}
