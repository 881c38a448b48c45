import type { Macro, Template } from '../template/template.js';

/**
 * Whether what one template finds in a token says what another finds there, both of them of the same column: then the
 * classes of the second are unions of classes of the first. A decision by the macros alone, on the safe side.
 *
 * @example
 * const { set } = createModel({ templates: 'U1:%type[0,0]%suffix[0,0,3]\nU2:%suffix[0,0,2]' }).extractor;
 * const [a, b] = set.templates;
 * [determines(a, b), determines(b, a)] // => [true, false]
 */
export function determines(finer: Template, coarser: Template): boolean {
  const given = macrosOf(finer);
  return macrosOf(coarser).every(macro => given.some(each => says(each, macro)));
}

function macrosOf({ pieces }: Template): Macro[] {
  return pieces.filter(piece => typeof piece !== 'string');
}

/** Whether the result of one macro follows from that of another. */
function says(given: Macro, wanted: Macro): boolean {
  const { apply } = given;
  if (apply === 'value' && !given.fold) return true;
  const folds = apply === 'lower' || apply === 'value';
  if (folds && (wanted.fold || wanted.apply === 'lower')) return true;
  if (apply !== wanted.apply || given.fold !== wanted.fold) return false;
  switch (apply) {
    case 'prefix':
    case 'suffix':
      return given.count >= wanted.count;
    case 'cluster': {
      const longer = given.count === 0 || (wanted.count !== 0 && given.count >= wanted.count);
      return given.resource === wanted.resource && longer;
    }
    case 'char':
      return given.count === wanted.count;
    case 'test':
    case 'match':
      return given.pattern?.source === wanted.pattern?.source;
    case 'custom':
      return (
        given.custom?.name === wanted.custom?.name &&
        given.custom?.argument === wanted.custom?.argument
      );
    default:
      return true;
  }
}
