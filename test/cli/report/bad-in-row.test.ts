import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EndlessSentences } from '../../faults/memory/endless-sentences.mjs';
import { tagstream } from '../commands/run-command.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();
const source = new EndlessSentences({ seed: 3, known: 100 });
const good = Array.from({ length: 200 }, () => JSON.stringify(source.next()));
const bad = Array.from({ length: 1500 }, (_, i) => `{"tokens":["a"],"tags":["O","O"],"n":${i}}`);
writeFileSync(join(folder, 'in.ndjson'), `${[...good, ...bad, ...good].join('\n')}\n`);
const pipeline = join(folder, 'stream.yaml');
writeFileSync(
  pipeline,
  `version: 1
name: stream
source: { ndjson: { files: [in.ndjson] } }
stages:
  - featurize: { templates: ["U0:%x[0,0]", "U1:%x[-1,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
  - optimize: { sgd: {} }
  - checkpoint: { dir: checkpoints, sentences: 100000, keep: 2 }
train: { corpusSize: 200 }
model: stream.model
`,
);

it('a run whose records are all rejected from some point on ends with an error, its checkpoint whole', async () => {
  const rejected = join(folder, 'bad.ndjson');
  const ended = await tagstream(['run', pipeline, '--dead-letter', rejected]);
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(
    /1001 records in a row are bad, the last with length-mismatch at \S+in\.ndjson:1201: /,
  );
  expect(ended.stderr).toContain('raise --max-bad-in-row, or');
  expect(readFileSync(rejected, 'utf8').trimEnd().split('\n')).toHaveLength(1001);
  expect(ended.stderr).toMatch(/checkpoint \S+ at 200 sentences/);
  const resumed = await tagstream([
    ...['run', pipeline, '--resume', '--dead-letter', rejected, '--max-error-rate', '1'],
  ]);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(resumed.stderr).toMatch(/resumed after 200 sentences/);
  expect(readFileSync(rejected, 'utf8').trimEnd().split('\n')).toHaveLength(1500);
  const whole = join(folder, 'whole.model');
  const named = ['--model', whole, '--on-bad', 'length-mismatch=skip'];
  expect((await tagstream(['run', pipeline, ...named])).code).toBe(0);
  expect(readFileSync(whole).equals(readFileSync(join(folder, 'stream.model')))).toBe(true);
});
