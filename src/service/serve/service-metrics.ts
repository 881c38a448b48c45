import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { Durations } from '../../engine/core/run-status.js';
import { durationsMetric } from '../telemetry/run-metrics.js';
import type { ServedModel } from './models/served-model.js';

/** Bounds of the latency buckets in seconds, from 1 ms to 10 s. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Counters and state of a service, as plain data: an update costs one addition. */
export class ServiceStatus {
  /** Number of answers by status. */
  readonly answers = new Map<number, number>();
  /** Latency of requests with a whole body, from the first byte to the answer. */
  readonly durations = new Durations(bounds);
  /** Number of answered records, and of those that could not be tagged. */
  records = 0;
  badRecords = 0;
  /** Number of bytes of unanswered bodies. */
  held = 0;
  /** Number of open streams. */
  streams = 0;
  /** Number of requests whose client had left before the answer, and of clients disconnected for not reading. */
  abandoned = 0;
  cutOff = 0;

  answered(status: number): void {
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
  }
}

const counters = {
  records_total: [
    'Records answered, bad ones among them.',
    ({ records }: ServiceStatus) => records,
  ],
  bad_records_total: [
    'Records that could not be tagged.',
    ({ badRecords }: ServiceStatus) => badRecords,
  ],
  abandoned_total: [
    'Requests whose client was gone before the answer.',
    ({ abandoned }: ServiceStatus) => abandoned,
  ],
  slow_clients_total: [
    'Clients cut off because they did not read their answers.',
    ({ cutOff }: ServiceStatus) => cutOff,
  ],
} as const;

/** Returns the metrics of a service and of the process, for prom-client, read on demand. */
export function serviceMetrics(
  status: ServiceStatus,
  models: () => Iterable<ServedModel>,
): Registry {
  const registry = new Registry();
  const registers = [registry];
  const name = (of: string) => `tagstream_serve_${of}`;
  for (const [of, [help, read]] of Object.entries(counters)) {
    new Counter({
      ...{ name: name(of), help, registers },
      collect() {
        this.reset();
        this.inc(read(status));
      },
    });
  }
  new Counter({
    ...{
      name: name('answers_total'),
      help: 'Answers by status.',
      labelNames: ['status'],
      registers,
    },
    collect() {
      this.reset();
      for (const [code, count] of status.answers) this.inc({ status: String(code) }, count);
    },
  });
  for (const [of, help] of [
    ['held_bytes', 'Bytes of bodies without an answer.'],
    ['streams', 'NDJSON streams that are open.'],
  ] as const) {
    new Gauge({
      ...{ name: name(of), help, registers },
      collect() {
        this.set(of === 'streams' ? status.streams : status.held);
      },
    });
  }
  new Gauge({
    ...{ name: name('waiting_requests'), help: 'Requests that wait or are being tagged.' },
    ...{ labelNames: ['model'], registers },
    collect() {
      this.reset();
      for (const { name: model, crew } of models()) {
        this.set({ model }, crew.packer.requests);
      }
    },
  });
  new Gauge({
    ...{ name: name('wait_seconds'), help: 'How long a request would wait now for its answer.' },
    ...{ labelNames: ['model'], registers },
    collect() {
      this.reset();
      for (const { name: model, crew } of models()) {
        this.set({ model }, crew.packer.wait / 1000);
      }
    },
  });
  new Counter({
    ...{
      name: name('blocks_total'),
      help: 'Blocks that requests of the version were packed into.',
    },
    ...{ labelNames: ['model', 'version'], registers },
    collect() {
      this.reset();
      for (const { name: model, crew } of models()) {
        this.inc({ model, version: crew.version }, crew.packer.blocks);
      }
    },
  });
  new Gauge({
    ...{ name: name('model_info'), help: 'The version of a model that answers.' },
    ...{ labelNames: ['model', 'version', 'digest'], registers },
    collect() {
      this.reset();
      for (const { name: model, crew } of models()) {
        this.set({ model, version: crew.version, digest: crew.digest }, 1);
      }
    },
  });
  registry.registerMetric(
    durationsMetric(name('request_seconds'), {
      help: 'Time from the first byte of a request to its answer, streams left out.',
      durations: status.durations,
    }),
  );
  collectDefaultMetrics({ register: registry });
  return registry;
}
