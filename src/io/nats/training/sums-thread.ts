// The program of the thread that coordinates sums of gradients while the main thread waits for them.

import { resolve } from 'node:path';
import { type MessagePort, workerData } from 'node:worker_threads';
import { TagstreamError } from '../../../core/errors.js';
import { ClusterRounds } from './cluster-rounds.js';
import { ClusterSums } from './cluster-sums.js';
import { portable } from './portable-failure.js';
import type { SumsAnswer, SumsRequest, SumsThreadData } from './sums-messages.js';

const { port, signal, options, baseDirectory } = workerData as SumsThreadData;
const flag = new Int32Array(signal);
setInterval(() => Atomics.add(flag, 1, 1), 1_000);
let sums: ClusterSums | undefined;
let rounds: ClusterRounds | undefined;

// Messages are taken one at a time: the main thread waits for the answer to each.
(port as MessagePort).on('message', (request: SumsRequest) => {
  void answerTo(request).then(
    answer => give(answer),
    thrown => give({ failure: portable(TagstreamError.from(thrown, 'connection')) }),
  );
});

async function answerTo(request: SumsRequest): Promise<SumsAnswer> {
  switch (request.kind) {
    case 'open': {
      rounds = await ClusterRounds.open({ options, path: file => resolve(baseDirectory, file) });
      sums = new ClusterSums(rounds);
      return {};
    }
    case 'begin':
      sums!.begin(request.job, request.shards);
      return {};
    case 'evaluate': {
      const found = await sums!.evaluate(request.weights);
      return { sums: found, ...(request.places ? { places: await sums!.places() } : {}) };
    }
    case 'end': {
      if (request.isFinished) await rounds?.finish();
      else await rounds?.close();
      return rounds === undefined ? {} : { report: rounds.report };
    }
  }
}

function give(answer: SumsAnswer): void {
  port.postMessage(answer);
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
}
