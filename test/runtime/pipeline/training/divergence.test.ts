import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { adagrad, perceptron, sgd, sgdL1 } from '../../../../src/engine/optimizers/factories.js';
import { train } from '../../../../src/index.js';
import { tagstream } from '../../../cli/commands/run-command.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { everyNth } from '../../../house/long-forms.js';

/** Tags that nothing tells, so that no step is the right one. */
function noise(records: number) {
  const random = new Random(3);
  const tokens = ['a', 'b', 'c', 'd', 'e'];
  return Array.from({ length: records }, () => ({
    tokens,
    tags: tokens.map(() => ['X', 'Y', 'Z'][random.below(3)]!),
  }));
}

const templates = 'U:%x[0,0]\nB';

describe('a step size that is far too large', () => {
  for (const { rows, tags } of everyNth(3, [
    ['sgd', sgd({ eta0: 30, l2: 0 })],
    ['sgd-l1', sgdL1({ eta0: 300, schedule: 'constant' })],
    ['adagrad', adagrad({ eta0: 300 })],
  ])) {
    it.each(rows)(
      'ends the training, with a reason and a remedy: %s',
      { tags },
      async (_, optimizer) => {
        const request = { corpus: noise(50), features: { templates }, optimizer, epochs: 5 };
        await expect(train(request)).rejects.toMatchObject({
          code: 'numeric',
          problem: expect.stringMatching(
            /^the training diverges: in pass 3 the loss is [\d.e+]+ per token, /,
          ),
          fix: expect.stringContaining('lower eta0'),
        });
      },
    );
  }

  it('ends that of a further column, with its name', async () => {
    const corpus = noise(50).map(({ tokens, tags }) => ({ tokens, tags, columns: { more: tags } }));
    const columns = { more: { optimizer: { sgd: { eta0: 30, l2: 0 } } } };
    const optimizer = sgd({ eta0: 0.1, l2: 1 });
    const request = { corpus, columns, features: { templates }, optimizer, epochs: 5 };
    await expect(train(request)).rejects.toThrow(
      'the training of the column "more" diverges: in pass 3',
    );
  });

  it('is told where the loss was not lowered, and only there', async () => {
    const request = { corpus: noise(30), features: { templates }, epochs: 3 };
    const slow = await train({ ...request, optimizer: perceptron() });
    expect(slow.stagnation).toMatch(/^3 passes have not lowered the loss: .*lower eta0/);
    const small = await train({ ...request, optimizer: sgd({ eta0: 0.01, l2: 0 }) });
    expect(small).not.toHaveProperty('stagnation');
  });

  it('does so in a pipeline file too, and a step that fits does not', async () => {
    const folder = workspace();
    writeFileSync(
      join(folder, 'noise.ndjson'),
      noise(50)
        .map(each => JSON.stringify(each))
        .join('\n'),
    );
    const file = join(folder, 'p.yaml');
    writeFileSync(
      file,
      `version: 1
name: p
source: { ndjson: { files: [noise.ndjson] } }
stages:
  - featurize: { templates: ["U:%x[0,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 30, l2: 0 } }
train: { epochs: 5 }
`,
    );
    const large = await tagstream(['train', file]);
    expect(large.code).toBe(1);
    expect(large.stderr).toContain('the training diverges: in pass 3');
    const small = await tagstream(['train', file, '--set', 'stages.optimize.sgd.eta0=0.1']);
    expect(small.code, small.stderr).toBe(0);
    expect(small.stderr).not.toContain('not lowered');
  });
});
