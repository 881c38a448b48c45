import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { RunStatus } from '../../../../src/engine/core/run-status.js';
import { writeModel } from '../../../../src/engine/models/files/model-file.js';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import { runContext } from '../../../../src/runtime/pipeline/definition/run-context.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import type { RunOptions } from '../../../../src/runtime/pipeline/setup/run-options.js';
import { wayOf } from '../../../../src/runtime/pipeline/tagging/run-tagging.js';
import { taggingRun } from '../../../../src/runtime/pipeline/tagging/tag-stream.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { sentenceOf } from '../../../engine/features/sentence-of.js';
import { train } from '../../../engine/models/examples/train.js';
import { everyNth } from '../../../house/long-forms.js';

const folder = workspace();
const corpus = [
  sentenceOf(['the', 'dog', 'runs'], { tags: ['O', 'B-X', 'O'] }),
  sentenceOf(['a', 'cat', '.'], { tags: ['O', 'B-X', 'I-X'] }),
];
const file = join(folder, 'toy.model');
writeFileSync(file, writeModel(train(corpus, { spec: { templates: 'U00:%x[0,0]\nB' } })));
writeFileSync(join(folder, 'words.txt'), 'dog\tO\n');

const records = [
  '{"id": 1, "text": "the dog runs. A cat."}',
  '{"tokens":["the","dog"],"tags":["O","B-X"]}',
  'null',
  '',
  '{"id":"4","tokens":["a","cat","."]}',
  '{"text":"the-dog runs"}\r',
];
const input = Array.from({ length: 60 }, (_, i) => `${records[(i * 7) % records.length]}\n`).join(
  '',
);

function pipelineOf(more: string, source = 'ndjson: { files: ["-"] }') {
  const text = `version: 1\nname: t\nsource: { ${source} }\nstages:\n${more}`;
  return parsePipeline(text, join(folder, 'p.yaml'));
}

const tagging = (tag: string, first = '') =>
  `${first}  - featurize: { model: toy.model }\n  - batch: { sentences: 4 }\n  - tag: ${tag}\n`;

/** The way that records go. */
function wayIn(pipeline: ReturnType<typeof pipelineOf>, more: Partial<RunOptions> = {}) {
  const deadLetters = new DeadLetters({ policy: 'skip' });
  return wayOf(taggingRun(pipeline, runContext(pipeline), { deadLetters, ...more }));
}

/** What a run writes, and what becomes of bad records. */
async function written(pipeline: ReturnType<typeof pipelineOf>, more: Partial<RunOptions> = {}) {
  const stdout = new PassThrough();
  const text = stdout.toArray();
  const deadLetters = new DeadLetters({ policy: 'skip' });
  let blank = 0;
  const result = await runPipeline(pipeline, {
    ...{ deadLetters, stdout, stdin: Readable.from([Buffer.from(input)]) },
    onBlank: () => {
      blank += 1;
    },
    ...more,
  });
  stdout.end();
  return { result, blank, output: Buffer.concat(await text).toString() };
}

describe('a pipeline that only tags', () => {
  for (const part of everyNth(2, [
    ['with the tokenizer of the model', tagging('{}')],
    [
      'with one of its own',
      tagging('{}', '  - tokenize: { tokenizer: whitespace, sentences: false }\n'),
    ],
    [
      'with further results',
      tagging('{ marginals: true, nbest: 2, scores: true, spanProbabilities: true }'),
    ],
    ['with a dictionary', tagging('{ dictionary: words.txt }')],
    ['with the tags alone', `${tagging('{}')}sink: { output: tags }\n`],
  ])) {
    it.each(part.rows)(
      'writes in blocks what it writes record by record: %s',
      { tags: part.tags },
      async (_, text) => {
        const pipeline = pipelineOf(text);
        const watched = {
          status: new RunStatus(),
          deadLetters: new DeadLetters({ policy: 'skip' }),
        };
        expect([wayIn(pipeline), wayIn(pipeline, watched)]).toEqual(['blocks', 'records']);
        const inBlocks = await written(pipeline);
        const oneByOne = await written(pipeline, watched);
        expect(inBlocks).toEqual(oneByOne);
        expect(inBlocks.result).toMatchObject({ records: 40, rejected: 10, stopped: false });
        expect(inBlocks.blank).toBe(10);
      },
    );
  }

  it.each([
    ['a limit', tagging('{}'), 'ndjson: { files: ["-"], limit: 3 }'],
    ['a split', tagging('{}'), 'ndjson: { files: ["-"], split: { every: 2, take: [0] } }'],
    ['a selection of what is written', `${tagging('{}')}sink: { only: unlabelled }\n`, undefined],
  ])('goes record by record with %s', (_, text, source) => {
    expect(wayIn(pipelineOf(text, source))).toBe('records');
  });

  it('goes to threads where there are several, unless records are counted', () => {
    const pipeline = pipelineOf(tagging('{}'));
    const status = new RunStatus();
    expect(wayIn(pipeline, { workers: 2 })).toBe('threads');
    expect(wayIn(pipeline, { workers: 2, status })).toBe('threads');
    expect(wayIn(pipeline, { workers: 2, limit: 3 })).toBe('records');
    const every = (often: string) =>
      pipelineOf(
        `${tagging('{}')}  - checkpoint: { dir: steps, ${often} }\nsink: { file: out.ndjson }\n`,
      );
    expect(wayIn(every('seconds: 9'))).toBe('blocks');
    expect(wayIn(every('sentences: 9'))).toBe('records');
  });

  it('refuses workers where weights are learned, and numbers that are none', async () => {
    const learning = pipelineOf(
      `  - featurize: { templates: ["U:%x[0,0]"] }\n  - batch: {}\n  - contribute: {}\n  - optimize: { sgd: {} }\ntrain: { corpusSize: 4 }\n`,
    );
    await expect(written(learning, { workers: 2 })).rejects.toThrow(
      'workers apply only to pipelines that tag',
    );
    await expect(written(pipelineOf(tagging('{}')), { workers: 1.5 })).rejects.toThrow(
      '1.5 is not a number of workers',
    );
  });

  it('goes record by record with a model that has no plain records', async () => {
    const spec = {
      templates: 'U00:%x[0,0]\nB',
      index: { mode: 'hashed', rows: 4096, edgeRows: 256 } as const,
    };
    writeFileSync(join(folder, 'hashed.model'), writeModel(train(corpus, { spec })));
    const pipeline = pipelineOf(tagging('{}').replace('toy.model', 'hashed.model'));
    const { result } = await written(pipeline);
    expect(result).toMatchObject({ records: 40, rejected: 10 });
  });

  it('goes on with a model that takes the place of its own', async () => {
    const reloads = new Subject<void>();
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    let reloaded = 0;
    const events = {
      onReloaded: () => {
        reloaded += 1;
      },
    };
    const other = [sentenceOf(['the', 'dog'], { tags: ['B-Y', 'I-Y'] })];
    const run = written(pipelineOf(tagging('{}')), { stdin, stdout, reloads, events });
    stdin.write('{"tokens":["the","dog"]}\n');
    await new Promise(resolve => stdout.once('readable', resolve));
    const first = String(stdout.read());
    writeFileSync(file, writeModel(train(other, { spec: { templates: 'U00:%x[0,0]\nB' } })));
    reloads.next();
    expect(reloaded).toBe(1);
    stdin.end('{"tokens":["the","dog"]}\n');
    await run;
    expect(first).toContain('"tags":["O","B-X"]');
    expect(String(stdout.read())).toContain('"tags":["B-Y","I-Y"]');
  });
});
