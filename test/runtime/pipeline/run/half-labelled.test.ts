import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { tagstream } from '../../../cli/commands/run-command.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { corpora, corporaPresent } from '../../../house/corpora/corpora.js';

const full = process.env.TAGSTREAM_FULL === '1';
const present = full && corporaPresent('training on half of all tags');
const pipelines = resolve(import.meta.dirname, '../../../../pipelines');
const folder = workspace();

/** English web text with each tag unknown with a probability of one half, as NDJSON. */
async function halfLabelled(seed: number): Promise<string> {
  const whole = join(folder, 'whole.ndjson');
  const train = join(corpora, 'ud-english-ewt/train.conllu');
  const converted = await tagstream(['convert', '--to', 'ndjson', '--out', whole, train]);
  expect(converted.code, converted.stderr).toBe(0);
  const random = new Random(seed);
  const lines = readFileSync(whole, 'utf8').trim().split('\n');
  const halves = lines.map(line => {
    const { tokens, tags } = JSON.parse(line) as { tokens: string[]; tags: string[] };
    return JSON.stringify({ tokens, tags: tags.map(tag => (random.below(2) === 0 ? null : tag)) });
  });
  const file = join(folder, 'half.ndjson');
  writeFileSync(file, `${halves.join('\n')}\n`);
  return file;
}

describe.skipIf(!present)('training on half of all tags', () => {
  it('comes within a point of training on all of them', async () => {
    const file = await halfLabelled(1);
    const shipped = readFileSync(join(pipelines, 'ewt-upos.yaml'), 'utf8');
    const [, stages] = shipped.split('\nstages:\n');
    const source = `version: 1\nname: half\nsource: { ndjson: { files: [${file}] } }\nstages:\n`;
    const pipeline = join(folder, 'half.yaml');
    const templates = join(pipelines, 'templates/pos.tpl');
    writeFileSync(pipeline, source + stages!.replace('templates/pos.tpl', templates));
    const given = ['train', pipeline, '--json', '--model', join(folder, 'half.model')];
    const { stdout, stderr } = await tagstream(given, { env: { TAGSTREAM_CORPORA: corpora } });
    expect(stdout, stderr).not.toBe('');
    const { test, seconds } = JSON.parse(stdout);
    console.log(`half of all tags: ${test.accuracy.toFixed(2)} % in ${Math.round(seconds)} s`);
    const known = readFileSync(resolve(pipelines, '../src/engine/metrics/README.md'), 'utf8');
    const whole = Number(
      /accuracy (\d+\.\d+)[^|]*\| `tagstream train pipelines\/ewt-upos/.exec(known)![1],
    );
    expect(test.accuracy).toBeGreaterThan(whole - 1);
  });
});
