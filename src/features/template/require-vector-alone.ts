import { TagstreamError } from '../../core/errors.js';
import type { TextPlace } from './parse-macro.js';
import type { Template } from './template.js';

/**
 * @throws TagstreamError `template` where a template with `%vector` has another macro too, or makes features of transitions
 */
export function requireVectorAlone(
  { kind, pieces }: Pick<Template, 'kind' | 'pieces'>,
  place: TextPlace,
): void {
  const macros = pieces.filter(piece => typeof piece !== 'string');
  const vector = macros.find(({ apply }) => apply === 'vector');
  if (vector === undefined) return;
  const { absolute, offset, column, resource } = vector;
  const alone = `%vector[${absolute ? '@' : ''}${offset},${column},${resource}]`;
  if (kind !== 'state') {
    throw new TagstreamError('template', '%vector makes features of tokens, not of transitions', {
      place,
      fix: `begin the template with U: U:${alone}`,
    });
  }
  if (macros.length === 1) return;
  throw new TagstreamError('template', '%vector stands in a template with other macros', {
    place,
    fix: `each number of a vector is the value of a feature: give it a template of its own, U:${alone}`,
  });
}
