import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { everyNth } from '../../house/long-forms.js';
import { tagstream } from '../commands/run-command.js';
import { toyPipeline, workspace } from '../commands/workspace.js';

const folder = workspace();
const checkpoints = `  - checkpoint: { dir: checkpoints, every: epoch, keep: 9 }\n`;
const pipeline = toyPipeline(folder, 200, checkpoints);

async function train(...given: string[]) {
  const model = join(folder, `${given.join('')}.model`);
  const outcome = await tagstream(['train', pipeline, '--model', model, ...given]);
  return { ...outcome, bytes: () => readFileSync(model) };
}

describe('train --workers', () => {
  it('writes the model of one worker, and continues with any number of them', async () => {
    const alone = await train();
    const two = await train('--workers', '2');
    expect(two.code).toBe(0);
    expect(two.bytes().equals(alone.bytes())).toBe(true);
    await train('--workers', '3', '--set', 'train.epochs=2');
    const rest = await train('--workers', '2', '--resume');
    expect(rest.stderr).toContain('resumed after 400 sentences');
    expect(rest.bytes().equals(alone.bytes())).toBe(true);
  });

  it('says that hogwild is not reproducible', { tags: 'slow' }, async () => {
    const wild = await train('--workers', '2', '--mode', 'hogwild');
    expect(wild.code).toBe(0);
    expect(wild.stderr).toContain('mode hogwild: another run gives different weights');
    const json = await train('--workers', '2', '--mode', 'hogwild', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ reproducible: false, sentencesSeen: 1200 });
    const plain = await train('--workers', '2', '--json');
    expect(JSON.parse(plain.stdout)).toMatchObject({ reproducible: true });
  });

  for (const { rows, tags } of everyNth(4, [
    [['--mode', 'hogwild'], /`mode: hogwild` needs several workers/],
    [
      ['--workers', '2', '--kernel', 'reference'],
      /workers cannot be combined with the kernel reference/,
    ],
    [['--workers', '0'], /train\.workers/],
    [
      ['--set', 'train={corpusSize: 9, workers: 2}', '--set', 'stages.5={tag: {}}'],
      /several workers need a corpus in memory, not a stream/,
    ],
  ])) {
    it.each(rows)('%s is refused', { tags }, async (given, message) => {
      const { code, stderr } = await train(...given);
      expect(stderr).toMatch(message);
      expect(code).toBe(78);
    });
  }
});
