// @module-tag slow
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { lastValueFrom, of, toArray } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { batch } from '../../../src/engine/operators/batch.js';
import { featurize } from '../../../src/engine/operators/featurize.js';
import { tag } from '../../../src/engine/operators/tag.js';
import { tokenize } from '../../../src/engine/operators/tokenize.js';
import type * as operators from '../../../src/entries/operators.js';
import type * as training from '../../../src/entries/training.js';
import { train } from '../../../src/runtime/pipeline/training/train.js';
import type { TrainRequest } from '../../../src/runtime/pipeline/training/train-request.js';
import { chromiumFile, startChromium } from '../../reports/chromium.js';

const root = resolve(import.meta.dirname, '../../..');
const built = (name: string) => JSON.stringify(join(root, `dist/web/entries/${name}.js`));

/** Most bytes, gzipped, of everything that an entry exports, with its kernels, as a page loads it. */
const mostBytes = { browser: 200_500, client: 8_000, training: 378_500 };

/** What is asked of a training in both worlds; plain data, which goes to the page as it is. */
type Plain = Pick<TrainRequest, 'features' | 'trainer' | 'epochs'>;

const online: Plain = {
  features: { preset: 'pos' },
  trainer: { sgd: { eta0: 0.1, l2: 0.05 } },
  epochs: 3,
};
const whole: Plain = { features: { preset: 'pos' }, trainer: { lbfgs: { l2: 0.5 } }, epochs: 8 };

const corpus = recordsOf('train.ndjson');
const heldOut = recordsOf('heldout.ndjson').map(({ tokens }) => tokens);

interface StarterRecord {
  readonly tokens: string[];
  readonly columns: { readonly upos: string[] };
}

function recordsOf(file: string): { tokens: string[]; tags: string[] }[] {
  const lines = readFileSync(join(root, 'corpora/starter', file), 'utf8')
    .trim()
    .split('\n');
  return lines.map(line => {
    const { tokens, columns } = JSON.parse(line) as StarterRecord;
    return { tokens, tags: columns.upos };
  });
}

/** Bytes as they go to the page and back: lists of numbers take minutes. */
function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** A program as a usual bundler makes it for a page. */
async function bundled(code: string): Promise<string> {
  const input = join(root, 'page.js');
  const page = {
    name: 'page',
    resolveId: (id: string) => (id === input ? id : null),
    load: (id: string) => (id === input ? code : null),
  };
  const bundle = await rolldown({ input, platform: 'browser', plugins: [page] });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  expect(output).toHaveLength(1);
  return output[0].code;
}

/** What the page has: the entries for training and operators, and what it needs of RxJS. */
declare const tagstream: typeof training &
  typeof operators &
  Pick<typeof import('rxjs'), 'of' | 'lastValueFrom' | 'toArray'>;

describe('the entries for pages, bundled,', () => {
  it.each(Object.entries(mostBytes))('tagstream/%s has at most %i bytes', async (name, most) => {
    const size = gzipSync(await bundled(`export * from ${built(name)};`)).length;
    process.stdout.write(`tagstream/${name}, gzipped: ${size} bytes\n`);
    expect(size).toBeLessThanOrEqual(most);
  });

  it('have one class Tagger', async () => {
    const names = ['browser', 'training', 'models'];
    const from = names.map(name => `export { Tagger as ${name} } from ${built(name)};`);
    const code = await bundled(from.join('\n'));
    const taggers = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Record<
      string,
      unknown
    >;
    expect(new Set(names.map(name => taggers[name])).size).toBe(1);
  });

  describe.skipIf(chromiumFile === undefined)('in Chromium,', () => {
    let browser: Awaited<ReturnType<typeof startChromium>>;
    let page: Page;
    const heard: string[] = [];
    let trained: Awaited<ReturnType<typeof train>>;

    beforeAll(async () => {
      trained = await train({ ...online, corpus });
      browser = await startChromium();
      page = await browser.context.newPage();
      page.on('console', message => heard.push(message.text()));
      page.on('pageerror', error => heard.push(error.message));
      // A page without an address of its own; nothing goes over the network.
      await page.setContent('<!doctype html><title>Tagstream</title>');
      const training = `import * as training from ${built('training')};`;
      const operators = `import * as operators from ${built('operators')};`;
      const streams = "import { of, lastValueFrom, toArray } from 'rxjs';";
      const global =
        'globalThis.tagstream = { ...training, ...operators, of, lastValueFrom, toArray };';
      const content = await bundled([training, operators, streams, global].join('\n'));
      await page.addScriptTag({ content, type: 'module' });
    });
    afterAll(() => browser?.close());

    it.each([
      ['online', online],
      ['in batch', whole],
    ])('trains %s to the same model file as Node, and the same tags', async (_, plain) => {
      const here = plain === online ? trained : await train({ ...plain, corpus });
      const there = await page.evaluate(
        async ([request, records, sentences]) => {
          const { bytes, tagger } = await tagstream.train({ ...request, corpus: records });
          let binary = '';
          for (const byte of bytes) binary += String.fromCharCode(byte);
          return { bytes: btoa(binary), tags: sentences.map(tokens => tagger.tag(tokens)) };
        },
        [plain, corpus, heldOut] as const,
      );
      expect(there.tags).toEqual(heldOut.map(tokens => here.tagger.tag(tokens)));
      expect(there.bytes === base64(here.bytes)).toBe(true);
    });

    it('reads a model file that Node has written', async () => {
      const { bytes, tagger } = trained;
      const there = await page.evaluate(
        ([file, sentences]) => {
          const bytes = Uint8Array.from(atob(file), character => character.charCodeAt(0));
          const read = tagstream.Tagger.fromBytes(bytes.buffer);
          return sentences.map(tokens => read.analyze(tokens, {}, { probability: true }));
        },
        [base64(bytes), heldOut] as const,
      );
      const here = heldOut.map(tokens => tagger.analyze(tokens, {}, { probability: true }));
      expect(there.map(({ tags }) => tags)).toEqual(here.map(({ tags }) => tags));
      for (const [i, { probability }] of there.entries()) {
        expect(probability).toBeCloseTo(here[i]!.probability!, 9);
      }
    });

    it('tags a stream of raw text as Node does', async () => {
      const { bytes } = trained;
      const text = 'It rains. I stay at home.';
      const there = await page.evaluate(
        ([file, given]) => {
          const { Tagger, tokenize, featurize, batch, tag, of, lastValueFrom, toArray } = tagstream;
          const bytes = Uint8Array.from(atob(file), character => character.charCodeAt(0));
          const { model } = Tagger.fromBytes(bytes);
          const operators = [tokenize(), featurize(model), batch({ sentences: 2 })] as const;
          const tagged = of({ text: given }).pipe(...operators, tag(model), toArray());
          return lastValueFrom(tagged).then(all => all.map(({ tokens, tags }) => [tokens, tags]));
        },
        [base64(bytes), text] as const,
      );
      const { model } = Tagger.fromBytes(bytes);
      const operators = [tokenize(), featurize(model), batch({ sentences: 2 })] as const;
      const here = await lastValueFrom(of({ text }).pipe(...operators, tag(model), toArray()));
      expect(there).toEqual(here.map(({ tokens, tags }) => [tokens, tags]));
      expect(here).toHaveLength(2);
    });

    it('has nothing to complain about', () => {
      expect(heard).toEqual([]);
    });
  });
});
