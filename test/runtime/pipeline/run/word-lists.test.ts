import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readModel } from '../../../../src/engine/models/files/model-file.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { toyRecords, workspace } from '../../../cli/commands/workspace.js';
import { listedPipeline } from './listed-pipeline.js';

const folder = workspace();
const path = (name: string) => join(folder, name);
writeFileSync(path('train.ndjson'), `${toyRecords(40).join('\n')}\n`);

const lists = '{ animals: { file: animals.txt, fold: true } }';
const pipelineWith = (featurize: string, epochs = 4) =>
  listedPipeline(path('p.yaml'), featurize, epochs);

const earlyStopping = `version: 1
name: best
source: { ndjson: { files: [train.ndjson] } }
stages:
  - featurize: { templates: ["U:%x[0,0]", "B"], gazetteers: ${lists}, dictionary: { minCount: 2 } }
  - batch: { sentences: 4 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.2, l2: 0.1 } }
  - evaluate: { on: { ndjson: { files: [train.ndjson] } }, patience: 2 }
train: { epochs: 4, seed: 7 }
model: best.model
`;

async function run(featurize: string, epochs = 4, resume = false): Promise<Buffer> {
  await runPipeline(pipelineWith(featurize, epochs), {
    resume,
    deadLetters: new DeadLetters({ policy: 'fail' }),
  });
  return readFileSync(path('out.model'));
}

/** A pipeline whose texts are divided by a tokenizer, with two files of names and nothing else to look at. */
const tokenizedPipeline = (tokenizer: string) => `version: 1
name: named
source: { spans: { files: [named.ndjson] } }
stages:
  - tokenize: ${tokenizer}
  - featurize:
      templates: ["U:%gazetteer[0,0,places]", "U2:%gazetteer[0,0,firms]", "B"]
      gazetteers: { places: places.txt, firms: { file: firms.txt, fold: true } }
  - batch: { sentences: 4 }
  - contribute: { loss: log }
  - optimize: { lbfgs: { l2: 0.01 } }
train: { epochs: 30, seed: 7 }
model: named.model
`;

describe('names that a tokenizer divides, in the model of a pipeline file', () => {
  const names = { LOC: ["St. John's", 'No. 10'], ORG: ['Acme Inc.', 'AT&T', 'Bath & Co.'] };
  const records = Object.entries(names).flatMap(([label, each]) =>
    each.map(name => {
      const end = 8 + name.length;
      const [spans, negative] = [[{ label, start: 8, end }], [] as const];
      return [
        { text: `We love ${name} dearly.`, spans },
        { text: 'We love nothing.', spans: negative },
      ];
    }),
  );

  it.each([
    '{ tokenizer: regex }',
    '{ tokenizer: regex, pattern: "[A-Za-z]+|[^ ]" }',
    '{ tokenizer: treebank }',
    '{ tokenizer: unicode, locale: en }',
    '{ tokenizer: whitespace }',
  ])('%s', { tags: 'slow' }, async tokenizer => {
    writeFileSync(path('places.txt'), names.LOC.join('\n'));
    writeFileSync(path('firms.txt'), names.ORG.join('\r\n'));
    writeFileSync(
      path('named.ndjson'),
      records
        .flat()
        .map(each => JSON.stringify(each))
        .join('\n'),
    );
    await runPipeline(parsePipeline(tokenizedPipeline(tokenizer), path('named.yaml')), {
      deadLetters: new DeadLetters({ policy: 'fail' }),
    });
    const tagger = new Tagger(readModel(readFileSync(path('named.model'))));
    const found = (text: string) => tagger.tagText(text).spans!.map(span => span.text);
    expect(found('We love No. 10 dearly.')).toEqual(['No. 10']);
    expect(found('They know Bath & Co. well.')).toEqual(['Bath & Co.']);
    expect(found('They know BATH & CO. well.')).toEqual(['BATH & CO.']);
    // Case counts in the other file.
    expect(found('We love NO. 10 dearly.')).toEqual([]);
  });
});

describe('lists in a pipeline file', () => {
  const chosen = `{ templates: ["U:%x[0,0]", "B"], gazetteers: ${lists}, clusters: { brown: c.gz } }`;

  it('become part of the model, with templates of their own', async () => {
    writeFileSync(path('animals.txt'), 'DOG\ncat\n');
    writeFileSync(path('c.gz'), gzipSync('0\tdog\t3\n1\tthe\t9\n'));
    const { spec } = readModel(await run(chosen));
    expect(spec.resources).toEqual({
      gazetteers: { animals: { text: 'cat\ndog', fold: true } },
      clusters: { brown: { text: '0\tdog\n1\tthe', fold: false } },
    });
    expect(spec.templates).toContain('U:gazetteer:animals[0]:%gazetteer[0,0,animals]');
    rmSync(path('checkpoints'), { recursive: true });
  });

  it('are refused where a gazetteer has no entries, with the file', async () => {
    writeFileSync(path('animals.txt'), '\n \n');
    await expect(run(`{ templates: ["U:%x[0,0]"], gazetteers: ${lists} }`)).rejects.toMatchObject({
      code: 'wrong-shape',
      message: `${path('animals.txt')}: the gazetteer has no entries (write one name per line, or leave the list out)`,
    });
  });

  it('are in the model of the best pass too', async () => {
    writeFileSync(path('animals.txt'), 'dog\n');
    await runPipeline(parsePipeline(earlyStopping, path('p.yaml')), {
      deadLetters: new DeadLetters({ policy: 'fail' }),
    });
    const best = readModel(readFileSync(path('best.model')));
    expect(best.spec.resources!.gazetteers).toEqual({ animals: { text: 'dog', fold: true } });
    expect(best.learnedWords!.map(([word]) => word)).toContain('the');
  });

  it('are not read again where a run is resumed: the model has its own', async () => {
    writeFileSync(path('animals.txt'), 'dog\ncat\n');
    writeFileSync(path('c.gz'), '0\tdog\t3\n1\tthe\t9\n');
    const whole = await run(chosen, 4);
    rmSync(path('checkpoints'), { recursive: true });
    await run(chosen, 2);
    writeFileSync(path('animals.txt'), 'house\n');
    rmSync(path('c.gz'));
    expect((await run(chosen, 4, true)).equals(whole)).toBe(true);
    rmSync(path('checkpoints'), { recursive: true });
  });

  it('are reported by name where they are absent or wrong', async () => {
    writeFileSync(path('bad.txt'), '0\ta\t1\n0 b 2\n');
    writeFileSync(path('latin.txt'), Buffer.from([0x63, 0xe9]));
    writeFileSync(path('cut.gz'), gzipSync('some text').subarray(0, 15));
    const failure = (options: string) =>
      run(`{ templates: ["U:%x[0,0]"], ${options} }`).then(
        () => 'none',
        (error: Error) => error.message.replaceAll(`${folder}/`, ''),
      );
    expect(await failure('gazetteers: { a: none.txt }')).toMatch(/^cannot read none\.txt: no such/);
    expect(await failure('clusters: { a: bad.txt }')).toMatch(/^bad\.txt:2: this line is not in/);
    expect(await failure('gazetteers: { a: latin.txt }')).toMatch(/^latin\.txt: .*not UTF-8/);
    expect(await failure('gazetteers: { a: cut.gz }')).toMatch(/cut\.gz: the gzip data is cut off/);
  });

  it('have names that templates can say, and stand beside templates only', () => {
    expect(() => pipelineWith('{ templates: [U], gazetteers: { "a b": x } }')).toThrow(
      /gazetteers/,
    );
    expect(() => pipelineWith('{ model: m, clusters: { a: x } }')).toThrow(
      /a model already contains its lists: use gazetteers, clusters and vectors with templates/,
    );
  });
});
