import { TagstreamError } from '../../engine/core/errors.js';
import { Problem } from '../../runtime/http/problem.js';
import { dueOfBody, readBody, requireUnread, saidLength } from '../../runtime/http/read-body.js';
import { receivedError } from '../../runtime/workers/portable-error.js';
import { excessOfWork, requireShortAnswer, workPerToken } from './estimate-work.js';
import type { Crew } from './models/crew.js';
import type { PackedPart, PackedWork } from './models/packer.js';
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
import { busy, type Holder, Share } from './share.js';
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
  readonly client: string | undefined;
  /** Work per token, as a multiple of a plain tag. */
  readonly weight: number;
}

const LF = 10;
const COMMA = 44;

/** Milliseconds before a body must have arrived at the least rate. */
const bodyGrace = 10_000;

/** Maximum size of an answer that is sent as a whole, which the system buffers. */
const smallAnswer = 65_536;

type MutableHolder = { -readonly [Name in keyof Holder]: Holder[Name] };

/** Answers requests to `/v1/tag` and `/v1/explain`. */
export class TagRequests {
  readonly schemas: OptionSchemas;
  readonly #wishes: WishReader;
  readonly #explaining: WishReader;
  readonly #parts: TagRequestParts;
  /** Bytes of bodies without an answer, and of answers that were not taken. */
  readonly #held: Share;
  readonly #streams: Share;

  constructor(parts: TagRequestParts) {
    this.#parts = parts;
    const { limits, status } = parts;
    const { yieldAfter } = limits;
    this.#held = new Share({
      what: 'bytes without an answer, or not yet taken',
      ...{ most: limits.maxHeld, mostOfClient: limits.maxClientHeld, yieldAfter },
      onChange: used => {
        status.held = used;
      },
    });
    this.#streams = new Share({
      what: 'streams',
      ...{ most: limits.maxStreams, mostOfClient: limits.maxClientStreams, yieldAfter },
      onChange: used => {
        status.streams = used;
      },
    });
    this.schemas = { tag: wishSchema(parts.limits), explain: explainSchema(parts.limits) };
    this.#wishes = new WishReader(this.schemas);
    this.#explaining = new WishReader(this.schemas, this.schemas.explain);
  }

  /**
   * Answers a request to `/v1/tag`.
   *
   * @param client token or address of the client, if it is known
   * @throws (rejects with) Problem, TagstreamError
   */
  async answer(request: Request, client?: string): Promise<Response> {
    const { headers } = request;
    const wish = this.#wishes.read(queryOf(request));
    const body = bodyType(headers.get('content-type'), headers.get('content-encoding'));
    const otherwise = body === 'application/x-ndjson' ? body : 'application/json';
    const type = acceptedType(headers.get('accept') ?? undefined, otherwise);
    const served = wish.wishFor(answerTypes[type].form);
    const model = this.#parts.modelNamed(wish.model);
    const { crew } = model;
    const weight = workPerToken(served, crew.labels);
    const asked = { wish, served, type, body, model, crew, client, weight };
    const isStream = body === 'application/x-ndjson' && type === body && wish.timeout === undefined;
    return isStream ? this.#stream(request, asked) : this.#whole(request, asked);
  }

  /**
   * Answers a request to `/v1/explain`.
   *
   * @param client token or address of the client, if it is known
   * @throws (rejects with) Problem, TagstreamError
   */
  async explain(request: Request, client?: string): Promise<Response> {
    const { headers } = request;
    const wish = this.#explaining.read(queryOf(request));
    const body = bodyType(headers.get('content-type'), headers.get('content-encoding'));
    const served = wish.wishFor('explanation');
    const model = this.#parts.modelNamed(wish.model);
    const { crew } = model;
    const weight = workPerToken(served, crew.labels);
    const type = 'application/json';
    return this.#whole(request, { wish, served, type, body, model, crew, client, weight });
  }

  async #whole(request: Request, asked: Asked): Promise<Response> {
    const { limits, status } = this.#parts;
    const { wish, served, crew, body, client, weight, type } = asked;
    const begun = performance.now();
    const announced = saidLength(request, limits.maxBody);
    const excess = excessOfWork(announced ?? 0, weight, limits.maxWork);
    // Refused before it is read.
    if (excess !== undefined) throw new Problem(excess, { headers: { Connection: 'close' } });
    this.#requireShortWait(crew);
    const release = crew.hold();
    const end = new AbortController();
    const holder: MutableHolder = {
      ...{ client, activeAt: begun },
      giveWay: () => end.abort(busy('its client was idle while others waited')),
    };
    let received = 0;
    let isRead = false;
    const { timeout = limits.timeout } = wish;
    const timer = setTimeout(() => end.abort(late(timeout, isRead)), timeout);
    let dueTimer: NodeJS.Timeout;
    const requireRate = () => {
      const due = dueOfBody({ received, announced, grace: bodyGrace, rate: limits.minRate });
      const left = begun + due - performance.now();
      if (left > 0) dueTimer = setTimeout(requireRate, Math.ceil(left));
      else end.abort(slow(limits.minRate));
    };
    requireRate();
    const gone = () => {
      status.abandoned += 1;
      end.abort(new DOMException('the client is gone', 'AbortError'));
    };
    request.signal.addEventListener('abort', gone, { once: true });
    let isTaken = true;
    try {
      const reading = readBody(request, limits.maxBody, bytes => {
        end.signal.throwIfAborted();
        received += bytes;
        holder.activeAt = this.#held.now;
        this.#held.take(holder, bytes);
      });
      const bytes = await untilAborted(reading, end.signal);
      isRead = true;
      clearTimeout(dueTimer!);
      holder.activeAt = Number.POSITIVE_INFINITY;
      const lines = recordLines(body, bytes, limits.maxRecords);
      const { records, isList } = lines;
      const work = { wish: served, bytes: lines.bytes, records, weight, isStream: false };
      const more = excessOfWork(lines.bytes.length, weight, limits.maxWork);
      if (more !== undefined) throw more;
      // Other requests may have arrived while the body was read.
      this.#requireShortWait(crew, work);
      const canBeBad = wish.onBad === 'pass' && served.form === 'records';
      // A blank text has no sentence to write.
      const skipsBlank = served.form === 'conll' || served.form === 'conllu';
      let size = 0;
      const onPart = ({ output, bad, bytes: done }: PackedPart) => {
        for (const each of canBeBad ? [] : bad) {
          const error = TagstreamError.from(receivedError(each.error), 'stage');
          if (skipsBlank && error.code === 'empty-sentence') continue;
          throw new Problem(withoutPlace(error), isList ? { record: each.number - 1 } : {});
        }
        const length = output.reduce((sum, each) => sum + each.length, 0);
        size += length;
        requireShortAnswer(size, limits.maxAnswer);
        this.#held.free(holder, done);
        this.#held.take(holder, length);
        status.badRecords += bad.length;
      };
      const { output } =
        records === 0 ? nothing : await crew.packer.add({ ...work, onPart }, end.signal);
      status.records += records;
      const answer = bodyOf(output, type, isList);
      if (size <= smallAnswer) {
        return this.#respond(asked, answer.length === 1 ? answer[0]! : Buffer.concat(answer));
      }
      isTaken = false;
      const length = answer.reduce((sum, each) => sum + each.length, 0);
      return this.#respond(asked, this.#takenBody(answer, holder), {
        'Content-Length': `${length}`,
      });
    } finally {
      clearTimeout(timer);
      clearTimeout(dueTimer!);
      request.signal.removeEventListener('abort', gone);
      if (isTaken) this.#held.free(holder);
      release();
      status.durations.add((performance.now() - begun) / 1000);
    }
  }

  /** Returns a large answer in parts, which is held until the client has taken it. */
  #takenBody(answer: readonly Uint8Array[], holder: MutableHolder): ReadableStream<Uint8Array> {
    const parts = partsOf(answer);
    const touch = () => {
      holder.activeAt = this.#held.now;
    };
    touch();
    return new ReadableStream<Uint8Array>(
      {
        start: controller => {
          holder.giveWay = () => {
            this.#parts.status.cutOff += 1;
            controller.error(new DOMException('the client did not read its answer', 'AbortError'));
          };
        },
        pull: controller => {
          touch();
          const { value, done } = parts.next();
          if (done !== true) {
            controller.enqueue(value);
            return;
          }
          this.#held.free(holder);
          controller.close();
        },
        cancel: () => this.#held.free(holder),
      },
      { highWaterMark: 0 },
    );
  }

  #stream(request: Request, asked: Asked): Response {
    const { limits, status, stop } = this.#parts;
    const { wish, served, crew, client, weight } = asked;
    requireUnread(request);
    const body = request.body ?? new ReadableStream({ start: controller => controller.close() });
    const answers = tagStream(body, {
      ...{ packer: crew.packer, wish: served, weight, client, stop, signal: request.signal },
      ...{ held: this.#held, seats: this.#streams, hold: () => crew.hold() },
      failsOnBad: wish.onBad === 'fail' || served.options.redact !== undefined,
      blocks: 2,
      maxLineBytes: limits.maxBody,
      idle: limits.idleTimeout,
      ...{ maxWork: limits.maxWork, maxAnswer: limits.maxAnswer },
      onRecords: (records, bad) => {
        status.records += records;
        status.badRecords += bad;
      },
    });
    return this.#respond(asked, answers);
  }

  /** @throws Problem `busy` if a request would wait too long; a single one is accepted, however long it takes */
  #requireShortWait({ packer }: Crew, work: Pick<PackedWork, 'bytes' | 'weight'> = nothing): void {
    const wait = packer.waitOf(work);
    if (wait <= this.#parts.limits.maxWait) return;
    throw busy(`it would wait for ${Math.ceil(wait)} ms`, wait);
  }

  #respond(
    { type, model, crew }: Asked,
    body: Uint8Array | ReadableStream<Uint8Array>,
    more: Readonly<Record<string, string>> = {},
  ): Response {
    this.#parts.status.answered(200);
    return new Response(body as Uint8Array<ArrayBuffer>, {
      status: 200,
      headers: {
        'Content-Type': answerTypes[type].contentType,
        [modelHeaders.model]: model.name,
        [modelHeaders.version]: crew.version,
        ...this.#parts.headers(),
        ...more,
      },
    });
  }
}

function queryOf({ url }: Request): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}

const nothing = { bytes: new Uint8Array(), output: [], bad: [] };

const openList = Uint8Array.of(0x5b);
const endOfList = Uint8Array.of(0x5d, LF);

/** Returns the lines of an answer in its type. */
function bodyOf(
  output: readonly Uint8Array[],
  type: AnswerType,
  isList: boolean,
): readonly Uint8Array[] {
  if (type !== 'application/json' || !isList) return output;
  const lists = output.filter(({ length }) => length > 0);
  for (const lines of lists) {
    for (let at = lines.indexOf(LF); at >= 0; at = lines.indexOf(LF, at + 1)) lines[at] = COMMA;
  }
  const last = lists.pop();
  const lasts = last === undefined ? [] : [last.subarray(0, -1)];
  return [openList, ...lists, ...lasts, endOfList];
}

/** Divides a large answer into parts, each of which counts as taken by its client. */
function* partsOf(answer: readonly Uint8Array[]): Generator<Uint8Array, void> {
  for (const bytes of answer) {
    for (let at = 0; at < bytes.length; at += smallAnswer) {
      yield bytes.subarray(at, at + smallAnswer);
    }
  }
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

function slow(rate: number): Problem {
  const error = new TagstreamError('timeout', 'the body arrives too slowly', {
    fix: `after ${bodyGrace / 1000} s, send at least ${rate} bytes a second`,
  });
  return new Problem(error, { status: 408, headers: { Connection: 'close' } });
}
