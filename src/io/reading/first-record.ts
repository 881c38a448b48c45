import { beginsAsJson } from '../lines/begins-as-json.js';
import { jsonArrayLines } from '../lines/json-array-lines.js';

const [OPEN_LIST, OPEN_OBJECT] = [91, 123];

/**
 * Whether the first record of JSON is there, of bytes that become more; what is not JSON is known by less.
 *
 * @example
 * const first = new FirstRecord();
 * ['[{"text":', '[{"text": "a"}, {'].map(text => first.isWhole(Buffer.from(text))) // => [false, true]
 */
export class FirstRecord {
  #lines: ((bytes: Uint8Array) => Uint8Array) | undefined;
  #looked = 0;

  isWhole(bytes: Uint8Array): boolean {
    if (bytes.length === 0) return false;
    if (this.#lines === undefined) {
      const head = new TextDecoder().decode(bytes.subarray(0, 1024));
      if (!beginsAsJson(head)) return true;
      this.#looked = bytes.findIndex(byte => byte === OPEN_LIST || byte === OPEN_OBJECT);
      this.#lines = jsonArrayLines.isNeeded(bytes) ? jsonArrayLines.begin().lines : more => more;
    }
    const more = this.#lines(bytes.slice(this.#looked));
    this.#looked = bytes.length;
    return more.includes(10);
  }
}
