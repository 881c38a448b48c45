import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AnnotationServer } from '../../src/annotation/server/annotation-server.js';
import type { ShownRecord } from '../../src/annotation/task/shown-record.js';
import { RunStatus } from '../../src/engine/core/run-status.js';
import { parsePipeline, runPipeline } from '../../src/index.js';
import { goldTags, openSample, sampleText } from './sample-session.js';

/** Records of the stream, of which the first are labelled. */
export const [records, labelled] = [500, 5];
export const tokensOf = (i: number) => sampleText(7 * i).split(' ');

/** The lines of the stream: unseen words make some tokens doubtful. */
export const streamLines = Array.from({ length: records }, (_, i) => {
  const tokens = tokensOf(i);
  return JSON.stringify({
    id: `${i}`,
    tokens,
    ...(i < labelled ? { tags: goldTags(tokens) } : {}),
  });
});

/** A pipeline that asks and joins the answers. */
export const asking = (source: string, labels: string, output: string) => `version: 1
name: asking
source: { ${source} }
stages:
  - join: { labels: { ${labels} } }
  - featurize: { templates: ["U0:%x[0,0]", "U1:%x[-1,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute
  - optimize: { adagrad: { eta0: 0.2 } }
  - evaluate: { progressive: true }
  - ask: { share: 0.15, random: 0.4, ${output} }
  - checkpoint: { dir: checkpoints, seconds: 0.05 }
  - tag
train: { corpusSize: 1000 }
model: asking.model
sink: { file: out.ndjson }
`;

/** Runs it; resumes where that is said, and stops in order after so many steps. */
export async function runAsking(
  folder: string,
  text: string,
  {
    resume = false,
    stopAt = Number.POSITIVE_INFINITY,
    onStep,
  }: { resume?: boolean; stopAt?: number; onStep?: (step: number) => void } = {},
) {
  const controller = new AbortController();
  const status = new RunStatus();
  const result = await runPipeline(parsePipeline(text, join(folder, 'asking.yaml')), {
    resume,
    signal: controller.signal,
    status,
    events: {
      onStep: ({ step }) => {
        onStep?.(step);
        if (step >= stopAt) controller.abort();
      },
    },
  });
  return { result, status };
}

interface Asked {
  readonly next: ShownRecord | null;
}

/** Answers all questions of a file on the page of `annotate`, by its requests. */
export async function answerOnPage(questions: string, answers: string): Promise<ShownRecord[]> {
  const session = await openSample(questions, answers);
  const server = await AnnotationServer.start(session, { port: 0, saveModel: () => 'a.model' });
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(new URL(`/api/${path}`, server.url), request);
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Asked;
  };
  const shown: ShownRecord[] = [];
  for (let { next } = await post('start', {}); next !== null; ) {
    shown.push(next);
    const { record, showing, asked, tokens } = next;
    const tags = goldTags(tokens);
    const given = { record, showing, asked, answer: 'accept', tags, corrections: 0 };
    ({ next } = await post('answer', given));
  }
  await server.close();
  await session.close();
  return shown;
}

/** Right tokens and all of what was written of some records. */
export function accuracyOf(file: string, ids: ReadonlySet<string>): number {
  let right = 0;
  let all = 0;
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const { id, tokens, tags } = JSON.parse(line) as {
      id: string;
      tokens: string[];
      tags: string[];
    };
    if (!ids.has(id)) continue;
    const gold = goldTags(tokens);
    all += gold.length;
    right += gold.filter((tag, t) => tag === tags[t]).length;
  }
  return (100 * right) / all;
}

export const writeLines = (file: string, lines: readonly string[]) =>
  writeFileSync(file, lines.map(line => `${line}\n`).join(''));
