import type { CommandModule } from 'yargs';
import { type UseArguments, useOption } from '../options/use-option.js';
import { printText } from '../report/terminal.js';

interface ComponentsArguments extends UseArguments {
  readonly name?: string | undefined;
}

export const componentsCommand: CommandModule<object, ComponentsArguments> = {
  command: 'components [name]',
  describe: 'list the components of pipeline files, or describe one with its options',
  builder: yargs =>
    yargs
      .positional('name', { type: 'string', describe: 'the component to describe' })
      .options(useOption),
  handler: async ({ name, use = [] }) => {
    const [{ loadPlugins }, { catalogueOf }, { componentList, componentPage }] = await Promise.all([
      import('../../runtime/plugins/load-plugins.js'),
      import('../../runtime/pipeline/loading/catalogue.js'),
      import('../components/list-components.js'),
    ]);
    const catalogue = catalogueOf(loadPlugins(use, process.cwd()));
    printText(name === undefined ? componentList(catalogue) : componentPage(name, catalogue));
  },
};
