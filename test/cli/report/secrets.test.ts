import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../src/engine/core/errors.js';
import { redacted, withoutSecrets } from '../../../src/engine/core/secrets.js';
import { parsePipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { parseStudy } from '../../../src/studies/load-study.js';
import { everyNth } from '../../house/long-forms.js';
import { tagstream } from '../commands/run-command.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();
const path = (name: string) => join(folder, name);
const secret = 's3cr"et/Wörd 17';
const env = {
  SECRET: secret,
  PLAIN: 'hunter2hunter2',
  URL: `nats://anna:${'hunter2hunter2'}@host:1`,
};

/** A plug-in whose records cannot be read without a password, and whose errors quote it. */
writeFileSync(
  path('locked.mjs'),
  `import * as z from '${import.meta.resolve('zod')}';
export default {
  name: 'locked',
  components: [
    {
      kind: 'codec',
      name: 'locked',
      summary: 'lines under a password',
      records: 'lines',
      options: z.strictObject({ password: z.string().optional(), address: z.string().optional() }),
      example: 'locked: { files: [a] }',
      create: ({ password, address }) => ({
        parse(text) {
          if (text.includes('bad')) throw new Error('not opened by ' + password + ' of ' + address);
          return { tokens: text.split(' '), tags: text.split(' ').map(() => 'X') };
        },
        write: ({ tokens }) => tokens.join(' ') + '\\n',
      }),
    },
  ],
};
`,
);
writeFileSync(path('locked.txt'), 'a b\nbad c\nb a\n');
writeFileSync(path('t.ndjson'), '{"tokens":["a"],"tags":["X"]}\n');

const base = (source: string, more = '') => `version: 1
name: x
source: ${source}
stages:
  - featurize: { templates: ["U00:%x[0,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute
  - optimize: { sgd: {} }
  - checkpoint: { dir: steps, sentences: 1 }
train: { epochs: 1 }
model: x.model
${more}`;
const plain = '{ ndjson: { files: [t.ndjson] } }';

/** What no output may have in it. */
function expectNoSecret(text: string, secrets = [secret, 's3cr', 'hunter2', 'Wörd']): void {
  for (const one of secrets) expect(text.includes(one), `${one} in ${text}`).toBe(false);
}

/** A setting and variables with secrets that no case before had: what is known once is hidden for good. */
let cases = 0;
function fresh(setting: string) {
  cases += 1;
  const [word, other] = [`hunt${cases}word`, `s3${cases}"et/Wö d`];
  const variables = { SECRET: other, PLAIN: word, URL: `nats://anna:${word}@host:1` };
  return {
    setting: setting.replaceAll('hunter2', word),
    environment: variables,
    secrets: [word, word.slice(0, 5), other.slice(0, 4), 'Wö'],
  };
}

/** Settings that no pipeline takes, with a secret somewhere. */
const places: readonly string[] = [
  ...['nats://anna:${SECRET}@host', 'nats://${SECRET}@host', '${URL}', 'anna:${PLAIN}@host'],
  ...['nats://anna:hunter2hunter2@host', 'anna:hunter2@host', 'tls://hunter2@host'],
].flatMap(address => [
  `source={ndjson: {from: {nats: {servers: '${address}', stream: s}}}}`,
  `source={ndjson: {from: {nats: {servers: ['${address}', 3], stream: s}}}}`,
  `sink={nats: {servers: '${address}', stream: s}}`,
  `train.cluster={servers: '${address}', stream: s}`,
  `model=${address}`,
  `train.epochs=${address}`,
  `stages.batch.sentences='${address}'`,
  `stages.contribute.loss='${address}'`,
]);
const values = ['${SECRET}', '${PLAIN}', 'hunter2', '${UNSET:-hunter2}', '"hunter2hunter2"'];
const keys = ['password', 'token', 'nkey', 'credentials'].flatMap(key => [
  ...values.map(
    value => `source={ndjson: {from: {nats: {auth: {${key}: ${value.replace(/^\$.*/, '"$&"')}}}}}}`,
  ),
  ...values.map(
    value => `train.cluster={stream: s, auth: {${key}: ${value.replace(/^\$.*/, '"$&"')}}}`,
  ),
  ...values.map(value => `source.ndjson.${key}=${value}`),
  ...values.map(value => `${key}=${value}`),
  ...['{a: hunter2', '[hunter2', '*hunter2', '"hunter2', '@hunter2'].map(
    value => `${key}=${value}`,
  ),
]);
const others = [
  ...['train.epochs=${SECRET}', 'train.epochs=${PLAIN}', 'stages.contribute.loss=${SECRET}'],
  ...['name=[a, ${SECRET}', 'name.x=hunter2', 'train.${UNSET}.x.y=4', 'model=${UNSET:?${SECRET}}'],
  ...['model=${UNSET:?at nats://anna:hunter2@host}', '=hunter2', 'stages.${SECRET}=4'],
  ...['train.epochs=nats://anna:hunter2hunter2hunter2hunter2hunter2hunter2hunter2hunter2@host'],
];

describe('secrets', () => {
  for (const { rows, tags } of everyNth(4, [...places, ...keys, ...others])) {
    it.each(rows)('an error about --set %s shows none', { tags }, shape => {
      const { setting, environment, secrets } = fresh(shape);
      let error: TagstreamError | undefined;
      try {
        parsePipeline(base(plain), path('x.yaml'), { set: [setting], environment });
      } catch (thrown) {
        error = thrown as TagstreamError;
      }
      // Some of them are right: then nothing is said.
      const { message = '', problem = '', fix = '', stack = '' } = error ?? {};
      const texts = [message, problem, fix, stack, String((error?.cause as Error)?.stack)];
      expectNoSecret(texts.join('\n'), secrets);
    });
  }

  it.each(places)('nor does that of a study with %s', shape => {
    const { setting, environment, secrets } = fresh(shape);
    const study = `version: 1
name: s
pipeline: ${JSON.stringify(path('x.yaml'))}
rows: [{ name: a, set: { ${JSON.stringify(setting.slice(0, setting.indexOf('=')))}: ${setting.slice(setting.indexOf('=') + 1)} } }]
`;
    writeFileSync(path('x.yaml'), base(plain));
    try {
      parseStudy(study, path('s.yaml'), { environment });
    } catch (thrown) {
      expectNoSecret((thrown as Error).message, secrets);
    }
  });

  it.each([
    'password: {',
    'password: hunter2: x',
    'password: *hunter2',
    'password: "hunter2',
    'a: b\npassword: hunter2\nb: *c',
    'servers: nats://anna:hunter2@host: x: y',
  ])('a file that does not parse: %j', shape => {
    const { setting, secrets } = fresh(shape);
    try {
      parsePipeline(setting, 'x.yaml');
      expect.unreachable();
    } catch (thrown) {
      const { message, cause } = thrown as Error;
      expectNoSecret(`${message}\n${(cause as Error | undefined)?.stack}`, secrets);
    }
  });

  it.each([
    ['text', ['--log', 'text', '--verbose']],
    ['json', ['--log', 'json', '--verbose']],
  ])(
    'commands, their logs, dead letters, checkpoints and models have none: %s',
    { tags: 'slow' },
    async (name, log) => {
      const options = "password: '${SECRET}', address: 'amqp://anna:${PLAIN}@host/x'";
      const source = `{ locked: { files: [locked.txt], ${options} } }`;
      const file = path(`${name}.yaml`);
      const letters = path(`${name}.bad`);
      writeFileSync(file, base(source, 'use: [./locked.mjs]\ndescription: about ${SECRET}\n'));
      const runs = [
        ['validate', file],
        ['train', file, '--dry-run'],
        ['train', file, '--dry-run', '--json'],
        ['train', file, '--on-bad', 'fail', ...log],
        ['train', file, '--dead-letter', letters, ...log],
        ['train', file, '--resume', '--set', 'stages.batch.sentences=2', ...log],
        ['inspect', path('x.model')],
        ['inspect', path('x.model'), '--json'],
        ['validate', file, '--set', 'source.locked.files=${SECRET}'],
        ['validate', file, '--set', 'source.locked.address=[nats://anna:${SECRET}@host]'],
        ['train', file, '--set', 'source.locked.files=["${SECRET}"]', ...log],
        ['tag', '--model', 'nats://anna:hunter2@host/x', path('t.ndjson')],
        ['models', 'list', '--servers', 'nats://anna:hunter2@host'],
      ];
      for (const words of runs) {
        const { stdout, stderr } = await tagstream(words, { env });
        expectNoSecret(`${stdout}\n${stderr}`);
      }
      expect(readFileSync(letters, 'utf8')).toMatch(/not opened by \*\*\* of amqp:\/\/\*\*\*@host/);
      const written = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
        one => one.startsWith('steps/') || one === 'x.model' || one.endsWith('.bad'),
      );
      expect(written.length).toBeGreaterThan(3);
      for (const one of written.filter(each => statSync(path(each)).isFile())) {
        expectNoSecret(readFileSync(path(one), 'utf8'));
      }
    },
  );

  it('a resumed run may have another password', async () => {
    const file = path('text.yaml');
    const { stderr } = await tagstream(['train', file, '--resume'], {
      env: { ...env, SECRET: 'another-one' },
    });
    expect(stderr).not.toMatch(/is not the one that wrote the checkpoint/);
  });

  it('the errors of a client lose them, and stay what they are', () => {
    class ClientError extends Error {}
    const inner = new Error('401 for https://anna:hunter2@host/x');
    const cause = new ClientError('cannot reach nats://anna:hunter2@host', { cause: inner });
    const error = TagstreamError.from(cause, 'connection');
    expect(error.cause).toBe(cause);
    expectNoSecret(
      [error.stack, cause.stack, cause.message, inner.stack, inner.message].join('\n'),
    );
    expect(error.message).toBe('cannot reach nats://***@host');
  });

  it('what is no secret stays', () => {
    for (const text of [
      'https://host:8080/a@b',
      'see https://github.com/x/y/blob/main/z@1.ts:7:3',
      'write to anna@example.org',
      'nats://host:4222, nats://other:4222',
    ]) {
      expect(redacted(text)).toBe(text);
    }
    const options = { tokens: 'words', key: 'id', auth: { token: { variable: 'NATS_TOKEN' } } };
    expect(withoutSecrets(options)).toEqual(options);
    expect(withoutSecrets({ credentials: './a.creds' })).toEqual({ credentials: './a.creds' });
  });
});
