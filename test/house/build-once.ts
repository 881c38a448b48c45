import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const configurations = ['package.json', 'tsconfig.json', 'tsconfig.build.json'];

/** Tests of the command run what is built: build it before any of them, unless `npm start` has just done so. */
export default function buildOnce(): void {
  if (isBuilt()) return;
  const kernels = resolve(root, 'src/kernels/simd/embedding/embed.mjs');
  execFileSync(process.execPath, [kernels], { cwd: root, stdio: 'inherit' });
  const compiler = resolve(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  const bundle = resolve(root, 'src/cli/bundle.mjs');
  execFileSync(process.execPath, [bundle], { cwd: root, stdio: 'inherit' });
}

/** Whether nothing in `src`, its folders included, has changed since the last step of a build. */
function isBuilt(): boolean {
  const changed = (path: string) => statSync(path).mtimeMs;
  // Made by the bundler, which comes last.
  const last = resolve(root, 'dist/chunks');
  if (!existsSync(last)) return false;
  const built = changed(last);
  const isOlder = (path: string) => changed(path) < built;
  const source = resolve(root, 'src');
  const found = readdirSync(source, { recursive: true, encoding: 'utf8' });
  return (
    isOlder(source) &&
    found.every(name => isOlder(join(source, name))) &&
    configurations.every(name => isOlder(resolve(root, name)))
  );
}
