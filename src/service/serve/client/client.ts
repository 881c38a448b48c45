import { TagstreamError } from '../../../engine/core/errors.js';
import { isRecord } from '../../../engine/core/schema/is-record.js';
import { requireKnown } from '../../../engine/core/schema/require-argument.js';
import type { ExplainRequest, TagRequest } from '../requests/wish.js';
import type { ExplainedAnswer, GivenRecord, ServiceModel, TaggedRecord } from '../schemas.js';
import { untilAborted } from '../waiting.js';
import { errorOf, foreignAnswer, loneError, retryAfter } from './answer-errors.js';
import { type GivenRecords, jsonOf, WaitingLines } from './waiting-lines.js';

/** The options of `createClient`. */
export interface ClientOptions {
  /** Token that the service requires. */
  readonly token?: string | undefined;
  /** Sends a request, such as `service.fetch` of a service in the same process. Default: the global `fetch`. */
  readonly fetch?: ((request: Request) => Response | Promise<Response>) | undefined;
  /** Signal that ends all requests when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Additional headers of each request, for a proxy. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Maximum number of retries of a request refused with 503. Default 3; 0: none. */
  readonly retries?: number | undefined;
  /** Maximum milliseconds to wait before a retry: if `Retry-After` asks for more, the request fails. Default 10,000. */
  readonly maxRetryAfter?: number | undefined;
}

/** Options of every request. */
export interface RequestSignal {
  /** Signal that ends the request when aborted: the call rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The options of `tag`: those of `/v1/tag`. */
export type ClientTagOptions = TagRequest & RequestSignal;

/** The options of `stream`. */
export type ClientStreamOptions = Omit<ClientTagOptions, 'timeout'> & {
  /**
   * Whether the stream is sent as one request per part, up to 64 kB of records, instead of a single open request.
   * Default: true in browsers, whose `fetch` shows no answer before the whole request is sent; elsewhere it helps
   * behind proxies that buffer requests.
   */
  readonly inParts?: boolean | undefined;
};

/** The options of `explain`: those of `/v1/explain`. */
export type ClientExplainOptions = ExplainRequest & RequestSignal;

/** One text or record, or several of one kind. */
type Given = string | GivenRecord | readonly string[] | readonly GivenRecord[];

interface Sent {
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | ReadableStream<Uint8Array>;
  readonly signal: AbortSignal | undefined;
}

const optionNames = ['token', 'fetch', 'signal', 'headers', 'retries', 'maxRetryAfter'];
const ndjson = 'application/x-ndjson';

/**
 * A client of the tagging service of `tagstream serve`, over HTTP, for Node and pages. `createClient` makes one.
 *
 * Calls reject with a TagstreamError that has the service's code, or `connection` if there is no answer from the
 * service. An aborted call rejects with the reason of its signal.
 */
export class Client {
  readonly #address: string;
  readonly #options: ClientOptions;

  /** @internal */
  constructor(address: string, options: ClientOptions) {
    this.#address = address;
    this.#options = options;
  }

  /**
   * Tags a text or a record, or several in one request.
   *
   * @throws (rejects with) TagstreamError, for several records the error of the first bad one, unless `onBad` is
   * `pass`
   */
  tag(
    records: readonly string[] | readonly GivenRecord[],
    options?: ClientTagOptions,
  ): Promise<TaggedRecord[]>;
  // Last, because the compiler's message about a wrong call refers to the last overload.
  tag(record: string | GivenRecord, options?: ClientTagOptions): Promise<TaggedRecord>;
  async tag(given: Given, options: ClientTagOptions = {}): Promise<TaggedRecord | TaggedRecord[]> {
    return this.#ask('/v1/tag', bodyOf(given), options, answersTo<TaggedRecord>(given));
  }

  /**
   * Tags a stream of texts or records: yields one record for each, in order, while the stream is still open. A record
   * that cannot be tagged is returned with `nlp.error`, or ends the stream with `onBad: 'fail'`.
   *
   * Reads little ahead: the service pauses while you take no answers. To stop, leave the loop. A stream is one
   * request, answered by one version of a model, and never retried; the requests of a stream in parts are like those of
   * `tag`.
   *
   * @throws (rejects with) TagstreamError, or the error of the iterable
   */
  async *stream(
    records: GivenRecords,
    options: ClientStreamOptions = {},
  ): AsyncGenerator<TaggedRecord, void> {
    const { inParts = isInBrowser(), signal, ...query } = options;
    const lines = new WaitingLines(records);
    const end = new AbortController();
    const given = this.#signalOf(signal);
    const either = given === undefined ? end.signal : AbortSignal.any([given, end.signal]);
    try {
      yield* inParts ? this.#parts(lines, query, either) : this.#line(lines, query, either);
      given?.throwIfAborted();
    } catch (thrown) {
      given?.throwIfAborted();
      // An error of the iterable aborts the request.
      throw lines.failure === undefined ? thrown : lines.failure.error;
    } finally {
      end.abort();
      lines.close();
    }
  }

  /**
   * Explains the tags of a text or a record, or of several: which features support each token's tag, and which oppose
   * it.
   *
   * @throws (rejects with) TagstreamError `config` if the model has no weights that explain its tags
   */
  explain(
    records: readonly string[] | readonly GivenRecord[],
    options?: ClientExplainOptions,
  ): Promise<ExplainedAnswer[]>;
  explain(record: string | GivenRecord, options?: ClientExplainOptions): Promise<ExplainedAnswer>;
  async explain(
    given: Given,
    options: ClientExplainOptions = {},
  ): Promise<ExplainedAnswer | ExplainedAnswer[]> {
    return this.#ask('/v1/explain', bodyOf(given), options, answersTo<ExplainedAnswer>(given));
  }

  /** Returns the models of the service; the first one answers requests that name none. */
  async models(options: RequestSignal = {}): Promise<ServiceModel[]> {
    return this.#ask('/v1/models', '', options, modelsOf);
  }

  /**
   * Returns whether the service accepts requests: false while it stops, and while its threads are restarted.
   *
   * @throws (rejects with) TagstreamError `connection` if nothing answers
   */
  async ready({ signal }: RequestSignal = {}): Promise<boolean> {
    const answer = await this.#once({ path: '/readyz', signal: this.#signalOf(signal) });
    if (!answer.ok && answer.status !== 503) throw await errorOf(answer, this.#place('/readyz'));
    await answer.body?.cancel();
    return answer.ok;
  }

  /**
   * Sends a JSON body, or a GET request if the body is empty; retries if the service is busy.
   *
   * @param read returns the answer in a JSON value; undefined if it is none
   */
  async #ask<Answer>(
    path: string,
    body: string,
    { signal, ...query }: RequestSignal,
    read: (json: unknown) => Answer | undefined,
  ): Promise<Answer> {
    const { retries = 3, maxRetryAfter = 10_000 } = this.#options;
    const either = this.#signalOf(signal);
    const headers = { 'Content-Type': 'application/json' };
    const sent =
      body === '' ? { path, signal: either } : { path, query, headers, body, signal: either };
    for (let again = 0; ; again += 1) {
      const answer = await this.#once(sent);
      if (answer.ok) {
        const json = await this.#json(answer, path, either);
        const found = read(json);
        if (found !== undefined) return found;
        throw foreignAnswer(json, this.#place(path));
      }
      const wait = answer.status === 503 ? retryAfter(answer.headers) : undefined;
      const error = await errorOf(answer, this.#place(path));
      either?.throwIfAborted();
      if (again >= retries || wait === undefined || wait > maxRetryAfter) throw error;
      await pause(wait, either);
    }
  }

  async #json(answer: Response, path: string, signal?: AbortSignal): Promise<unknown> {
    try {
      return await answer.json();
    } catch (cause) {
      signal?.throwIfAborted();
      throw new TagstreamError('connection', `the response is incomplete: ${messageOf(cause)}`, {
        place: { source: this.#place(path) },
        cause,
      });
    }
  }

  /** Sends one request that stays open while its answers arrive. */
  async *#line(
    lines: WaitingLines,
    query: Omit<ClientStreamOptions, 'inParts' | 'signal'>,
    signal: AbortSignal,
  ): AsyncGenerator<TaggedRecord, void> {
    const path = '/v1/tag';
    const headers = { 'Content-Type': ndjson, Accept: ndjson };
    const answer = await this.#once({ path, query, headers, body: bodyStream(lines), signal });
    const source = this.#place(path);
    if (!answer.ok) throw await errorOf(answer, source);
    const failsOnBad = query.onBad === 'fail' || query.redact !== undefined;
    let answered = 0;
    let error: TagstreamError | undefined;
    try {
      for await (const line of readLines(answer.body!, signal)) {
        const json: unknown = JSON.parse(line);
        if (!isRecord(json)) throw foreignAnswer(json, source);
        const record = json as TaggedRecord;
        error = loneError(record);
        // The error that ends a stream is an additional line, or replaces that of the bad record.
        if (error !== undefined && (failsOnBad || answered === lines.taken)) throw error;
        answered += 1;
        yield record;
      }
    } catch (cause) {
      if (cause instanceof TagstreamError) throw cause.at({ source });
      throw new TagstreamError('connection', `the stream broke: ${messageOf(cause)}`, {
        place: { source },
        cause,
      });
    }
    if (signal.aborted || lines.failure !== undefined) return;
    if (lines.isDone && answered === lines.taken) return;
    const early = `the service has ended the stream after ${answered} answers`;
    throw (error ?? new TagstreamError('connection', early)).at({ source });
  }

  /** Sends a request per part; the next request is in flight while the caller takes a part's answers. */
  async *#parts(
    lines: WaitingLines,
    query: Omit<ClientStreamOptions, 'inParts' | 'signal'>,
    signal: AbortSignal,
  ): AsyncGenerator<TaggedRecord, void> {
    const onBad = query.redact === undefined ? 'pass' : 'fail';
    const next = async (): Promise<TaggedRecord[] | undefined> => {
      const part = await untilAborted(lines.take(), signal);
      if (part === undefined) return undefined;
      const options: RequestSignal & typeof query = { onBad, ...query, signal };
      return this.#ask(
        '/v1/tag',
        `[${part.join(',')}]`,
        options,
        listOf<TaggedRecord>(part.length),
      );
    };
    let coming = next();
    for (;;) {
      const answers = await coming;
      if (answers === undefined) return;
      coming = next();
      // A failure is handled when the part's turn comes.
      coming.catch(() => undefined);
      yield* answers;
    }
  }

  async #once({ path, query = {}, headers = {}, body, signal }: Sent): Promise<Response> {
    const { token, fetch = globalThis.fetch, headers: more = {} } = this.#options;
    signal?.throwIfAborted();
    const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    try {
      const request = new Request(`${this.#address}${path}${queryOf(query)}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...more, ...authorization, ...headers },
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
        // Required for a streaming body.
        ...(typeof body === 'object' ? { duplex: 'half' } : {}),
      });
      return await fetch(request);
    } catch (cause) {
      signal?.throwIfAborted();
      throw new TagstreamError('connection', `no response: ${messageOf(cause)}`, {
        place: { source: this.#place(path) },
        fix: 'check the address, and that the service is running',
        cause,
      });
    }
  }

  #signalOf(signal: AbortSignal | undefined): AbortSignal | undefined {
    const own = this.#options.signal;
    return own === undefined || signal === undefined
      ? (signal ?? own)
      : AbortSignal.any([own, signal]);
  }

  #place(path: string): string {
    return `${this.#address}${path}`;
  }
}

/**
 * Returns a client of a service.
 *
 * @param address address of the service, such as `http://127.0.0.1:8080`, including a proxy's path; in a page also a
 *   path on its own origin, such as `/tagger`
 * @throws TagstreamError `config` for an invalid address or option
 * @example
 * const client = createClient('http://localhost:8080', { token: 'correct horse' });
 * typeof client.tag // => 'function'
 */
export function createClient(address: string | URL, options: ClientOptions = {}): Client {
  requireKnown('createClient', options, optionNames);
  for (const name of ['retries', 'maxRetryAfter'] as const) {
    const value = options[name] ?? 0;
    if (Number.isInteger(value) && value >= 0) continue;
    throw new TagstreamError('config', `createClient.${name} is ${value}`, {
      fix: 'give a whole number of at least 0',
    });
  }
  const text = `${address}`.replace(/(?<!\/)\/+$/, '');
  const isOwn = /^(?:\/[^/]|$)/.test(text) && isInBrowser();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url !== undefined && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (isOwn || (isPlain && /^https?:$/.test(url.protocol))) return new Client(text, options);
  throw new TagstreamError('config', `createClient: ${text} is not the address of a service`, {
    fix: 'give one such as http://127.0.0.1:8080, and the token as { token }',
  });
}

/** Returns whether `fetch` is a browser's, in a page or a worker. */
function isInBrowser(): boolean {
  return 'document' in globalThis || 'WorkerGlobalScope' in globalThis;
}

function bodyOf(given: Given): string {
  if (!Array.isArray(given)) return jsonOf(given);
  return `[${given.map(jsonOf).join(',')}]`;
}

/** Returns what reads the answer to one text or record, or to several. */
function answersTo<Answer>(given: Given): (json: unknown) => Answer | Answer[] | undefined {
  if (Array.isArray(given)) return listOf<Answer>(given.length);
  return json => (isRecord(json) ? (json as Answer) : undefined);
}

/** Returns what reads the answers to `count` records. */
function listOf<Answer>(count: number): (json: unknown) => Answer[] | undefined {
  return json =>
    Array.isArray(json) && json.length === count && json.every(isRecord)
      ? (json as Answer[])
      : undefined;
}

function modelsOf(json: unknown): ServiceModel[] | undefined {
  const models = isRecord(json) ? json.models : undefined;
  return Array.isArray(models) && models.every(isRecord) ? (models as ServiceModel[]) : undefined;
}

function bodyStream(lines: WaitingLines): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const part = await lines.take();
        if (part === undefined) controller.close();
        else controller.enqueue(encoder.encode(`${part.map(recordLine).join('\n')}\n`));
      },
      cancel: () => lines.close(),
    },
    { highWaterMark: 0 },
  );
}

/** Returns a record as a line of a stream. */
function recordLine(json: string): string {
  return json.startsWith('"') ? `{"text":${json}}` : json;
}

function queryOf(options: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length === 0 ? '' : `?${query}`;
}

/** Returns the message of an error; for `fetch` that of its cause, which is more specific. */
function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error ? thrown.cause.message : thrown.message;
}

/** Waits for a time, or rejects with the signal's reason. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waiting = new Promise<void>(resolve => {
    timer = setTimeout(resolve, milliseconds);
  });
  if (signal === undefined) return waiting;
  return untilAborted(waiting, signal).finally(() => clearTimeout(timer));
}

/**
 * Yields the nonblank lines of a body as they arrive. Ends quietly when `signal` is aborted.
 *
 * @throws (rejects with) errors of the body
 */
async function* readLines(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const cancel = () => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  let parts: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (signal.aborted) return;
      const [first = '', ...more] = decoder.decode(value, { stream: !done }).split('\n');
      parts.push(first);
      for (const next of more) {
        const line = parts.join('');
        parts = [next];
        if (line.trim() !== '') yield line;
      }
      if (done) break;
    }
    const rest = parts.join('');
    if (rest.trim() !== '') yield rest;
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}
