import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FeatureExtractor } from '../../../src/engine/features/extraction/feature-extractor.js';
import { ExactIndex } from '../../../src/engine/features/index/exact-index.js';
import { parseTemplates } from '../../../src/engine/features/template/parse-templates.js';
import { tokenFunctionsOf } from '../../../src/entries/plugin.js';
import { pool } from '../../../src/entries/training.js';
import {
  loadPipeline,
  loadTagger,
  type Plugin,
  parsePipeline,
  readModel,
  runPipeline,
} from '../../../src/index.js';
import { loadPlugins } from '../../../src/runtime/plugins/load-plugins.js';
import { workspace } from '../../cli/commands/workspace.js';
import { byToken } from '../../engine/features/extracted-rows.js';
import { sentenceOf } from '../../engine/features/sentence-of.js';
import { itsPackage, plugInPipeline } from './installed.js';

const folder = workspace();
const path = (name: string) => join(folder, name);
const named = readFileSync(plugInPipeline(folder, itsPackage), 'utf8');
const without = named.replace(/^use: .*\n/m, '');

/** The plug-in itself, as code that imports it has it. */
const plugin = ((await import(itsPackage)) as { default: Plugin }).default;

/** What is in a model file, but for where its plug-in was loaded from. */
async function trained(text: string, use: readonly (string | Plugin)[], sharedReading?: number) {
  const model = path('some.model');
  const pipeline = parsePipeline(text, path('a.yaml'), { use });
  await runPipeline(pipeline, { model, ...(sharedReading === undefined ? {} : { sharedReading }) });
  const bytes = readFileSync(model);
  return { bytes, model: readModel(bytes, 'a', undefined, tokenFunctionsOf([plugin])) };
}

describe('a plug-in in code', () => {
  it('is given to the pipeline itself', async () => {
    const own = await trained(without, [plugin]);
    const file = await trained(named, []);
    expect(own.model.spec.uses).toEqual([
      { plugin: 'its-package', functions: ['vowels', 'bucket'] },
    ]);
    expect(file.model.spec.uses).toEqual([{ ...own.model.spec.uses![0], module: itsPackage }]);
    expect(own.model.parameters.weights.state.view).toEqual(
      file.model.parameters.weights.state.view,
    );
  });

  it('is unknown to every other pipeline', async () => {
    await trained(without, [plugin]);
    expect(() => parsePipeline(without, path('a.yaml'))).toThrow('unknown key "tsv"');
  });

  it('is named by its file where several threads are to load it', { tags: 'slow' }, async () => {
    const several = without.replace('seed: 7', 'seed: 7, workers: 2');
    await expect(trained(several, [plugin])).rejects.toMatchObject({
      code: 'config',
      problem: 'several workers cannot use the plug-in its-package',
      fix: expect.stringContaining('name it by its package or file in use'),
    });
    const two = await trained(several, [itsPackage]);
    expect(two.bytes).toEqual((await trained(without, [itsPackage])).bytes);
  });

  it('reads the corpus in several threads', { tags: 'slow' }, async () => {
    const several = without.replace('seed: 7', 'seed: 7, workers: 2');
    const shared = await trained(several, [itsPackage], 0);
    expect(shared.bytes).toEqual((await trained(without, [itsPackage])).bytes);
  });

  it('gives its token functions to a tagger', { tags: 'slow' }, async () => {
    const { bytes } = await trained(without, [plugin]);
    writeFileSync(path('kept.model'), bytes);
    const functions = tokenFunctionsOf([plugin]);
    const tagger = loadTagger(path('kept.model'), { functions });
    expect(tagger.tag(['the', 'old', 'cat', 'runs'])).toEqual(['DET', 'ADJ', 'NOUN', 'VERB']);
    expect(() => loadTagger(path('kept.model'))).toThrow(
      'the model needs %vowels, %bucket of the plug-in its-package',
    );
  });

  it('gives its token functions to a pool, whose file needs it as well', async () => {
    const { bytes } = await trained(without, [plugin]);
    const plain = without.replace(/"U\d*:%(?:vowels|bucket)[^"]*",? ?/g, '');
    const other = (await trained(plain, [plugin])).bytes;
    const functions = tokenFunctionsOf([plugin]);
    const pooled = await pool({ experts: [other, bytes], weights: [0.5, 0.5], functions });
    const tokens = ['the', 'old', 'cat', 'runs'];
    expect(pooled.tagger.tag(tokens)).toEqual(['DET', 'ADJ', 'NOUN', 'VERB']);
    expect(() => readModel(pooled.bytes)).toThrow(
      'the model needs %vowels, %bucket of the plug-in',
    );
    const refused = pool({ experts: [other, bytes], weights: [0.5, 0.5] });
    await expect(refused).rejects.toThrow('experts[1]: the model needs %vowels');
  });

  it('is loaded once, whatever names it', () => {
    expect(loadPlugins([itsPackage, itsPackage, `file://${itsPackage}`], folder)).toHaveLength(1);
  });
});

describe('token functions of a plug-in', () => {
  const functions = tokenFunctionsOf([plugin]);
  const features = (templates: string, tokens: readonly string[]) => {
    const extractor = new FeatureExtractor(parseTemplates(templates, 'a', functions), ['form']);
    extractor.open(sentenceOf(tokens));
    return byToken(extractor.state(tokens.length, new ExactIndex(1, extractor.memory), true));
  };

  it('make the features that the same texts in a column would make', () => {
    const tokens = ['banana', 'psst', 'eel', 'bananas'];
    // What finds nothing makes no feature; equal texts share one.
    expect(features('U:%vowels[0,0]', tokens)).toEqual([[0], [], [1], [0]]);
    expect(features('U:%bucket[0,0,3]', tokens)).toEqual([[0], [1], [1], [0]]);
    expect(features('U:%bucket[0,0,3]/%bucket[0,0,7]', tokens)).toEqual([[0], [1], [1], [2]]);
  });
});

it('a stopped run resumes to the same bytes', { tags: 'slow' }, async () => {
  const checkpointed = named
    .replace('train: {', '  - checkpoint: { dir: progress, every: epoch }\ntrain: {')
    .replace('model: plugged.model', 'model: resumed.model');
  writeFileSync(path('resumed.yaml'), checkpointed);
  const run = async (resume: boolean, stop: boolean) => {
    const controller = new AbortController();
    return runPipeline(loadPipeline(path('resumed.yaml')), {
      resume,
      signal: controller.signal,
      events: { onStep: () => stop && controller.abort() },
    });
  };
  await run(false, false);
  const whole = readFileSync(path('resumed.model'));
  rmSync(path('progress'), { recursive: true });
  rmSync(path('resumed.model'));
  expect((await run(false, true)).stopped).toBe(true);
  expect((await run(true, false)).stopped).toBe(false);
  expect(readFileSync(path('resumed.model')).equals(whole)).toBe(true);
});
