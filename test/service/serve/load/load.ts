import { Agent, request as httpRequest } from 'node:http';

/** A request that is sent again and again. */
export interface LoadRequest {
  readonly url: string;
  readonly body: string;
  readonly type: string;
}

/** An answer, or why there is none. */
export interface LoadAnswer {
  /** 0 where there is none. */
  readonly status: number;
  readonly version: string | undefined;
  readonly retryAfter: number | undefined;
  /** Whether the server ends the connection. */
  readonly isLast: boolean;
  readonly text: string;
  /** From its first byte sent to the last one that came. */
  readonly milliseconds: number;
  /** As `ECONNREFUSED`, where there is no answer. */
  readonly error: string | undefined;
}

/** Sends a request. */
export function ask({ url, body, type }: LoadRequest, agent: Agent): Promise<LoadAnswer> {
  return new Promise(resolve => {
    const begun = performance.now();
    let text = '';
    const answered = (found: Partial<LoadAnswer>) =>
      resolve({
        ...{ status: 0, version: undefined, retryAfter: undefined, isLast: false, text },
        ...{ error: undefined, milliseconds: performance.now() - begun, ...found },
      });
    const headers = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) };
    const sent = httpRequest(url, { method: 'POST', headers, agent }, response => {
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('error', (error: NodeJS.ErrnoException) => answered({ error: error.code }));
      response.on('end', () => {
        const { 'tagstream-version': version, 'retry-after': after } = response.headers;
        answered({
          status: response.statusCode!,
          version: version as string | undefined,
          retryAfter: after === undefined ? undefined : Number(after),
          isLast: response.headers.connection === 'close',
          text,
        });
      });
    });
    sent.on('error', (error: NodeJS.ErrnoException) =>
      answered({ error: error.code ?? error.message }),
    );
    sent.end(body);
  });
}

/**
 * A closed loop: each of the clients sends its next request when it has the answer to the last one, until it is told to
 * stop.
 *
 * @param onAnswer returns whether the client goes on
 */
export async function closedLoop(
  request: LoadRequest,
  clients: number,
  onAnswer: (answer: LoadAnswer) => boolean,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const client = async () => {
    while (onAnswer(await ask(request, agent)));
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
}

/** An open loop: so many requests a second, whether or not there are answers. Resolves with all answers. */
export async function openLoop(
  request: LoadRequest,
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
): Promise<LoadAnswer[]> {
  const agent = new Agent({ keepAlive: true });
  const answers: Promise<LoadAnswer>[] = [];
  const begun = performance.now();
  while (performance.now() - begun < 1000 * seconds) {
    const due = ((performance.now() - begun) / 1000) * rate;
    while (answers.length < due) answers.push(ask(request, agent));
    await new Promise(resolve => setTimeout(resolve, 2));
  }
  const all = await Promise.all(answers);
  agent.destroy();
  return all;
}

/** The value below which a share of some values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
