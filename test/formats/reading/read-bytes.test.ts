import { execFileSync } from 'node:child_process';
import { createWriteStream, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../src/engine/core/errors.js';
import { Random } from '../../../src/engine/core/random.js';
import { writeModel } from '../../../src/engine/models/files/model-file.js';
import { withFileBytes } from '../../../src/formats/files/with-file-bytes.js';
import {
  mostFileBytes,
  readBytes,
  readPipesAhead,
} from '../../../src/formats/reading/read-bytes.js';
import { readText } from '../../../src/formats/reading/read-text.js';
import { tagstream } from '../../cli/commands/run-command.js';
import { workspace } from '../../cli/commands/workspace.js';
import { syntheticCorpus } from '../../engine/models/examples/synthetic-corpus.js';
import { train } from '../../engine/models/examples/train.js';

const folder = workspace();
const corpus = syntheticCorpus(new Random(1), 5);
const model = writeModel(train(corpus, { spec: { templates: 'U0:%x[0,0]' } }));
const at = (name: string) => join(folder, name);

function refusal(read: () => unknown): TagstreamError {
  try {
    read();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(TagstreamError);
    return thrown as TagstreamError;
  }
  throw new Error('nothing was refused');
}

describe.skipIf(process.platform === 'win32')('files that are read as a whole', () => {
  it('are regular, or devices that end', () => {
    expect(readBytes('/dev/null')).toHaveLength(0);
    for (const read of [readBytes, readText]) {
      const { code, problem } = refusal(() => read('/dev/zero'));
      expect(code).toBe('file');
      expect(problem).toContain('/dev/zero: it is a device that does not end within 1 MiB');
    }
    expect(refusal(() => readBytes(folder)).problem).toContain('it is a directory');
    expect(withFileBytes('/dev/zero', ({ length }) => length)).toBe(0);
  });

  it('have a size that is said, also of pipes and of what is compressed', async () => {
    writeFileSync(at('large'), '');
    truncateSync(at('large'), mostFileBytes + 1);
    expect(refusal(() => readBytes(at('large'))).problem).toContain('it is larger than 2 GiB');
    truncateSync(at('large'), 0);
    writeFileSync(at('small.gz'), gzipSync('a b'));
    expect(readText(at('small.gz'))).toBe('a b');
    execFileSync('mkfifo', [at('pipe')]);
    const ahead = readPipesAhead([at('pipe')]);
    const writer = createWriteStream(at('pipe'));
    writer.end('from a pipe');
    await Promise.all([ahead, finished(writer)]);
    expect(new TextDecoder().decode(readBytes(at('pipe')))).toBe('from a pipe');
  });

  const zero = '/dev/zero';
  it.each([
    ['tag', ['tag', '--model', zero]],
    ['tag in threads', ['tag', '--model', zero, '--workers', '2']],
    ['tag with a dictionary', ['tag', '--model', 'small.model', '--dictionary', zero]],
    ['inspect', ['inspect', zero]],
    ['eval', ['eval', 'a.ndjson', '--model', zero]],
    ['serve', ['serve', zero]],
    ['serve with tokens', ['serve', 'small.model', '--tokens', zero]],
    ['serve with a key', ['serve', 'small.model', '--tls-cert', zero, '--tls-key', zero]],
    ['export', ['export', zero, '--html', 'a.html']],
    ['run', ['run', zero]],
    ['train', ['train', zero]],
    ['study', ['study', zero]],
    ['models push', ['models', 'push', zero, 'ner', '--nats', zero]],
    ['a pipeline with lists', ['train', 'lists.yaml']],
    ['a pipeline that starts from it', ['train', 'start.yaml']],
  ])('are refused as devices: %s', async (_, args) => {
    writeFileSync(at('small.model'), model);
    writeFileSync(at('a.ndjson'), '{"tokens":["a"],"tags":["X"]}\n');
    const pipeline = (features: string, train: string) => `version: 1
name: a
source: { ndjson: { files: [a.ndjson] } }
stages: [{ featurize: ${features} }, batch, contribute, { optimize: { sgd: {} } }]
train: { epochs: 1${train} }
model: a.model
`;
    const lists = '{ templates: ["U0:%gazetteer[0,0,a]"], gazetteers: { a: /dev/zero } }';
    writeFileSync(at('lists.yaml'), pipeline(lists, ''));
    writeFileSync(
      at('start.yaml'),
      pipeline('{ templates: ["U0:%x[0,0]"] }', ', start: /dev/zero'),
    );
    const { code, stdout, stderr } = await tagstream(args, { cwd: folder, stdin: '' });
    expect(stderr).toMatch(/does not end within 1 MiB|none\.model|ends? in \.|not a /);
    expect([code === 0, stdout]).toEqual([false, '']);
  });
});
