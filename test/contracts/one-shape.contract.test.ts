import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { from, lastValueFrom, toArray } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Document } from '../../src/engine/core/sentence/document.js';
import { Tagger } from '../../src/engine/models/tagger.js';
import { assemble } from '../../src/engine/operators/assemble.js';
import { batch } from '../../src/engine/operators/batch.js';
import { featurize } from '../../src/engine/operators/featurize.js';
import { tag } from '../../src/engine/operators/tag.js';
import { tokenize } from '../../src/engine/operators/tokenize.js';
import { createClient } from '../../src/entries/client.js';
import { parsePipeline, runPipeline } from '../../src/index.js';
import { TaggerPool } from '../../src/runtime/pipeline/tagging/service/tagger-pool.js';
import { explainedSchema, modelsSchema, taggedSchema } from '../../src/service/serve/schemas.js';
import { createService, type Service } from '../../src/service/serve/service.js';
import { openSample } from '../annotation/sample-session.js';
import { tagstream } from '../cli/commands/run-command.js';
import { workspace } from '../cli/commands/workspace.js';
import { everyNth } from '../house/long-forms.js';
import { describeNats, natsServers } from '../nats/server.js';
import { StreamClient } from '../nats/stream-client.js';
import { columnModel, namesModel, petsModel, writeModels } from '../service/serve/served.js';

// No type of a member depends on how many sentences, tokens, models or records there are.

/** The types found at each place of JSON values; `[]` stands for all items of a list. */
type Shape = ReadonlyMap<string, ReadonlySet<string>>;

/** Members whose names are data, such as labels. */
const named = /\.(?:marginals\[\]|marginals\[\]\.\*|columns|results|perLabel|labels)$/;

function shapeOf(values: readonly unknown[]): Shape {
  const found = new Map<string, Set<string>>();
  const visit = (at: string, value: unknown): void => {
    const kind = Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;
    const kinds = found.get(at) ?? new Set();
    found.set(at, kinds.add(kind));
    if (Array.isArray(value)) for (const item of value) visit(`${at}[]`, item);
    else if (kind === 'object') {
      for (const [name, member] of Object.entries(value as object)) {
        if (member !== undefined) visit(`${at}.${named.test(at) ? '*' : name}`, member);
      }
    }
  };
  for (const value of values) visit('', value);
  return found;
}

/**
 * Requires of values that every place has one type, and of records that all have the same members. A figure may be null
 * instead of a number, if it is undefined.
 */
function expectOneShape(values: readonly unknown[], optional: readonly string[] = []): void {
  for (const [at, kinds] of shapeOf(values)) {
    const types = [...kinds].filter(kind => kind !== 'null' || !kinds.has('number'));
    expect([at, ...types]).toHaveLength(2);
  }
  const members = values.map(value =>
    Object.entries(value as object)
      .filter(([name, member]) => member !== undefined && !optional.includes(name))
      .map(([name]) => name)
      .sort(),
  );
  for (const own of members) expect(own).toEqual(members[0]);
}

const sentences = ['Anna lives in Oslo.', 'Ben saw New York.', 'Dora.'];
const counts = [0, 1, 3];
/** Texts of 0, 1 and 3 sentences, and records of 0, 1 and 3 tokens. */
const texts = counts.map(count => ({ text: sentences.slice(0, count).join(' ') }));
const tokens = counts.map(count => ({ tokens: ['Anna', 'saw', 'Oslo'].slice(0, count) }));
const divided = counts.map(count => ({
  tokens: ['Anna', 'saw', 'Oslo'].slice(0, count),
  sentences: Array.from({ length: count }, (_, i) => [i, i + 1]),
}));
const kinds = { texts, tokens, 'tokens in sentences': divided };

const lines = (records: readonly object[]) =>
  records.map(each => `${JSON.stringify(each)}\n`).join('');
const parsed = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Record<string, unknown>);

/** Requests of every result that a record can have; `--marginals` has three forms. */
const wishes: readonly Readonly<Record<string, string | true>>[] = [
  {},
  { scores: true, probability: true, nbest: '2', marginals: true, spanProbabilities: true },
  { marginals: 'all', decoding: 'posterior', scores: true, probability: true },
  { marginals: 'pairs', decoding: 'minimum-risk', nbest: '3', modelVersion: true },
];
const flagsOf = (wish: (typeof wishes)[number]) =>
  Object.entries(wish).flatMap(([name, value]) => {
    const flag = `--${name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
    return value === true ? [flag] : [`${flag}=${value}`];
  });
const queryOf = (wish: (typeof wishes)[number]) =>
  new URLSearchParams(
    Object.entries(wish).map(([name, value]) => [name, String(value)]),
  ).toString();

const folder = workspace();
const names = join(folder, 'names.model');
let service: Service;

beforeAll(async () => {
  writeModels(folder);
  service = await createService({ models: { names }, threads: 1, maxWait: 600_000 });
});
afterAll(() => service.close());

async function asked(path: string, body: unknown, of: Service = service): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
  const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await of.fetch(new Request(`http://localhost${path}`, init));
  const json: unknown = await answer.json();
  expect(answer.status, JSON.stringify(json)).toBe(200);
  return json;
}

/** A record as the schema has it, each list of sentences with as many entries as there are sentences. */
function expectRecord(record: Record<string, unknown>, count: number): void {
  expect(() => taggedSchema.parse(record)).not.toThrow();
  for (const name of ['score', 'probability', 'logProbability', 'nbest']) {
    if (record[name] !== undefined)
      expect([name, record[name]]).toEqual([name, new Array(count).fill(expect.anything())]);
  }
  if (record.sentences !== undefined) expect(record.sentences).toHaveLength(count);
  for (const name of ['tags', 'marginals']) {
    if (record[name] !== undefined) expect(record[name]).toHaveLength((record.tokens as []).length);
  }
}

describe.each(Object.entries(kinds))('%s', (kind, records) => {
  const sentencesIn = (i: number) => (kind === 'tokens' ? Math.min(1, counts[i]!) : counts[i]!);

  for (const { rows, tags } of everyNth(6, wishes)) {
    it.each(rows)(
      'have one shape in the shell, fast and slow, and over HTTP: %j',
      { tags },
      async wish => {
        const given = ['tag', '--model', names, ...flagsOf(wish)];
        const outputs: string[] = [];
        for (const way of [[], ['--limit', '9'], ['--metrics', '0']]) {
          const { code, stdout, stderr } = await tagstream([...given, ...way], {
            stdin: lines(records),
          });
          expect(code, stderr).toBe(0);
          outputs.push(stdout);
        }
        for (const output of outputs) expect(output).toBe(outputs[0]);
        const found = parsed(outputs[0]!);
        expectOneShape(found);
        for (const [i, record] of found.entries()) expectRecord(record, sentencesIn(i));
        const path = `/v1/tag?${queryOf(wish)}`;
        const ofModel = (record: object) =>
          '_model' in record ? { ...record, _model: '' } : record;
        const wanted = found.map(ofModel);
        for (const count of counts) {
          const answers = (await asked(path, records.slice(0, count))) as Record<string, unknown>[];
          expect(answers.map(ofModel)).toEqual(wanted.slice(0, count));
        }
        for (const [i, record] of records.entries()) {
          expect(ofModel((await asked(path, record)) as object)).toEqual(wanted[i]);
        }
      },
    );
  }

  it('have explanations of one shape', async () => {
    const found = (await asked('/v1/explain', records)) as Record<string, unknown>[];
    expectOneShape(found);
    for (const [i, record] of found.entries()) {
      expect(() => explainedSchema.parse(record)).not.toThrow();
      expect(record.sentences).toHaveLength(sentencesIn(i));
    }
    for (const [i, record] of records.entries()) {
      expect(await asked('/v1/explain', record)).toEqual(found[i]);
    }
  });

  it('have one shape in code', async () => {
    const options = {
      nbest: 2,
      probability: true,
      marginals: true,
      spanProbabilities: true,
    } as const;
    const tagger = Tagger.fromBytes(namesModel());
    const found = await lastValueFrom(
      from(records as readonly Document[]).pipe(
        tokenize(),
        featurize(tagger.model),
        batch({ sentences: 2 }),
        tag(tagger.model, options),
        assemble({ spans: true, scores: true }),
        toArray(),
      ),
    );
    expectOneShape(found.map(({ document: _, ...results }) => results));
    for (const [i, { scores, probabilities, logProbabilities, nbest }] of found.entries()) {
      for (const list of [scores, probabilities, logProbabilities, nbest]) {
        expect(list).toHaveLength(sentencesIn(i));
      }
    }
  });
});

it('a tagger and a pool have one shape for 0, 1 and 3 sentences, tokens and models', async () => {
  const tagger = Tagger.fromBytes(namesModel());
  const options = {
    nbest: 2,
    probability: true,
    marginals: true,
    spanProbabilities: true,
  } as const;
  expectOneShape(texts.map(({ text }) => tagger.tagText(text)));
  expectOneShape(texts.map(({ text }) => tagger.tagText(text, { spanProbabilities: true })));
  expectOneShape(tokens.map(each => tagger.analyze(each.tokens)));
  expectOneShape(tokens.map(each => tagger.analyze(each.tokens, {}, options)));
  const pool = await TaggerPool.load(names, { threads: 1 });
  try {
    for (const { text } of texts) expect(await pool.tagText(text)).toEqual(tagger.tagText(text));
    for (const each of tokens) {
      const found = await pool.analyze(each.tokens, {}, options);
      expect(found).toEqual(tagger.analyze(each.tokens, {}, options));
    }
  } finally {
    await pool.close();
  }
});

it('a client and a service of 1 and 3 models have one shape', { tags: 'slow' }, async () => {
  const three = { names, pets: join(folder, 'pets.model'), pos: join(folder, 'pos.model') };
  writeFileSync(three.pos, columnModel());
  const others = await createService({ models: three, threads: 1, maxWait: 600_000 });
  try {
    const found = [
      await asked('/v1/models', undefined),
      await asked('/v1/models', undefined, others),
    ];
    expectOneShape(found);
    expect(found.map(each => modelsSchema.parse(each).models.length)).toEqual([1, 3]);
    const client = createClient('http://localhost', { fetch: service.fetch });
    for (const count of counts) {
      expect(await client.tag(texts.slice(0, count))).toHaveLength(count);
      expect(await client.explain(texts.slice(0, count))).toHaveLength(count);
    }
    expectOneShape(await Promise.all(texts.map(each => client.tag(each, { nbest: 2 }))));
  } finally {
    await others.close();
  }
});

it('the OpenAPI document has the same schemas', async () => {
  const { components } = (await asked('/openapi.json', undefined)) as {
    components: { schemas: Record<string, { properties: Record<string, { type?: string }> }> };
  };
  const { properties } = components.schemas.TaggedRecord!;
  const { $schema: _, ...schema } = z.toJSONSchema(taggedSchema, { io: 'input' });
  expect(components.schemas.TaggedRecord).toEqual(schema);
  for (const name of ['sentences', 'score', 'probability', 'logProbability', 'nbest']) {
    expect(properties[name]).toMatchObject({ type: 'array' });
  }
});

it('commands that print JSON have one shape', async () => {
  const gold = texts.map((_, i) =>
    Array.from({ length: [1, 2, 4][i]! }, () => ({
      tokens: ['Anna', 'saw'],
      tags: ['B-PER', 'O'],
    })),
  );
  const evaluations: unknown[] = [];
  const full: unknown[] = [];
  for (const [i, records] of gold.entries()) {
    const file = join(folder, `gold-${i}.ndjson`);
    writeFileSync(file, lines(records));
    for (const [found, more] of [
      [evaluations, []],
      [full, ['--report', 'full']],
    ] as const) {
      const given = ['eval', '--model', names, file, '--json', ...more];
      const { code, stdout, stderr } = await tagstream(given);
      expect(code, stderr).toBe(0);
      found.push(JSON.parse(stdout));
    }
  }
  expectOneShape(evaluations);
  expectOneShape(full);
  const inspected: unknown[] = [];
  for (const bytes of [namesModel(), petsModel(), columnModel()]) {
    const file = join(folder, 'inspected.model');
    writeFileSync(file, bytes);
    const { stdout } = await tagstream(['inspect', file, '--json']);
    inspected.push(JSON.parse(stdout));
  }
  expectOneShape(inspected);
  for (const { text } of texts.slice(1)) {
    const { stdout } = await tagstream(['inspect', names, '--json', '--explain', text]);
    expectOneShape(parsed(stdout));
  }
  const { stdout } = await tagstream(['tokenize', '-'], { stdin: lines(texts) });
  expectOneShape(parsed(stdout));
});

it('records to label have one shape', async () => {
  const queue = join(folder, 'queue.ndjson');
  writeFileSync(queue, lines(texts.slice(1)));
  const session = await openSample(queue, join(folder, 'answers.ndjson'));
  const annotator = session.annotator(undefined);
  const shown = [0, 1].map(record => session.show(annotator, record));
  expectOneShape(shown);
  expectOneShape(
    [0, 1].map(record =>
      session.explain(
        record,
        0,
        shown[record]!.tokens.map(() => null),
      ),
    ),
  );
  await session.close();
});

describeNats('records of streams', () => {
  const servers = natsServers();

  it('have the shape of the shell', { tags: 'slow' }, async () => {
    const wish = wishes[1]!;
    const { stdout } = await tagstream(['tag', '--model', names, ...flagsOf(wish)], {
      stdin: lines([...texts, ...tokens, ...divided]),
    });
    const client = await StreamClient.open(servers().url);
    try {
      await client.create('IN', 'in');
      await client.put(
        'in',
        parsed(lines([...texts, ...tokens, ...divided])).map(each => JSON.stringify(each)),
      );
      const place = `servers: "${servers().url}"`;
      const options = {
        scores: true,
        probability: true,
        nbest: 2,
        marginals: true,
        spanProbabilities: true,
      };
      const pipeline = `version: 1
name: tagging
source: { ndjson: { from: { nats: { ${place}, stream: IN, consumer: taggers, create: true, follow: false } } } }
stages: [tokenize, featurize: { model: names.model }, batch: { sentences: 8 }, tag: ${JSON.stringify(options)}]
sink: { to: { nats: { ${place}, stream: OUT, subject: out, create: true } } }
`;
      await runPipeline(parsePipeline(pipeline, join(folder, 'tagging.yaml')));
      const found = (await client.all('OUT')).map(({ text }) => JSON.parse(text) as unknown);
      expect(found).toEqual(parsed(stdout));
    } finally {
      await client.close();
    }
  });
});
