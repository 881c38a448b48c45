import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import type { TextColumns } from './text-work.js';

/** Numbers of the texts of the first tokens of a column, until memory grows. */
export function columnNumbers(
  memory: LinearMemory,
  { offset, stride }: TextColumns,
  column: number,
  tokens: number,
): Uint32Array {
  return new Uint32Array(memory.buffer, offset + 4 * column * stride, tokens);
}
