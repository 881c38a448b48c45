/** A request that the server has refused or not received. */
export class RequestError extends Error {
  /** What the server says is wrong; undefined where it does not answer. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** The path of the page, under which a proxy may publish it: what the page asks for lies below. */
export const pagePath = location.pathname.replace(/\/?$/, '/');

export const annotator = new URLSearchParams(location.search).get('annotator');

/**
 * Asks the server that the page is from.
 *
 * @throws (rejects with) RequestError
 */
export async function ask<Answer>(path: string, body: object = {}): Promise<Answer> {
  const query = annotator === null ? '' : `?annotator=${encodeURIComponent(annotator)}`;
  let response: Response;
  try {
    response = await fetch(`${pagePath}api/${path}${query}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  } catch {
    throw new RequestError('the server does not answer: start it again');
  }
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as Answer;
  throw errorOf(text, response.status);
}

function errorOf(text: string, status: number): RequestError {
  try {
    const { error, fix, code } = JSON.parse(text) as Record<string, string | undefined>;
    return new RequestError(`${error}${fix === undefined ? '' : ` (${fix})`}`, code ?? 'error');
  } catch {
    return new RequestError(text === '' ? `status ${status}` : text, 'error');
  }
}
