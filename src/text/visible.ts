/**
 * A text with its control characters spelled out, so that it can give no orders to a terminal.
 *
 * @example
 * visible('a\tb') // => 'a\\u{9}b'
 */
export function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}]/gu,
    character => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}
