import type { AnnotationSession } from '../../../annotation/session/session.js';
import type { Log } from '../../../core/log.js';
import { counted } from '../../../core/wording/counted.js';
import { atomicWrite } from '../../../io/writing/atomic-write.js';

/** Writes what several people have labelled to one file, without records on which they do not agree. */
export function mergeAnswers({ review, options }: AnnotationSession, log: Log): void {
  if (review === undefined) return;
  const { lines, undecided } = review.of.merged(review.by);
  atomicWrite(options.out, lines.map(line => `${line}\n`).join(''));
  const left = undecided === 0 ? '' : `; ${counted(undecided, 'record')} to be decided left out`;
  log.info(`${counted(lines.length, 'answer')} in ${options.out}${left}`);
}
