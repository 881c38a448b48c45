import { Hono } from 'hono';

/** The state that probes report. */
export interface Probes {
  /** Returns why the process is not alive; undefined while it is. */
  stalled(): string | undefined;
  /** Returns why the process is not ready; undefined while it is. */
  unready(): string | undefined;
  /** The metrics in Prometheus's text format. */
  readonly metrics: { metrics(): Promise<string>; readonly contentType: string };
  /** Hides secrets in a text. */
  readonly redact: (text: string) => string;
}

/** The paths of `probeRoutes`. */
export const probePaths = ['/metrics', '/livez', '/readyz'] as const;

/**
 * Serves `/livez`, 503 while stalled; `/readyz`, 503 while not ready; `/metrics` for Prometheus. Only GET and HEAD.
 *
 * @example
 * const metrics = { metrics: async () => '', contentType: 'text/plain' };
 * const app = probeRoutes({ stalled: () => undefined, unready: () => 'starting', metrics, redact: text => text });
 * (await app.request('/readyz')).status // => 503
 */
export function probeRoutes({ stalled, unready, metrics, redact }: Probes): Hono {
  const app = new Hono();
  const answer = (reason: string | undefined, word: string) =>
    reason === undefined ? plain(200, word) : plain(503, redact(reason));
  app.get('/livez', () => answer(stalled(), 'live'));
  app.get('/readyz', () => answer(unready(), 'ready'));
  // Concurrent requests share one reading.
  let reading: Promise<string> | undefined;
  const readMetrics = () => {
    reading ??= metrics
      .metrics()
      .then(redact)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  app.get('/metrics', async () => {
    try {
      const text = await readMetrics();
      return answerOf(200, text, { 'Content-Type': metrics.contentType });
    } catch (thrown) {
      return plain(500, redact(String(thrown)));
    }
  });
  for (const path of probePaths) {
    app.all(path, () => plain(405, 'only GET and HEAD', { Allow: 'GET, HEAD' }));
  }
  return app;
}

/** Returns a plain-text answer of one line. */
export function plain(
  status: number,
  text: string,
  more: Readonly<Record<string, string>> = {},
): Response {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };
  return answerOf(status, `${text}\n`, { ...headers, ...more });
}

/** Returns an answer with its length, which the answer to HEAD also has. */
function answerOf(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>>,
): Response {
  const length = String(Buffer.byteLength(text));
  return new Response(text, { status, headers: { ...headers, 'Content-Length': length } });
}
