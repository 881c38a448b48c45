import { Random } from '../../core/random.js';
import { matchScores } from '../../metrics/scores/match-counts.js';
import { spansOf } from '../../text/tags/spans.js';
import type { AnnotationTask } from '../task/annotation-task.js';
import type { ShownProgress } from '../task/shown-record.js';

/** What is counted of an accepted record. */
interface Counted {
  readonly correct: number;
  readonly gold: number;
  readonly predicted: number;
  readonly corrections: number;
  readonly drawn: boolean;
}

/** Accepted records that are looked at together. */
const window = 50;
/** Drawn records that an estimate needs, and those that it looks at, at most. */
const [fewest, most] = [10, 100];
const resamples = 400;

/**
 * How far a person has come, and how good the model was before it learned from each answer.
 *
 * The progressive score counts all accepted records, which the strategy chose because they are hard: it is lower than
 * that on fresh text. The estimate counts only those that were drawn at random, the last hundred of them, with an interval
 * by the percentile bootstrap over records (Efron, 1979; seeded).
 */
export class Progress {
  readonly #task: AnnotationTask;
  readonly #accepted: Counted[] = [];

  constructor(task: AnnotationTask) {
    this.#task = task;
  }

  get accepted(): number {
    return this.#accepted.length;
  }

  /**
   * Counts an accepted record. Tokens that were not asked do not count.
   *
   * @param drawn whether it was drawn at random
   */
  add(
    tags: readonly (string | null)[],
    proposed: readonly string[],
    { corrections, drawn }: Pick<Counted, 'corrections' | 'drawn'>,
  ): void {
    const isWhole = tags.every(tag => tag !== null);
    const counts =
      this.#task.kind === 'spans' && isWhole
        ? spanCounts(tags as readonly string[], proposed)
        : tokenCounts(tags, proposed);
    this.#accepted.push({ ...counts, corrections, drawn });
  }

  /** Forgets the accepted record that was added last. */
  removeLast(): void {
    this.#accepted.pop();
  }

  clear(): void {
    this.#accepted.length = 0;
  }

  /** All that is known from accepted records. */
  shown(): Pick<ShownProgress, 'corrections' | 'progressive' | 'estimate' | 'mayStop'> {
    const corrections = {
      last: mean(this.#accepted.slice(-window)),
      before: mean(this.#accepted.slice(-2 * window, -window)),
    };
    const estimate = this.#estimate();
    return {
      corrections,
      progressive: scoreOf(this.#accepted),
      ...(estimate === undefined ? {} : { estimate }),
      ...this.#mayStop(corrections),
    };
  }

  #estimate(): ShownProgress['estimate'] {
    const drawn = this.#accepted.filter(each => each.drawn).slice(-most);
    if (drawn.length < fewest) return undefined;
    const random = new Random(drawn.length);
    const scores = Float64Array.from({ length: resamples }, () =>
      scoreOf(drawn.map(() => drawn[random.below(drawn.length)]!)),
    ).sort();
    const at = (share: number) => scores[Math.floor(share * (resamples - 1))]!;
    return { score: scoreOf(drawn), low: at(0.025), high: at(0.975), records: drawn.length };
  }

  /** Nothing is left to correct, or corrections no longer become fewer. */
  #mayStop({ last, before }: ShownProgress['corrections']): Pick<ShownProgress, 'mayStop'> {
    if (this.#accepted.length < 2 * window) return {};
    const numbers = `${last.toFixed(2)} corrections a record, and ${before.toFixed(2)} before`;
    if (last <= 0.05) return { mayStop: `the last ${window} records had ${numbers}` };
    return last >= 0.95 * before
      ? { mayStop: `corrections no longer become fewer: the last ${window} records had ${numbers}` }
      : {};
  }
}

function spanCounts(gold: readonly string[], proposed: readonly string[]) {
  const key = ({ label, start, end }: { label: string; start: number; end: number }) =>
    `${start} ${end} ${label}`;
  const wanted = new Set(spansOf(gold).map(key));
  const found = spansOf(proposed).map(key);
  const correct = found.filter(each => wanted.has(each)).length;
  return { correct, gold: wanted.size, predicted: found.length };
}

function tokenCounts(gold: readonly (string | null)[], proposed: readonly string[]) {
  const known = gold.filter(tag => tag !== null).length;
  const correct = gold.filter((tag, t) => tag !== null && tag === proposed[t]).length;
  return { correct, gold: known, predicted: known };
}

function scoreOf(counted: readonly Counted[]): number {
  const sum = { correct: 0, gold: 0, predicted: 0 };
  for (const { correct, gold, predicted } of counted) {
    sum.correct += correct;
    sum.gold += gold;
    sum.predicted += predicted;
  }
  return matchScores(sum).f1;
}

function mean(counted: readonly Counted[]): number {
  const sum = counted.reduce((total, { corrections }) => total + corrections, 0);
  return counted.length === 0 ? 0 : sum / counted.length;
}
