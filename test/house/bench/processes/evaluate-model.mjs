import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { command } from './command.mjs';
import { measure } from './measure.mjs';

/**
 * F1 on the test sentences of one of our model files, by a process of its own, and its size.
 *
 * @param {{ folder: string, files: ReturnType<typeof import('./data-files.mjs').dataFiles> }} bench
 * @param {string} model
 */
export async function evaluateModel({ folder, files }, model) {
  const stdout = join(folder, 'scores.json');
  await measure(command('eval', '--model', model, '--json', '--format', 'conll', files.gold()), {
    stdout,
  });
  const { f1 } = JSON.parse(readFileSync(stdout, 'utf8'));
  return { f1, modelBytes: statSync(model).size };
}
