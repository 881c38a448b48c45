/**
 * An endless stream of labelled sentences with ever-new words, drawn from a seed: about Zipf's law over
 * some known words, and one or two words a sentence that never came before. A known word has a label of its
 * own, whatever its ending, so that it has to be remembered; a new one has that of its ending, so that there
 * is something to learn about it. One token in fifty has any label.
 */
export class EndlessSentences {
  #state;
  #made = 0;
  /** @type {Float64Array} */
  #sums;

  /** @param {{ seed?: number, known?: number }} options */
  constructor({ seed = 1, known = 5000 } = {}) {
    this.#state = seed >>> 0;
    this.#sums = new Float64Array(known);
    let sum = 0;
    for (let word = 0; word < known; word += 1) {
      sum += 1 / (word + 2.7);
      this.#sums[word] = sum;
    }
  }

  /** @returns {{ tokens: string[], tags: string[] }} */
  next() {
    const length = 6 + this.#below(12);
    const fresh = new Set([this.#below(length), this.#below(length)]);
    const tokens = [];
    const tags = [];
    for (let t = 0; t < length; t += 1) {
      const word = fresh.has(t) ? this.#below(endings.length) : this.#known();
      const ending = endings[word % endings.length];
      tokens.push(fresh.has(t) ? `${this.#name()}${ending}` : `k${word.toString(36)}${ending}`);
      const own = fresh.has(t) ? word : Math.floor(word / endings.length) * 5 + word * 3;
      const label = this.#below(50) === 0 ? this.#below(labels.length) : own;
      tags.push(labels[label % labels.length]);
    }
    return { tokens, tags };
  }

  /** A name that never came before. */
  #name() {
    this.#made += 1;
    return `n${this.#made.toString(36)}`;
  }

  #known() {
    const sums = this.#sums;
    const wanted = this.#uniform() * sums[sums.length - 1];
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #below(bound) {
    return Math.floor(this.#uniform() * bound);
  }

  /** Mulberry32. */
  #uniform() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let x = this.#state;
    x = Math.imul(x ^ (x >>> 15), x | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  }
}

const endings = ['ing', 'ness', 'ly', 'ed', 'ous', 'ment', 'ist', 'ure'];
const labels = ['VERB', 'NOUN', 'ADV', 'VBD', 'ADJ', 'NOUN2', 'PER', 'NOUN3'];
