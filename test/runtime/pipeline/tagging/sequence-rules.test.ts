import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadTagger } from '../../../../src/runtime/io/load-tagger.js';
import {
  loadPipeline,
  parsePipeline,
} from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { toyPipeline, workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();
const path = (name: string) => join(folder, name);
const pipeline = toyPipeline(folder, 40);
const tokens = ['the', 'dog', 'sees', 'the', 'cat'];

function tagging(options: string) {
  const text = `version: 1
name: rules
source: { ndjson: { files: [in.ndjson] } }
stages:
  - featurize: { model: toy.model }
  - batch: { sentences: 4 }
  - tag: { ${options} }
sink: { file: out.ndjson }
deadLetters: { file: bad.ndjson }
`;
  return parsePipeline(text, path('rules.yaml'));
}

it('holds in a pipeline file, in blocks, and in code', async () => {
  await runPipeline(loadPipeline(pipeline), { model: path('toy.model') });
  const lines = Array.from({ length: 30 }, (_, i) =>
    JSON.stringify({ id: `${i}`, tokens: i === 7 ? ['dog'] : tokens }),
  );
  writeFileSync(path('in.ndjson'), `${lines.join('\n')}\n`);
  const tagger = loadTagger(path('toy.model'));
  const sequence = [{ of: ['NOUN'], atMost: 1 }, { order: [['DET'], ['VERB']] }];
  expect(tagger.tag(tokens)).toEqual(['DET', 'NOUN', 'VERB', 'DET', 'NOUN']);
  const { tags, probability } = tagger.analyze(tokens, {}, { sequence, probability: true });
  expect(tags.filter(tag => tag === 'NOUN').length).toBeLessThanOrEqual(1);
  expect(tags.lastIndexOf('DET')).toBeLessThan(
    tags.indexOf('VERB') < 0 ? tags.length : tags.indexOf('VERB'),
  );
  expect(probability).toBeGreaterThan(0);
  const rules = 'sequence: [{ of: [NOUN], atMost: 1 }, { order: [[DET], [VERB]] }]';
  await runPipeline(tagging(rules));
  const written = readFileSync(path('out.ndjson'), 'utf8').trim().split('\n');
  expect(written).toHaveLength(30);
  for (const [i, line] of written.entries()) {
    const expected = tagger.analyze(JSON.parse(lines[i]!).tokens, {}, { sequence }).tags;
    expect(JSON.parse(line).tags).toEqual(expected);
  }
});

it('rejects what cannot meet the rules, and refuses rules that say nothing', async () => {
  const { rejected, records } = await runPipeline(
    tagging('sequence: [{ of: [NOUN], atLeast: 2 }]'),
  );
  expect([records, rejected]).toEqual([29, 1]);
  expect(readFileSync(path('bad.ndjson'), 'utf8')).toContain(
    'no label sequence satisfies the sequence rules',
  );
  expect(() => tagging('sequence: [{ of: [NOUN] }]')).toThrow('atLeast, atMost or both are needed');
  expect(() => tagging('sequence: [{ order: [[NOUN]] }]')).toThrow('sequence');
});
