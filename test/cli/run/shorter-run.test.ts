// @module-tag slow
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, workspace } from '../commands/workspace.js';

const folder = workspace();
const model = join(folder, 'toy.model');
const pipeline = toyPipeline(folder);
const train = (...given: string[]) => tagstream(['train', pipeline, ...given]);
let before: Buffer;

beforeEach(async () => {
  writeFileSync(model, 'no model');
  await trainHere(pipeline);
  before = readFileSync(model);
});

describe('a shorter training', () => {
  it.each([
    [['--limit', '10'], 'it had 60 sentences, this run with its limit has 10'],
    [['--set', 'source.ndjson.limit=59'], 'it had 60 sentences, this run with its limit has 59'],
    [['--set', 'train.epochs=5'], 'it had up to 6 passes, this run has 5'],
  ])('%j does not replace the model of a longer one, unless it is forced', async (given, said) => {
    const refused = await train(...given);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`toy.model is the model of a longer training: ${said}`);
    expect(refused.stderr).toContain('--model NAME, or replace it with --force');
    expect(refused.stderr).not.toContain('pass 1/');
    expect(readFileSync(model)).toEqual(before);
    const elsewhere = await train(...given, '--model', join(folder, `other-${said.length}.model`));
    expect([elsewhere.code, readFileSync(model).equals(before)]).toEqual([0, true]);
    const forced = await train(...given, '--force');
    expect([forced.code, readFileSync(model).equals(before)]).toEqual([0, false]);
  });

  it('does not replace a file that is no model, unless it is forced', async () => {
    const notes = join(folder, 'notes.txt');
    writeFileSync(notes, 'my notes');
    const refused = await train('--model', notes);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('notes.txt is not a model and would be overwritten');
    expect(readFileSync(notes, 'utf8')).toBe('my notes');
    expect((await train('--model', notes, '--force')).code).toBe(0);
    writeFileSync(notes, '');
    expect((await train('--model', notes)).code).toBe(0);
  });

  it('leaves the model alone in a dry run', async () => {
    expect((await train('--limit', '10', '--dry-run')).code).toBe(0);
    expect(readFileSync(model)).toEqual(before);
  });
});

describe('what replaces a model without being asked', () => {
  it('the same training, with the same bytes', async () => {
    expect((await train()).code).toBe(0);
    expect(readFileSync(model)).toEqual(before);
  });

  it.each([
    ['a limit that is not reached', ['--limit', '60']],
    [
      'another optimizer',
      [
        '--set',
        'stages.optimize={perceptron: {}}',
        '--set',
        'train.epochs=2',
        '--set',
        'stages.contribute.loss=perceptron',
      ],
    ],
    ['less data in the files', ['--set', 'source.ndjson.split={every: 2, take: [0]}']],
  ])('%s', async (_, given) => {
    const { code, stderr } = await train(...given);
    expect([code, stderr]).toEqual([0, expect.stringContaining('model: ')]);
  });
});
