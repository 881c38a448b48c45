// @module-tag slow
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tagstreamProcess } from '../../cli/commands/run-command.js';
import { toyPipeline, workspace } from '../../cli/commands/workspace.js';
import { longForm } from '../long-form.js';

const folder = workspace();
const pipeline = toyPipeline(folder, 300);

/** Runs `train` with a script in every thread, which knows the number of its member. */
function trainWith(script: string, given: readonly string[]) {
  const file = join(folder, 'preload.cjs');
  writeFileSync(
    file,
    `const threads = require('node:worker_threads');
const member = threads.workerData?.member;
// Without a limit, a thread would take gigabytes before it has none left.
const resourceLimits = { maxOldGenerationSizeMb: 64 };
threads.Worker = class extends threads.Worker {
  constructor(file, options) { super(file, { ...options, resourceLimits }); }
};
require('node:module').syncBuiltinESMExports();
const add = Atomics.add;
let calls = 0;
// Members count what they have done in shared words: after some of that, something happens.
if (member === 1) Atomics.add = (...given) => { if (++calls === 40) { ${script} } return add(...given); };
`,
  );
  return tagstreamProcess(['train', pipeline, ...given], {
    env: { NODE_OPTIONS: `--require ${file}` },
  });
}

const modes: [string, string[]][] = [
  ['deterministic', ['--workers', '2']],
  ['deterministic, of three', ['--workers', '3']],
  ['hogwild', ['--workers', '2', '--mode', 'hogwild', '--set', 'train.epochs=60']],
  [
    'by a batch optimizer',
    [
      ...['--workers', '2', '--set', 'train.epochs=500'],
      ...['--set', 'stages.4.optimize={lbfgs: {tolerance: 0, decrease: 0}}'],
    ],
  ],
];

describe.each(modes)('training that is %s', (_, given) => {
  it('ends with an error when a thread throws', async () => {
    const { code, stderr } = await trainWith(`throw new RangeError('no more of it')`, given);
    expect(stderr).toMatch(/a training thread has died: no more of it/);
    expect(code).toBe(1);
  });

  // What the third member dies of makes no difference.
  if (given[1] === '3' && !longForm) return;

  it('ends with an error when a thread ends', async () => {
    const { code, stderr } = await trainWith('process.exit(7)', given);
    expect(stderr).toMatch(/a training thread has died: thread 1 has ended with code 7/);
    expect(code).toBe(1);
  });

  it('ends with an error when a thread has no memory left', async () => {
    const eater = `const held = []; for (;;) held.push(new Array(1e5).fill({}));`;
    const { code, stderr } = await trainWith(eater, given);
    expect(stderr).toMatch(/a training thread has died: .*memory/);
    expect(code).toBe(1);
  });
});

it('names the record whose loss is not finite', async () => {
  const settings = ['--set', 'stages.optimize.sgd.eta0=1e30', '--set', 'train.epochs=9'];
  const alone = await tagstreamProcess(['train', pipeline, ...settings]);
  const together = await tagstreamProcess(['train', pipeline, ...settings, '--workers', '2']);
  // The estimate printed before differs: threads take memory of their own.
  const cause = (stderr: string) => /the loss of record \d+ is.*/.exec(stderr)?.[0];
  expect(cause(alone.stderr)).toBeDefined();
  expect(cause(together.stderr)).toBe(cause(alone.stderr));
  expect(together.code).toBe(1);
});
