/** Names of the headings of a page in links, in their order; of equal ones the second has a number. */
export class Anchors {
  #met = new Map();

  /** @returns {string} the name of the next heading of the page */
  of(heading) {
    const plain = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    const times = this.#met.get(plain) ?? 0;
    this.#met.set(plain, times + 1);
    return times === 0 ? plain : `${plain}-${times}`;
  }
}
