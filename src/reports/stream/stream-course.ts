import type { DetailedScores } from '../../engine/core/training/detailed-scores.js';
import type { Scores } from '../../engine/core/training/training-step.js';

/** The scores of a stream after a number of sentences. */
export interface StreamPoint {
  readonly sentences: number;
  /** Scores since the start, of the last sentences, and by fading. */
  readonly all: Scores;
  readonly inWindow: Scores;
  readonly recent: Scores;
  readonly details: DetailedScores;
}

/** An event on a stream, and the number of sentences before it. */
export interface StreamMark {
  readonly sentences: number;
  readonly text: string;
}

/** Maximum numbers of points and marks kept. */
const [mostPoints, mostMarks] = [1000, 500];

/**
 * The course of an endless stream. Whenever there are 1,000 points, every second one is dropped, and later ones are
 * thinned likewise; the first 500 events are kept.
 *
 * @example
 * const course = new StreamCourse();
 * course.mark('the stream may have changed');
 * [course.points.length, course.marks, course.left]
 * // => [0, [{ sentences: 0, text: 'the stream may have changed' }], 0]
 */
export class StreamCourse {
  readonly points: StreamPoint[] = [];
  readonly marks: StreamMark[] = [];
  /** Number of marks that were dropped. */
  left = 0;
  /** Number of sentences so far. */
  sentences = 0;
  /** Sampling interval: one in this many points is kept. */
  #every = 1;
  #skipped = 0;

  add(point: StreamPoint): void {
    this.#skipped += 1;
    if (this.#skipped < this.#every) return;
    this.#skipped = 0;
    this.points.push(point);
    if (this.points.length < mostPoints) return;
    const kept = this.points.filter((_, i) => i % 2 === 1);
    this.points.splice(0, this.points.length, ...kept);
    this.#every *= 2;
  }

  mark(text: string): void {
    if (this.marks.length === mostMarks) this.left += 1;
    else this.marks.push({ sentences: this.sentences, text });
  }
}
