import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { versionId } from '../../../src/engine/interfaces/model-address.js';
import { contentDigest } from '../../../src/formats/files/node-parts.js';
import { promote } from '../../../src/nats/registry/aliases.js';
import { type ModelRegistry, openRegistry } from '../../../src/nats/registry/open-registry.js';
import { pushModel } from '../../../src/nats/registry/versions.js';
import { tagstream } from '../../cli/commands/run-command.js';
import { type Started, start } from '../../cli/commands/start-command.js';
import { toyRecords, workspace } from '../../cli/commands/workspace.js';
import { describeNats, natsServers } from '../server.js';
import { toyModels } from './toy-models.js';

const folder = workspace();
const at = (name: string) => join(folder, name);
const records = toyRecords(400, false);
const names = ['a', 'b', 'c'] as const;
/** Records as each model tags them, with its id. */
const tagged: Record<string, string[]> = {};
const digests: Record<string, string> = {};

beforeAll(async () => {
  const models = await toyModels(folder);
  for (const name of names) {
    const stdin = records.join('\n');
    const given = ['tag', '--model', models[name], '--model-version'];
    tagged[name] = (await tagstream(given, { stdin })).stdout.trim().split('\n');
    digests[name] = contentDigest([readFileSync(models[name])]);
  }
});

const feed = (run: Started, from: number, to: number) =>
  run.child.stdin!.write(`${records.slice(from, to).join('\n')}\n`);
const times = (text: string, part: string) => text.split(part).length - 1;
const taken = 'it tags all further records';
const kept = 'keeping the old model';

async function answered(run: Started, from: number, to: number): Promise<void> {
  feed(run, from, to);
  await run.until('stdout', text => text.split('\n').length > to);
}

describeNats('a tagger with a promoted model', () => {
  const servers = natsServers();
  let registry: ModelRegistry;

  beforeAll(async () => {
    const options = { servers: servers().url, giveUp: 60, bucket: 'models', create: true };
    registry = await openRegistry(options, file => resolve(folder, file));
    for (const name of names) {
      const bytes = readFileSync(at(`${name}.model`));
      await pushModel(registry, { name: 'toy', bytes, source: name, by: 'test' });
    }
    writeFileSync(at('nats.yaml'), `servers: ${servers().url}\nbucket: models\n`);
    return () => registry.close();
  });

  const given = () => ['--nats', at('nats.yaml'), '--cache', at('cache')];
  const live = (number: number, alias: string) =>
    promote(registry, { name: 'toy', alias, number, by: 'test' });

  it('writes the id of its model beside its results', () => {
    for (const name of names) {
      const id = versionId(digests[name]!);
      expect(tagged[name]!.map(line => JSON.parse(line)._model)).toEqual(records.map(() => id));
    }
  });

  it.each([
    ['1', ['--workers', '1']],
    ['2', ['--workers', '2']],
    ['stream', ['--metrics', '0']],
  ])('takes each version in mid-stream: %s', { tags: 'slow' }, async (alias, more) => {
    await live(1, `by-${alias}`);
    const model = `nats://toy@by-${alias}`;
    const run = start(['tag', '--model', model, '--model-version', ...more, ...given()]);
    await answered(run, 0, 100);
    await live(2, `by-${alias}`);
    await run.until('stderr', text => times(text, taken) === 1);
    await answered(run, 100, 200);
    if (alias === 'stream') {
      const [url] = /http:\S+/.exec(run.report.stderr)!;
      const metrics = await (await fetch(url)).text();
      expect(metrics).toContain(`tagstream_model_info{digest="${digests.b}"} 1`);
    }
    // What it has it keeps without a server, and hears of promotions when there is one again.
    await servers().kill();
    await answered(run, 200, 300);
    await servers().restart();
    await live(3, `by-${alias}`);
    await run.until('stderr', text => times(text, taken) === 2);
    feed(run, 300, 400);
    run.child.stdin!.end();
    expect((await run.closed).code).toBe(0);
    expect(run.lines()).toEqual([
      ...tagged.a!.slice(0, 100),
      ...tagged.b!.slice(100, 300),
      ...tagged.c!.slice(300),
    ]);
    expect(run.report.stderr).toContain(`model: toy@by-${alias} is version 3 (`);
  });

  it('keeps its model where the promoted one cannot be had, or cannot tag', async () => {
    await live(1, 'damaged');
    const run = start(['tag', '--model', 'nats://toy@damaged', '--model-version', ...given()]);
    await answered(run, 0, 100);
    // The header of the file is whole, the rest is not.
    const bytes = Uint8Array.from(readFileSync(at('b.model')));
    bytes[24 + new DataView(bytes.buffer).getUint32(8, true) + 4]! ^= 1;
    const { version } = await pushModel(registry, {
      ...{ name: 'toy', bytes, source: 'damaged', by: 'test' },
    });
    await registry.objects.putBlob({ name: version.digest }, bytes.subarray(8));
    await live(4, 'damaged');
    await run.until('stderr', text => text.includes('has no intact copy of version 4'));
    expect(run.report.stderr).toContain(`${kept}: version 4 (`);
    await answered(run, 100, 200);
    await live(1, 'damaged');
    await registry.objects.putBlob({ name: version.digest }, bytes);
    await live(4, 'damaged');
    await run.until('stderr', text => text.includes(`${kept}, because the new one is bad`));
    await answered(run, 200, 300);
    await live(3, 'damaged');
    await run.until('stderr', text => text.includes(taken));
    await answered(run, 300, 400);
    run.child.stdin!.end();
    expect((await run.closed).code).toBe(0);
    expect(run.lines()).toEqual([...tagged.a!.slice(0, 300), ...tagged.c!.slice(300)]);
  });

  it('is tried on the checks of its pipeline first', { tags: 'slow' }, async () => {
    await live(1, 'checked');
    const pipeline = at('checked.yaml');
    writeFileSync(
      pipeline,
      `version: 1
name: checked
source: { ndjson: {} }
stages:
  - tokenize: {}
  - featurize: { model: "nats://toy@checked" }
  - batch: { sentences: 1 }
  - tag: { modelVersion: true }
checks:
  - { name: nouns, tokens: [the, dog], tags: [DET, NOUN] }
`,
    );
    const run = start(['run', pipeline, ...given()]);
    await answered(run, 0, 100);
    await live(2, 'checked');
    await run.until('stderr', text => text.includes(kept));
    expect(run.report.stderr).toContain('it does not pass 1 check: nouns');
    await answered(run, 100, 200);
    await live(3, 'checked');
    await run.until('stderr', text => text.includes(taken));
    await answered(run, 200, 300);
    run.child.stdin!.end();
    expect((await run.closed).code).toBe(0);
    expect(run.lines()).toEqual([...tagged.a!.slice(0, 200), ...tagged.c!.slice(200, 300)]);
    const test = await tagstream(['test', pipeline, ...given()]);
    expect([test.code, test.stdout]).toEqual([0, expect.stringContaining('1 passed')]);
    const dry = await tagstream(['run', pipeline, '--dry-run', ...given()], {
      stdin: records.slice(0, 3).join('\n'),
    });
    expect(dry.code).toBe(0);
  });
});
