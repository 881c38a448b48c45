import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { joined } from '../../../../src/engine/core/arrays.js';
import type { EncodedSentence } from '../../../../src/engine/core/minibatch/encoded-sentence.js';
import { Random } from '../../../../src/engine/core/random.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import {
  contentsOf,
  modelPieces,
  readModel,
} from '../../../../src/engine/models/files/model-file.js';
import { unionOf } from '../../../../src/engine/models/start/union-of.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { loadPipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { estimatePipeline } from '../../../../src/runtime/pipeline/run/estimate/estimate-pipeline.js';
import { observedRun, runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { tagstream } from '../../../cli/commands/run-command.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { everyNth } from '../../../house/long-forms.js';

const folder = workspace();
const [second, model, input] = ['second.yaml', 'second.model', 'input.ndjson'].map(name =>
  join(folder, name),
) as [string, string, string];

/** Names that one sentence of each document says the type of, before or behind another that does not. */
function records(count: number, seed: number, labelled = true): string {
  const random = new Random(seed);
  const lines = Array.from({ length: count }, (_, d) => {
    const name = `N${random.below(1000)}`;
    const type = random.below(2) === 0 ? 'PER' : 'LOC';
    const clear = { tokens: [type === 'PER' ? 'Mr' : 'in', name], tags: ['O', `B-${type}`] };
    const unclear = { tokens: ['so', name], tags: ['O', `B-${type}`] };
    const ordered = random.below(2) === 0 ? [clear, unclear] : [unclear, clear];
    return ordered.map(({ tokens, tags }) =>
      JSON.stringify({ document: String(d), tokens, ...(labelled ? { tags } : {}) }),
    );
  });
  return `${lines.flat().join('\n')}\n`;
}

/** A pipeline file of these features. */
function pipelineOf(
  name: string,
  featurize: string,
  more = 'train: { epochs: 8, seed: 1 }',
): string {
  const file = join(folder, `${name}.yaml`);
  const text = `version: 1
name: ${name}
source: { ndjson: { files: [train.ndjson] } }
stages:
  - tokenize: {}
  - featurize: { templates: ["U0:%x[-1,0]", "U1:%type[0,0]"], ${featurize} }
  - batch: { sentences: 4 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.3, l2: 0.1 } }
${more}
model: ${name}.model
test: { ndjson: { files: [test.ndjson] } }
`;
  writeFileSync(file, text);
  return file;
}

/** The trainings of first models that the second one told, and its scores. */
const trainings: string[] = [];
let scores: Awaited<ReturnType<typeof runPipeline>>['test'];

beforeAll(async () => {
  writeFileSync(join(folder, 'train.ndjson'), records(100, 1));
  writeFileSync(join(folder, 'test.ndjson'), records(50, 2));
  writeFileSync(input, records(300, 3, false));
  await runPipeline(loadPipeline(pipelineOf('first', '')));
  pipelineOf('second', 'from: first.yaml');
  ({ test: scores } = await runPipeline(loadPipeline(second), {
    events: { onFirstModel: (file, number, of) => trainings.push(`${file} ${number} ${of}`) },
  }));
  // Found out in the thread that trains it.
  const bad = pipelineOf('bad', '');
  const templates = '"U:%predicted[0,0,word]"';
  writeFileSync(bad, readFileSync(bad, 'utf8').replace('"U0:%x[-1,0]"', templates));
});

describe('a model that looks at the tags of a first one', () => {
  it('tells apart what other sentences of the document say, be they before or behind', async () => {
    expect(trainings).toEqual([1, 2, 3, 4, 5, 6].map(n => `${join(folder, 'first.yaml')} ${n} 6`));
    const alone = await runPipeline(loadPipeline(join(folder, 'first.yaml')));
    expect(alone.test!.f1).toBeLessThan(90);
    expect(scores!.f1).toBe(100);
  });

  it('has the first one in its file, as it is when it is trained by itself', () => {
    const { sections } = contentsOf(new Uint8Array(readFileSync(model)));
    const read = readModel(new Uint8Array(sections.first as Uint8Array));
    const first = readModel(new Uint8Array(readFileSync(join(folder, 'first.model'))));
    expect(read.parameters.weights.state.view).toEqual(first.parameters.weights.state.view);
    expect(read.labels.names).toEqual(first.labels.names);
  });

  it('shows in a summary that there is a first one', { tags: 'slow' }, async () => {
    const { stdout } = await tagstream(['inspect', model]);
    expect(stdout).toMatch(/first model +[\d,]+ of these bytes/);
  });

  it('writes the same bytes each time', { tags: 'slow' }, async () => {
    const before = readFileSync(model);
    await runPipeline(loadPipeline(second));
    expect(readFileSync(model).equals(before)).toBe(true);
  });

  it('is the same by several threads, which say what they begin', { tags: 'slow' }, async () => {
    const before = readFileSync(model);
    const trainings: number[] = [];
    await runPipeline(loadPipeline(second, { set: ['train.workers=2'] }), {
      events: { onFirstModel: (_, number) => trainings.push(number) },
    });
    expect(trainings).toEqual([1, 2, 3, 4, 5, 6]);
    expect(readFileSync(model).equals(before)).toBe(true);
  });

  it.each([
    ['dropout of the second model', '', 'dropout: 0.2'],
    ['dropout of both models', 'dropout: 0.3', 'dropout: 0.2'],
    ['segments', '', 'structure: segments'],
  ])(
    'is trained side by side with %s, to the same bytes',
    { tags: 'slow' },
    async (_, ofFirst, ofSecond) => {
      const file = second.replace('second', 'side');
      const text = readFileSync(second, 'utf8').replaceAll('second', 'side');
      const structured = text.replace(
        'model: side.model',
        'model: { file: side.model, structure: segments }',
      );
      writeFileSync(
        file,
        (ofSecond.startsWith('structure')
          ? structured
          : text.replace('seed: 1', `seed: 1, ${ofSecond}`)
        ).replace('first.yaml', 'side-first.yaml'),
      );
      const first = readFileSync(join(folder, 'first.yaml'), 'utf8');
      writeFileSync(
        join(folder, 'side-first.yaml'),
        ofFirst === '' ? first : first.replace('seed: 1', `seed: 1, ${ofFirst}`),
      );
      const inTurn = join(folder, 'in-turn.model');
      await runPipeline(loadPipeline(file), { model: inTurn });
      const begun: number[] = [];
      const pipeline = loadPipeline(file, { set: ['train.workers=3'] });
      expect(pipeline).toMatchObject({ firstWorkers: 3, train: { workers: 1 } });
      await runPipeline(pipeline, { events: { onFirstModel: (_, number) => begun.push(number) } });
      expect(begun).toEqual([1, 2, 3, 4, 5, 6]);
      expect(readFileSync(join(folder, 'side.model')).equals(readFileSync(inTurn))).toBe(true);
      // One corpus for several threads is refused as before.
      const set = ['train.workers=2', 'stages.featurize.from=first.model'];
      expect(() => loadPipeline(file, { set })).toThrow(/several workers|train in one thread/);
    },
  );

  it('is stopped while threads train the first one', { tags: 'slow' }, async () => {
    const controller = new AbortController();
    const { stopped } = await runPipeline(loadPipeline(second, { set: ['train.workers=2'] }), {
      model: join(folder, 'none.model'),
      signal: controller.signal,
      events: {
        onFirstModel: (_, number) => {
          if (number === 3) controller.abort();
        },
      },
    });
    expect(stopped).toBe(true);
    expect(existsSync(join(folder, 'none.model'))).toBe(false);
  });

  it('is trained on tags of models that have not seen the sentences', async () => {
    // Tags that follow from nothing but the words, which the first model learns by heart.
    const random = new Random(9);
    const lines = Array.from({ length: 100 }, (_, s) => {
      return JSON.stringify({ tokens: [`W${s}`], tags: [random.below(2) === 0 ? 'A' : 'B'] });
    });
    writeFileSync(join(folder, 'heart.ndjson'), lines.join('\n'));
    const set = [
      'source={ndjson: {files: [heart.ndjson]}}',
      'test={ndjson: {files: [heart.ndjson]}}',
    ];
    const words = ['stages.featurize.templates=["U:%x[0,0]"]', 'train.epochs=30'];
    const first = pipelineOf('heart', '').replace('.yaml', '');
    writeFileSync(
      `${first}.yaml`,
      readFileSync(`${first}.yaml`, 'utf8').replace(
        '"U0:%x[-1,0]", "U1:%type[0,0]"',
        '"U:%x[0,0]"',
      ),
    );
    const learned = await runPipeline(loadPipeline(`${first}.yaml`, { set: [...set, ...words] }));
    expect(learned.test!.accuracy).toBe(100);
    let corpus: readonly EncodedSentence[] = [];
    const more = [
      'stages.featurize.from=heart.yaml',
      'stages.featurize.templates=["U:%predicted[0,0,label]"]',
    ];
    const observer = {
      onSettled: (settled: readonly EncodedSentence[]) => {
        corpus = settled;
      },
    };
    const { test } = await observedRun(
      loadPipeline(second, { set: [...set, ...more] }),
      { model: join(folder, 'learned.model') },
      { observer },
    );
    // What it saw in training was of no use, so that it does not trust what the first model knows by heart.
    expect(test!.accuracy).toBeLessThan(90);
    const seen = corpus.map(({ sentence }) => sentence.context!.label![0]);
    const gold = corpus.map(({ sentence }) => sentence.tags![0]);
    const right = seen.filter((tag, s) => tag === gold[s]).length;
    expect(right).toBeGreaterThan(25);
    expect(right).toBeLessThan(75);
  });

  it('tags the same as a stream, with workers, and in a pipeline', { tags: 'slow' }, async () => {
    const alone = await tagstream(['tag', '--model', model, input]);
    expect(alone.code).toBe(0);
    const tags = alone.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).tags[1]);
    for (let s = 0; s < tags.length; s += 2) expect(tags[s]).toBe(tags[s + 1]);
    for (const more of [
      ['--workers', '2'],
      ['--limit', '8000'],
    ]) {
      expect(await tagstream(['tag', '--model', model, ...more, input])).toEqual(alone);
    }
    const tagging = join(folder, 'tagging.yaml');
    writeFileSync(
      tagging,
      `version: 1
name: tagging
source: { ndjson: { files: [input.ndjson] } }
stages: [{ tokenize: {} }, { featurize: { model: second.model } }, { batch: { sentences: 8 } }, { tag: {} }]
sink: { file: '-' }
`,
    );
    const { stdout } = await tagstream(['run', tagging]);
    expect(stdout).toBe(alone.stdout);
  });

  it('writes what waits for later sentences before the record that ends the run', async () => {
    const bad = join(folder, 'bad.ndjson');
    writeFileSync(bad, '{"tokens":["Mr","N1"]}\n{"tokens":["so","N1"]}\nno record\n');
    const { stdout, code } = await tagstream([
      'tag',
      '--model',
      model,
      '--output',
      'tags',
      '--strict',
      bad,
    ]);
    expect(code).not.toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(2);
  });

  it('tags and explains a sentence that comes alone', () => {
    const tagger = Tagger.fromBytes(readFileSync(model));
    expect(tagger.tag(['Mr', 'N1'])).toEqual(['O', 'B-PER']);
    expect(tagger.tagMany([['in', 'N1']])).toEqual([['O', 'B-LOC']]);
    const [, explained] = tagger.explain(['Mr', 'N1']);
    expect(explained!.tag).toBe('B-PER');
    const { contributions } = explained!;
    expect(contributions.map(({ name }) => name)).toContain('UP8:-/B-PER');
    const sum = contributions.reduce((total, { amount }) => total + amount, 0);
    expect(sum).toBeCloseTo(explained!.difference!, 6);
  });

  it('tags the sentences of a text as those of a document', async () => {
    const text = 'so N1. Mr N1.';
    const tags = Tagger.fromBytes(readFileSync(model)).tagText(text).tags;
    expect(tags).toEqual(['O', 'B-PER', 'O', 'O', 'B-PER', 'O']);
    const file = join(folder, 'text.ndjson');
    writeFileSync(file, JSON.stringify({ text }));
    const { stdout } = await tagstream(['tag', '--model', model, file]);
    expect(JSON.parse(stdout).tags).toEqual(tags);
  });

  it('can have a model of other data, and be read again', async () => {
    const other = join(folder, 'other.model');
    const { test } = await runPipeline(
      loadPipeline(second, {
        set: ['stages.featurize.from=first.model', 'source={ndjson: {files: [test.ndjson]}}'],
      }),
      { model: other },
    );
    expect(test!.f1).toBe(100);
    const bytes = new Uint8Array(readFileSync(other));
    expect(Tagger.fromBytes(bytes).tag(['Mr', 'N1'])).toEqual(['O', 'B-PER']);
    expect(contentsOf(bytes).sections.first).toEqual(
      new Uint8Array(readFileSync(join(folder, 'first.model'))),
    );
    expect((await tagstream(['inspect', other])).code).toBe(0);
  });

  it('goes with early stopping, whose best model has the first one too', {
    tags: 'slow',
  }, async () => {
    const stages = readFileSync(second, 'utf8').replace(
      '  - optimize: { sgd: { eta0: 0.3, l2: 0.1 } }\n',
      '$&  - evaluate: { every: epoch, on: { ndjson: { files: [test.ndjson] } }, patience: 2 }\n',
    );
    const file = join(folder, 'early.yaml');
    writeFileSync(file, stages);
    const { test } = await runPipeline(loadPipeline(file), { model: join(folder, 'early.model') });
    expect(test!.f1).toBe(100);
    expect(Tagger.fromBytes(readFileSync(join(folder, 'early.model'))).model.first).toBeDefined();
  });

  it('resumes to the same bytes', { tags: 'slow' }, async () => {
    const file = join(folder, 'kept.yaml');
    writeFileSync(
      file,
      readFileSync(second, 'utf8').replace(
        /^train: /m,
        '  - checkpoint: { dir: checkpoints, sentences: 100 }\n$&',
      ),
    );
    const kept = join(folder, 'kept.model');
    const controller = new AbortController();
    const stopped = await runPipeline(loadPipeline(file), {
      model: kept,
      signal: controller.signal,
      events: {
        onStep: ({ sentencesSeen }) => {
          if (sentencesSeen > 500) controller.abort();
        },
      },
    });
    expect(stopped.stopped).toBe(true);
    const resumed = await runPipeline(loadPipeline(file), { model: kept, resume: true });
    expect(resumed.stopped).toBe(false);
    await runPipeline(loadPipeline(second));
    expect(readFileSync(kept).equals(readFileSync(model))).toBe(true);
  });

  it('is cross-validated, each fold with a first model of its own', { tags: 'slow' }, async () => {
    const { stdout, code } = await tagstream(['crossval', second, '--folds', '2', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).pooled?.f1 ?? JSON.parse(stdout).f1).toBeGreaterThan(0);
  });

  it('says before what all its trainings take', async () => {
    const alone = (await estimatePipeline(loadPipeline(join(folder, 'first.yaml'))))!;
    const both = (await estimatePipeline(loadPipeline(second)))!;
    // Five trainings without a fifth of the corpus, and one on all of it, before that of the second model.
    expect(both.seconds).toBeGreaterThan(6 * alone.seconds);
    expect(both.seconds).toBeLessThan(9 * alone.seconds);
    expect(both.model).toBeGreaterThan(2 * alone.model!);
    const other = (await estimatePipeline(
      loadPipeline(second, { set: ['stages.featurize.from=first.model'] }),
    ))!;
    expect(other.model).toBeGreaterThan(readFileSync(join(folder, 'first.model')).length);
  });

  for (const part of everyNth(4, [
    ['first.model', {}, 'the first model was trained on these sentences'],
    ['second.yaml', {}, 'a first model cannot have a first model'],
    ['second.model', {}, 'the first model itself has a first model'],
    ['missing.yaml', {}, 'missing.yaml'],
    ['first.yaml', { train: '{ corpusSize: 10, seed: 1 }' }, 'trains in passes'],
    ['first.yaml', { 'source.ndjson.files': "['-']" }, 'reads the corpus several times'],
    ['bad.yaml', { 'train.workers': 2 }, 'needs the tags of a first model'],
  ])) {
    it.each(part.rows)('refuses %s with %j', { tags: part.tags }, async (from, more, problem) => {
      const set = [
        `stages.featurize.from=${from}`,
        ...Object.entries(more).map(each => each.join('=')),
      ];
      const run = runPipeline(loadPipeline(second, { set }), { model: join(folder, 'none.model') });
      await expect(run).rejects.toThrow(problem);
    });
  }

  it('refuses templates that look at the tags of no model', async () => {
    const file = pipelineOf('none', 'columns: [form]');
    const set = ['stages.featurize.templates=["U:%predicted[0,0,word]"]'];
    await expect(runPipeline(loadPipeline(file, { set }))).rejects.toThrow(
      '%predicted needs the tags of a first model',
    );
    const wrong = ['stages.featurize.templates=["U:%predicted[0,0,case]"]'];
    expect(() => loadPipeline(second, { set: wrong })).toThrow('word, span, longer, label');
  });

  it('is made by a pipeline file alone, and united with no other', () => {
    expect(() => createModel({ templates: 'U:%predicted[0,0,word]' })).toThrow(
      'that a first model predicts',
    );
    const stacked = { source: model, model: readModel(new Uint8Array(readFileSync(model))) };
    expect(() => unionOf([stacked], stacked.model.kernel)).toThrow('looks at the tags of a first');
  });

  it('refuses a file whose first model has one itself', () => {
    const contents = contentsOf(new Uint8Array(readFileSync(model)));
    const twice = { ...contents.sections, first: new Uint8Array(readFileSync(model)) };
    const bytes = joined(modelPieces({ ...contents, sections: twice }));
    expect(() => readModel(bytes)).toThrow('its first model also has a first model');
  });
});
