// Checks the package as it would be published: `npm run package:check`, once it is built.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');
/** One entry of each form of conditions in `exports`; publint checks the files of all. */
const entries = ['.', 'text', 'io'];

const folder = mkdtempSync(join(tmpdir(), 'tagstream-package-'));
try {
  const quiet = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] };
  const packing = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const npm = process.env.npm_execpath;
  if (npm) execFileSync(process.execPath, [npm, ...packing], quiet);
  else execFileSync('npm', packing, quiet);
  const tarball = join(folder, readdirSync(folder)[0]);
  run('publint/src/cli.js', ['run', tarball, '--strict']);
  // There is no CommonJS to import, and no `main` for resolution as in Node 10.
  run('@arethetypeswrong/cli/dist/index.js', [
    tarball,
    '--profile',
    'esm-only',
    '--format',
    'ascii',
    '--no-emoji',
    '--entrypoints',
    ...entries,
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs the program of a package; a failure ends this one too. */
function run(program, given) {
  execFileSync(process.execPath, [join(root, 'node_modules', program), ...given], {
    cwd: root,
    stdio: 'inherit',
  });
}
