/**
 * Yields the nonblank lines of a body as they arrive. Ends quietly when `signal` is aborted.
 *
 * @throws (rejects with) errors of the body
 */
export async function* readLines(
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
