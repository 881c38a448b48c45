import { endOutput } from './end-output.js';
import type { Output } from './open-output.js';

/**
 * An output that has a text before all that is written to it, and one after it. If it is given up,
 * nothing follows.
 *
 * @example
 * const written = [];
 * const write = (text, done) => done(void written.push(text));
 * const plain = { name: 'memory', write, commit: async () => {}, abort: async () => {} };
 * await framedOutput(plain, { head: '<', tail: '>' }).commit();
 * written // => ['<', '>']
 */
export function framedOutput(
  output: Output,
  { head, tail }: { readonly head: string; readonly tail: string },
): Output {
  let begun = false;
  const begin = (text: string | Uint8Array, done: (error?: unknown) => void) => {
    begun = true;
    // An error of the first write comes again with the second.
    output.write(head, () => undefined);
    output.write(text, done);
  };
  return {
    name: output.name,
    write: (text, done) => (begun ? output.write(text, done) : begin(text, done)),
    commit: async () => {
      if (!begun) output.write(head, () => undefined);
      const failure = await new Promise<unknown>(resolve => output.write(tail, resolve));
      await endOutput(output, failure);
    },
    abort: () => output.abort(),
  };
}
