import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import manifest from '../../../package.json' with { type: 'json' };

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');

/** Packages that a project brings itself, as npm does for it. */
export const peers = Object.keys(manifest.peerDependencies).filter(
  name => !Object.hasOwn(manifest.peerDependenciesMeta, name),
);

/** Unpacks the package where a project would have it, with its dependencies beside it. Returns its folder. */
export async function installPacked(project: string): Promise<string> {
  const installed = join(project, 'node_modules/tagstream');
  rmSync(installed, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', await packed(), '--strip-components=1', '-C', installed]);
  link(project, ...Object.keys(manifest.dependencies), ...peers);
  return installed;
}

/** Gives a project packages that the development has. */
export function link(project: string, ...names: readonly string[]): void {
  for (const name of names) {
    const path = join(project, 'node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path)) symlinkSync(join(root, 'node_modules', name), path);
  }
}

/** The package as it would be published, packed once for each build. */
async function packed(): Promise<string> {
  const file = join(root, 'dist/packed.tgz');
  const changed = ['dist/cli/main.js', 'package.json'].map(
    name => statSync(join(root, name)).mtimeMs,
  );
  if (existsSync(file) && statSync(file).mtimeMs > Math.max(...changed)) return file;
  const own = mkdtempSync(join(root, 'dist/packing-'));
  const npm = ['pack', '--ignore-scripts', '--silent', '--pack-destination', own];
  const { stdout } = await run('npm', npm, { cwd: root, maxBuffer: 1 << 28 });
  // Of tests that pack at the same time each puts a whole file there.
  renameSync(join(own, stdout.trim().split('\n').at(-1)!), file);
  rmSync(own, { recursive: true });
  return file;
}
