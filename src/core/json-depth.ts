/**
 * Maximum nesting depth, greater than that of any JSON header or manifest of the library; see
 * `jsonDepth`.
 */
export const deepestJson = 100;

/**
 * Returns the nesting depth of the arrays and objects in a JSON text without parsing it, so that a
 * text made to exhaust the stack is detected before any code recurses into it. Cost O(length).
 *
 * @example
 * jsonDepth('{"a":[1,"[[["]}') // => 2
 */
export function jsonDepth(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < json.length; i += 1) {
    const unit = json.charCodeAt(i);
    if (unit === 0x22) {
      i = endOfString(json, i + 1);
    } else if (unit === 0x5b || unit === 0x7b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (unit === 0x5d || unit === 0x7d) {
      depth -= 1;
    }
  }
  return deepest;
}

/**
 * Returns where the quotation mark is that ends a string; the length of the text if none does. A search by the engine is
 * fast from the first call on, unlike a loop.
 */
function endOfString(json: string, from: number): number {
  for (let end = json.indexOf('"', from); end >= 0; end = json.indexOf('"', end + 1)) {
    let first = end;
    while (first > from && json.charCodeAt(first - 1) === 0x5c) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return json.length;
}
