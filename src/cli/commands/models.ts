import type { Argv, CommandModule } from 'yargs';
import { registered } from '../line/parsed-line.js';
import type {
  PromoteArguments,
  PushArguments,
  RollbackArguments,
} from '../models/change-models.js';
import type { ListArguments, PullArguments, WatchArguments } from '../models/read-models.js';
import { modelsOptions } from '../options/nats-options.js';
import { flag, number, text } from '../options/option-kinds.js';
import { useOption } from '../options/use-option.js';

const pushCommand: CommandModule<object, PushArguments> = {
  command: 'push <file> <name>',
  describe: 'store a model file as the next version of a name; identical bytes keep their version',
  builder: yargs =>
    requiredPositional(requiredPositional(yargs, 'file', 'model file'), 'name', 'name of the model')
      .options({
        note: text('a remark, shown by list'),
        create: flag('create the registry if it does not exist'),
        replicas: number(
          'with --create: replicas of the registry, each on its own server [default: 1]',
          {
            implies: 'create',
          },
        ),
      })
      .options(useOption)
      .options(modelsOptions) as never,
  handler: async given => {
    const { pushFile } = await import('../models/change-models.js');
    await pushFile(given);
  },
};

const pullCommand: CommandModule<object, PullArguments> = {
  command: 'pull <model>',
  describe: 'download a version, and check its digest',
  builder: yargs =>
    requiredPositional(yargs, 'model', 'NAME (the newest version), NAME@ALIAS or NAME@VERSION')
      .option('out', text('file to write', { demandOption: true }))
      .options(modelsOptions) as never,
  handler: async given => {
    const { pullFile } = await import('../models/read-models.js');
    await pullFile(given);
  },
};

const listCommand: CommandModule<object, ListArguments> = {
  command: 'list [name]',
  describe: 'list versions with their size, scores, training data and aliases',
  builder: yargs =>
    yargs
      .positional('name', { type: 'string', describe: 'name of the model; default: all' })
      .options(modelsOptions) as never,
  handler: async given => {
    const { listVersions } = await import('../models/read-models.js');
    await listVersions(given);
  },
};

const promoteCommand: CommandModule<object, PromoteArguments> = {
  command: 'promote <name> <release> <alias>',
  describe: 'point an alias to a version; running taggers switch to it',
  builder: yargs =>
    requiredPositional(
      requiredPositional(
        requiredPositional(yargs, 'name', 'name of the model'),
        'release',
        'version: its number, its id, or an alias of it',
      ),
      'alias',
      'alias, such as production',
    )
      .option('expect', text('promote only if the alias currently points to this version'))
      .options(modelsOptions) as never,
  handler: async given => {
    const { promoteVersion } = await import('../models/change-models.js');
    await promoteVersion(given);
  },
};

const rollbackCommand: CommandModule<object, RollbackArguments> = {
  command: 'rollback <name> <alias>',
  describe: 'point an alias back to the version before its last promotion',
  builder: yargs =>
    requiredPositional(
      requiredPositional(yargs, 'name', 'name of the model'),
      'alias',
      'alias, such as production',
    ).options(modelsOptions) as never,
  handler: async given => {
    const { rollBack } = await import('../models/change-models.js');
    await rollBack(given);
  },
};

const watchCommand: CommandModule<object, WatchArguments> = {
  command: 'watch <model>',
  describe: 'print the version that an alias points to, and each change',
  builder: yargs =>
    requiredPositional(yargs, 'model', 'NAME@ALIAS').options(modelsOptions) as never,
  handler: async given => {
    const { watchChanges } = await import('../models/read-models.js');
    await watchChanges(given);
  },
};

/** The commands of the group. */
export const modelsCommands = [
  pushCommand,
  pullCommand,
  listCommand,
  promoteCommand,
  rollbackCommand,
  watchCommand,
];

export const modelsCommand: CommandModule = {
  command: 'models',
  describe: 'push, pull, list, promote, roll back and watch models of a registry (NATS)',
  builder: yargs =>
    yargs
      .command(registered(pushCommand))
      .command(registered(pullCommand))
      .command(registered(listCommand))
      .command(registered(promoteCommand))
      .command(registered(rollbackCommand))
      .command(registered(watchCommand))
      .demandCommand(1, 'models needs push, pull, list, promote, rollback or watch'),
  handler: () => undefined,
};

function requiredPositional(yargs: Argv, name: string, describe: string): Argv {
  return yargs.positional(name, { type: 'string', demandOption: true, describe });
}
