import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { convertFiles } from '../../src/cli/convert-files.js';
import { chosenDivision, type TokenizerArguments } from '../../src/cli/files/chosen-division.js';
import { createModel } from '../../src/engine/models/create-model.js';
import { tokenize } from '../../src/engine/operators/tokenize.js';
import { regexTokenizer } from '../../src/engine/text/tokenizers/regex-tokenizer.js';
import { loadPipeline } from '../../src/runtime/pipeline/loading/load-pipeline.js';
import { train } from '../../src/runtime/pipeline/training/train.js';
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
  const optionsWith = async (abbreviations: string, tokenizing = 'locale: de') => {
    writeFileSync(
      at('p.yaml'),
      `version: 1
name: p
source: { ndjson: { files: [in.ndjson] } }
stages:
  - tokenize: { ${tokenizing}, abbreviations: ${abbreviations} }
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
  writeFileSync(at('wrong.txt'), 'Ges.\n3rd\n');
  await expect(optionsWith('wrong.txt')).rejects.toThrow(/wrong\.txt:2/);
  await expect(optionsWith('none.txt')).rejects.toThrow(/p\.yaml:5:\d+: .*none\.txt/);
  for (const [given, why] of [
    ['tokenizer: learned', 'a learned tokenizer finds the sentences itself'],
    ['model: p.model', 'a learned tokenizer finds the sentences itself'],
    ['sentences: false', 'the text is not split into sentences'],
    ['tokenizer: unicode, pattern: a', 'only the tokenizer regex has a pattern'],
  ] as const) {
    await expect(optionsWith('[Ges.]', given)).rejects.toThrow(
      new RegExp(`p\\.yaml:5:\\d+: .*${why}`),
    );
  }
});

it('refuses abbreviations and languages without effect on the command line and in code', async () => {
  writeFileSync(at('own.txt'), 'Ges.\n');
  writeFileSync(at('any.model'), '');
  const own = { abbreviations: at('own.txt') };
  const divide = (given: TokenizerArguments) => () => chosenDivision(given);
  expect(divide({ ...own, tokenizer: 'characters' })).toThrow('characters are one sentence');
  expect(divide({ ...own, tokenizer: at('any.model') })).toThrow('a model finds sentences itself');
  expect(divide({ locale: 'de', tokenizer: at('any.model') })).toThrow('--locale has no effect');
  expect(() => tokenize({ sentences: false, abbreviations: ['Ges.'] })).toThrow('is not split');
  const model = createModel({ templates: 'U' });
  expect(() => tokenize({ model, abbreviations: ['Ges.'] })).toThrow('finds the sentences itself');
  expect(() => tokenize({ model, tokenizer: regexTokenizer() })).toThrow('contains the tokenizer');
  const corpus = [{ text: 'a', tokens: ['a'], tags: ['A'] }];
  const learned = { tokenizer: 'learned', abbreviations: ['Ges.'] } as const;
  await expect(train({ corpus, features: { templates: 'U' }, tokenize: learned })).rejects.toThrow(
    'finds the sentences itself',
  );
});
