import { TagstreamError } from '../../core/errors.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import { shown } from '../../core/schema/schema-messages.js';
import { suggestion } from '../../core/schema/suggestion.js';
import { spansOf } from './spans.js';

const schemes = ['IO', 'BIO', 'BIOES', 'IOB1'];

/**
 * The same spans in the tags of another scheme; every token outside of them gets `O`.
 *
 * Reads any scheme that `spansOf` reads. `IO` cannot keep neighbouring spans of one label apart; the
 * other three keep all spans.
 *
 * @example
 * convertTags(['B-NP', 'I-NP', 'B-NP', 'O'], 'BIOES') // => ['B-NP', 'E-NP', 'S-NP', 'O']
 * convertTags(['B-NP', 'I-NP', 'B-NP', 'O'], 'IOB1') // => ['I-NP', 'I-NP', 'B-NP', 'O']
 */
export function convertTags(
  tags: readonly string[],
  to: 'IO' | 'BIO' | 'BIOES' | 'IOB1',
): string[] {
  requireArgument('convertTags: the tags', tags, kinds.texts);
  if (!schemes.includes(to)) {
    throw new TagstreamError('config', `convertTags: there is no scheme ${shown(to)}`, {
      fix: suggestion(String(to), schemes),
    });
  }
  const converted: string[] = new Array(tags.length).fill('O');
  let touching = { label: '', end: -1 };
  for (const span of spansOf(tags)) {
    const { label, start, end } = span;
    const type = label === '' ? '' : `-${label}`;
    converted.fill(`I${type}`, start, end);
    if (to === 'BIO' || to === 'BIOES') converted[start] = `B${type}`;
    if (to === 'IOB1' && touching.end === start && touching.label === label) {
      converted[start] = `B${type}`;
    }
    if (to === 'BIOES') converted[end - 1] = end - start === 1 ? `S${type}` : `E${type}`;
    touching = span;
  }
  return converted;
}
