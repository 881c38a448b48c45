import type { Registry } from 'prom-client';

/** Metrics by name, including their label values as in `tagstream_progressive_f1{recent}`. */
export type Figures = Readonly<Record<string, number>>;

/** The figures of one moment. */
export interface Sample {
  /** Time in milliseconds, as in `Date`. */
  readonly at: number;
  readonly figures: Figures;
}

/** Metrics of which only the latest figures are kept, because they have one figure per label. */
const onlyNewest = /^tagstream_progressive_label_f1\{/;

/** The displayed metrics of Node. */
const ofNode =
  /^(?:process_cpu_seconds_total|process_resident_memory_bytes|nodejs_heap_size_used_bytes|nodejs_eventloop_lag_p99_seconds)$/;

/**
 * The metrics of a run over time. A sample is taken each second; if there are too many, every other sample is dropped,
 * so that they always cover the whole run in bounded memory.
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
   * @param most maximum number of samples kept; default 600
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

  /** Samples, oldest first. */
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
      // A metric that cannot be read is missing from this sample.
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

  /** Calls back with each sample. Returns a function that ends this. */
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

/** Returns the figures of Tagstream's metrics, and of some of Node's. */
export async function figuresOf(registry: Registry): Promise<Figures> {
  const figures: Record<string, number> = {};
  for (const { name, values, type } of await registry.getMetricsAsJSON()) {
    if (!name.startsWith('tagstream_') && !ofNode.test(name)) continue;
    for (const { value, labels, metricName = name } of values as readonly Value[]) {
      // For a histogram, the sum and the count.
      if (`${type}` === 'histogram' && metricName.endsWith('_bucket')) continue;
      // An empty label counts as absent.
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
