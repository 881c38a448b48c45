/**
 * Whether text is coloured: on a terminal, unless NO_COLOR is set to anything; elsewhere if FORCE_COLOR is.
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
