import type { Log } from '../../core/log.js';
import { defaultKey, foreignFieldsNote } from '../../io/codecs/ndjson/record-fields.js';

/**
 * Makes a function that warns at its first call: records have fields of others in the place of results, which are below a
 * key of their own then.
 */
export function warnOfForeignFields(log: Log): () => void {
  let isSaid = false;
  return () => {
    if (isSaid) return;
    isSaid = true;
    log.warn(foreignFieldsNote, { into: defaultKey });
  };
}
