import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');
const folder = resolve(root, 'src/kernels/simd');

/** The sources run with kernels that are compiled: compile them, unless they are newer than what they are made of. */
export default function kernelsOnce(): void {
  const made = join(folder, 'module-bytes.ts');
  const changed = (path: string) => statSync(path).mtimeMs;
  const sources = ['assembly', 'embedding'].flatMap(name =>
    readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' }).map(file =>
      join(folder, name, file),
    ),
  );
  if (existsSync(made) && sources.every(file => changed(file) < changed(made))) return;
  run('src/kernels/simd/embedding/embed.mjs');
}

/** Runs a program of the checkout, which says what it does. */
export function run(program: string, ...words: readonly string[]): void {
  execFileSync(process.execPath, [resolve(root, program), ...words], {
    cwd: root,
    stdio: 'inherit',
  });
}
