import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { isNightly } from '../../house/long-forms.js';
import { tagstream } from '../commands/run-command.js';
import { type Started, start } from '../commands/start-command.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const at = (name: string) => join(folder, name);
const records = toyRecords(400, false);
/** Models that take each other's place in one run. */
const reloads = isNightly ? 50 : 15;
/** Records as each model tags them, by the model's name. */
const tagged: Record<string, string[]> = {};

beforeAll(async () => {
  toyPipeline(folder);
  const yaml = readFileSync(at('toy.yaml'), 'utf8');
  // Model b has labels of its own for the same words, and one feature less.
  const labels = readFileSync(at('train.ndjson'), 'utf8').replace(
    /"(DET|NOUN|VERB|ADJ)"/g,
    '"b$1"',
  );
  writeFileSync(at('train-b.ndjson'), labels);
  writeFileSync(
    at('b.yaml'),
    yaml.replace('train.ndjson', 'train-b.ndjson').replace('"U01:%x[-1,0]", ', ''),
  );
  for (const [name, file] of [
    ['a', 'toy.yaml'],
    ['b', 'b.yaml'],
  ] as const) {
    expect((await tagstream(['train', at(file), '--model', at(`${name}.model`)])).code).toBe(0);
    const { stdout } = await tagstream(['tag', '--model', at(`${name}.model`)], {
      stdin: records.join('\n'),
    });
    tagged[name] = stdout.trim().split('\n');
  }
  expect(tagged.b![0]).toContain('"bDET"');
  const damaged = readFileSync(at('b.model'));
  damaged[damaged.length - 20] = damaged[damaged.length - 20]! ^ 1;
  writeFileSync(at('damaged.model'), damaged);
  const conll = (name: string, columns: string, rows: string) => {
    writeFileSync(at(`${name}.conll`), rows.repeat(20));
    const yaml = readFileSync(at('toy.yaml'), 'utf8')
      .replace(/source: .*/, `source: { conll: { files: [${name}.conll], columns: ${columns} } }`)
      .replace('"U01:%x[-1,0]", ', '');
    writeFileSync(at(`${name}.yaml`), yaml);
    return tagstream(['train', at(`${name}.yaml`), '--model', at(`${name}.model`)]);
  };
  const two = await conll('two', '[form, tag]', 'the D\ndog N\n\n');
  const three = await conll('three', '[form, pos, tag]', 'the x D\ndog y N\n\n');
  expect([two.code, three.code]).toEqual([0, 0]);
});

let count = 0;

/** A copy of a model, under a name of its own. */
function placed(model: string): string {
  count += 1;
  const path = at(`placed-${count}.model`);
  copyFileSync(at(`${model}.model`), path);
  return path;
}

/** Puts another model in the place of one, whole from the first moment. */
function replace(path: string, model: string): void {
  copyFileSync(at(`${model}.model`), `${path}.new`);
  renameSync(`${path}.new`, path);
}

const feed = (run: Started, from: number, to: number) =>
  run.child.stdin!.write(`${records.slice(from, to).join('\n')}\n`);
const has = (lines: number) => (text: string) => text.split('\n').length > lines;
const times = (text: string, part: string) => text.split(part).length - 1;
const read = 'it tags all further records';
const kept = 'keeping the old model, because the new one is bad';

/** Feeds some records, and waits until they have come out. */
async function answered(run: Started, from: number, to: number): Promise<void> {
  feed(run, from, to);
  await run.until('stdout', has(to));
}

describe.each(['1', '2'])('tag with %s workers', workers => {
  const tag = (model: string, ...more: string[]) =>
    start(['tag', '--model', model, '--workers', workers, ...more]);

  it('goes over to the new model on SIGHUP', { tags: 'slow' }, async () => {
    const model = placed('a');
    const run = tag(model);
    await answered(run, 0, 150);
    replace(model, 'b');
    run.child.kill('SIGHUP');
    await run.until('stderr', text => text.includes(read));
    await answered(run, 150, 300);
    replace(model, 'a');
    run.child.kill('SIGHUP');
    await run.until('stderr', text => times(text, read) === 2);
    feed(run, 300, 400);
    run.child.stdin!.end();
    expect((await run.closed).code).toBe(0);
    expect(run.lines()).toEqual([
      ...tagged.a!.slice(0, 150),
      ...tagged.b!.slice(150, 300),
      ...tagged.a!.slice(300),
    ]);
  });

  it('does not mind SIGHUP before anything has come', { tags: 'slow' }, async () => {
    const model = placed('a');
    const run = tag(model);
    await run.mindsSignals();
    replace(model, 'b');
    run.child.kill('SIGHUP');
    feed(run, 0, 10);
    await run.until('stderr', text => text.includes(read));
    await run.until('stdout', has(10));
    feed(run, 10, 20);
    run.child.stdin!.end();
    expect((await run.closed).code).toBe(0);
    // Which of both comes first is the system's to say.
    expect([tagged.a!.slice(0, 10), tagged.b!.slice(0, 10)]).toContainEqual(
      run.lines().slice(0, 10),
    );
    expect(run.lines().slice(10)).toEqual(tagged.b!.slice(10, 20));
  });

  it('finds out with --watch: renamed over, and written in place', { tags: 'slow' }, async () => {
    const model = placed('a');
    const run = tag(model, '--watch');
    await answered(run, 0, 100);
    replace(model, 'b');
    await run.until('stderr', text => text.includes(read));
    await answered(run, 100, 200);
    copyFileSync(at('a.model'), model);
    await run.until('stderr', text => times(text, read) === 2);
    await answered(run, 200, 300);
    run.child.stdin!.end();
    expect(await run.closed).toMatchObject({ code: 0 });
    expect(run.report.stderr).toBe(`tagstream: reloaded ${model}; ${read}\n`.repeat(2));
    expect(run.lines()).toEqual([
      ...tagged.a!.slice(0, 100),
      ...tagged.b!.slice(100, 200),
      ...tagged.a!.slice(200, 300),
    ]);
  });

  it('continues with the old model where the new one is bad, and says why', {
    tags: 'slow',
  }, async () => {
    const model = placed('a');
    const run = tag(model, '--watch');
    await answered(run, 0, 100);
    replace(model, 'damaged');
    await run.until('stderr', text => times(text, kept) === 1);
    await answered(run, 100, 200);
    writeFileSync(model, 'no model at all');
    await run.until('stderr', text => times(text, kept) === 2);
    await answered(run, 200, 250);
    replace(model, 'b');
    await run.until('stderr', text => text.includes(read));
    await answered(run, 250, 300);
    run.child.stdin!.end();
    expect((await run.closed).code).toBe(0);
    expect(run.report.stderr).toMatch(
      /bad: .*placed-\d+\.model: the model file is damaged: the checksum of section \S+ is wrong/,
    );
    expect(run.report.stderr).toMatch(
      /bad: .*placed-\d+\.model: this is not a Tagstream model file/,
    );
    expect(run.lines()).toEqual([...tagged.a!.slice(0, 250), ...tagged.b!.slice(250, 300)]);
  });

  it('loses and doubles nothing over many models while records come without a pause', {
    tags: 'slow',
  }, async () => {
    const model = placed('a');
    const run = tag(model);
    let fed = 0;
    const more = () => {
      if (run.child.stdin!.writableNeedDrain) return;
      for (let i = 0; i < 200; i += 1, fed += 1) {
        run.child.stdin!.write(`${records[fed % 400]!.replace(/"id":"\d+"/, `"id":"${fed}"`)}\n`);
      }
    };
    const load = setInterval(more, 2);
    await run.until('stdout', has(1000));
    for (let reload = 1; reload <= reloads; reload += 1) {
      replace(model, reload % 2 === 1 ? 'b' : 'a');
      run.child.kill('SIGHUP');
      await run.until('stderr', text => times(text, read) === reload);
      const lines = times(run.report.stdout, '\n');
      await run.until('stdout', has(lines + 1));
    }
    clearInterval(load);
    run.child.stdin!.end();
    expect((await run.closed).code).toBe(0);
    const lines = run.lines();
    expect(lines).toHaveLength(fed);
    let changes = 0;
    let by = 'a';
    for (const [i, line] of lines.entries()) {
      const place = i % 400;
      const as = (name: string) => tagged[name]![place]!.replace(/"id":"\d+"/, `"id":"${i}"`);
      if (line === as(by)) continue;
      by = by === 'a' ? 'b' : 'a';
      changes += 1;
      // Not by expect, which takes its time.
      if (line !== as(by)) throw new Error(`record ${i} is by neither model: ${line}`);
    }
    // A model may be replaced before any record has come to it.
    expect(changes).toBeGreaterThan(reloads / 5);
    expect(changes).toBeLessThanOrEqual(reloads);
  });

  it('takes no model that reads the format otherwise', { tags: 'slow' }, async () => {
    const model = placed('two');
    const run = tag(model);
    run.child.stdin!.write('the\ndog\n\n');
    await run.until('stdout', text => text.includes('dog'));
    replace(model, 'three');
    run.child.kill('SIGHUP');
    await run.until('stderr', text => text.includes(kept));
    run.child.stdin!.end('the\ndog\n\n');
    expect((await run.closed).code).toBe(0);
    expect(run.report.stderr).toMatch(/the model reads conll as .*"pos".*, the old one as/);
    expect(run.report.stdout).toBe('the D\ndog N\n\n'.repeat(2));
  });
});

describe('run', () => {
  it('goes over to the new model on SIGHUP, and keeps the old one where that is bad', async () => {
    const model = placed('a');
    writeFileSync(
      at('tagging.yaml'),
      `version: 1
name: tagging
source: { ndjson: {} }
stages:
  - featurize: { model: ${model} }
  - batch: { sentences: 7 }
  - tag: {}
`,
    );
    const run = start(['run', at('tagging.yaml')]);
    // With minibatches of seven, six records wait when the new model comes.
    feed(run, 0, 104);
    await run.until('stdout', has(98));
    replace(model, 'b');
    run.child.kill('SIGHUP');
    await run.until('stderr', text => text.includes(read));
    await run.until('stdout', has(104));
    feed(run, 104, 209);
    await run.until('stdout', has(209));
    replace(model, 'damaged');
    run.child.kill('SIGHUP');
    await run.until('stderr', text => text.includes(kept));
    feed(run, 209, 300);
    run.child.stdin!.end();
    expect((await run.closed).code).toBe(0);
    expect(run.lines()).toEqual([...tagged.a!.slice(0, 104), ...tagged.b!.slice(104, 300)]);
  });
});
