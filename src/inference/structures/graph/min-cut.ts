/**
 * The cheapest cut between a source and a sink, by blocking flows along shortest paths (Dinic). Capacities are not
 * negative; nodes of the graph are 0 to `nodes - 1`. Cost O(nodes^2 edges) at most, far less on sparse graphs. Dinic
 * (1970).
 */
export class MinCut {
  #nodes = 0;
  /** Arcs in pairs: arc `a` and its reverse `a ^ 1`. */
  #to: number[] = [];
  #left: number[] = [];
  #arcs: number[][] = [];
  #levels = new Int32Array(0);
  #tried = new Int32Array(0);
  #largest = 0;

  open(nodes: number): void {
    this.#nodes = nodes;
    this.#to = [];
    this.#left = [];
    this.#arcs = Array.from({ length: nodes + 2 }, () => []);
    this.#levels = new Int32Array(nodes + 2);
    this.#tried = new Int32Array(nodes + 2);
    this.#largest = 0;
  }

  /** Cutting `one` off from `other`, with the source on the side of `one`, costs so much more. */
  connect(one: number, other: number, capacity: number): void {
    if (capacity <= 0) return;
    this.#largest = Math.max(this.#largest, capacity);
    this.#arcs[one]!.push(this.#to.length);
    this.#to.push(other);
    this.#left.push(capacity);
    this.#arcs[other]!.push(this.#to.length);
    this.#to.push(one);
    this.#left.push(0);
  }

  /** A node on the side of the sink costs so much; of the source, where it is negative, so much the other way. */
  charge(node: number, cost: number): void {
    if (cost > 0) this.connect(this.#nodes, node, cost);
    else this.connect(node, this.#nodes + 1, -cost);
  }

  /** 1 for each node on the side of the sink, as few as there can be. */
  cut(): Uint8Array {
    // What is left of an arc below this is rounding.
    const least = this.#largest * 1e-13;
    while (this.#reach(least)) {
      this.#tried.fill(0);
      while (this.#push(least)) {}
    }
    const sides = new Uint8Array(this.#nodes);
    this.#backFromSink(least, sides);
    return sides;
  }

  /** Distances from the source; whether the sink has one. */
  #reach(least: number): boolean {
    const levels = this.#levels.fill(-1);
    const queue = [this.#nodes];
    levels[this.#nodes] = 0;
    for (let head = 0; head < queue.length; head += 1) {
      const node = queue[head]!;
      for (const arc of this.#arcs[node]!) {
        const to = this.#to[arc]!;
        if (levels[to] !== -1 || this.#left[arc]! <= least) continue;
        levels[to] = levels[node]! + 1;
        queue.push(to);
      }
    }
    return levels[this.#nodes + 1] !== -1;
  }

  /** Sends what one shortest path takes; whether there was one. */
  #push(least: number): boolean {
    const sink = this.#nodes + 1;
    const path: number[] = [];
    let node = this.#nodes;
    while (node !== sink) {
      const arcs = this.#arcs[node]!;
      let arc = -1;
      while (this.#tried[node]! < arcs.length) {
        const next = arcs[this.#tried[node]!]!;
        const isOn = this.#levels[this.#to[next]!] === this.#levels[node]! + 1;
        if (isOn && this.#left[next]! > least) {
          arc = next;
          break;
        }
        this.#tried[node]! += 1;
      }
      if (arc >= 0) {
        path.push(arc);
        node = this.#to[arc]!;
      } else {
        const back = path.pop();
        if (back === undefined) return false;
        node = this.#to[back ^ 1]!;
        this.#tried[node]! += 1;
      }
    }
    let flow = Number.POSITIVE_INFINITY;
    for (const arc of path) flow = Math.min(flow, this.#left[arc]!);
    for (const arc of path) {
      this.#left[arc]! -= flow;
      this.#left[arc ^ 1]! += flow;
    }
    return true;
  }

  /** Marks the nodes from which the sink can still be reached. */
  #backFromSink(least: number, sides: Uint8Array): void {
    const queue = [this.#nodes + 1];
    const met = new Uint8Array(this.#nodes + 2);
    met[this.#nodes + 1] = 1;
    for (let head = 0; head < queue.length; head += 1) {
      for (const arc of this.#arcs[queue[head]!]!) {
        const from = this.#to[arc]!;
        if (met[from] === 1 || this.#left[arc ^ 1]! <= least) continue;
        met[from] = 1;
        if (from < this.#nodes) sides[from] = 1;
        queue.push(from);
      }
    }
  }
}
