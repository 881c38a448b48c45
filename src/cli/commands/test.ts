import type { CommandModule } from 'yargs';
import { kernelOption } from '../options/computing-options.js';
import { natsOptions } from '../options/nats-options.js';
import { flag, pipelineArgument, text, texts } from '../options/option-kinds.js';
import type { TestArguments } from '../run/test-pipeline.js';

export const testCommand: CommandModule<object, TestArguments> = {
  command: 'test <pipeline>',
  describe: 'run the checks of a pipeline file on its trained model',
  builder: yargs =>
    yargs
      .positional('pipeline', pipelineArgument)
      .options({
        model: text(
          'model file, or nats://NAME@ALIAS of a registry, instead of the one that the pipeline names',
        ),
        set: texts('override a setting'),
        json: flag('print one JSON object'),
      })
      .options(natsOptions)
      .options(kernelOption) as never,
  handler: async given => {
    const { testPipeline } = await import('../run/test-pipeline.js');
    await testPipeline(given);
  },
};
