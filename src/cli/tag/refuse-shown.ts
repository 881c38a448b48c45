import { TagstreamError } from '../../core/errors.js';
import { isShown } from './shown.js';
import type { TagArguments } from './tag-arguments.js';

/** Results that text to be read has no place for. */
const onlyInRecords = ['nbest', 'probability', 'scores', 'modelVersion', 'into', 'redact'] as const;

/**
 * Refuses what text to be read cannot be combined with: it is not records, so that no run can resume from
 * it, and is written by one thread.
 *
 * @throws TagstreamError `usage`
 */
export function refuseShown(
  given: Pick<
    TagArguments,
    | 'onBad'
    | 'pretty'
    | 'html'
    | 'out'
    | 'output'
    | 'checkpoint'
    | 'workers'
    | (typeof onlyInRecords)[number]
  >,
): void {
  if (!isShown(given)) return;
  const name = given.html === undefined ? '--pretty' : '--html';
  const refuse = (other: string, fix: string): never => {
    throw new TagstreamError('usage', `${name} with ${other}`, { fix });
  };
  if (given.html !== undefined && given.pretty === true) refuse('--pretty', 'choose one of them');
  if (given.html !== undefined && given.out !== '-') {
    refuse('--out', 'name the file of the page alone: --html FILE');
  }
  if (given.output === 'tags') refuse('--output tags', 'leave --output out');
  if (given.checkpoint !== undefined) refuse('--checkpoint', 'leave it out, or write records');
  for (const result of onlyInRecords) {
    const option = result === 'modelVersion' ? 'model-version' : result;
    if ((given[result] ?? false) !== false) refuse(`--${option}`, 'only records can hold it');
  }
  if (given.onBad?.some(policy => policy.endsWith('pass')) === true) {
    refuse('--on-bad pass', 'only records can hold an error');
  }
  if (given.workers !== 1) refuse('several workers', 'leave --workers out');
}
