import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { AnnotationServer } from '../../../src/annotation/server/annotation-server.js';
import type { AnnotationSession } from '../../../src/annotation/session/session.js';
import { strategyOf } from '../../../src/annotation/strategies/strategies.js';
import { train } from '../../../src/index.js';
import { createService } from '../../../src/service/serve/service.js';
import { startService } from '../../../src/service/serve/start-service.js';
import {
  acceptGold,
  goldTags,
  openSample,
  sampleQueue,
  sampleText,
} from '../../annotation/sample-session.js';
import { LiveCommand } from '../../cli/commands/live-command.js';
import { tagstream } from '../../cli/commands/run-command.js';
import { samplePages } from '../../reports/sample-pages.js';

/** A page that is served, or a file. */
export interface OpenedPage {
  readonly url: string;
  /** Brings it to what is pictured, once it is loaded. */
  readonly prepare: (page: Page) => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

/** Makes a page in a folder of its own files. */
export type PageMaker = (folder: string) => Promise<OpenedPage>;

const nothing = async () => undefined;
const text = 'Clara Berg flew to Kyoto. In Bath it rains. Acme pays Ben.';

/** Every page that Tagstream writes or serves, by name. */
export const pageMakers: Readonly<Record<string, PageMaker>> = {
  ...Object.fromEntries(
    Object.entries(samplePages()).map(([name, content]) => [
      `report-${name}`,
      async (folder: string) => {
        const file = join(folder, `${name}.html`);
        writeFileSync(file, content);
        return { url: pathToFileURL(file).href, prepare: nothing, close: nothing };
      },
    ]),
  ),
  annotate: async folder => {
    const queue = sampleQueue(folder, 60, 'annotate.ndjson');
    const session = await openSample(queue, join(folder, 'annotated.ndjson'), {
      strategy: strategyOf('sequential'),
    });
    for (let i = 0; i < 12; i += 1) acceptGold(session, session.next(session.annotators[0]!)!);
    return annotated(session, '');
  },
  review: async folder => {
    const queue = sampleQueue(folder, 60, 'review.ndjson');
    const session = await openSample(queue, join(folder, 'reviewed.ndjson'), {
      annotators: ['anna', 'ben'],
      overlap: 0.3,
    });
    for (const annotator of session.annotators) {
      for (;;) {
        const shown = session.next(annotator);
        if (shown === undefined) break;
        // Ben never marks a firm.
        const tags = goldTags(shown.tokens).map(tag =>
          annotator.name === 'ben' && tag === 'B-ORG' ? 'O' : tag,
        );
        session.answer(annotator, { record: shown.record, answer: 'accept', tags, corrections: 0 });
      }
    }
    return annotated(session, '?annotator=review');
  },
  dashboard: folder => dashboard(folder, 1),
  'try-it': async folder => {
    const names = join(folder, 'people.model');
    writeFileSync(names, await peopleModel());
    const service = await createService({ models: { people: names }, threads: 1 });
    const started = await startService(service, { port: 0, host: '127.0.0.1' });
    return {
      url: started.url,
      prepare: async page => {
        await page.waitForSelector('html[data-ready=true]');
        await page.fill('#text', text);
        await page.waitForFunction(
          wanted => document.documentElement.dataset.shown === wanted,
          text,
        );
        await page.locator('#words button', { hasText: 'Kyoto' }).click();
        await page.locator('#reason table').waitFor();
      },
      close: () => started.stop(0),
    };
  },
  exported: async folder => {
    writeFileSync(join(folder, 'people.model'), await peopleModel());
    const given = ['export', 'people.model', '--html', 'people.html', '--sample', text];
    const { code, stderr } = await tagstream(given, { cwd: folder });
    if (code !== 0) throw new Error(stderr);
    return {
      url: pathToFileURL(join(folder, 'people.html')).href,
      prepare: page => page.locator('html[data-ready]').waitFor(),
      close: nothing,
    };
  },
};

/** A model of the sample sentences. */
async function peopleModel(): Promise<Uint8Array> {
  const corpus = Array.from({ length: 120 }, (_, i) => {
    const tokens = sampleText(i).split(' ');
    return { tokens, tags: goldTags(tokens) };
  });
  return (await train({ corpus, task: 'ner' })).bytes;
}

async function annotated(session: AnnotationSession, query: string): Promise<OpenedPage> {
  const server = await AnnotationServer.start(session, {
    port: 0,
    guidelines: '# People\n\nMark names of people, places and firms.',
    saveModel: () => 'a.model',
  });
  return {
    url: `${server.url}${query}`,
    prepare: page => page.locator('.token').first().waitFor(),
    close: async () => {
      await server.close();
      await session.close();
    },
  };
}

const online = `version: 1
name: online
source: { ndjson: { files: ["-"] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "U01:%x[-1,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
  - optimize: { adagrad: { eta0: 0.2, l2: 0.05 } }
  - evaluate: { progressive: true, report: 20, window: 100, halfLife: 50 }
train: { corpusSize: 1000 }
model: online.model
`;

/**
 * The dashboard of a run that learns from a stream, to which more comes every second.
 *
 * @param seconds until it is pictured
 */
export async function dashboard(folder: string, seconds: number): Promise<OpenedPage> {
  writeFileSync(join(folder, 'online.yaml'), online);
  const given = ['run', join(folder, 'online.yaml'), '--dashboard', '--metrics', '0', '--json'];
  const live = new LiveCommand(given);
  const address = /^dashboard: (\S+)$/m;
  await live.until(() => address.test(live.stderr));
  let number = 0;
  const feed = () => {
    const { stdin } = live.child;
    for (const end = number + 40 + ((number * 7) % 30); number < end; number += 1) {
      stdin.write(`${JSON.stringify(learned(number))}\n`);
    }
    if (number < 80) stdin.write('{"broken\n');
  };
  feed();
  const timer = setInterval(feed, 1000);
  return {
    url: address.exec(live.stderr)![1]!,
    prepare: async page => {
      await page.locator('#rejected').waitFor();
      // Panels come with their figures.
      for (const name of ['Loss per token', 'Progressive F1', 'Drift', 'F1 by label']) {
        await page.locator('h2', { hasText: name }).waitFor();
      }
      await page.waitForTimeout(1000 * seconds);
    },
    close: async () => {
      clearInterval(timer);
      live.child.stdin.end();
      await live.ended();
    },
  };
}

/** A labelled sentence; one word in some is labelled otherwise, so that scores have a course. */
function learned(i: number) {
  const names = ['Anna', 'Ben', 'Clara', 'Dora', 'Emil', 'Oslo', 'Bath', 'Rome', 'Acme', 'Globex'];
  const tokens = [0, 3, 7, 1].map(step => names[(i * (step + 2) + step) % 10]!);
  const tags = tokens.map((token, t) => {
    if ((i * 31 + t * 17) % 23 === 0) return 'O';
    const at = names.indexOf(token);
    return at < 5 ? 'B-PER' : at < 8 ? 'B-LOC' : 'B-ORG';
  });
  return { tokens, tags };
}
