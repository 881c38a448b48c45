import type { Registry } from 'prom-client';

/** Metrics by name, with the values of their labels as in `tagstream_progressive_f1{recent}`. */
export type Figures = Readonly<Record<string, number>>;

/** The figures of a moment. */
export interface Sample {
  /** Milliseconds of `Date`. */
  readonly at: number;
  readonly figures: Figures;
}

/** Metrics of which only the newest figures are kept: they have one for each label. */
const onlyNewest = /^tagstream_progressive_label_f1\{/;

/** Those of Node's own metrics that are shown. */
const ofNode =
  /^(?:process_cpu_seconds_total|process_resident_memory_bytes|nodejs_heap_size_used_bytes|nodejs_eventloop_lag_p99_seconds)$/;

/**
 * The metrics of a run over time. A sample is taken each second; when there are too many, every other one is dropped, so that
 * they always cover the whole run in bounded memory.
 *
 * @example
 * const history = new RunHistory(async () => ({ answers: 1 }), { most: 4 });
 * for (let at = 0; at < 9000; at += 1000) await history.take(at);
 * history.samples.map(({ at }) => at) // => [0, 4000, 8000]
 */
export class RunHistory {
  #samples: Sample[] = [];
  #newest: Sample = { at: 0, figures: {} };
  #milliseconds: number;
  readonly #every: number;
  readonly #most: number;
  readonly #read: () => Promise<Figures>;
  readonly #watchers = new Set<(sample: Sample) => void>();
  #timer: NodeJS.Timeout | undefined;
  #isTaking = false;

  /**
   * @param every milliseconds between samples; default 1,000
   * @param most samples that are kept; default 600
   */
  constructor(
    read: () => Promise<Figures>,
    { every = 1000, most = 600 }: { readonly every?: number; readonly most?: number } = {},
  ) {
    this.#read = read;
    this.#every = every;
    this.#milliseconds = every;
    this.#most = most;
  }

  /** Oldest first; the last one is the newest. */
  get samples(): readonly Sample[] {
    const [last] = this.#samples.slice(-1);
    return last === this.#newest || last === undefined
      ? this.#samples
      : [...this.#samples, this.#newest];
  }

  /** Takes samples from now on. */
  start(): void {
    this.#timer ??= setInterval(() => {
      if (this.#isTaking) return;
      this.#isTaking = true;
      // A metric that cannot be read is missing from one sample.
      void this.take(Date.now())
        .catch(() => undefined)
        .finally(() => {
          this.#isTaking = false;
        });
    }, this.#every);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Calls back with each sample. Returns a function that stops this. */
  watch(watcher: (sample: Sample) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Takes a sample now. */
  async take(at: number): Promise<void> {
    const sample = { at, figures: await this.#read() };
    this.#newest = sample;
    const last = this.#samples.at(-1);
    if (last !== undefined) {
      this.#samples[this.#samples.length - 1] = { at: last.at, figures: lasting(last.figures) };
    }
    if (last === undefined || at - last.at >= this.#milliseconds) this.#samples.push(sample);
    if (this.#samples.length > this.#most) {
      this.#samples = this.#samples.filter((_, i) => i % 2 === 0);
      this.#milliseconds *= 2;
    }
    for (const watcher of this.#watchers) watcher(sample);
  }
}

/** Returns the figures of the metrics of Tagstream, and of some of those of Node. */
export async function figuresOf(registry: Registry): Promise<Figures> {
  const figures: Record<string, number> = {};
  for (const { name, values, type } of await registry.getMetricsAsJSON()) {
    if (!name.startsWith('tagstream_') && !ofNode.test(name)) continue;
    for (const { value, labels, metricName = name } of values as readonly Value[]) {
      // For a histogram, the sum and the count.
      if (`${type}` === 'histogram' && metricName.endsWith('_bucket')) continue;
      // An empty label counts as none.
      const own = Object.values(labels).filter(label => label !== '');
      figures[own.length === 0 ? metricName : `${metricName}{${own.join(',')}}`] = value;
    }
  }
  return figures;
}

interface Value {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

function lasting(figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).filter(([name]) => !onlyNewest.test(name)));
}
