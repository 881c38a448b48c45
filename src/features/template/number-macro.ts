import type { Macro } from './template.js';

/** Whether a macro is the value of a feature, and no part of its text: `%v` and `%vv`, and of many features `%vector`. */
export function isNumber({ apply }: Macro): boolean {
  return apply === 'real' || apply === 'square' || apply === 'vector';
}

/** What stands for such a macro in the text of a feature: as it was written. */
export function numberText({ apply, absolute, offset, column, resource }: Macro): string {
  const name = apply === 'vector' ? apply : apply === 'real' ? 'v' : 'vv';
  const list = resource === undefined ? '' : `,${resource}`;
  return `%${name}[${absolute ? '@' : ''}${offset},${column}${list}]`;
}
