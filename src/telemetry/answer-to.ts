import type { Registry } from 'prom-client';
import type { RunStatus } from '../core/run-status.js';

/** What is sent back. */
export interface Answer {
  readonly code: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What an HTTP request for a page about a run gets. Never rejects. */
export async function answerTo(
  {
    method,
    url = '/',
  }: { readonly method?: string | undefined; readonly url?: string | undefined },
  status: RunStatus,
  registry: Registry,
): Promise<Answer> {
  const page = url.split('?')[0];
  if (page !== '/metrics' && page !== '/livez' && page !== '/readyz') {
    return plain(404, 'not found: there are /metrics, /livez and /readyz');
  }
  if (method !== 'GET' && method !== 'HEAD') {
    return plain(405, 'only GET and HEAD', { Allow: 'GET, HEAD' });
  }
  if (page === '/livez') {
    return status.stall === undefined ? plain(200, 'live') : plain(503, status.stall);
  }
  if (page === '/readyz') {
    return status.phase === 'running' ? plain(200, 'ready') : plain(503, status.phase);
  }
  try {
    const text = await registry.metrics();
    return { code: 200, text, headers: { 'Content-Type': registry.contentType } };
  } catch (thrown) {
    return plain(500, String(thrown));
  }
}

function plain(code: number, text: string, more: Readonly<Record<string, string>> = {}): Answer {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };
  return { code, text: `${text}\n`, headers: { ...headers, ...more } };
}
