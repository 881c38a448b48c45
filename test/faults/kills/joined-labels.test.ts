import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tagstream } from '../../cli/commands/run-command.js';
import { workspace } from '../../cli/commands/workspace.js';
import { attackCount, longForm, reportCounts } from '../long-form.js';
import { EndlessSentences } from '../memory/endless-sentences.mjs';
import { printSeed, randomOf } from '../seed.js';
import { trainAndStop } from './train-and-stop.js';

printSeed('kills of a stream whose labels come later');
const folder = workspace();
const random = randomOf(46);
const count = longForm ? 150_000 : 3000;
const mostDelay = longForm ? 100_000 : 700;
const kept = longForm ? 100_000 : 500;

interface Label {
  readonly at: number;
  readonly line: string;
}

const records: string[] = [];
const labels: Label[] = [];
const expected = { missing: 0, doubled: 0, unknown: 0 };
const source = new EndlessSentences({ seed: 8, known: 300 });
for (let i = 0; i < count; i += 1) {
  const { tokens, tags } = source.next();
  records.push(JSON.stringify({ id: i, tokens }));
  const line = JSON.stringify({ id: i, tags });
  const kind = random.below(20);
  // Few are early, most come within the bounds, some after.
  const at = i - 3 + Math.floor(mostDelay ** random.uniform());
  if (kind === 0) expected.missing += 1;
  else if (kind === 1) {
    labels.push({ at, line: JSON.stringify({ id: i, tags: { 1: tags[1], 2: tags[2] } }) });
    labels.push({
      at: at + random.below(50),
      line: JSON.stringify({ id: i, tags: tags.map((tag, t) => (t > 3 ? tag : null)) }),
    });
  } else labels.push({ at, line });
  if (kind === 2) {
    labels.push({ at: at + random.below(100), line });
    expected.doubled += 1;
  }
  if (kind === 3 && i % 3 === 0) {
    labels.push({ at, line: JSON.stringify({ id: `no ${i}`, tags }) });
    expected.unknown += 1;
  }
}
labels.sort((a, b) => a.at - b.at);

const pipelineOf = (name: string, input: string, labelled: string) => {
  const place = join(folder, name);
  mkdirSync(place);
  const file = join(place, 'late.yaml');
  writeFileSync(
    file,
    `version: 1
name: late
source: { ndjson: { files: [${input}] } }
stages:
  - join: { ${labelled} keep: ${kept}, early: 200 }
  - featurize: { templates: ["U0:%x[0,0]", "U1:%x[-1,0]", "U2:%suffix[0,0,2]", "B"] }
  - batch: { sentences: 1 }
  - replay: { keep: 50, each: 1 }
  - contribute: { loss: log }
  - optimize: { adagrad: { eta0: 0.2, l2: 0.05 } }
  - evaluate: { progressive: true, report: 1000 }
  - ask: { share: 0.05, of: tokens, file: questions.ndjson }
  - checkpoint: { dir: checkpoints, sentences: ${longForm ? 2000 : 100}, keep: 2 }
  - tag
train: { corpusSize: 1000 }
deadLetters: { file: rejected.ndjson }
model: late.model
sink: { file: out.ndjson }
`,
  );
  return { place, file };
};

const lines = (items: readonly string[]) => `${items.join('\n')}\n`;

it.each(['two files', 'one stream'])(
  'labels that come late, early, twice or never, of %s: nothing is lost, and kills change no byte',
  { tags: 'slow' },
  async form => {
    const { place, file } = pipelineOf(
      form,
      'records.ndjson',
      form === 'two files' ? 'labels: { ndjson: { files: [labels.ndjson] } },' : '',
    );
    // So that the labels are known from the start.
    const first = JSON.stringify({
      tokens: ['a', 'b', 'c', 'd', 'e'],
      tags: ['O', 'N', 'V', 'J', 'D'],
    });
    if (form === 'two files') {
      writeFileSync(join(place, 'records.ndjson'), lines([first, ...records]));
      writeFileSync(join(place, 'labels.ndjson'), lines(labels.map(({ line }) => line)));
    } else {
      const stream = [first];
      let next = 0;
      for (const [i, record] of records.entries()) {
        while (labels[next] !== undefined && labels[next]!.at <= i)
          stream.push(labels[next++]!.line);
        stream.push(record);
      }
      writeFileSync(
        join(place, 'records.ndjson'),
        lines([...stream, ...labels.slice(next).map(({ line }) => line)]),
      );
    }
    const checkpoints = join(place, 'checkpoints');
    const files = ['late.model', 'out.ndjson', 'rejected.ndjson', 'questions.ndjson'].map(name =>
      join(place, name),
    );
    const whole = await tagstream(['train', file]);
    expect(whole.code, whole.stderr).toBe(0);
    // Dead letters say when they were rejected.
    const contents = () =>
      files.map(name => readFileSync(name, 'latin1').replaceAll(/,"time":"[^"]*"/g, ''));
    const before = contents();
    const said =
      /late labels: ([\d,]+) joined, ([\d,]+) doubled, ([\d,]+) without .*: ([\d,]+) waiting, ([\d,]+) dropped/;
    const counts = said
      .exec(whole.stderr)!
      .slice(1)
      .map(text => Number(text.replaceAll(',', '')));
    const [joined, doubled, unmatched, waiting, expired] = counts as [
      ...[number, number, number, number, number],
    ];
    expect(joined + doubled + unmatched).toBe(labels.length);
    expect(doubled).toBeGreaterThanOrEqual(0.8 * expected.doubled);
    expect(unmatched).toBeGreaterThanOrEqual(expected.unknown);
    expect(waiting).toBeLessThanOrEqual(kept);
    expect(expired + waiting).toBeGreaterThanOrEqual(expected.missing);
    expect(joined).toBeGreaterThan(0.8 * count);
    if (longForm) {
      // As many records wait as come within the longest delay: next to no label is too late for its own.
      expect(unmatched - expected.unknown).toBeLessThan(0.001 * labels.length);
      expect(joined + doubled).toBeGreaterThan(0.999 * (labels.length - expected.unknown));
    }
    expect(before[2]!.split('\n').length - 1).toBe(unmatched);
    expect(before[1]!.split('\n').length - 1).toBe(count + 1);
    const asked = before[3]!.trim().split('\n');
    expect(asked.length).toBeGreaterThan(0.02 * count);
    for (const name of [...files, checkpoints]) rmSync(name, { recursive: true });
    const kills = attackCount(3, 20);
    let after = 1;
    for (let kill = 0; kill < kills; kill += 1) {
      after += 1 + random.below(kill === 0 ? 3 : Math.max(1, Math.floor(28 / kills)));
      const signal = random.below(4) === 0 ? 'SIGTERM' : 'SIGKILL';
      await trainAndStop([file, ...(kill === 0 ? [] : ['--resume'])], checkpoints, signal, after);
    }
    const last = await tagstream(['train', file, '--resume']);
    expect(last.code, last.stderr).toBe(0);
    expect(last.stderr).toMatch(/resumed after \d+ sentences/);
    expect(said.exec(last.stderr)![0]).toBe(said.exec(whole.stderr)![0]);
    expect(contents().map((text, i) => text === before[i])).toEqual([true, true, true, true]);
    reportCounts(`late labels of ${form}`, { kills, joined, doubled, unmatched, expired });
  },
);
