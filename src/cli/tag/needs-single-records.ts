import { join, resolve } from 'node:path';
import { inFlightName } from '../../io/checkpoints/directory-names.js';
import { needsCare } from '../../io/sources/in-flight-note.js';
import type { TagArguments } from './tag-arguments.js';

/**
 * Whether a run has to look at single records, because earlier ones died on them: it tags them in one thread then, until
 * the one that kills the process is found.
 */
export function needsSingleRecords({ checkpoint }: Pick<TagArguments, 'checkpoint'>): boolean {
  return checkpoint !== undefined && needsCare(join(resolve(checkpoint), inFlightName));
}
