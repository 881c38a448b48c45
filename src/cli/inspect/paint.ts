import { styleText } from 'node:util';
import { wantsColour } from '../report/wants-colour.js';

/** Colours of the output: text as it is where nobody would see them. */
export interface Paint {
  strong(text: string): string;
  faint(text: string): string;
  /** By the sign of a number: green for what speaks for, red for what speaks against. */
  signed(text: string, value: number): string;
}

/**
 * Colours where a stream is a terminal, or as `NO_COLOR` or `FORCE_COLOR` say, else none.
 *
 * @example
 * paintFor({ isTTY: false }, {}).strong('text') // => 'text'
 */
export function paintFor(
  stream: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Paint {
  if (!wantsColour(environment, stream.isTTY === true)) {
    const plain = (text: string) => text;
    return { strong: plain, faint: plain, signed: plain };
  }
  const style = (format: 'bold' | 'dim' | 'green' | 'red') => (text: string) =>
    styleText(format, text, { validateStream: false });
  return {
    strong: style('bold'),
    faint: style('dim'),
    signed: (text, value) => (value === 0 ? text : style(value > 0 ? 'green' : 'red')(text)),
  };
}
