import { existsSync, readFileSync } from 'node:fs';
import { TagstreamError } from '../../core/errors.js';
import { parseAnswer } from '../answers/parse-answer.js';
import type { Annotator } from './annotator.js';

/**
 * Requires that a file which is to be replaced by what several people have labelled holds nothing else: each of its
 * answers is by one of them, who has a file of answers already.
 *
 * @throws TagstreamError `config` for answers of somebody else, such as of one person who has labelled alone;
 *   `wrong-shape` for a file that `annotate` has not written
 */
export function requireOwnAnswers(out: string, everybody: readonly Annotator[]): void {
  if (!existsSync(out)) return;
  const known = new Set(
    everybody.filter(({ answers }) => answers.size > 0).map(({ name }) => name),
  );
  for (const [i, line] of readFileSync(out, 'utf8').split('\n').entries()) {
    if (line.trim() === '') continue;
    const place = { source: out, line: i + 1 };
    let annotator: string;
    try {
      annotator = parseAnswer(line).note.annotator;
    } catch (thrown) {
      throw TagstreamError.from(thrown, 'wrong-shape', place);
    }
    if (known.has(annotator)) continue;
    const whose = annotator === '' ? 'one who labelled alone' : annotator;
    throw new TagstreamError('config', `the answer is of ${whose}, and would be lost`, {
      place,
      fix: 'give another --out for several people, or rename the file to that of one of them, as out.anna.ndjson',
    });
  }
}
