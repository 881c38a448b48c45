import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import kernelsOnce, { run } from './kernels-once.js';

const root = resolve(import.meta.dirname, '../../..');
const configurations = ['package.json', 'tsconfig.json', 'tsconfig.build.json'];

/** Processes and threads run what is built: build it before the tests that start some, unless `npm start` has done so. */
export default function buildOnce(): void {
  kernelsOnce();
  if (isBuilt()) return;
  // What has to be right for `npm run types` need not be checked here, which takes most of the time.
  run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck');
  run('src/cli/bundle.mjs');
}

/** Whether nothing in `src` but its pages has changed since the last step of a build; folders change where files go. */
function isBuilt(): boolean {
  const changed = (path: string) => statSync(path).mtimeMs;
  // Made by the bundler, which comes last.
  const last = resolve(root, 'dist/chunks');
  if (!existsSync(last)) return false;
  const built = changed(last);
  const isOlder = (path: string) => changed(path) < built;
  const source = resolve(root, 'src');
  const found = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    name => !name.endsWith('.md'),
  );
  return (
    isOlder(source) &&
    found.every(name => isOlder(join(source, name))) &&
    configurations.every(name => isOlder(resolve(root, name)))
  );
}
