import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from '../../cli/commands/run-command.js';
import { toyRecords } from '../../cli/commands/workspace.js';

export const itsPackage = resolve(import.meta.dirname, 'fixtures/its-package/index.mjs');

/**
 * Installs the plug-in in a folder outside of the tree, as npm would: beside a Tagstream that is built, and a zod of its
 * own. Like many packages, it can only be imported.
 */
export function install(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, 'its-package'), { recursive: true });
  symlinkSync(root, join(modules, 'tagstream'));
  cpSync(join(root, 'node_modules/zod'), join(modules, 'zod'), { recursive: true });
  cpSync(itsPackage, join(modules, 'its-package/index.mjs'));
  writeFileSync(
    join(modules, 'its-package/package.json'),
    JSON.stringify({
      name: 'its-package',
      version: '1.0.0',
      type: 'module',
      exports: { '.': { import: './index.mjs' } },
    }),
  );
}

/** Writes toy records in the plug-in's format, and a pipeline that trains on them with all that the plug-in has. */
export function plugInPipeline(folder: string, use = 'its-package', count = 60): string {
  const lines = toyRecords(count).map(line => {
    const { tokens, tags } = JSON.parse(line) as { tokens: string[]; tags: string[] };
    return `${tokens.join(' ')}\t${tags.join(' ')}\n`;
  });
  writeFileSync(join(folder, 'train.tsv'), lines.join(''));
  const file = join(folder, 'plugged.yaml');
  writeFileSync(
    file,
    `version: 1
name: plugged
use: [${use}]
source: { tsv: { files: [train.tsv] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "U01:%vowels[0,0]/%bucket[-1,0,2]", "B"] }
  - batch: { sentences: 4 }
  - contribute: { loss: { bounded: { gamma: 0.02 } } }
  - optimize: { steps: { rate: 0.1 } }
train: { epochs: 4, seed: 7 }
model: plugged.model
test: { tsv: { files: [train.tsv] } }
`,
  );
  return file;
}
