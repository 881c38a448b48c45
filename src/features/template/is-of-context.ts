import type { Macro } from './template.js';

/** Whether a macro looks at what other sentences of the document say. */
export function isOfContext({ apply }: Macro): boolean {
  return apply === 'document' || apply === 'predicted';
}
