import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createService, type Service } from '../../../src/service/serve/service.js';
import { workspace } from '../../cli/commands/workspace.js';
import { attackCount } from '../../faults/long-form.js';
import { testSeed } from '../../house/long-forms.js';
import { writeModels } from './served.js';

/** A JSON schema, as far as the document has some. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Content }>
  >;
}

interface Description {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<'get' | 'post', Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const folder = workspace();
let service: Service;
let api: Description;

beforeAll(async () => {
  const limits = { maxWait: 600_000, maxNbest: 3, maxBody: 20_000, maxRecords: 20, maxTokens: 200 };
  service = await createService({ models: writeModels(folder), threads: 1, ...limits });
  const answer = await service.fetch(new Request('http://localhost/openapi.json'));
  api = (await answer.json()) as Description;
});
afterAll(() => service.close());

const named = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : api.components.schemas[schema.$ref.split('/').at(-1)!]!;

/** What a schema of the document takes, as zod reads it. */
function taken(schema: Schema): z.ZodType {
  const defs = api.components.schemas;
  const text = JSON.stringify({ ...schema, $defs: defs }).replaceAll(
    '#/components/schemas/',
    '#/$defs/',
  );
  return z.fromJSONSchema(JSON.parse(text));
}

const word = fc.constantFrom(
  'Anna',
  'Oslo',
  'saw',
  'New',
  'York',
  '.',
  'é',
  '😀',
  'x y',
  '"',
  '\\',
  '\u2028',
);

/** Values of a schema. */
function drawn(given: Schema): fc.Arbitrary<unknown> {
  const schema = named(given);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(drawn));
  const { minimum = 0, maximum = 9, minLength = 0, maxLength = 40 } = schema;
  const { minItems = 0, maxItems = 6 } = schema;
  switch (schema.type) {
    case 'string':
      return fc
        .array(word, { maxLength: 8 })
        .map(words => words.join(' ').slice(0, maxLength).padEnd(minLength, 'a'));
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return fc.integer({ min: Math.max(minimum, -9), max: Math.min(maximum, 20_000) });
    case 'array':
      return fc.array(drawn(schema.items!), { minLength: minItems, maxLength: maxItems });
    case 'object': {
      if (schema.properties === undefined) {
        return fc.dictionary(word, drawn(schema.additionalProperties as Schema), { maxKeys: 2 });
      }
      const properties = Object.entries(schema.properties).map(
        ([name, each]): [string, fc.Arbitrary<unknown>] => [name, drawn(each)],
      );
      const requiredKeys: string[] = [...(schema.required ?? [])];
      return fc.record<Record<string, unknown>>(Object.fromEntries(properties), { requiredKeys });
    }
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

interface Asked {
  readonly query: string;
  readonly type: string;
  readonly body: string;
  readonly accept: string;
}

/** Requests of an operation as the document has them. */
function requestsOf({ parameters = [], requestBody, responses }: Operation): fc.Arbitrary<Asked> {
  const query = fc
    .subarray([...parameters], { maxLength: 3 })
    .chain(some =>
      fc.tuple(
        ...some.map(({ name, schema }) => drawn(schema).map(value => [name, String(value)])),
      ),
    )
    .map(pairs => `${new URLSearchParams(pairs as [string, string][])}`);
  const body = fc
    .constantFrom(...Object.entries(requestBody!.content))
    .chain(([type, { schema }]) =>
      drawn(schema).map(value => ({
        type,
        body: type === 'application/json' ? JSON.stringify(value) : String(value),
      })),
    );
  const accept = fc.constantFrom(...Object.keys(responses['200']!.content!), '*/*');
  return fc.tuple(query, body, accept).map(([q, b, a]) => ({ query: q, ...b, accept: a }));
}

async function send(path: string, { query, type, body, accept }: Asked): Promise<Response> {
  const headers = { 'Content-Type': type, Accept: accept };
  return service.fetch(
    new Request(`http://localhost${path}?${query}`, { method: 'POST', headers, body }),
  );
}

/** Whether an answer is one that the document has: its status, its type, and its body by the schema. */
async function requireDocumented({ responses }: Operation, answer: Response): Promise<void> {
  const described = responses[answer.status];
  expect(
    described,
    `status ${answer.status}: ${answer.ok ? '' : await answer.clone().text()}`,
  ).toBeDefined();
  const type = answer.headers.get('content-type')!.split(';')[0]!;
  const content = described!.content![type];
  expect(content, type).toBeDefined();
  const text = await answer.text();
  if (!/^application\/(?:problem\+)?json$/.test(type)) return;
  const result = taken(content!.schema).safeParse(JSON.parse(text));
  expect(result.success, `${text}: ${result.error?.message}`).toBe(true);
}

const operations = ['/v1/tag', '/v1/explain'] as const;
const runs = { seed: testSeed, numRuns: attackCount(120, 3000) };

describe('/openapi.json', () => {
  it('is a description of OpenAPI 3.1 whose references and schemas hold', async () => {
    expect(api.openapi).toMatch(/^3\.1\.\d+$/);
    expect(api.info).toEqual({ title: expect.any(String), version: expect.any(String) });
    const ids = new Set<string>();
    for (const [path, item] of Object.entries(api.paths)) {
      expect(path).toMatch(/^\//);
      for (const [method, operation] of Object.entries(item)) {
        expect(['get', 'post']).toContain(method);
        expect(ids.has(operation.operationId)).toBe(false);
        ids.add(operation.operationId);
        const schemas: Schema[] = [];
        const contentOf = (content: Content = {}) => {
          for (const { schema } of Object.values(content)) schemas.push(schema);
        };
        for (const { name, in: place, required, schema } of operation.parameters ?? []) {
          expect([name, place, required]).toEqual([expect.any(String), 'query', false]);
          schemas.push(schema);
        }
        contentOf(operation.requestBody?.content);
        for (const [status, { description, content }] of Object.entries(operation.responses)) {
          expect(status).toMatch(/^[1-5]\d\d$/);
          expect(description).not.toBe('');
          contentOf(content);
        }
        // zod reads each, and refuses what is no schema or refers to none.
        for (const schema of schemas) taken(schema);
      }
    }
    const references = [
      ...JSON.stringify(api).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g),
    ];
    expect(references.length).toBeGreaterThan(5);
    for (const [, name] of references) expect(api.components.schemas[name!]).toBeDefined();
  });

  it('describes each page that there is', async () => {
    for (const [path, item] of Object.entries(api.paths)) {
      const [method] = Object.keys(item);
      const answer = await service.fetch(
        new Request(`http://localhost${path}`, { method: method!.toUpperCase() }),
      );
      expect([path, answer.status]).not.toEqual([path, 404]);
      if (method === 'get') await requireDocumented(item.get, answer);
    }
  });

  it.each(operations)(
    'has what %s answers to all that it describes',
    { tags: 'slow' },
    async path => {
      const operation = api.paths[path]!.post;
      const statuses = new Map<number, number>();
      await fc.assert(
        fc.asyncProperty(requestsOf(operation), async asked => {
          const answer = await send(path, asked);
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          // 504 where the request itself has set a time.
          expect(answer.status === 504 || answer.status < 500).toBe(true);
          await requireDocumented(operation, answer);
        }),
        runs,
      );
      expect(statuses.get(200)).toBeGreaterThan(runs.numRuns / 10);
    },
  );

  it.each(operations)('has the problems of what %s describes not', { tags: 'slow' }, async path => {
    const operation = api.paths[path]!.post;
    const unknown = fc
      .string({ minLength: 1 })
      .map(name => `${new URLSearchParams({ [`x${name}`]: '1' })}`);
    const misses: readonly ((asked: Asked) => fc.Arbitrary<Asked>)[] = [
      asked =>
        unknown.map(more => ({ ...asked, query: [asked.query, more].filter(Boolean).join('&') })),
      asked => fc.constantFrom('text/html', 'a', 'image/png').map(type => ({ ...asked, type })),
      asked => fc.constant({ ...asked, type: 'application/json', body: `${asked.body}}` }),
      asked => fc.constant({ ...asked, type: 'application/json', body: '{"tokens":[1]}' }),
      asked => fc.constant({ ...asked, type: 'text/plain', body: 'a'.repeat(20_001) }),
    ];
    const near = requestsOf(operation).chain(asked => fc.oneof(...misses.map(miss => miss(asked))));
    await fc.assert(
      fc.asyncProperty(near, async asked => {
        const answer = await send(path, asked);
        if (answer.status === 200) {
          // A record of a stream has its error in its line, and onBad=pass has it in the record.
          expect(await answer.text()).toContain('"error"');
          return;
        }
        expect(answer.headers.get('content-type')).toBe('application/problem+json');
        // 504 where the request itself has set a time.
        expect(answer.status === 504 || answer.status < 500).toBe(true);
        const { code, detail } = (await answer.clone().json()) as { code: string; detail: string };
        expect([code, detail]).not.toContain('');
        await requireDocumented(operation, answer);
      }),
      runs,
    );
  });
});
