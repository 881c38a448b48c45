import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const shared = resolve(import.meta.dirname, '../../../../shared/corpora');

/** Folder of the public corpora: `TAGSTREAM_CORPORA`, or beside the project. */
export const corpora = process.env.TAGSTREAM_CORPORA ?? shared;

/** Whether the public corpora are there; where not, one line says what is left out. */
export function corporaPresent(what: string): boolean {
  const present = existsSync(resolve(corpora, 'conll2000/train.txt'));
  if (!present) console.warn(`left out, as ${corpora} is not there: ${what}`);
  return present;
}
