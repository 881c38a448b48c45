import { availableParallelism } from 'node:os';
import { Hono, type HonoRequest } from 'hono';
import type { Registry } from 'prom-client';
import { TagstreamError } from '../../engine/core/errors.js';
import { requireKnown } from '../../engine/core/schema/require-argument.js';
import { redacted } from '../../engine/core/secrets.js';
import { BearerTokens } from '../../runtime/http/bearer-tokens.js';
import { foreignRequest, pathWithin, publishedAddress } from '../../runtime/http/guard.js';
import { probeRoutes } from '../../runtime/http/probes.js';
import { Problem, problemResponse } from '../../runtime/http/problem.js';
import { securityHeaders } from '../../runtime/http/security-headers.js';
import type { CrewSettings } from './models/crew.js';
import { ServedModel, type ServedModelOptions } from './models/served-model.js';
import { openApi } from './openapi.js';
import { servicePage } from './page/service-page.js';
import { ServiceStatus, serviceMetrics } from './service-metrics.js';
import {
  defaultLimits,
  type Limits,
  limitsOf,
  type ServiceOptions,
  serviceOptionNames,
} from './service-options.js';
import { modelHeaders, TagRequests } from './tag-requests.js';

/** Maximum number of threads; each has its own model. */
const mostThreads = 64;

/** Names that models can have. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Seconds for which a browser may cache the permissions of other origins. */
const corsSeconds = 600;

/** Address of a client, where the server knows it. */
interface SentFrom {
  Bindings: { readonly address: string | undefined };
}

/** Number of alternatives that the page shows. */
const shownAlternatives = 5;

/** Paths that need no token: they reveal nothing, or are a page that asks for it. */
const open: ReadonlySet<string> = new Set(['/', '/livez', '/readyz']);

/**
 * A tagging service over HTTP, without a socket: the core of `tagstream serve`, which can be mounted in your own server.
 *
 * Answers `POST /v1/tag` and `/v1/explain`, `GET /v1/models`, `/livez`, `/readyz`, `/metrics` and `/openapi.json`, and has a
 * page at `/` to try it. Requests of many clients are packed together and tagged in threads; the calling thread only moves
 * bytes.
 */
export class Service {
  readonly #models: ReadonlyMap<string, ServedModel>;
  readonly #aliases: ReadonlyMap<string, string>;
  readonly #app: Hono<SentFrom>;
  readonly #stop = new AbortController();
  readonly #status: ServiceStatus;
  readonly #metrics: Registry;
  #hosts: ServiceOptions['hosts'];
  #tokens: BearerTokens | undefined;
  #isDraining = false;
  #closed: Promise<unknown> | undefined;

  /** Creates a service from validated options. */
  static async create(options: ServiceOptions): Promise<Service> {
    const models = new Map<string, ServedModel>();
    try {
      for (const [name, source] of Object.entries(options.models)) {
        models.set(name, await ServedModel.open(name, source, servedWith(options)));
      }
      return new Service(models, options);
    } catch (error) {
      await Promise.all([...models.values()].map(model => model.close()));
      throw error;
    }
  }

  private constructor(models: ReadonlyMap<string, ServedModel>, options: ServiceOptions) {
    this.#models = models;
    this.#aliases = new Map(Object.entries(options.aliases ?? {}));
    this.#status = new ServiceStatus();
    this.#metrics = serviceMetrics(this.#status, () => this.#models.values());
    this.setTokens(options.tokens);
    this.setHosts(options.hosts);
    this.#app = this.#routes(options);
    this.fetch = (request, client) => this.#fetch(request, client);
  }

  /**
   * Answers a request; bound to the service, so that it can be passed as a function. Never rejects.
   *
   * @param client who sends the request, as text such as an address, for the limits of each client; anything else counts as
   * unknown, and only the limits of all clients apply. A client with a token is known by it.
   */
  readonly fetch: (request: Request, client?: unknown) => Promise<Response>;

  /** The counters of the service. */
  get status(): ServiceStatus {
    return this.#status;
  }

  /** Metrics of the service and of the process, for your own server that already has `/metrics`. */
  get metrics(): Registry {
    return this.#metrics;
  }

  /** Current version of each model, by model name. */
  get versions(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#models].map(([name, { crew }]) => [name, crew.version]));
  }

  /**
   * Reloads one model or all; resolves when the new versions answer. Until then the old versions answer; each answer
   * comes from a single version.
   *
   * @throws (rejects with) the first error of a model; its old version stays
   */
  async reload(name?: string): Promise<void> {
    const models = name === undefined ? [...this.#models.values()] : [this.#modelNamed(name)];
    const done = await Promise.allSettled(models.map(model => model.reload()));
    const failed = done.find(each => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /**
   * Replaces the tokens; undefined: requests need none.
   *
   * @throws TagstreamError `config`; the old tokens then stay
   */
  setTokens(tokens: ServiceOptions['tokens']): void {
    this.#tokens = tokens && BearerTokens.parse(tokens.text, tokens.source);
  }

  /** Sets the authorities for which the service answers, such as `localhost:8080`; undefined: any. */
  setHosts(hosts: ServiceOptions['hosts']): void {
    this.#hosts = hosts;
  }

  /** Makes the service not ready. Requests are still answered, but answers ask clients to close the connection. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Stops reading streams; records already read are answered. */
  endStreams(): void {
    this.#stop.abort();
  }

  /** Answers the pending requests, then ends the threads. */
  close(): Promise<void> {
    this.drain();
    this.endStreams();
    this.#closed ??= Promise.all([...this.#models.values()].map(model => model.close()));
    return this.#closed.then(() => undefined);
  }

  #modelNamed(name: string | undefined): ServedModel {
    if (name === undefined) return this.#models.values().next().value!;
    const model = this.#models.get(this.#aliases.get(name) ?? name);
    if (model !== undefined) return model;
    throw new Problem(
      new TagstreamError('usage', 'there is no model with this name', {
        fix: `use one of ${[...this.#models.keys(), ...this.#aliases.keys()].join(', ')}`,
      }),
      { status: 404 },
    );
  }

  async #fetch(request: Request, client: unknown): Promise<Response> {
    const address = typeof client === 'string' ? client : undefined;
    const response = await this.#app.fetch(request, { address });
    if (response.status !== 200) this.#status.answered(response.status);
    return response;
  }

  #routes(options: ServiceOptions): Hono<SentFrom> {
    const { cors = [], onError } = options;
    const limits = limitsOf(
      Object.fromEntries(
        Object.keys(defaultLimits).map(name => [name, options[name as keyof Limits]]),
      ),
    );
    const published = options.origin === undefined ? undefined : publishedAddress(options.origin);
    const prefix = published?.prefix ?? '';
    const allows = (origin: string) => cors.includes('*') || cors.includes(origin);
    const closing = () => (this.#isDraining ? { Connection: 'close' } : {});
    const usual = () => ({
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      ...closing(),
    });
    const tagging = new TagRequests({
      ...{ limits, status: this.#status, stop: this.#stop.signal, headers: usual },
      modelNamed: name => this.#modelNamed(name),
    });
    const clientOf = (request: HonoRequest, address: string | undefined) => {
      if (this.#tokens !== undefined) return request.header('authorization');
      // The proxy adds the address from which it was asked.
      const forwarded = published && request.header('x-forwarded-for')?.split(',').at(-1)?.trim();
      return forwarded ?? address;
    };
    const app = new Hono<SentFrom>({
      getPath: request => pathWithin(prefix, pathOf(request.url)),
    });
    app.onError((thrown, { req }) => {
      const isGone = req.raw.signal.aborted;
      const answer = problemResponse(thrown, closing());
      if (answer.status === 500 && !isGone) {
        onError?.(thrown instanceof Problem ? thrown.error : thrown);
      }
      return answer;
    });
    app.notFound(() => {
      throw new Problem(
        new TagstreamError('usage', 'there is no such path', {
          fix: 'use /, /v1/tag, /v1/explain, /v1/models, /openapi.json, /livez, /readyz and /metrics',
        }),
        { status: 404 },
      );
    });
    app.use(async (context, next) => {
      const { req } = context;
      const isPage = req.method === 'GET' && req.path === '/';
      const asked = { header: (name: string) => req.header(name), isPage };
      const foreign = foreignRequest(asked, { hosts: this.#hosts, published }, allows);
      if (foreign !== undefined) {
        throw new Problem(
          new TagstreamError('usage', foreign, { fix: 'or allow its origin with --cors' }),
          { status: 403 },
        );
      }
      const origin = req.header('origin');
      const isAllowed = origin !== undefined && allows(origin);
      if (isAllowed && req.method === 'OPTIONS') return preflight(origin);
      const tokens = this.#tokens;
      if (tokens !== undefined && !open.has(req.path) && !tokens.has(req.header('authorization'))) {
        throw new Problem(
          new TagstreamError('usage', 'the token is missing or wrong', {
            fix: 'send it: Authorization: Bearer TOKEN',
          }),
          { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } },
        );
      }
      await next();
      const more = isAllowed ? corsHeaders(origin) : {};
      for (const [name, value] of Object.entries(more)) context.header(name, value);
      return undefined;
    });
    app.post('/v1/tag', ({ req, env }) => tagging.answer(req.raw, clientOf(req, env.address)));
    app.post('/v1/explain', ({ req, env }) => tagging.explain(req.raw, clientOf(req, env.address)));
    app.get('/v1/models', () => json({ models: this.#modelList() }));
    const description = openApi(tagging.schemas, {
      version: '1',
      needsToken: this.#tokens !== undefined,
    });
    app.get('/openapi.json', () => json(description));
    app.route(
      '/',
      probeRoutes({
        stalled: () => undefined,
        unready: () => this.#unready(),
        ...{ metrics: this.#metrics, redact: redacted },
      }),
    );
    const page = servicePage({ alternatives: Math.min(shownAlternatives, limits.maxNbest) });
    app.get('/', () => html(page));
    // The page sends requests relative to its own address.
    if (prefix !== '') app.get(prefix, ({ redirect }) => redirect(`${prefix}/`));
    for (const path of ['/v1/tag', '/v1/explain']) app.all(path, () => only('POST'));
    for (const path of ['/', '/v1/models', '/openapi.json']) app.all(path, () => only('GET, HEAD'));
    return app;
  }

  #unready(): string | undefined {
    if (this.#isDraining) return 'draining';
    const dead = [...this.#models.values()].filter(model => !model.isReady);
    return dead.length === 0
      ? undefined
      : `threads are being started again: ${dead.map(({ name }) => name).join(', ')}`;
  }

  #modelList(): object[] {
    return [...this.#models.values()].map(({ name, crew, isReady }, i) => ({
      ...{ name, aliases: this.#aliasesOf(name), default: i === 0 },
      ...{ version: crew.version, digest: crew.digest, ready: isReady },
    }));
  }

  #aliasesOf(name: string): string[] {
    return [...this.#aliases].filter(([, model]) => model === name).map(([alias]) => alias);
  }
}

/**
 * Reads the models of a service and starts their threads; resolves when all of them can tag.
 *
 * @throws (rejects with) TagstreamError `config` for invalid options; `file`, `model-format`, `model-version`,
 *   `model-damaged` for a model; `connection` for a registry
 */
export async function createService(options: ServiceOptions): Promise<Service> {
  requireKnown('createService', options, serviceOptionNames);
  requireNames(options);
  requireLimits(options);
  if (options.tokens !== undefined) BearerTokens.parse(options.tokens.text, options.tokens.source);
  return Service.create(options);
}

function servedWith(options: ServiceOptions): ServedModelOptions {
  const { threads = Math.max(1, availableParallelism() - 1), watch = false } = options;
  const { maxBody = defaultLimits.maxBody, maxTokens = defaultLimits.maxTokens } = options;
  const { dictionary, rules, modules, registry = {}, events = {} } = options;
  const crew: CrewSettings = {
    ...{ threads, kernel: 'simd', maxLineBytes: maxBody, maxTokens, modules },
    always: { ...(dictionary === undefined ? {} : { dictionary }), ...(rules && { rules }) },
  };
  return { crew, watch, registry, events };
}

/** @throws TagstreamError `config` */
function requireNames({ models, aliases = {} }: ServiceOptions): void {
  const names = Object.keys(models ?? {});
  const wrong = [...names, ...Object.keys(aliases)].find(name => !namePattern.test(name));
  if (names.length === 0 || wrong !== undefined) {
    const problem = wrong === undefined ? 'there is no model' : `a model cannot be named ${wrong}`;
    throw new TagstreamError('config', problem, {
      fix: 'use letters, digits and ._- in names, such as { ner: "ner.model" }',
    });
  }
  for (const [alias, name] of Object.entries(aliases)) {
    if (Object.hasOwn(models, name) && !Object.hasOwn(models, alias)) continue;
    throw new TagstreamError('config', `the alias ${alias} of ${name}`, {
      fix: `an alias is another name for one of ${names.join(', ')}`,
    });
  }
}

/** @throws TagstreamError `config` */
function requireLimits(options: ServiceOptions): void {
  for (const name of ['threads', ...Object.keys(defaultLimits)] as const) {
    const value = options[name as keyof Limits];
    const most = name === 'threads' ? mostThreads : 2 ** 31 - 1;
    if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= most)) continue;
    throw new TagstreamError('config', `${name} is ${value}`, {
      fix: `give a whole number from 1 to ${most}`,
    });
  }
}

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const end = url.indexOf('?', start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

function json(value: object): Response {
  const text = `${JSON.stringify(value)}\n`;
  const headers = { ...securityHeaders, 'Content-Type': 'application/json' };
  return new Response(text, { headers });
}

function html(page: string): Response {
  const headers = { ...securityHeaders, 'Content-Type': 'text/html; charset=utf-8' };
  return new Response(page, { headers });
}

function only(methods: string): never {
  throw new Problem(new TagstreamError('usage', `only ${methods}`), {
    status: 405,
    headers: { Allow: methods },
  });
}

function preflight(origin: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(origin),
      'Access-Control-Allow-Methods': 'GET, POST',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, Accept',
      'Access-Control-Max-Age': String(corsSeconds),
    },
  });
}

function corsHeaders(origin: string): Record<string, string> {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': [...Object.values(modelHeaders), 'Retry-After'].join(', '),
    'Cross-Origin-Resource-Policy': 'cross-origin',
    Vary: 'Origin',
  };
}
