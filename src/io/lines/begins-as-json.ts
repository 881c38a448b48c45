/**
 * Whether a text begins as JSON records do: with an object, or an array of objects, arrays or texts.
 *
 * @example
 * ['{"text": "a"}', '[{"text": "a"}]', '["a", {}]', '[Music] Hello.', '[1] As above.'].map(beginsAsJson)
 * // => [true, true, true, false, false]
 */
export function beginsAsJson(text: string): boolean {
  return /^\uFEFF*\s*(?:\{|\[\s*(?:[[{"\]]|$))/.test(text);
}
