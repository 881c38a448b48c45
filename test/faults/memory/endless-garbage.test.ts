import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

/** Bytes that a sentence of the online pipeline leaves in the old space, where nothing is collected early. */
function leftBehind(mode: string): number {
  const program = new URL('endless-garbage.mjs', import.meta.url).pathname;
  // So large that the old space is never collected while it is measured.
  const flags = ['--expose-gc', '--initial-old-space-size=1000'];
  return Number(execFileSync(process.execPath, [...flags, program, mode], { encoding: 'utf8' }));
}

describe('what a stream leaves behind', () => {
  // It was 3,900 bytes while an operator kept sentences in a WeakMap, and the heap grew by jumps.
  it.each(['hashed', 'pruned'])('is collected early: %s', { tags: 'slow' }, mode => {
    const bytes = leftBehind(mode);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(700);
    console.log(`${mode}: ${bytes.toFixed(0)} bytes a sentence wait for a full collection`);
  });
});
