/**
 * The numbers 0 to `size - 1` by priority, highest first; ties go to the lowest number. A binary heap: `set`
 * and `take` cost O(log size).
 */
export class PriorityQueue {
  #heap = new Int32Array(0);
  /** The position of each number in the heap, -1 if absent. */
  #places = new Int32Array(0);
  #priorities = new Float64Array(0);
  #count = 0;

  /** Clears the queue and makes room for `size` numbers. */
  open(size: number): void {
    if (this.#heap.length < size) {
      this.#heap = new Int32Array(2 * size);
      this.#places = new Int32Array(2 * size);
      this.#priorities = new Float64Array(2 * size);
    }
    this.#places.fill(-1, 0, size);
    this.#count = 0;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** The highest priority; minus infinity if the queue is empty. */
  get highest(): number {
    return this.isEmpty ? Number.NEGATIVE_INFINITY : this.#priorities[this.#heap[0]!]!;
  }

  /** Sets or changes the priority of a number. */
  set(number: number, priority: number): void {
    this.#priorities[number] = priority;
    if (this.#places[number] === -1) {
      this.#places[number] = this.#count;
      this.#heap[this.#count] = number;
      this.#count += 1;
    }
    this.#rise(this.#places[number]!);
    this.#sink(this.#places[number]!);
  }

  /** Removes the number with the highest priority; the queue must not be empty. */
  take(): number {
    const first = this.#heap[0]!;
    this.#count -= 1;
    this.#places[first] = -1;
    if (this.#count > 0) {
      this.#put(this.#heap[this.#count]!, 0);
      this.#sink(0);
    }
    return first;
  }

  #put(number: number, place: number): void {
    this.#heap[place] = number;
    this.#places[number] = place;
  }

  #before(one: number, other: number): boolean {
    const difference = this.#priorities[one]! - this.#priorities[other]!;
    return difference > 0 || (difference === 0 && one < other);
  }

  #rise(from: number): void {
    const number = this.#heap[from]!;
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#before(number, this.#heap[parent]!)) break;
      this.#put(this.#heap[parent]!, place);
      place = parent;
    }
    this.#put(number, place);
  }

  #sink(from: number): void {
    const number = this.#heap[from]!;
    let place = from;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.#count) break;
      if (child + 1 < this.#count && this.#before(this.#heap[child + 1]!, this.#heap[child]!)) {
        child += 1;
      }
      if (!this.#before(this.#heap[child]!, number)) break;
      this.#put(this.#heap[child]!, place);
      place = child;
    }
    this.#put(number, place);
  }
}
