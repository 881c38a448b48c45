import { BrokenTransfer, downloadError, reasonOf } from './download-error.js';

/** Answers that lead elsewhere, and how many of them are followed. */
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const mostRedirects = 10;

/**
 * The answer of a server to a request for a file, from some byte on; redirects are followed.
 *
 * @param version what the server called the version that the bytes before `start` are of
 * @throws BrokenTransfer where none comes, TagstreamError `file` where a redirect cannot be followed
 */
export async function answerOf(
  url: string,
  start: number,
  version: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  if (start > 0) {
    headers.range = `bytes=${start}-`;
    if (version !== undefined) headers['if-range'] = version;
  }
  let at = url;
  for (let followed = 0; ; followed += 1) {
    let response: Response;
    try {
      response = await fetch(at, { headers, signal, redirect: 'manual' });
    } catch (cause) {
      throw new BrokenTransfer(reasonOf(cause), { cause });
    }
    const location = response.headers.get('location');
    if (location === null || !redirects.has(response.status)) return response;
    await response.body?.cancel();
    at = nextAddress(url, at, location);
    if (followed === mostRedirects) {
      throw downloadError(
        url,
        `it is redirected more than ${mostRedirects} times`,
        'look whether the address opens in a browser',
      );
    }
  }
}

/**
 * Where a redirect leads, before anything is asked for there.
 *
 * @param url the address that was named, for errors
 * @throws TagstreamError `file` where it leads away from encrypted addresses, or to no address of the web
 * @example
 * nextAddress('https://a.example/x', 'https://a.example/x', '/y') // => 'https://a.example/y'
 */
export function nextAddress(url: string, from: string, location: string): string {
  const next = URL.canParse(location, from) ? new URL(location, from) : undefined;
  const isAllowed =
    next?.protocol === 'https:' || (next?.protocol === 'http:' && from.startsWith('http:'));
  if (next !== undefined && isAllowed) return next.href;
  throw downloadError(
    url,
    `it leads to ${next?.href ?? location}`,
    from.startsWith('https:')
      ? 'only encrypted addresses are followed'
      : 'only http and https addresses are followed',
  );
}
