import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EvaluationReport } from '../../../src/engine/metrics/evaluation/evaluation.js';
import type { LearningCurve } from '../../../src/engine/metrics/learning-curve.js';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const model = join(folder, 'toy.model');
const weak = join(folder, 'weak.model');
const gold = join(folder, 'gold.ndjson');
const train = join(folder, 'train.ndjson');
const test = 'test: { ndjson: { files: [gold.ndjson] } }\n';
const other = '{"id":"x","tokens":["the","walrus","sees"],"tags":["DET","ADV","VERB"]}';

beforeAll(async () => {
  writeFileSync(gold, `${[...toyRecords(20), other].join('\n')}\n`);
  const pipeline = toyPipeline(folder, 60, test);
  await tagstream(['train', pipeline, '--model', weak, '--set', 'source.ndjson.limit=1']);
  await trainHere(pipeline);
});

describe('tagstream eval', () => {
  it('prints a line, and with --report full all tables', { tags: 'slow' }, async () => {
    const short = await tagstream(['eval', gold, '--model', model]);
    expect(short.stdout).toBe('21 sentences, 93 tokens: accuracy 98.92 %\n');
    const full = await tagstream(['eval', gold, '--model', model, '--report', 'full']);
    expect(full.stdout).toContain(`${short.stdout}\ntokens by tag  gold`);
    expect(full.stdout).toMatch(/\nADV -> \w+ +1 +100\.00 %\n/);
    expect(full.stdout).toMatch(/calibration of tokens: expected error 0\.\d{4}/);
  });

  it('gives unseen words and the difference to another model where asked for', {
    tags: 'slow',
  }, async () => {
    const asked = ['--train', train, '--against', weak, '--resamples', '500'];
    const given = ['eval', gold, '--model', model, ...asked];
    const [text, json, full] = await Promise.all([
      tagstream(given),
      tagstream([...given, '--json']),
      tagstream([...given, '--json', '--report', 'full']),
    ]);
    expect(text.stdout).toContain('unseen words: accuracy 0.00 % of 1 tokens');
    expect(text.stdout).toContain(`of ${weak}: 95 % interval +`);
    expect(text.stdout).toContain('(paired bootstrap, 500 resamples, seed 1)');
    const short = JSON.parse(json.stdout) as EvaluationReport;
    expect(short).toMatchObject({
      words: { unseen: { tokens: 1, correct: 0 }, seen: { tokens: 92, correct: 92 } },
      comparison: { against: weak, resamples: 500, seed: 1 },
    });
    const { difference, pValue } = short.comparison!.accuracy;
    expect(difference).toBeCloseTo(short.accuracy! - short.comparison!.scores.accuracy!, 10);
    expect(pValue).toBe(1 / 501);
    const report = JSON.parse(full.stdout) as EvaluationReport;
    expect(report).toMatchObject(short);
    expect(report.calibration!.tokens!.count).toBe(93);
    expect(report.labels.map(({ label }) => label)).toEqual(['ADJ', 'ADV', 'DET', 'NOUN', 'VERB']);
  });

  it('counts how many sequences score higher than the gold tags, with --rank', {
    tags: 'slow',
  }, async () => {
    const page = join(folder, 'ranks.html');
    const data = join(folder, 'ranked.ndjson');
    const wrong = '{"tokens":["the","walrus","sees"],"tags":["VERB","ADJ","DET"]}';
    writeFileSync(data, `${[...toyRecords(20), wrong].join('\n')}\n`);
    const given = ['eval', data, '--model', model, '--rank', '200'];
    const [text, json] = await Promise.all([
      tagstream([...given, '--html', page]),
      tagstream([...given, '--json']),
    ]);
    const { rank } = JSON.parse(json.stdout) as EvaluationReport;
    // No other sentence has a better sequence than its own.
    const { loss, mean, beyond, within } = rank!;
    expect([beyond, mean, within[0]]).toEqual([
      0,
      loss / 21,
      { best: 1, sentences: 20, share: (100 * 20) / 21 },
    ]);
    expect(within.at(-1)).toEqual({ best: 200, sentences: 21, share: 100 });
    expect(loss).toBeGreaterThan(0);
    const { stdout } = await tagstream(['tag', '--model', model, '--nbest', '200', data]);
    const last = JSON.parse(stdout.trim().split('\n').at(-1)!) as { nbest: { tags: string[] }[][] };
    const place = last.nbest[0]!.findIndex(({ tags }) => tags.join(' ') === 'VERB ADJ DET');
    expect(place).toBe(loss);
    expect(text.stdout).toContain(
      `rank loss ${mean!.toFixed(3)} a sentence\nrank loss ${loss} in all\n`,
    );
    expect(text.stdout).toContain('gold tags among the N best, % of sentences: 1: 95.24  2: ');
    const html = readFileSync(page, 'utf8');
    expect(html).toContain(
      `${loss} in all. Of each sentence the 200 best sequences were looked at`,
    );
    // The model has no tag ADV: all 64 sequences of its four tags come before.
    const capped = await tagstream(['eval', gold, '--model', model, '--rank', '100']);
    expect(capped.stdout).toContain(
      'rank loss at least 64 in all; the gold tags of 1 sentence are not among the best 100\n',
    );
  });

  it('writes a page, with a learning curve', { tags: 'slow' }, async () => {
    const curve = join(folder, 'curve.json');
    const page = join(folder, 'report.html');
    const made = await tagstream(['curve', join(folder, 'toy.yaml'), '--json', '--sizes', '1,50%']);
    expect(made.stderr).toContain('30 records: accuracy ');
    const { name, points } = JSON.parse(made.stdout) as LearningCurve;
    expect([name, points.map(({ records }) => records)]).toEqual(['toy', [1, 30]]);
    expect(points[0]!.scores.accuracy).toBeLessThan(points[1]!.scores.accuracy!);
    writeFileSync(curve, made.stdout);
    const given = ['eval', gold, '--model', model, '--html', page, '--curve', curve];
    const { code, stdout } = await tagstream([...given, '--errors', '1']);
    expect([code, stdout]).toEqual([0, '21 sentences, 93 tokens: accuracy 98.92 %\n']);
    const html = readFileSync(page, 'utf8');
    expect(html).toContain('Learning curve of toy');
    expect(html).toContain('1 sentence with errors.');
    expect(html).toMatch(/>walrus<span class="vh"> tagged <\/span><s>\w+<\/s>/);
  });

  it('says what is wrong with its arguments', async () => {
    const page = join(folder, 'none.html');
    const run = (...more: string[]) => tagstream(['eval', '--model', model, ...more]);
    const outcomes = await Promise.all([
      run('-', '--against', weak),
      run(gold, '--errors', 'many'),
      run(gold, '--html', page, '--curve', gold),
      run(gold, '--html', join(folder, 'no/such/folder.html')),
      run(gold, '--errors', '3'),
      run(gold, '--html', '-'),
      run(gold, '--rank', '1001'),
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual([2, 2, 1, 1, 2, 2, 2]);
    // The scores are there even so.
    expect(outcomes[3]!.stdout).toContain('accuracy 98.92 %');
    const said = outcomes.map(({ stderr }) => stderr);
    expect(said[0]).toContain(
      '--against cannot be used with labelled data from the standard input',
    );
    expect(said[1]).toContain('--errors many is not an allowed number');
    expect(said[2]).toContain('this is not a learning curve');
    expect(said[3]).toContain('folder.html');
    expect(said[4]).toContain('tagstream: --errors needs --html (add --html)\n');
    expect(said[5]).toContain('--html - would mix the page with the scores');
    expect(said[6]).toContain(
      '--rank 1001 is not an allowed number (give one whole number from 1 to',
    );
    expect(existsSync(page)).toBe(false);
  });
});

describe('tagstream curve', () => {
  it('prints a table, writes a page, and leaves model and checkpoints alone', async () => {
    const page = join(folder, 'curve.html');
    const before = readFileSync(model);
    const made = await tagstream(['curve', join(folder, 'toy.yaml'), '--html', page]);
    expect(made.stdout.split('\n').map(line => line.split(/ +/)[0])).toEqual([
      'records',
      ...['6', '15', '30', '60', ''],
    ]);
    expect(made.stdout).toContain('60          98.92');
    expect(readFileSync(model).equals(before)).toBe(true);
    expect(readFileSync(page, 'utf8').match(/<circle/g)).toHaveLength(4);
  });

  it('refuses what has no test data, and sizes that are none', async () => {
    const plain = join(folder, 'plain.yaml');
    writeFileSync(plain, readFileSync(join(folder, 'toy.yaml'), 'utf8').replace(test, ''));
    const [untested, unsized] = await Promise.all([
      tagstream(['curve', plain]),
      tagstream(['curve', join(folder, 'toy.yaml'), '--sizes', '10%,0']),
    ]);
    expect([untested.code, unsized.code]).toEqual([78, 2]);
    expect(untested.stderr).toContain('a learning curve needs test data');
    expect(unsized.stderr).toContain('"0" is not a size');
  });
});
