import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastValueFrom, of, toArray } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleModels } from '../../../src/engine/models/files/bundle-models.js';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { tokenize } from '../../../src/engine/operators/tokenize.js';
import { loadTagger } from '../../../src/runtime/io/load-tagger.js';
import { TaggerPool } from '../../../src/runtime/pipeline/tagging/service/tagger-pool.js';
import { train } from '../../../src/runtime/pipeline/training/train.js';
import { smallTreebank } from '../../engine/text/characters/small-treebank.js';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();
const at = (name: string) => join(folder, name);
const bytes = (name: string) => readFileSync(at(name));
const run = (words: string[], stdin?: string) =>
  tagstream(words, stdin === undefined ? { cwd: folder } : { cwd: folder, stdin });
const pipeline = (model: string, tokenize: string) => `version: 1
name: small
source: { conllu: { files: [train.conllu] } }
stages:
  - tokenize: ${tokenize}
  - featurize: { templates: ["U00:%x[0,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.1 } }
train: { epochs: 3 }
model: ${model}
`;
const text = "The dog doesn't a cat. The cat likes a Dr. Low!\n\nThe U.S. sees 3,5 ...\n";

/** The tagger has its tokenizer in the file, of the tagger of the other it is that of `own.model`. */
beforeAll(async () => {
  writeFileSync(at('train.conllu'), smallTreebank(100, 5));
  writeFileSync(at('dev.conllu'), smallTreebank(30, 6));
  writeFileSync(at('own.yaml'), pipeline('own.model', '{ tokenizer: learned }'));
  writeFileSync(at('plain.yaml'), pipeline('plain.model', '{ tokenizer: whitespace }'));
  writeFileSync(at('taken.yaml'), pipeline('taken.model', '{ model: own.model }'));
  for (const name of ['own', 'plain', 'taken']) await trainHere(at(`${name}.yaml`));
  writeFileSync(at('letter.txt'), text);
  const records = [...text.split('\n'), ''].map(each => JSON.stringify({ text: each }));
  writeFileSync(at('texts.ndjson'), `${records.join('\n')}\n`);
});

describe('the tokenizer of another model file', () => {
  it.each([
    ['texts.ndjson', []],
    ['letter.txt', ['--to', 'conllu']],
  ])('divides %s as in the file of its own model', { tags: 'slow' }, async (input, more) => {
    const { stdout, code } = await run(['tag', '--model', 'own.model', input, ...more]);
    expect(code).toBe(0);
    const of = ['tag', '--model', 'plain.model', '--tokenizer', 'own.model', ...more];
    expect((await run([...of, input])).stdout).toBe(stdout);
    expect((await run([...of, input, '--workers', '2'])).stdout).toBe(stdout);
    const format = input.endsWith('.txt') ? 'text' : 'ndjson';
    const piped = await run([...of, '--format', format], readFileSync(at(input), 'utf8'));
    expect(piped.stdout).toBe(stdout);
    // A record at a time.
    expect((await run([...of, input, '--limit', '100'])).stdout).toBe(stdout);
    const plain = await run(['tag', '--model', 'plain.model', input, ...more]);
    expect(plain.stdout).not.toBe(stdout);
  });

  it('is named in a pipeline file that tags, which workers run too', { tags: 'slow' }, async () => {
    const { stdout } = await run(['tag', '--model', 'own.model', 'texts.ndjson']);
    writeFileSync(
      at('tag.yaml'),
      [
        'version: 1',
        'name: tag',
        'source: { ndjson: { files: [texts.ndjson] } }',
        'stages: [{ tokenize: { model: own.model } }, { featurize: { model: plain.model } }, batch, tag]',
      ].join('\n'),
    );
    expect((await run(['run', 'tag.yaml'])).stdout).toBe(stdout);
    expect((await run(['run', 'tag.yaml', '--workers', '2'])).stdout).toBe(stdout);
    expect((await run(['run', 'tag.yaml', '--dry-run'])).code).toBe(0);
  });

  it('becomes part of a model that is trained with it, by a file or by code', {
    tags: 'slow',
  }, async () => {
    const { stdout } = await run(['tag', '--model', 'own.model', 'texts.ndjson']);
    expect((await run(['tag', '--model', 'taken.model', 'texts.ndjson'])).stdout).toBe(stdout);
    const { model } = loadTagger(at('own.model'));
    const corpus = [{ text: 'The dog.', tokens: ['The', 'dog', '.'], tags: ['A', 'B', 'C'] }];
    const features = { templates: 'U:%x[0,0]' };
    const { tagger } = await train({ corpus, features, tokenize: { model } });
    const [line] = text.split('\n');
    expect(tagger.tagText(line!).tokens).toEqual(loadTagger(at('own.model')).tagText(line!).tokens);
    await expect(
      train({ corpus, features, tokenize: { model, tokenizer: 'regex' } }),
    ).rejects.toThrow('leave tokenizer and pattern out');
    const none = loadTagger(at('plain.model')).model;
    await expect(train({ corpus, features, tokenize: { model: none } })).rejects.toThrow(
      'tokenize.model: the model has no learned tokenizer',
    );
  });

  it('divides alike in a Tagger, a pool and an operator', async () => {
    const [line] = text.split('\n');
    const own = loadTagger(at('own.model')).tagText(line!);
    expect(own.tokens).toContain("n't");
    const tokenizer = { bytes: bytes('own.model'), source: 'own.model' };
    const bundled = bundleModels([{ bytes: bytes('plain.model') }], { tokenizer });
    expect(Tagger.fromBytes(bundled).tagText(line!)).toEqual(own);
    // What is in a bundle is taken over by another one.
    const again = bundleModels([{ bytes: bytes('taken.model'), column: 'a' }], { tokenizer });
    expect(Tagger.fromBytes(again).tagText(line!)).toEqual(own);
    const named = { tokenizer: at('own.model') };
    expect(loadTagger(at('plain.model'), named).tagText(line!)).toEqual(own);
    const pool = await TaggerPool.load(at('plain.model'), named);
    try {
      expect(await pool.tagText(line!)).toEqual(own);
    } finally {
      await pool.close();
    }
    const { model } = loadTagger(at('own.model'));
    const sentences = await lastValueFrom(of({ text: line! }).pipe(tokenize({ model }), toArray()));
    expect(sentences.flatMap(({ tokens }) => tokens)).toEqual(own.tokens);
  });

  it('is scored, and divides texts without a tagger', { tags: 'slow' }, async () => {
    const of = ['eval', 'dev.conllu', '--from-text', '--json', '--model'];
    const { stdout } = await run([...of, 'own.model']);
    expect((await run([...of, 'plain.model', '--tokenizer', 'own.model'])).stdout).toBe(stdout);
    const words = (given: string) =>
      run([...of, 'plain.model', '--tokenizer', given]).then(
        result => (JSON.parse(result.stdout).fromText as Record<string, { f1: number }>).words!.f1,
      );
    expect(await words('whitespace')).toBeLessThan(await words('treebank'));
    const divided = await run(['tokenize', '--tokenizer', 'own.model', 'letter.txt']);
    const tagged = await run(['tag', '--model', 'own.model', 'letter.txt']);
    const tokensOf = (lines: string) =>
      lines
        .trim()
        .split('\n')
        .map(line => (JSON.parse(line) as { tokens: string[] }).tokens);
    expect(tokensOf(divided.stdout)).toEqual(tokensOf(tagged.stdout));
    const clusters = ['word-clusters', 'letter.txt', '--classes', '2', '--min-count', '1'];
    const learned = await run([...clusters, '--tokenizer', 'own.model']);
    expect(learned.stdout).toContain("n't");
  });

  it('that is none or damaged is refused, with its place', async () => {
    const tag = (tokenizer: string, ...more: string[]) =>
      run(['tag', '--model', 'plain.model', '--tokenizer', tokenizer, 'texts.ndjson', ...more]);
    for (const more of [[], ['--workers', '2']]) {
      const none = await tag('plain.model', ...more);
      expect(none.stderr).toContain('plain.model: the model has no learned tokenizer');
      expect(none.stderr).toContain('init --text');
      expect(none.code).not.toBe(0);
    }
    const damaged = Uint8Array.from(bytes('own.model'));
    damaged[Buffer.from(damaged).lastIndexOf('TSGM') + 30]! ^= 1;
    writeFileSync(at('damaged.model'), damaged);
    expect((await tag('damaged.model')).stderr).toMatch(/damaged\.model.*checksum/);
    expect((await tag('unicodee')).stderr).toContain('there is no such tokenizer or file');
    expect((await tag('letter.txt')).stderr).toContain('letter.txt');
    writeFileSync(at('wrong.yaml'), pipeline('other.model', '{ model: plain.model }'));
    const trained = await run(['train', 'wrong.yaml']);
    expect(trained.stderr).toContain('plain.model: the model has no learned tokenizer');
    writeFileSync(at('both.yaml'), pipeline('o.model', '{ model: own.model, tokenizer: unicode }'));
    expect((await run(['validate', 'both.yaml'])).stderr).toContain(
      'leave tokenizer and pattern out',
    );
    writeFileSync(at('own-out.yaml'), pipeline('own.model', '{ model: own.model }'));
    expect((await run(['validate', 'own-out.yaml'])).stderr).toContain(
      'the model of the tokenizer',
    );
  });
});
