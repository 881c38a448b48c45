import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { convertFiles } from '../../src/cli/convert-files.js';
import { loadPipeline } from '../../src/pipeline/loading/load-pipeline.js';
import { workspace } from './commands/workspace.js';

const folder = workspace();
const at = (name: string) => join(folder, name);

it('tokenize takes a file of abbreviations', async () => {
  writeFileSync(at('own.txt'), '# ours\nGes.\nPkt #NUMERIC_ONLY#\n');
  writeFileSync(at('in.txt'), 'Die Ges. Alpha hat Pkt. 3. Der Pkt. Eins.\n');
  const options = { inputs: [at('in.txt')], to: 'ndjson', tokenizes: true };
  const sentences = async (more: object) => {
    await convertFiles({ ...options, ...more, out: at('out.ndjson') } as never);
    return JSON.parse(readFileSync(at('out.ndjson'), 'utf8')).sentences?.length ?? 1;
  };
  expect(await sentences({})).toBe(5);
  expect(await sentences({ abbreviations: at('own.txt') })).toBe(3);
  writeFileSync(at('own.txt'), '3rd\n');
  await expect(sentences({ abbreviations: at('own.txt') })).rejects.toThrow('own.txt:1');
});

it('a pipeline file has a list or a file, relative to it', async () => {
  writeFileSync(at('own.txt'), 'Ges.\n');
  const optionsWith = async (abbreviations: string) => {
    writeFileSync(
      at('p.yaml'),
      `version: 1
name: p
source: { ndjson: { files: [in.ndjson] } }
stages:
  - tokenize: { locale: de, abbreviations: ${abbreviations} }
  - featurize: { templates: ["U00:%x[0,0]"] }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
  - optimize: { sgd: {} }
train: { epochs: 1 }
model: p.model
`,
    );
    return (await loadPipeline(at('p.yaml'))).plan.tokenize?.options.abbreviations;
  };
  expect(await optionsWith('[z. B., Ges.]')).toEqual(['z. B.', 'Ges.']);
  expect(await optionsWith('own.txt')).toEqual(['Ges.']);
  await expect(optionsWith('["3rd"]')).rejects.toThrow('is not an abbreviation');
});
