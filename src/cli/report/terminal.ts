import { redacted } from '../../engine/core/secrets.js';
import { visibleJson, visibleLines } from '../../engine/text/visible.js';
import { standardStreams } from '../../formats/files/standard-streams.js';

/**
 * Prints text for users, without secrets and with the control characters of names and data escaped.
 *
 * @param coloured whether the text has styles, and all foreign text in it has passed through
 * `visible`
 */
export function printText(text: string, coloured = false): void {
  standardStreams().stdout.write(visibleLines(redacted(text), coloured));
}

/** Prints text on the standard error, without styles. */
export function printError(text: string): void {
  standardStreams().stderr.write(visibleLines(redacted(text)));
}

/** Prints a value as a line of JSON, without secrets. */
export function printJson(value: unknown): void {
  standardStreams().stdout.write(`${visibleJson(redacted(JSON.stringify(value)))}\n`);
}

/**
 * Returns whether text is coloured: on a terminal unless NO_COLOR is set to any value, elsewhere if
 * FORCE_COLOR is set.
 *
 * @example
 * [wantsColour({}, true), wantsColour({ NO_COLOR: '1' }, true), wantsColour({ FORCE_COLOR: '1' }, false)] // => [true, false, true]
 */
export function wantsColour(
  { NO_COLOR: no = '', FORCE_COLOR: force = '' }: Readonly<Record<string, string | undefined>>,
  terminal: boolean,
): boolean {
  if (no !== '') return false;
  return terminal || (force !== '' && force !== '0');
}
