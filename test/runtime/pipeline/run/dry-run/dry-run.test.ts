import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readModel } from '../../../../../src/engine/models/files/model-file.js';
import {
  loadPipeline,
  parsePipeline,
} from '../../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { dryRun } from '../../../../../src/runtime/pipeline/run/dry-run/dry-run.js';
import { runPipeline } from '../../../../../src/runtime/pipeline/run/run-pipeline.js';
import { toyPipeline, toyRecords, workspace } from '../../../../cli/commands/workspace.js';

const folder = workspace();
const file = toyPipeline(
  folder,
  60,
  `  - evaluate: { every: 3, on: { ndjson: { files: [train.ndjson] } } }
  - checkpoint: { dir: steps, every: epoch }
test: { ndjson: { files: [train.ndjson] } }
deadLetters: { file: bad.ndjson }
`,
);
const pipeline = loadPipeline(file, { set: ['train.workers=2', 'stages.batch.sentences=16'] });

describe('dryRun', () => {
  it('counts what is in the first records, and writes nothing', async () => {
    const before = readdirSync(folder).sort();
    const report = await dryRun(pipeline, { limit: 10 });
    expect(readdirSync(folder).sort()).toEqual(before);
    expect(report).toMatchObject({
      pipeline: 'toy',
      format: 'ndjson',
      records: 10,
      bad: 0,
      sentences: 10,
      tokens: 43,
      labelled: 10,
      labels: ['DET', 'NOUN', 'VERB', 'ADJ'],
      heldOut: { sentences: 10 },
      test: 10,
      firstOutput: null,
      writes: {
        model: join(folder, 'toy.model'),
        records: null,
        checkpoints: join(folder, 'steps'),
        deadLetters: join(folder, 'bad.ndjson'),
      },
    });
    expect(report.loss).toBeGreaterThan(0);
    expect(report.stages.map(stage => Object.keys(stage)[0])).toEqual([
      'tokenize',
      'featurize',
      'batch',
      'contribute',
      'optimize',
      'evaluate',
      'checkpoint',
    ]);
    expect(report.inputs[0]!.bytes).toBeGreaterThan(1000);
  });

  it('counts bad records and keeps none of them', async () => {
    const lines = [toyRecords(1)[0]!, 'no json', toyRecords(2)[1]!];
    writeFileSync(join(folder, 'some.ndjson'), lines.join('\n'));
    const some = loadPipeline(file, { set: ['source.ndjson.files=[some.ndjson]'] });
    const report = await dryRun(some, { limit: 100 });
    expect(report).toMatchObject({ records: 3, bad: 1, sentences: 2 });
    expect(report.firstBad).toContain('some.ndjson:2');
    expect(readdirSync(folder)).not.toContain('bad.ndjson');
  });

  it('tags with the model that there is, and shows the first record', async () => {
    await runPipeline(loadPipeline(toyPipeline(folder)), {});
    const text = `version: 1
name: tags
source: { ndjson: {} }
stages: [tokenize, { featurize: { model: toy.model } }, batch, tag, { checkpoint: { dir: p, seconds: 1 } }]
sink: { file: out.ndjson, output: tags }
`;
    const tags = parsePipeline(text, join(folder, 'tags.yaml'));
    const stdin = Readable.from([Buffer.from(`${toyRecords(5, false).join('\n')}\n`)]);
    const report = await dryRun(tags, { limit: 2, stdin });
    expect(report).toMatchObject({ records: 2, sentences: 2, labelled: 0, loss: null, test: null });
    expect(report.firstOutput).toBe('{"id":"0","tags":["DET","NOUN","VERB"]}\n');
    // As many as the file has, not as many rows as they take to tag.
    const { stateIndex, edgeIndex } = readModel(readFileSync(join(folder, 'toy.model')));
    expect(report.features).toBe(stateIndex.size + edgeIndex.size);
    expect(report.writes).toMatchObject({ model: null, records: join(folder, 'out.ndjson') });
    expect(readdirSync(folder)).not.toContain('p');
    expect(readdirSync(folder)).not.toContain('out.ndjson');
  });

  it('ends with the error that would end the run', async () => {
    const none = loadPipeline(file, { set: ['source.ndjson.files=[gone.ndjson]'] });
    await expect(dryRun(none, { limit: 1 })).rejects.toThrow('gone.ndjson does not exist');
    const corpus = loadPipeline(file, { set: ['source.ndjson.files=[corpora/brown/a.ndjson]'] });
    await expect(dryRun(corpus, { limit: 1 })).rejects.toThrow(
      'fetch the corpus: tagstream corpora fetch brown --dir FOLDER, and set TAGSTREAM_CORPORA to',
    );
    const strict = ['deadLetters={ default: fail }', 'source.ndjson.files=[some.ndjson]'];
    await expect(dryRun(loadPipeline(file, { set: strict }), { limit: 9 })).rejects.toThrow(
      'some.ndjson',
    );
  });
});
