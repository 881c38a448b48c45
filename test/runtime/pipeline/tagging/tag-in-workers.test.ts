import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import {
  type DeadLetterOptions,
  DeadLetters,
} from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import { openOutput } from '../../../../src/runtime/io/writing/open-output.js';
import { codecOf } from '../../../../src/runtime/pipeline/catalogue/codec-of.js';
import {
  type TagInWorkersOptions,
  tagInWorkers,
} from '../../../../src/runtime/pipeline/tagging/tag-in-workers.js';
import type { TaggingOptions } from '../../../../src/runtime/pipeline/tagging/tagging-options.js';
import type { TaggingPool } from '../../../../src/runtime/pipeline/tagging/tagging-run.js';
import { everyNth } from '../../../house/long-forms.js';
import {
  cleanUp,
  dying,
  endTagging,
  folder,
  type Given,
  modelBytes,
  openPool,
  tag,
} from './tag-either-way.js';

afterEach(cleanUp);
afterAll(endTagging);

const ndjson = [
  '{"id": 1, "text": "the dog runs. a dog runs!", "big": 12345678901234567890}',
  '{"tokens":["the","dog"],"tags":["D","N"],"x":"é😀é😀é😀é😀é😀"}',
  '',
  '{"id":2,"tokens":["the"',
  '{"id":"😀","text":"😀 a b é a"}\r',
  'null',
  '  \t',
  '{"id":3,"text":[]}',
  `{"id":4,"text":"${'the dog '.repeat(60)}"}`,
  `{"id":5,"text":"${'x'.repeat(70_000)}"}`,
  '{"id":6,"tokens":["a"],"sentences":[[0,1]]}',
  '{"id":7,"tokens":["a"],"tags":["X","Y"]}\r',
];
const conll = ['the D D\ndog N N', '# c', 'a\nb N N', 'é V V\n😀 N N\r', '', 'x y'];
const conllu = [
  '# sent_id = 1\n1\tthe\t_\tD\t_\t_\t_\t_\t_\t_',
  '1\té\t_\t_\t_\t_\t_\t_\t_\t_',
  'x',
];
const letters = ['ab\txy', 'é\tz', 'abc\tx', '', 'a'];

const rows: readonly [string, Given, string][] = [
  ['NDJSON', {}, mixed(ndjson, '\n')],
  ['NDJSON, the tags alone', { options: { output: 'tags' } }, mixed(ndjson, '\n')],
  [
    'NDJSON with probabilities',
    { options: { decoding: 'posterior', marginals: true, scores: true } },
    mixed(ndjson, '\n'),
  ],
  ['NDJSON with pairs', { options: { marginals: 'pairs' } }, mixed(ndjson, '\n')],
  [
    'NDJSON with a limit of length',
    { format: { name: 'ndjson', options: { maxLineBytes: 300 } } },
    mixed(ndjson, '\n'),
  ],
  [
    'NDJSON with a limit of tokens, the tags alone',
    {
      format: { name: 'ndjson', options: { maxTokens: 2100 } },
      options: { output: 'tags' },
    },
    mixed([...ndjson, ...[2000, 2100, 2101].map(tokensOf)], '\n'),
  ],
  [
    'CoNLL with a limit of tokens',
    {
      format: {
        name: 'conll',
        options: { columns: ['form', 'pos', 'tag'], tagOptional: true, maxTokens: 100 },
      },
    },
    mixed(
      [conll[0]!, 'the D\n'.repeat(100), ...[101, 20_000].map(rows => 'x D\n'.repeat(rows))],
      '\n\n',
    ),
  ],
  [
    'CoNLL',
    {
      format: {
        name: 'conll',
        options: { columns: ['form', 'pos', 'tag'], tagOptional: true, maxLineBytes: 50 },
      },
    },
    mixed([...conll, `${'a '.repeat(50_000)}\n`, 'the D\n'.repeat(20_000)], '\n\n'),
  ],
  ['CoNLL-U', { format: { name: 'conllu', options: {} } }, mixed(conllu, '\n\n')],
  [
    'letters',
    { format: { name: 'letters', options: { columns: ['word', 'phonemes'], tagOptional: true } } },
    mixed(letters, '\n'),
  ],
];

/** A record of so many tokens. */
function tokensOf(count: number): string {
  return JSON.stringify({ tokens: Array.from({ length: count }, (_, t) => (t % 2 ? 'dog' : 'a')) });
}

/** Records in an order of their own, some hundreds of them, without a last line end. */
function mixed(records: readonly string[], end: string): string {
  const random = new Random(1);
  const length = 30 * records.length;
  const picks = Array.from({ length }, () => records[random.below(records.length)]!);
  const short = picks.filter((record, i) => record.length < 5000 || i % 29 === 0);
  return `\ufeff${short.join(end)}`;
}

for (const part of everyNth(10, rows)) {
  describe.each(part.rows)('%s', { tags: part.tags }, (_, given, input) => {
    it('comes out with the same bytes for any number of workers and size of blocks', async () => {
      const alone = await tag(input, 0, given);
      expect(alone.records).toBeGreaterThan(50);
      expect(alone.letters.length).toBeGreaterThan(5);
      const runs = [
        ['here', 700, 1000],
        ['here', 100_000, 65_536],
        [1, 100, 1000],
        [2, 1, 65_536],
        [3, 5000, 7777],
      ] as const;
      for (const [workers, blockBytes, chunk] of runs) {
        const together = await tag(input, workers, { ...given, chunk, blockBytes });
        expect(together).toEqual(alone);
      }
    });

    it('ends at the first bad record where that is asked for, after all before it', async () => {
      const start = input.indexOf('\n', input.length / 3) + 1;
      const good = input
        .slice(0, start)
        .split('\n')
        .filter(line => !/"id":[23457]|^null$|^a\n?b|^x|^abc/.test(line))
        .join('\n');
      const text = `${good}${input.slice(start)}`;
      const alone = await tag(text, 0, { ...given, policy: 'fail' });
      expect(alone.error).toMatch(/^<stdin>:\d+: /);
      expect(alone.output.split('\n').length).toBeGreaterThan(3);
      for (const [workers, blockBytes] of [
        ['here', 3000],
        [2, 300],
        [2, 100_000],
      ] as const) {
        const together = await tag(text, workers, { ...given, policy: 'fail', blockBytes });
        expect(together.output).toBe(alone.output);
        expect(together.error).toBe(alone.error);
      }
    });
  });
}

describe('what happens to bad records', () => {
  const input = rows[0]![2];
  const ways: [string, Partial<DeadLetterOptions>, RegExp | undefined][] = [
    ['some are kept', { policies: { 'not-json': 'skip', 'wrong-shape': 'skip' } }, undefined],
    [
      'one kind ends the run',
      { policies: { 'length-mismatch': 'fail', 'not-json': 'skip' } },
      /1 token but 2 tags/,
    ],
    ['many end it', { maxErrorRate: 0.45, after: 40 }, /^<stdin>: \d+ of \d+ records are bad/],
    ['many later', { maxErrorRate: 0.44, after: 130 }, /^<stdin>: \d+ of \d+ records are bad/],
  ];
  it.each(ways)(
    '%s: the same for any number of workers',
    { tags: 'slow' },
    async (_, more, error) => {
      const given = { more, policy: 'dead-letter' } as const;
      const alone = await tag(input, 0, given);
      if (error === undefined) expect(alone.error).toBeUndefined();
      else expect(alone.error).toMatch(error);
      expect(alone.letters.length).toBeGreaterThan(0);
      expect(alone.output).toContain('"tags":');
      for (const [workers, blockBytes, chunk] of [
        [1, 1, 333],
        [2, 2000, 65_536],
        [3, 70_000, 1000],
      ] as const) {
        // How many blank lines were met by the end of a run depends on how the input came.
        const together = await tag(input, workers, { ...given, blockBytes, chunk });
        expect({ ...together, blank: 0 }).toEqual({ ...alone, blank: 0 });
      }
    },
  );

  for (const part of everyNth(8, rows)) {
    it.each(part.rows)(
      'letters of %s are replayed the same, place and all',
      { tags: part.tags },
      async (_, given, text) => {
        const { letters } = await tag(text, 0, given);
        const written = letters.map(letter => `${JSON.stringify(letter)}\n`).join('');
        const format = { name: 'ndjson', options: {}, ...given.format, replay: true };
        for (const [workers, blockBytes] of [
          [0, undefined],
          [1, 500],
          [2, 100_000],
        ] as const) {
          const again = await tag(written, workers, { ...given, format, blockBytes });
          expect(again.letters).toEqual(letters);
          expect([again.records, again.output, again.error]).toEqual([0, '', undefined]);
        }
      },
    );
  }
});

it('reads gzip, and skips bad records', { tags: 'slow' }, async () => {
  const input = gzipSync(rows[0]![2]);
  const alone = await tag(input, 0, { policy: 'skip' });
  expect(await tag(input, 2, { policy: 'skip', blockBytes: 700 })).toEqual(alone);
  const damaged = input.subarray(0, input.length - 20);
  const { error, output } = await tag(damaged, 2, { policy: 'skip' });
  expect(error).toContain(`the gzip data is cut off after ${damaged.length} bytes`);
  expect(alone.output.startsWith(output)).toBe(true);
});

/** A run of its own kind, over a pool whose workers are not those that tag. */
async function start(given: Partial<TagInWorkersOptions> & { pool: TaggingPool }) {
  const format = { name: 'ndjson', options: {} };
  const stdout = new PassThrough();
  const options: TaggingOptions = { output: 'record', decoding: 'viterbi' };
  const run = tagInWorkers({
    files: ['-'],
    codec: codecOf(format),
    setup: { modelBytes, modelFile: 'toy.model', kernel: 'simd', codec: format, options },
    output: await openOutput('-', { stdout }),
    deadLetters: new DeadLetters({ policy: 'skip' }),
    signal: new AbortController().signal,
    ...given,
  });
  const failed = run.then(
    () => undefined,
    (error: Error & { code?: string }) => error,
  );
  return { run, failed, stdout };
}

describe('a worker that dies', () => {
  it.each([
    ['exit', /^worker \d died: it ended with exit code 9$/],
    ['throw', /^worker \d died: in a worker$/],
  ])(
    'by %s: what came before is written, and the error has the cause',
    { tags: 'slow' },
    async (word, message) => {
      const lines = ['one', 'two', word, 'three', 'stall', 'stall', 'stall', 'stall'];
      const stdin = Readable.from(
        lines.map(line => Buffer.from(`${line}\n`)),
        { objectMode: false },
      );
      const { failed, stdout } = await start({ pool: openPool(1, dying), stdin, blockBytes: 1 });
      const error = await failed;
      expect(error).toMatchObject({ name: 'TagstreamError', code: 'worker' });
      expect(error!.message).toMatch(message);
      expect(error!.cause).toBeInstanceOf(Error);
      expect(String(stdout.read())).toBe('one\ntwo\n');
    },
  );

  it('while the input stands still: the run ends with it', { tags: 'slow' }, async () => {
    const stdin = new PassThrough();
    const { failed } = await start({ pool: openPool(2, dying), stdin });
    stdin.write('throw\n');
    expect((await failed)!.message).toMatch(/^worker \d died: in a worker$/);
  });

  it('leaves no file behind', { tags: 'slow' }, async () => {
    const output = await openOutput(join(folder, 'out.ndjson'));
    const stdin = Readable.from([Buffer.from('one\nexit\n')], { objectMode: false });
    const { failed } = await start({ pool: openPool(2, dying), stdin, output, blockBytes: 1 });
    expect((await failed)!.code).toBe('worker');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a run in workers', () => {
  it('answers what is there while more is to come', { tags: 'slow' }, async () => {
    const stdin = new PassThrough();
    const { run, stdout } = await start({ pool: openPool(2), stdin });
    for (const id of ['a', 'b', 'c']) {
      stdin.write(`{"id":"${id}","tokens":["the"]}\n{"id":`);
      await once(stdout, 'readable');
      expect(String(stdout.read())).toContain(`"id":"${id}"`);
      stdin.write('0}\n');
    }
    stdin.end();
    expect(await run).toEqual({ records: 3, ended: true });
  });

  it('stops reading while its output stands still', { tags: 'slow' }, async () => {
    let taken = 0;
    const stdin = Readable.from(
      (function* () {
        for (; taken < 100_000; taken += 1) yield Buffer.from(`{"tokens":["the"]}\n`.repeat(50));
      })(),
      { objectMode: false },
    );
    let confirm: (() => void) | undefined;
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => {
        confirm = done;
      },
    });
    const stop = new AbortController();
    const { run } = await start({
      pool: openPool(2),
      stdin,
      output: await openOutput('-', { stdout }),
      signal: stop.signal,
      blockBytes: 1000,
    });
    const turn = () => new Promise(resolve => setTimeout(resolve, 5));
    while (confirm === undefined) await turn();
    let before = -1;
    while (before !== taken) {
      before = taken;
      for (let i = 0; i < 20; i += 1) await turn();
    }
    // Chunks of about a block each: those in flight, one at hand, and what the stream has in store.
    expect(taken).toBeLessThan(200);
    stop.abort();
    stdout._write = (_chunk, _encoding, done) => done();
    confirm();
    const { records } = await run;
    expect(records % 50).toBe(0);
    expect(records / 50).toBeLessThanOrEqual(taken);
    expect(records).toBeGreaterThan(0);
  });

  it('ends in order when it is asked to, though the input does not end', {
    tags: 'slow',
  }, async () => {
    const stdin = new PassThrough();
    const stop = new AbortController();
    const { run, stdout } = await start({ pool: openPool(2), stdin, signal: stop.signal });
    stdin.write('{"id":1,"tokens":["the"]}\n{"id":2');
    await once(stdout, 'readable');
    stop.abort();
    expect(await run).toEqual({ records: 1, ended: false });
    expect(stdin.destroyed).toBe(true);
  });

  it('reports what is wrong with the model, also without any input', { tags: 'slow' }, async () => {
    const setup = {
      modelBytes: new SharedArrayBuffer(100),
      modelFile: 'no.model',
      kernel: 'simd',
      codec: { name: 'ndjson', options: {} },
      options: { output: 'record', decoding: 'viterbi' },
    } as const;
    for (const stdin of [Readable.from([]), new PassThrough()]) {
      const { failed } = await start({ pool: openPool(2), stdin, setup });
      expect(await failed).toMatchObject({
        code: 'model-format',
        message: expect.stringContaining('no.model') as string,
      });
    }
  });

  it('writes all before a file that cannot be read', { tags: 'slow' }, async () => {
    const stdin = Readable.from([Buffer.from('{"tokens":["the"]}\n')], { objectMode: false });
    const files = ['-', join(folder, 'absent.ndjson')];
    const { failed, stdout } = await start({ pool: openPool(2), stdin, files });
    expect((await failed)!.message).toMatch(/cannot read .*absent\.ndjson: no such file/);
    expect(String(stdout.read())).toBe('{"tokens":["the"],"tags":["D"]}\n');
  });
});
