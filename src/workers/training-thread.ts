// The program of a thread that trains in a crew: a member of it, until the foreman ends.
import { parentPort, workerData } from 'node:worker_threads';
import { CrewSignals } from '../kernels/crew/crew-signals.js';
import type { CrewJob } from '../models/crew/crew.js';
import { joinCrew } from '../models/crew/join-crew.js';
import type { ThreadData } from './training-foreman.js';

const { member, members, buffer } = workerData as ThreadData & { readonly member: number };
const signals = new CrewSignals(members, buffer);

parentPort!.once('message', (job: CrewJob) => {
  try {
    joinCrew(job, member, signals);
  } catch (error) {
    // The foreman would be told too, but not of what kind the error is.
    signals.fail(error);
    throw error;
  }
});
