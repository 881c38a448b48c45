import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RunStatus } from '../../../src/engine/core/run-status.js';
import { reasons } from '../../../src/formats/bad-records/reasons.js';
import { seriesOf, shownFigure } from '../../../src/service/telemetry/dashboard/page/panels.js';
import { type Figures, RunHistory } from '../../../src/service/telemetry/dashboard/run-history.js';
import { TelemetryServer } from '../../../src/service/telemetry/telemetry-server.js';
import { LiveCommand } from '../../cli/commands/live-command.js';
import { tagstream } from '../../cli/commands/run-command.js';
import { toyRecords, workspace } from '../../cli/commands/workspace.js';
import { everyNth } from '../../house/long-forms.js';
import { describeNats, natsServers } from '../../nats/server.js';
import { chromiumFile, startChromium } from '../../reports/chromium.js';
import { namesModel } from '../serve/served.js';

describe('the history of a run', () => {
  const history = (most: number, figures = (at: number): Figures => ({ at })) => {
    let at = 0;
    const made = new RunHistory(async () => figures(at), { most });
    const take = async (until: number) => {
      for (; at < until; at += 1000) await made.take(at);
    };
    return { made, take };
  };

  it('covers the whole run, however long it is, with its first and its newest sample', async () => {
    for (const seconds of [1, 5, 8, 9, 100, 1001]) {
      const { made, take } = history(8);
      await take(1000 * seconds);
      const times = made.samples.map(({ at }) => at);
      expect(times.length).toBeLessThanOrEqual(9);
      expect([times[0], times.at(-1)]).toEqual([0, 1000 * (seconds - 1)]);
      const steps = times.slice(1, -1).map((time, i) => time - times[i]!);
      // All the same, and the newest where it falls.
      expect(new Set(steps).size).toBeLessThanOrEqual(1);
      for (const { at, figures } of made.samples) expect(figures).toEqual({ at });
    }
  });

  it('holds the scores of single labels for the newest sample alone', async () => {
    const { made, take } = history(8, () => ({ 'tagstream_progressive_label_f1{PER}': 0.5, a: 1 }));
    await take(3000);
    expect(made.samples.map(({ figures }) => Object.keys(figures).length)).toEqual([1, 1, 2]);
  });
});

describe('lines of a chart', () => {
  it('have a gap where a sample lacks the figure, and names of labels', () => {
    const samples = [
      { at: 0, figures: { 'learner{a}': 1 } },
      { at: 1000, figures: {} },
      { at: 2000, figures: { 'learner{a}': 3, 'learner{b,true}': 4 } },
    ];
    const panel = { title: '', unit: 'count', series: { 'learner{': '' } } as const;
    expect(seriesOf(panel, samples)).toEqual([
      { name: 'a', key: 'learner{a}', values: [1, null, 3] },
      { name: 'b,true', key: 'learner{b,true}', values: [null, null, 4] },
    ]);
  });
});

describe('the dashboard of a run', () => {
  const open: TelemetryServer[] = [];
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close();
  });
  const start = async (status = new RunStatus(), host?: string) => {
    const server = await TelemetryServer.start(status, {
      port: 0,
      host,
      dashboard: 'train a.yaml',
    });
    open.push(server);
    return server;
  };

  it('is there only where it was asked for', async () => {
    const without = await TelemetryServer.start(new RunStatus(), { port: 0 });
    open.push(without);
    expect((await fetch(`${without.url}/dashboard`)).status).toBe(404);
    const server = await start();
    const answer = await fetch(`${server.url}/dashboard`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
    expect(await answer.text()).toContain('<h1>train a.yaml</h1>');
  });

  it('sends what there was, then each sample, and at the end the last figures', async () => {
    const status = new RunStatus();
    status.begin();
    status.sentencesSeen = 7;
    const server = await start(status);
    const events = eventsOf(await fetch(`${server.url}/dashboard/events`));
    const first = (await events.next()).value!;
    expect(first).toMatchObject({ event: 'start', data: { state: 'running' } });
    const sample = (await events.next()).value!;
    expect(sample.data.sample.figures.tagstream_sentences_seen_total).toBe(7);
    status.sentencesSeen = 9;
    const closed = server.close();
    let last = sample;
    for await (const event of events) last = event;
    await closed;
    expect(last).toMatchObject({ event: 'end', data: { state: 'ended' } });
    expect(last.data.sample.figures.tagstream_sentences_seen_total).toBe(9);
  });

  it('refuses pages of others and names of others, as its samples are of records', async () => {
    const { url } = await start();
    const { port } = new URL(url);
    const statusFor = (headers: Record<string, string>) =>
      new Promise<number>((resolve, reject) => {
        const path = '/dashboard/events';
        const asked = request({ port, path, headers }, answer => {
          resolve(answer.statusCode!);
          answer.destroy();
        });
        asked.on('error', reject).end();
      });
    expect(await statusFor({ host: `localhost:${port}` })).toBe(200);
    expect(await statusFor({ host: 'evil.example' })).toBe(403);
    const own = { host: `localhost:${port}` };
    expect(await statusFor({ ...own, origin: 'https://evil.example' })).toBe(403);
    expect(await statusFor({ ...own, 'sec-fetch-site': 'cross-site' })).toBe(403);
  });

  it('has room for six viewers, and for others when they have gone', async () => {
    const { url } = await start();
    const controllers = Array.from({ length: 6 }, () => new AbortController());
    for (const { signal } of controllers) {
      expect((await fetch(`${url}/dashboard/events`, { signal })).status).toBe(200);
    }
    expect((await fetch(`${url}/dashboard/events`)).status).toBe(503);
    for (const controller of controllers) controller.abort();
    let status = 503;
    while (status === 503) {
      const answer = await fetch(`${url}/dashboard/events`);
      status = answer.status;
      await answer.body!.cancel();
    }
    expect(status).toBe(200);
  });
});

interface SentEvent {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent
  readonly data: any;
}

/** The events of an answer, as they come. */
async function* eventsOf(answer: Response): AsyncGenerator<SentEvent, void> {
  let text = '';
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const parts = text.split('\n\n');
    text = parts.pop()!;
    for (const part of parts) {
      const [, event] = /^event: (.*)$/m.exec(part)!;
      yield { event: event!, data: JSON.parse(/^data: (.*)$/m.exec(part)![1]!) };
    }
  }
}

/** A command with a dashboard, whose figures are known from elsewhere. */
interface Watched {
  readonly name: string;
  readonly words: readonly string[];
  /** What is written to its standard input, which then ends, once the page is open. */
  readonly input?: readonly string[];
  /** Makes it do more, and ends it. */
  work?(live: LiveCommand): Promise<void>;
  /** Texts of the page, by the title of the panel and the name of the metric. */
  shown(live: LiveCommand): Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** How often each record of the input that is broken is rejected. */
  readonly rejected?: readonly (readonly [code: string, count: string])[];
}

const folder = workspace();
const written = (name: string, lines: readonly string[]) => {
  writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
  return join(folder, name);
};
/** Objects that a command has printed, or logged. */
const objectsOf = (text: string) =>
  text
    .split('\n')
    .filter(line => line.startsWith('{'))
    // biome-ignore lint/suspicious/noExplicitAny: whatever was printed
    .map(line => JSON.parse(line) as any);
const broken = '{"broken';
const count = (value: number) => shownFigure('count', value);
const number = (value: number) => shownFigure('number', value);
const percent = (value: number) => shownFigure('percent', value / 100);
const post = (url: string | URL, body: object) =>
  fetch(url, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(body),
  });

/** What the training log says of the last pass. */
function lastPass({ stderr }: LiveCommand): ReturnType<Watched['shown']> {
  const { pass, sentencesSeen, meanLoss, scores, iteration } = objectsOf(stderr).findLast(
    each => each.pass !== undefined,
  );
  return {
    Progress: {
      tagstream_passes_total: count(pass),
      tagstream_sentences_seen_total: count(sentencesSeen),
    },
    'Loss per token': { tagstream_progressive_loss: number(meanLoss) },
    // Of this training, not of one before.
    'Held-out scores': { tagstream_held_out_accuracy: scores ? percent(scores.accuracy) : '' },
    Objective: { tagstream_objective: iteration ? number(iteration.objective) : '' },
  };
}

const pipeline = (stages: string, source: string) => `version: 1
name: watched
source: { ndjson: { files: [${source}] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
${stages}
model: watched.model
`;
const heldOut = `  - evaluate: { on: { ndjson: { files: [${join(folder, 'heldout.ndjson')}] } } }\n`;
const batch = `  - optimize: { lbfgs: { l2: 0.5 } }\n${heldOut}train: { epochs: 3 }`;
const online = `  - optimize: { sgd: { eta0: 0.1, l2: 0.5 } }
  - evaluate: { progressive: true, report: 2 }
  - tag: {}
train: { corpusSize: 100 }`;
const study = `version: 1
name: watched
title: Watched
pipeline: ${join(folder, 'batch.yaml')}
rows:
  - name: lbfgs
  - name: sgd
    set: { stages.optimize: { sgd: {} } }
measure: [passes, objective]
`;

const watched: readonly Watched[] = [
  {
    name: 'train',
    words: ['train', written('batch.yaml', [pipeline(batch, '"-"')]), '--json', '--on-bad', 'skip'],
    input: [...toyRecords(30), broken, broken],
    shown(live) {
      const { sentencesSeen, rejected } = objectsOf(live.stdout).at(-1);
      // Three passes over 30 sentences, and what the line search needed.
      expect([sentencesSeen >= 90, rejected]).toEqual([true, 2]);
      return lastPass(live);
    },
    rejected: [['not-json', '2']],
  },
  {
    name: 'run',
    words: ['run', written('online.yaml', [pipeline(online, '"-"')]), '--json', '--on-bad', 'skip'],
    input: [...toyRecords(40), broken],
    shown({ stdout }) {
      const { sentencesSeen, records, rejected } = objectsOf(stdout).at(-1);
      expect([records, rejected]).toEqual([40, 1]);
      const progress = { tagstream_sentences_seen_total: count(sentencesSeen) };
      return { Progress: { ...progress, tagstream_records_out_total: count(records) } };
    },
    rejected: [['not-json', '1']],
  },
  {
    name: 'tag',
    words: [
      'tag',
      '--model',
      join(folder, 'names.model'),
      '--format',
      'ndjson',
      '--on-bad',
      'skip',
    ],
    input: [...toyRecords(25, false), broken, '[]', broken],
    shown({ stdout, stderr }) {
      const { badRecords } = objectsOf(stderr).findLast(each => each.badRecords);
      expect(badRecords).toEqual({ 'not-json': 2, 'not-an-object': 1 });
      const tagged = objectsOf(stdout).length;
      expect(tagged).toBe(25);
      return { Progress: { tagstream_records_out_total: count(tagged) } };
    },
    rejected: [
      ['not-json', '2'],
      ['not-an-object', '1'],
    ],
  },
  {
    name: 'study',
    words: [
      ...[
        'study',
        '/dev/stdin',
        '--set',
        `source.ndjson.files=["${join(folder, 'train.ndjson')}"]`,
      ],
      ...['--json', '--fresh', '--results', join(folder, 'results.ndjson')],
    ],
    input: [study],
    shown(live) {
      const { runs } = objectsOf(live.stdout).at(-1);
      expect(runs.map(({ values }: { values: object }) => Object.keys(values))).toEqual([
        ['passes', 'objective'],
        ['passes', 'objective'],
      ]);
      const shown = lastPass(live);
      expect(shown.Progress!.tagstream_passes_total).toBe(count(runs[1].values.passes));
      const all = count(runs.length);
      return {
        ...shown,
        'Runs of the study': { tagstream_study_runs_total: all, tagstream_study_runs: all },
      };
    },
  },
  {
    name: 'annotate',
    words: [
      ...['annotate', written('news.txt', ['Anna lives in Oslo.', 'Ben saw it.', 'It rains.'])],
      ...['--labels', 'PER,LOC', '--out', join(folder, 'labelled.ndjson'), '--port', '0'],
    ],
    async work({ stderr, child }) {
      const url = /"url":"([^"]+\/)"[^}]*Ctrl\+C/.exec(stderr)![1]!;
      const { next } = (await (await post(`${url}api/start`, {})).json()) as {
        next: { record: number; tokens: string[] };
      };
      const tags = next.tokens.map((_, i) => (i === 0 ? 'B-PER' : 'O'));
      const answer = { record: next.record, answer: 'accept', tags, corrections: 1 };
      const answered = await post(`${url}api/answer`, answer);
      expect(await answered.json()).toMatchObject({ isNew: true });
      child.kill('SIGTERM');
    },
    shown() {
      const answers = readFileSync(join(folder, 'labelled.ndjson'), 'utf8').trim().split('\n');
      return { 'Labelled records': { tagstream_annotate_accepted_total: count(answers.length) } };
    },
  },
  {
    name: 'serve',
    words: ['serve', join(folder, 'names.model'), '--port', '0', '--threads', '1'],
    async work({ stderr, child }) {
      const url = /"url":"([^"]+)"[^}]*serving/.exec(stderr)![1]!;
      for (let i = 0; i < 3; i += 1) await post(`${url}/v1/tag`, { text: 'Anna lives in Oslo.' });
      const { status } = await post(`${url}/v1/tag`, { tokens: 7 });
      expect(status).toBe(422);
      child.kill('SIGTERM');
    },
    shown: () => ({
      Requests: {
        'tagstream_serve_answers_total{200}': '3',
        'tagstream_serve_answers_total{422}': '1',
      },
    }),
  },
];

describe.skipIf(chromiumFile === undefined)('the page of the dashboard', { tags: 'slow' }, () => {
  const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  let browser: Awaited<ReturnType<typeof startChromium>>;
  beforeAll(async () => {
    browser = await startChromium();
    written('heldout.ndjson', toyRecords(50).slice(40));
    written('train.ndjson', toyRecords(30));
    writeFileSync(join(folder, 'names.model'), namesModel());
  });
  afterAll(() => browser?.close());

  const begun = async (words: readonly string[], port: string) => {
    const live = new LiveCommand([...words, '--dashboard', '--metrics', port, '--log', 'json'], {
      cwd: folder,
    });
    await live.until(() => /\/dashboard"/.test(live.stderr));
    return { live, url: /http:[^\s"]+\/dashboard/.exec(live.stderr)![0] };
  };
  const panel = (page: Page, title: string) =>
    page.locator('#panels section').filter({ has: page.getByRole('heading', { name: title }) });

  /** Starts a command twice at one place, with a page that stays open; compares what that shows at the end of each. */
  async function watch({ name, words, input, work, shown, rejected = [] }: Watched) {
    const page = await browser.context.newPage();
    const asked: string[] = [];
    page.on('request', request => asked.push(request.url()));
    let port = '0';
    for (const run of ['first', 'second']) {
      const { live, url } = await begun(words, port);
      if (run === 'first') await page.goto(url);
      await page.locator('#state', { hasText: /^(?:running|starting)$/ }).waitFor();
      // Of the new run alone.
      await page.locator('#rejected').waitFor({ state: 'hidden' });
      expect(await page.locator('h1').textContent()).toMatch(new RegExp(`^${name}`));
      ({ port } = new URL(url));
      if (input !== undefined) live.child.stdin.end(`${input.join('\n')}\n`);
      if (work !== undefined) {
        await live.until(() => /Ctrl\+C|waiting for tasks/.test(live.stderr));
        await work(live);
      }
      expect([run, await live.ended(), live.stderr]).toEqual([run, 0, live.stderr]);
      await page.locator('#state', { hasText: 'ended' }).waitFor();
      for (const [title, figures] of Object.entries(shown(live))) {
        for (const [metric, text] of Object.entries(figures)) {
          const cell = panel(page, title).locator(`dd[data-figure="${metric}"]`);
          const found = (await cell.count()) === 0 ? '' : await cell.textContent();
          expect([run, title, metric, found]).toEqual([run, title, metric, text]);
        }
      }
      const counts = page.locator('#rejected summary');
      const summaries = (await counts.allTextContents()).sort();
      expect(summaries).toEqual(rejected.map(([code, times]) => `${code}: ${times}`).sort());
      expect(asked.filter(each => !each.startsWith(new URL(url).origin))).toEqual([]);
    }
    await page.close();
  }

  for (const { rows, tags } of everyNth(8, watched)) {
    it.each(rows)('has the figures of $name, and of the next one at its place', { tags }, watch);
  }

  describeNats('with a cluster', () => {
    const servers = natsServers();

    it('has the figures of cluster work, and of the next worker at its place', {
      tags: 'slow',
    }, async () => {
      const cluster = `train: { epochs: 2, cluster: { shards: 3, servers: "${servers().url}", stream: watched, create: true, work: false } }`;
      const stages = `  - optimize: { perceptron: {} }\n${cluster}`;
      const text = pipeline(stages, 'train.ndjson').replace('loss: log', 'loss: perceptron');
      const file = written('cluster.yaml', [text]);
      let done = 0;
      await watch({
        name: 'cluster work',
        words: ['cluster', 'work', file],
        async work({ child }) {
          const { code, stderr } = await tagstream(['train', file]);
          expect([code, stderr]).toEqual([0, stderr]);
          done = 6;
          child.kill('SIGTERM');
        },
        shown({ stderr }) {
          const { tasks } = objectsOf(stderr).findLast(each => each.tasks !== undefined);
          expect(tasks).toBe(done);
          const seconds = objectsOf(stderr)
            .filter(each => each.shard !== undefined)
            .reduce((sum, each) => sum + each.seconds, 0);
          return {
            Tasks: {
              tagstream_cluster_tasks_total: number(tasks),
              tagstream_cluster_task_seconds_total: number(seconds),
            },
          };
        },
      });
    });
  });

  it('shows a rejected record with its reason, has no fault that axe finds, and fits a phone', {
    tags: 'slow',
  }, async () => {
    const { live, url } = await begun(['run', join(folder, 'online.yaml')], '0');
    const page = await browser.context.newPage();
    await page.goto(url);
    live.child.stdin.write(`${toyRecords(40).join('\n')}\n{"broken\n`);
    await page.locator('#rejected summary').click();
    expect(await page.locator('#rejected pre').textContent()).toBe('{"broken');
    const { meaning, fix } = reasons['not-json'];
    const reason = page.locator('#rejected details[open] .reason');
    expect(await reason.locator('p').allTextContents()).toEqual([meaning, `What to do: ${fix}`]);
    expect(await reason.isVisible()).toBe(true);
    const learned = 'dd[data-figure="tagstream_sentences_seen_total"]';
    await page.locator(learned, { hasText: /./ }).first().waitFor();
    for (const scheme of ['light', 'dark'] as const) {
      for (const width of [390, 1280]) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height: 844 });
        await page.evaluate(readFileSync(axe, 'utf8'));
        const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      }
    }
    live.child.stdin.end();
    expect(await live.ended()).toBe(0);
    await page.close();
  });
});
