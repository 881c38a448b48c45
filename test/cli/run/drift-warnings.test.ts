import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tagstream } from '../commands/run-command.js';
import { toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const pipeline = join(folder, 'drift.yaml');
writeFileSync(
  pipeline,
  `version: 1
name: drift
source: { ndjson: { files: ["-"] } }
stages:
  - featurize: { templates: ["U0:%x[0,0]", "B"] }
  - batch: {}
  - contribute: {}
  - optimize: { sgd: { eta0: 0.2, l2: 0.1 } }
  - evaluate: { progressive: true, halfLife: 20, warn: { drop: 30 }, report: 500 }
train: { corpusSize: 500 }
`,
);
const other: Record<string, string> = { DET: 'NOUN', NOUN: 'VERB', VERB: 'ADJ', ADJ: 'DET' };

it('drift is reported on the standard error, once', async () => {
  const before = toyRecords(500);
  const after = before.map(line =>
    line.replace(/"tags":.*/, tags => tags.replace(/[A-Z]+/g, tag => other[tag]!)),
  );
  const given = ['run', pipeline, '--model', join(folder, 'drift.model')];
  const steady = await tagstream(given, { stdin: [...before, ...before].join('\n') });
  expect(steady.code, steady.stderr).toBe(0);
  expect(steady.stderr).not.toContain('warning');
  expect(steady.stderr).toMatch(
    /1000 sentences: .* loss 0\.\d{4} per token recently, 0\.\d{4} in all/,
  );
  const changed = await tagstream(given, { stdin: [...before, ...after].join('\n') });
  expect(changed.code).toBe(0);
  expect(changed.stderr.match(/^tagstream: accuracy .*$/gm)).toEqual([
    expect.stringMatching(
      /^tagstream: accuracy fell to .* the stream may have changed \(see pipelines\/drift\.md\)$/,
    ),
  ]);
});
