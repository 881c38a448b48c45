import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paintFor, summaryText } from '../../../../src/cli/inspect/summary-text.js';
import { TagstreamError } from '../../../../src/engine/core/errors.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { Decoder } from '../../../../src/engine/models/decoding/decoder.js';
import { scoreSentences } from '../../../../src/engine/models/decoding/score-sentences.js';
import { readModel, readTaggingModel } from '../../../../src/engine/models/files/model-file.js';
import { newestFormatVersion } from '../../../../src/engine/models/files/model-header.js';
import { readSections } from '../../../../src/engine/models/files/section-file.js';
import { inspectModel } from '../../../../src/engine/models/inspection/inspect-model.js';
import { readInspected } from '../../../../src/engine/models/inspection/read-inspected.js';
import { encodeInOrder } from '../../../../src/engine/models/learning/encode-in-order.js';
import type { Model } from '../../../../src/engine/models/model.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { dividerOf, type TextDivision } from '../../../../src/engine/text/divide-text.js';
import { readBytes } from '../../../../src/formats/reading/read-bytes.js';
import type { Plugin } from '../../../../src/index.js';
import { modelFacts } from '../../../../src/nats/registry/versions.js';
import { loadTagger } from '../../../../src/runtime/io/load-tagger.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { modelTokenizer } from '../../../../src/runtime/pipeline/stages/chosen-tokenizer.js';
import { tokenFunctionsOf } from '../../../../src/runtime/plugins/token-functions-of.js';
import { tagstream } from '../../../cli/commands/run-command.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { mutateJson, sealedHeader } from '../../../faults/files/mutate.js';
import { isNightly } from '../../../house/long-forms.js';
import { itsPackage } from '../../plugins/installed.js';
import { DrawnPipelines, type PipelineParts, repair } from './drawn-pipelines.js';

const folder = workspace();
const path = (name: string) => join(folder, name);
const file = path('drawn.model');
const draws = 500;
const headers = isNightly ? 20 : 10;
const seed = 1;

const plugin = ((await import(itsPackage)) as { default: Plugin }).default;
const functions = tokenFunctionsOf([plugin]);

/** A sentence of the test data with its tags by the model in memory. */
interface Scored {
  readonly sentence: Sentence;
  readonly tags: readonly string[];
}

/** What a drawn pipeline came to. */
interface Outcome {
  readonly text: string;
  readonly scored?: readonly Scored[];
  readonly refusal?: TagstreamError;
}

/** Trains what was drawn, with what errors ask for mended. */
async function trained(parts: PipelineParts): Promise<Outcome> {
  for (let attempt = 0; ; attempt += 1) {
    const text = drawn.textOf(parts);
    const scored: Scored[] = [];
    try {
      await runPipeline(parsePipeline(text, path('drawn.yaml')), {
        onScored: (sentence, tags) => scored.push({ sentence, tags: [...tags] }),
      });
      return { text, scored };
    } catch (thrown) {
      if (!(thrown instanceof TagstreamError)) throw new Error(text, { cause: thrown });
      if (attempt === 8 || !repair(parts, thrown)) return { text, refusal: thrown };
    }
  }
}

/** Tags by a model that was read, as `eval` and `tag` make them. */
function tagsBy(model: Model, scored: readonly Scored[]): (readonly string[])[] {
  const found: (readonly string[])[] = [];
  const sentences = scored.map(({ sentence }) => sentence);
  const decoder = new Decoder(model.kernel, model);
  scoreSentences(model, model.parameters, decoder, encodeInOrder(model, sentences), {}, (_, tags) =>
    found.push([...tags]),
  );
  return found;
}

/** All that is done with a model file. */
function use(bytes: Uint8Array, { scored }: { readonly scored: readonly Scored[] }): void {
  const inspected = readInspected(bytes, file, undefined, functions);
  const paint = paintFor({ isTTY: false, hasColors: () => false } as never);
  summaryText(inspectModel(inspected), 3, paint);
  modelFacts(bytes, file);
  const model = readTaggingModel(bytes, file, undefined, functions);
  modelTokenizer(model).tokenizer?.('Anna runs in Oslo.');
  const tagger = new Tagger(model);
  for (const { sentence } of scored.slice(0, 2)) {
    tagger.analyze(sentence.tokens, sentence.columns, { marginals: false });
  }
  dividerOf(model.spec.tokenize as TextDivision | undefined)('Anna runs in Oslo.');
}

const drawn = new DrawnPipelines(folder, seed);
const accepted = new Map<string, number>();
const models: {
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly scored: readonly Scored[];
}[] = [];

/** What is drawn is always the same; a run has a share of it. */
const cases: ReturnType<DrawnPipelines['next']>[] = [];
let ran = 0;

beforeAll(async () => {
  await drawn.prepare();
  while (cases.length < draws) cases.push(drawn.next());
});

describe('models of drawn options', () => {
  afterAll(() => {
    console.log(`${models.length} of ${ran} drawn models trained`);
  });

  it.each(Array.from({ length: draws }, (_, i) => i))(
    'number %i is refused, or read as it was',
    { tags: 'slow' },
    async number => {
      ran += 1;
      const { parts, options } = cases[number]!;
      const { text, scored, refusal } = await trained(parts);
      if (refusal !== undefined) {
        expect(refusal.problem, text).not.toBe('');
        expect(refusal.code, text).not.toMatch(/^model-/);
        return;
      }
      for (const option of options) accepted.set(option, (accepted.get(option) ?? 0) + 1);
      const bytes = readBytes(file);
      // Also where sequences tie: the run scores its model in the precision in which the file is read.
      const before = scored!.map(({ tags }) => tags);
      expect(before.length, text).toBe(8);
      for (const read of [readModel, readTaggingModel]) {
        const tags = tagsBy(read(bytes, file, undefined, functions), scored!);
        expect(tags, text).toEqual(before);
      }
      const tagger = loadTagger(file, { functions });
      const { extractor } = tagger.model;
      if (
        !extractor.readsDocuments &&
        !extractor.readsPredictions &&
        tagger.model.links === undefined
      ) {
        const tags = scored!.map(({ sentence }) => tagger.tag(sentence.tokens, sentence.columns));
        expect(tags, text).toEqual(before);
      }
      use(bytes, { scored: scored! });
      models.push({ bytes, text, scored: scored! });
      if (models.length % 15 !== 1) return;
      const more = text.includes('"use"') ? ['--use', itsPackage] : [];
      const data = path(text.includes('test-pairs') ? 'test-pairs.ndjson' : 'test.ndjson');
      for (const command of [
        ['tag', '--model', file, data],
        ['eval', '--model', file, data],
        ['inspect', file],
      ]) {
        const { code, stdout, stderr } = await tagstream([...command, ...more]);
        expect(code, `${command[0]} ${text}\n${stderr}`).toBe(0);
        if (command[0] !== 'tag') continue;
        const tags = stdout.trim().split('\n');
        expect(
          tags.map(line => (JSON.parse(line) as Scored).tags),
          text,
        ).toEqual(before);
      }
    },
  );

  it('trains many of them', () => {
    // Of a share of them few may be trained.
    if (ran < draws) return;
    expect(models.length).toBeGreaterThan(ran / 5);
    // Every option of the section `model` is in some that was trained.
    const never = drawn.seen().filter(option => !accepted.has(option));
    expect(never.filter(option => /^model\.\w+$/.test(option))).toEqual([]);
  });

  it('are refused or used where a value in their headers is another', { tags: 'slow' }, () => {
    const random = new Random(seed);
    const codes = new Map<string, number>();
    for (const { bytes, text, scored } of models) {
      const { header } = readSections(bytes, newestFormatVersion, file);
      for (let i = 0; i < headers; i += 1) {
        const changed = structuredClone(header) as Record<string, unknown>;
        // The table of sections is most of it, and every change of it the same.
        const { sections } = changed;
        delete changed.sections;
        const where = mutateJson(random, changed);
        changed.sections = sections;
        let code = 'used';
        try {
          use(sealedHeader(changed, bytes), { scored });
        } catch (thrown) {
          if (!(thrown instanceof TagstreamError)) {
            throw new Error(`${where} ${JSON.stringify(changed)} of ${text}`, { cause: thrown });
          }
          code = thrown.code;
          if (code.startsWith('model-')) expect(thrown.place.source).toContain(file);
        }
        codes.set(code, (codes.get(code) ?? 0) + 1);
      }
    }
    expect(codes.get('model-damaged')).toBeGreaterThan(models.length);
  });
});
