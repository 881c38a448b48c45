import type { Macro } from './template.js';

/** Whether a macro is the value of a feature, and no part of its text: `%v` and `%vv`. */
export function isNumber({ apply }: Macro): boolean {
  return apply === 'real' || apply === 'square';
}

/** What stands for such a macro in the text of a feature: as it was written. */
export function numberText({ apply, absolute, offset, column }: Macro): string {
  return `%${apply === 'real' ? 'v' : 'vv'}[${absolute ? '@' : ''}${offset},${column}]`;
}
