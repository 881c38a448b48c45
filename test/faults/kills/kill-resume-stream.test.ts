// @module-tag slow
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tagstream } from '../../cli/commands/run-command.js';
import { workspace } from '../../cli/commands/workspace.js';
import { EndlessSentences } from '../memory/endless-sentences.mjs';
import { trainAndStop } from './train-and-stop.js';

const folder = workspace();
const checkpoints = join(folder, 'checkpoints');
const source = new EndlessSentences({ seed: 5, known: 300 });
const lines = Array.from({ length: 6000 }, () => JSON.stringify(source.next()));
writeFileSync(join(folder, 'endless.ndjson'), `${lines.join('\n')}\n`);

/** A pipeline file that learns from these lines. */
function pipelineOf(name: string, bound: string, optimizer: string): string {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(
    file,
    `version: 1
name: ${name}
source: { ndjson: { files: [endless.ndjson] } }
stages:
  - featurize:
      templates: ["U0:%x[0,0]", "U1:%x[-1,0]", "U2:%suffix[0,0,2]", "B", "B0:%x[0,0]"]
      ${bound}
  - batch: { sentences: 4 }
  - contribute: { loss: log }
  - optimize: { ${optimizer} }
  - evaluate: { progressive: true, halfLife: 100, report: 2000 }
  - checkpoint: { dir: checkpoints, sentences: 100, keep: 2 }
train: { corpusSize: 400 }
`,
  );
  return file;
}

it('a stream whose features are pruned, killed twice and resumed, ends in the same bytes', async () => {
  const pipeline = pipelineOf('endless', 'prune: { every: 400 }', 'sgd-l1: { l1: 1 }');
  const learnAndStop = (given: string[], signal: NodeJS.Signals, after: number) =>
    trainAndStop([pipeline, ...given], checkpoints, signal, after);
  const whole = join(folder, 'whole.model');
  const resumed = join(folder, 'resumed.model');
  const first = await tagstream(['train', pipeline, '--model', whole]);
  expect(first.code, first.stderr).toBe(0);
  expect(first.stderr).toMatch(/6000 sentences: .* per token recently/);
  rmSync(checkpoints, { recursive: true, force: true });
  const given = ['--model', resumed];
  await learnAndStop(given, 'SIGKILL', 7);
  await learnAndStop([...given, '--resume'], 'SIGTERM', 37);
  expect(existsSync(checkpoints)).toBe(true);
  const last = await tagstream(['train', pipeline, ...given, '--resume']);
  expect(last.stderr).toMatch(/resumed after \d+ sentences/);
  expect(readFileSync(resumed).equals(readFileSync(whole))).toBe(true);
});

it('a stream at the limit of its features, killed and resumed, ends in the same bytes', async () => {
  const pipeline = pipelineOf('limited', 'maxFeatures: 3000', 'sgd: { average: true }');
  rmSync(checkpoints, { recursive: true, force: true });
  const [whole, resumed] = [join(folder, 'limited.model'), join(folder, 'limited-resumed.model')];
  const first = await tagstream(['train', pipeline, '--model', whole]);
  expect(first.code, first.stderr).toBe(0);
  expect(first.stderr).toMatch(/keeps at most 3,000 features/);
  expect(first.stderr.match(/reached its size limit: \d+ features were evicted/g)).toHaveLength(1);
  expect(first.stderr).not.toMatch(/bad record/);
  rmSync(checkpoints, { recursive: true, force: true });
  await trainAndStop([pipeline, '--model', resumed], checkpoints, 'SIGKILL', 17);
  const last = await tagstream(['train', pipeline, '--model', resumed, '--resume']);
  expect(last.stderr).toMatch(/resumed after \d+ sentences/);
  expect(readFileSync(resumed).equals(readFileSync(whole))).toBe(true);
});
