import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import * as z from 'zod';
import { TagstreamError } from '../../engine/core/errors.js';
import { schemaMessages } from '../../engine/core/schema/schema-messages.js';
import { pageFrame } from '../../reports/page/page.js';
import { type GuardOptions, guard, pathWithin } from '../../runtime/http/guard.js';
import { securityHeaders } from '../../runtime/http/security-headers.js';
import { threadFile } from '../../runtime/thread-file.js';
import { answerKinds } from '../answers/answer.js';
import type { Annotator } from '../session/annotator.js';
import type { AnnotationSession } from '../session/session.js';
import { pageStyle } from './page-style.js';

/** Maximum bytes of a request body. */
const largestBody = 16 << 20;

/** Number of records returned by a search, or added to a list of answers at a time. */
const mostFound = 50;

/** What the server offers in addition to the session. */
export interface ServedOptions extends GuardOptions {
  /** Guidelines in Markdown, of which the page shows only inert elements; see `markdownContent`. */
  readonly guidelines?: string | undefined;
  /** Writes the model to its file, and returns the file's name. */
  readonly saveModel: () => string;
  /** Name of the future model file. */
  readonly modelFile?: string | undefined;
}

/**
 * Returns the routes of a session: its page, and the page's requests, whose JSON bodies are each
 * validated with a schema.
 */
export function routes(session: AnnotationSession, served: ServedOptions): Hono {
  const prefix = served.published?.prefix ?? '';
  // A proxy may pass on the prefix or strip it.
  const app = new Hono({ getPath: request => pathWithin(prefix, new URL(request.url).pathname) });
  app.use((context, next) => {
    // Set before the response exists: a header set later would create a new response, whose body is
    // a stream.
    for (const [name, value] of Object.entries(securityHeaders)) context.header(name, value);
    return next();
  });
  if (prefix !== '') app.get(prefix, context => context.redirect(withSlash(prefix, context.req)));
  app.use(guard(served));
  app.use(bodyLimit({ maxSize: largestBody, onError: context => context.text('too large', 413) }));
  app.onError((thrown, context) => {
    const error = TagstreamError.from(thrown, 'stage');
    const { code, problem, fix, message } = error;
    const status = code === 'usage' || code === 'config' || code === 'constraint' ? 400 : 500;
    return context.json({ error: code === 'file' ? message : problem, code, fix }, status);
  });
  const page = shownPage();
  app.get('/', context => context.html(page));

  // Registered before the annotator's name is required.
  app.post('/api/alive', context => context.json({}));
  app.post('/api/people', context => context.json({ people: peopleOf(session) }));

  const annotatorOf = (name: string | undefined) => session.annotator(name);
  const post = <Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    work: (body: z.output<Schema>, annotator: Annotator) => object,
  ) =>
    app.post(`/api/${path}`, async context => {
      const body = parsed(schema, await context.req.text());
      return context.json(work(body, annotatorOf(context.req.query('annotator'))));
    });
  const after = (annotator: Annotator) => {
    // To find the next record, the reviewer's session examines all answers.
    const next = session.next(annotator) ?? null;
    return { progress: session.progress(annotator), next };
  };

  post('start', requests.empty, (_, annotator) => ({
    task: session.options.task,
    annotator: annotator.name,
    queue: basename(session.reader.queue.path),
    files: {
      answers: annotator.answers.path,
      ...(session.review === undefined ? {} : { merged: session.options.out }),
      model: served.modelFile,
    },
    strategy: session.options.strategy.name,
    guidelines: served.guidelines,
    people: session.annotators.length,
    ...after(annotator),
  }));
  post('show', requests.show, ({ record }, annotator) => ({
    next: session.show(annotator, record),
  }));
  post('propose', requests.propose, ({ record, fixed }) => session.propose(record, fixed));
  post('explain', requests.explain, ({ record, token, fixed }) =>
    session.explain(record, token, fixed),
  );
  post('answer', requests.answer, (given, annotator) => ({
    isNew: session.answer(annotator, given),
    ...after(annotator),
  }));
  post('undo', requests.empty, (_, annotator) => ({
    next: session.undo(annotator) ?? null,
    progress: session.progress(annotator),
  }));
  post('search', requests.search, ({ text, from }, annotator) => ({
    found: session.search(annotator, text, from, mostFound),
  }));
  post('answered', requests.answered, ({ from }, annotator) => ({
    found: session.answered(annotator, from, mostFound),
    total: annotator.answers.size,
  }));
  post('agreement', requests.empty, () => ({
    agreement: session.review?.of.agreement() ?? null,
    people: session.annotators.map(each => ({
      name: each.name,
      answered: each.answers.size,
      total: each.total,
    })),
  }));
  post('save', requests.empty, () => ({ file: served.saveModel() }));
  return app;
}

/** Returns the annotators with their pages and progress; empty if there is only one annotator. */
function peopleOf({ annotators, review }: AnnotationSession) {
  if (review === undefined) return [];
  review.of.refresh();
  return [...annotators, review.by].map(({ name, answers, total }) => ({
    ...{ name, total, answered: answers.size, decides: name === review.by.name },
  }));
}

function withSlash(prefix: string, { url }: { readonly url: string }): string {
  return `${prefix}/${new URL(url).search}`;
}

/** @throws TagstreamError `usage` */
function parsed<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new TagstreamError('usage', 'the request is not JSON', { cause });
  }
  const result = schema.safeParse(value, { error: schemaMessages });
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  throw new TagstreamError('usage', `${issue.path.map(String).join('.')}: ${issue.message}`);
}

/**
 * Returns the page. The bundled script of `page/main.ts` is inlined, so that the policy can
 * identify it by its hash.
 */
function shownPage(): string {
  const script = readFileSync(threadFile('annotation/page/main'), 'utf8');
  const { head, tail } = pageFrame({
    title: 'Label with Tagstream',
    style: pageStyle,
    script,
    connects: true,
  });
  return `${head}<noscript>This page needs JavaScript.</noscript>\n<div id="page"></div>\n${tail}`;
}

const longestNote = 10_000;
const longestKey = 100;

const record = z.int().min(0);
const fixed = z.array(z.union([z.string(), z.null()]));

/** Schemas of the page's requests, by path; all others are rejected. */
const requests = {
  show: z.strictObject({ record }),
  propose: z.strictObject({ record, fixed }),
  explain: z.strictObject({ record, token: z.int().min(0), fixed }),
  answer: z.strictObject({
    record,
    answer: z.enum(answerKinds),
    tags: z.array(z.string()).optional(),
    fixed: z.array(z.int().min(0)).optional(),
    corrections: z.int().min(0),
    note: z.string().max(longestNote).optional(),
    showing: z.string().max(longestKey).optional(),
    asked: z.array(z.int().min(0)).optional(),
    key: z.string().max(longestKey).optional(),
  }),
  search: z.strictObject({ text: z.string().min(1).max(1000), from: record }),
  answered: z.strictObject({ from: z.int().min(0) }),
  empty: z.strictObject({}),
} as const;
