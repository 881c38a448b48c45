import type { Argv, CommandModule } from 'yargs';
import type { StatusArguments } from '../cluster/show-status.js';
import type { PutArguments, ReadArguments } from '../cluster/stream-records.js';
import type { VerifyArguments } from '../cluster/verify-output.js';
import type { WorkArguments } from '../cluster/work-for-cluster.js';
import { registered } from '../line/parsed-line.js';
import { logOptions, metricsOptions, shutdownOption } from '../options/operation-options.js';
import { flag, number, pipelineArgument, text, texts } from '../options/option-kinds.js';
import { reporting } from '../report/reporting.js';

const jsonOption = { json: flag('print one JSON object') } as const;

const statusCommand: CommandModule<object, StatusArguments> = {
  command: 'status <pipeline>',
  describe: 'show the progress of work on the NATS streams of a pipeline',
  builder: yargs => ofPipeline(yargs).options(jsonOption) as never,
  handler: async given => {
    const { showStatus } = await import('../cluster/show-status.js');
    await showStatus(given);
  },
};

const verifyCommand: CommandModule<object, VerifyArguments> = {
  command: 'verify <pipeline>',
  describe: 'check that the result stream has each record of the source exactly once',
  builder: yargs =>
    ofPipeline(yargs)
      .options(jsonOption)
      .options({
        wait: flag('wait until nothing is waiting or in flight'),
        rejected: texts('dead-letter file of a run, whose records need no result; may be repeated'),
      }) as never,
  handler: async given => {
    const { verifyOutput } = await import('../cluster/verify-output.js');
    await verifyOutput(given);
  },
};

const putCommand: CommandModule<object, PutArguments> = {
  command: 'put <pipeline> [inputs..]',
  describe: 'store the lines of files in the stream that a pipeline reads',
  builder: yargs =>
    ofPipeline(yargs)
      .positional('inputs', {
        type: 'string',
        array: true,
        describe: 'files with one record per line; default: standard input',
      })
      .option('together', number('lines per message', { default: 1 })) as never,
  handler: async given => {
    const { putFiles } = await import('../cluster/stream-records.js');
    await putFiles(given);
  },
};

const readCommand: CommandModule<object, ReadArguments> = {
  command: 'read <pipeline>',
  describe: 'print the records of the stream that a pipeline writes',
  builder: yargs => ofPipeline(yargs) as never,
  handler: async given => {
    const { printResults } = await import('../cluster/stream-records.js');
    await printResults(given);
  },
};

const workCommand: CommandModule<object, WorkArguments> = {
  command: 'work [pipeline]',
  describe: 'run a worker that trains shards for a pipeline with train.cluster',
  builder: yargs =>
    yargs
      .positional('pipeline', {
        type: 'string',
        describe: 'pipeline file whose train.cluster says where the tasks are',
      })
      .options({
        servers: text(
          'servers, separated by commas; default: those of the pipeline, else localhost:4222',
        ),
        stream: text('work queue; default: that of the pipeline, else training'),
        create: flag('create the stream, its consumer and the buckets if they do not exist'),
        idle: number('exit after this many seconds without a task; default: wait forever'),
        set: texts('override a setting of the pipeline: train.cluster.stream=other'),
      })
      .options(shutdownOption)
      .options(metricsOptions)
      .options(logOptions) as never,
  handler: given =>
    reporting(given, async report => {
      const { workForCluster } = await import('../cluster/work-for-cluster.js');
      await workForCluster(given, report);
    }),
};

/** The commands of the group. */
export const clusterCommands = [putCommand, statusCommand, readCommand, verifyCommand, workCommand];

export const clusterCommand: CommandModule = {
  command: 'cluster',
  describe: 'manage taggers that share a NATS stream, and train across machines',
  builder: yargs =>
    yargs
      .command(registered(putCommand))
      .command(registered(statusCommand))
      .command(registered(readCommand))
      .command(registered(verifyCommand))
      .command(registered(workCommand))
      .demandCommand(1, 'cluster needs put, status, read, verify or work'),
  handler: () => undefined,
};

function ofPipeline(yargs: Argv): Argv {
  return yargs.positional('pipeline', pipelineArgument).option('set', texts('override a setting'));
}
