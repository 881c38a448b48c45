import { TagstreamError } from '../../core/errors.js';
import type { Column } from '../../core/sentence/document.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { counted } from '../../core/wording/numbers.js';

/**
 * Returns a column of a sentence by its name; `form` names the tokens.
 *
 * @throws TagstreamError `unknown-column`, `length-mismatch`
 */
export function columnOf(sentence: Sentence, name: string): Column {
  if (name === 'form') return sentence.tokens;
  const column = Object.hasOwn(sentence.columns, name) ? sentence.columns[name] : undefined;
  const count = sentence.tokens.length;
  if (column?.length === count) return column;
  if (column !== undefined) {
    throw new TagstreamError(
      'length-mismatch',
      `${counted(count, 'token')} but ${counted(column.length, 'value')} in column "${name}"`,
      { fix: 'give one value per token' },
    );
  }
  const present = ['form', ...Object.keys(sentence.columns)].join(', ');
  throw new TagstreamError('unknown-column', `the record has no column "${name}"`, {
    fix: `a template reads it; the record has ${present}`,
  });
}
