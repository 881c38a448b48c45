import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');

/** The sources run with kernels that are compiled: compiles them, unless they were made from what there is. */
export default function kernelsOnce(): void {
  run('src/engine/kernels/simd/embedding/embed.mjs');
}

/** Runs a program of the checkout, which says what it does. */
export function run(program: string, ...words: readonly string[]): void {
  execFileSync(process.execPath, [resolve(root, program), ...words], {
    cwd: root,
    stdio: 'inherit',
  });
}
