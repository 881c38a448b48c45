import { totalmem } from 'node:os';

/** Bytes that this process may have: those of the machine, or of the container that it runs in. */
export function availableMemory(): number {
  const constrained = process.constrainedMemory?.() ?? 0;
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
