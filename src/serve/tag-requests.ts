import { TagstreamError } from '../core/errors.js';
import { Problem } from '../http/problem.js';
import { readBody, requireUnread, saidLength } from '../http/read-body.js';
import { receivedError } from '../workers/portable-error.js';
import type { Crew } from './models/crew.js';
import type { PackedAnswer } from './models/packer.js';
import type { ServedModel } from './models/served-model.js';
import { type AnswerType, acceptedType, answerTypes } from './requests/accepted.js';
import { type BodyType, bodyType, recordLines } from './requests/record-lines.js';
import { tagStream } from './requests/tag-stream.js';
import {
  explainSchema,
  type OptionSchemas,
  type ParsedWish,
  WishReader,
  wishSchema,
} from './requests/wish.js';
import type { ServiceStatus } from './service-metrics.js';
import type { Limits } from './service-options.js';
import type { ServedWish } from './threads/served-task.js';
import { untilAborted } from './waiting.js';

/** Headers that name the model that answered. */
export const modelHeaders = { model: 'Tagstream-Model', version: 'Tagstream-Version' } as const;

/** The dependencies of `TagRequests`. */
export interface TagRequestParts {
  readonly limits: Limits;
  readonly status: ServiceStatus;
  /** Signal that is aborted to end streams. */
  readonly stop: AbortSignal;
  readonly modelNamed: (name: string | undefined) => ServedModel;
  /** Returns additional headers for each answer. */
  readonly headers: () => Readonly<Record<string, string>>;
}

interface Asked {
  readonly wish: ParsedWish;
  readonly served: ServedWish;
  readonly type: AnswerType;
  readonly body: BodyType;
  readonly model: ServedModel;
  readonly crew: Crew;
}

const LF = 10;
const COMMA = 44;

/** Answers requests to `/v1/tag` and `/v1/explain`. */
export class TagRequests {
  readonly schemas: OptionSchemas;
  readonly #wishes: WishReader;
  readonly #explaining: WishReader;
  readonly #parts: TagRequestParts;

  constructor(parts: TagRequestParts) {
    this.#parts = parts;
    this.schemas = { tag: wishSchema(parts.limits), explain: explainSchema(parts.limits) };
    this.#wishes = new WishReader(this.schemas);
    this.#explaining = new WishReader(this.schemas, this.schemas.explain);
  }

  /**
   * Answers a request to `/v1/tag`.
   *
   * @throws (rejects with) Problem, TagstreamError
   */
  async answer(request: Request): Promise<Response> {
    const { headers } = request;
    const wish = this.#wishes.read(queryOf(request));
    const body = bodyType(headers.get('content-type'), headers.get('content-encoding'));
    const otherwise = body === 'application/x-ndjson' ? body : 'application/json';
    const type = acceptedType(headers.get('accept') ?? undefined, otherwise);
    const served = wish.wishFor(answerTypes[type].form);
    const model = this.#parts.modelNamed(wish.model);
    const { crew } = model;
    const asked = { wish, served, type, body, model, crew };
    const isStream = body === 'application/x-ndjson' && type === body && wish.timeout === undefined;
    return isStream ? this.#stream(request, asked) : this.#whole(request, asked);
  }

  /**
   * Answers a request to `/v1/explain`.
   *
   * @throws (rejects with) Problem, TagstreamError
   */
  async explain(request: Request): Promise<Response> {
    const { headers } = request;
    const wish = this.#explaining.read(queryOf(request));
    const body = bodyType(headers.get('content-type'), headers.get('content-encoding'));
    const served = wish.wishFor('explanation');
    const model = this.#parts.modelNamed(wish.model);
    const type = 'application/json';
    return this.#whole(request, { wish, served, type, body, model, crew: model.crew });
  }

  async #whole(request: Request, asked: Asked): Promise<Response> {
    const { limits, status } = this.#parts;
    const { wish, served, crew, body } = asked;
    const begun = performance.now();
    const length = saidLength(request, limits.maxBody);
    this.#requireShortWait(crew);
    this.#requireMemory(length ?? 0);
    const release = crew.hold();
    let held = length ?? 0;
    status.held += held;
    const end = new AbortController();
    let isRead = false;
    let isOver = false;
    const { timeout = limits.timeout } = wish;
    const timer = setTimeout(() => end.abort(late(timeout, isRead)), timeout);
    const gone = () => {
      status.abandoned += 1;
      end.abort(new DOMException('the client is gone', 'AbortError'));
    };
    request.signal.addEventListener('abort', gone, { once: true });
    try {
      const reading = readBody(request, limits.maxBody, bytes => {
        if (isOver) throw end.signal.reason;
        held += bytes;
        status.held += bytes;
        if (status.held > limits.maxHeld) throw busy('bodies without an answer', 1000);
      });
      const bytes = await untilAborted(reading, end.signal);
      isRead = true;
      const lines = recordLines(body, bytes, limits.maxRecords);
      const { records } = lines;
      // Other requests may have arrived while the body was read.
      this.#requireShortWait(crew);
      const answer =
        records === 0
          ? nothing
          : await crew.packer.add(
              { wish: served, bytes: lines.bytes, records, isStream: false },
              end.signal,
            );
      const bad = answer.bad[0];
      if (bad !== undefined && (wish.onBad !== 'pass' || served.form !== 'records')) {
        const error = TagstreamError.from(receivedError(bad.error), 'stage');
        throw new Problem(withoutPlace(error), lines.isList ? { record: bad.number - 1 } : {});
      }
      status.records += records;
      status.badRecords += answer.bad.length;
      return this.#respond(asked, bodyOf(answer.output, asked.type, lines.isList));
    } finally {
      isOver = true;
      clearTimeout(timer);
      request.signal.removeEventListener('abort', gone);
      status.held -= held;
      release();
      status.durations.add((performance.now() - begun) / 1000);
    }
  }

  #stream(request: Request, asked: Asked): Response {
    const { limits, status, stop } = this.#parts;
    const { wish, served, crew } = asked;
    if (status.streams >= limits.maxStreams) throw busy(`${limits.maxStreams} streams`, 1000);
    requireUnread(request);
    const release = crew.hold();
    status.streams += 1;
    const body = request.body ?? new ReadableStream({ start: controller => controller.close() });
    const answers = tagStream(body, {
      ...{ packer: crew.packer, wish: served, stop, signal: request.signal },
      failsOnBad: wish.onBad === 'fail' || served.options.redact !== undefined,
      blocks: 2,
      maxLineBytes: limits.maxBody,
      idle: limits.idleTimeout,
      onRecords: (records, bad) => {
        status.records += records;
        status.badRecords += bad;
      },
      onEnd: () => {
        status.streams -= 1;
        release();
      },
    });
    return this.#respond(asked, answers);
  }

  /** @throws Problem `busy` if a request would wait too long; a single one is accepted, however long it takes */
  #requireShortWait({ packer }: Crew): void {
    const { wait } = packer;
    if (packer.requests === 0 || wait <= this.#parts.limits.maxWait) return;
    throw busy(`it would wait for ${Math.ceil(wait)} ms`, wait);
  }

  /** @throws Problem `busy` if the bodies already waiting are too large */
  #requireMemory(length: number): void {
    const { limits, status } = this.#parts;
    if (status.held === 0 || status.held + length <= limits.maxHeld) return;
    throw busy(`${status.held} bytes without an answer`, 1000);
  }

  #respond({ type, model, crew }: Asked, body: Uint8Array | ReadableStream<Uint8Array>): Response {
    this.#parts.status.answered(200);
    return new Response(body as Uint8Array<ArrayBuffer>, {
      status: 200,
      headers: {
        'Content-Type': answerTypes[type].contentType,
        [modelHeaders.model]: model.name,
        [modelHeaders.version]: crew.version,
        ...this.#parts.headers(),
      },
    });
  }
}

function queryOf({ url }: Request): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}

const nothing: PackedAnswer = { output: new Uint8Array(), bad: [] };

/** Returns the lines of an answer in its type. */
function bodyOf(output: Uint8Array, type: AnswerType, isList: boolean): Uint8Array {
  if (type !== 'application/json' || !isList) return output;
  const bytes = new Uint8Array(Math.max(3, output.length + 2));
  bytes.set(output, 1);
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) bytes[at] = COMMA;
  bytes[0] = 0x5b;
  bytes[bytes.length - 2] = 0x5d;
  bytes[bytes.length - 1] = LF;
  return bytes;
}

/** Returns the error of a record without its line, which means nothing to the client. */
function withoutPlace({ code, problem, fix }: TagstreamError): TagstreamError {
  return new TagstreamError(code, problem, fix === undefined ? {} : { fix });
}

function late(timeout: number, isRead: boolean): Problem {
  if (!isRead) {
    const error = new TagstreamError('timeout', `the body did not arrive within ${timeout} ms`);
    return new Problem(error, { status: 408, headers: { Connection: 'close' } });
  }
  return new Problem(
    new TagstreamError('timeout', `tagging did not finish within ${timeout} ms`, {
      fix: 'send shorter texts or fewer at a time, or try again later',
    }),
  );
}

function busy(reason: string, wait: number): Problem {
  const error = new TagstreamError('busy', `the service is overloaded: ${reason}`, {
    fix: 'try again later',
  });
  return new Problem(error, {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(wait / 1000))) },
  });
}
