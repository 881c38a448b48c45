import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { smallTreebank } from '../../engine/text/characters/small-treebank.js';
import { everyNth } from '../../house/long-forms.js';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();
const at = (name: string) => join(folder, name);
const pipeline = (
  more = '',
  tokenize = '{ tokenizer: learned }',
  train = 'epochs: 3',
) => `version: 1
name: small
source: { conllu: { files: [${more === '' ? 'train.conllu' : more}] } }
stages:
  - tokenize: ${tokenize}
  - featurize: { templates: ["U00:%x[0,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.1 } }
train: { ${train} }
model: small.model
`;
const text = [
  "The dog doesn't a cat. The cat likes a Dr. Low!",
  'The U.S. sees a river , and tea 3,5 ...',
  '',
  'The tea takes a house?',
  '',
].join('\n');

beforeAll(async () => {
  writeFileSync(at('train.conllu'), smallTreebank(100, 5));
  writeFileSync(at('small.yaml'), pipeline());
  writeFileSync(at('letter.txt'), text);
  await trainHere(at('small.yaml'));
});

const run = (words: string[], stdin?: string) =>
  tagstream(words, stdin === undefined ? { cwd: folder } : { cwd: folder, stdin });

describe('a model with a learned tokenizer', () => {
  it('writes the same CoNLL-U of a file, a pipe and several workers', async () => {
    const of = ['tag', '--model', 'small.model', '--to', 'conllu'];
    const { stdout, code } = await run([...of, 'letter.txt']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^# newdoc\n# newpar\n# sent_id = 0-1\n# text = The dog doesn't a cat\.\n/,
    );
    expect(stdout).toContain("\n3-4\tdoesn't\t_\t_");
    expect(stdout.match(/# newpar/g)).toHaveLength(2);
    expect((await run([...of, '--format', 'text'], text)).stdout).toBe(stdout);
    expect((await run([...of, 'letter.txt', '--workers', '2'])).stdout).toBe(stdout);
  });

  it('divides NDJSON as code does, by one worker or several, with rules and without', async () => {
    const records = text.split('\n').filter(line => line !== '');
    writeFileSync(
      at('texts.ndjson'),
      records.map(each => `${JSON.stringify({ text: each })}\n`).join(''),
    );
    const of = ['tag', '--model', 'small.model', 'texts.ndjson'];
    const { stdout } = await run(of);
    const tagger = Tagger.fromBytes(readFileSync(at('small.model')));
    for (const [i, line] of stdout.trim().split('\n').entries()) {
      const { tokens, offsets, tags } = tagger.tagText(records[i]!);
      expect(JSON.parse(line)).toMatchObject({ tokens, offsets, tags });
    }
    expect((await run([...of, '--workers', '2'])).stdout).toBe(stdout);
    writeFileSync(at('rules.yaml'), '- { set: VERB, names: [Dr. Low] }\n');
    const ruled = await run([...of, '--rules', 'rules.yaml']);
    const [first] = ruled.stdout.split('\n').map(line => (line === '' ? {} : JSON.parse(line)));
    const { tokens, tags } = first as { tokens: string[]; tags: string[] };
    expect(tags[tokens.indexOf('Low')]).toBe('VERB');
  });

  it('is scored from text, with nothing that needs the tokens of the file', async () => {
    writeFileSync(at('dev.conllu'), smallTreebank(30, 6));
    const of = ['eval', 'dev.conllu', '--model', 'small.model', '--from-text'];
    const { fromText } = JSON.parse((await run([...of, '--json'])).stdout) as {
      fromText: Record<string, { f1: number }>;
    };
    expect(Object.keys(fromText)).toEqual(['tokens', 'sentences', 'words', 'upos']);
    expect(fromText.words!.f1).toBeGreaterThan(0.97);
    const { stderr } = await run([...of, '--report', 'full']);
    expect(stderr).toContain('--from-text cannot be combined with --report');
    const to = ['tag', '--model', 'small.model', '--to', 'conllu', '--pretty', 'letter.txt'];
    expect((await run(to)).stderr).toContain('--to cannot be combined with --pretty');
  });

  for (const { rows, tags } of everyNth(2, [
    [
      'a stream',
      pipeline('train.conllu', '{ tokenizer: learned }', 'corpusSize: 100'),
      'only be learned from a corpus',
    ],
    ['the standard input', pipeline('"-"'), 'reads the records twice'],
  ])) {
    it.each(rows)('is not learned from %s', { tags }, async (_, yaml, problem) => {
      writeFileSync(at('other.yaml'), yaml);
      const { stderr } = await run(['validate', 'other.yaml']);
      expect(stderr).toContain(problem);
      expect(stderr).toContain('tokenizer');
    });
  }
});
