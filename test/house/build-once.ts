import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

/** Tests of the command run what is built: build it before any of them. */
export default function buildOnce(): void {
  const root = resolve(import.meta.dirname, '../..');
  const kernels = resolve(root, 'src/kernels/simd/embed.mjs');
  execFileSync(process.execPath, [kernels], { cwd: root, stdio: 'inherit' });
  const compiler = resolve(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  const bundle = resolve(root, 'src/cli/bundle.mjs');
  execFileSync(process.execPath, [bundle], { cwd: root, stdio: 'inherit' });
}
