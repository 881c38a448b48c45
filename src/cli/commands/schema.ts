import type { CommandModule } from 'yargs';
import { text } from '../options/option-kinds.js';
import { type UseArguments, useOption } from '../options/use-option.js';
import { printText } from '../report/terminal.js';

interface SchemaArguments extends UseArguments {
  readonly write?: string | undefined;
  readonly of: 'pipeline' | 'study';
}

export const schemaCommand: CommandModule<object, SchemaArguments> = {
  command: 'schema',
  describe: 'print the JSON Schema of pipeline files, or of study files',
  builder: yargs =>
    yargs
      .options({
        write: text('write it to a file'),
        of: {
          choices: ['pipeline', 'study'] as const,
          default: 'pipeline' as const,
          describe: 'which files the schema describes',
        },
      })
      .options(useOption),
  handler: async ({ write, of, use = [] }) => {
    const text = await schemaOf(of, use);
    if (write === undefined) {
      printText(text);
      return;
    }
    const { writeWhole } = await import('../../runtime/io/writing/write-whole.js');
    await writeWhole(write, text);
  },
};

async function schemaOf(files: SchemaArguments['of'], use: readonly string[]): Promise<string> {
  if (files === 'study') {
    const { studyJsonSchemaText } = await import('../../studies/study-schema.js');
    return studyJsonSchemaText();
  }
  const { jsonSchemaText } = await import('../../runtime/pipeline/loading/pipeline-schema.js');
  if (use.length === 0) return jsonSchemaText();
  const { loadPlugins } = await import('../../runtime/plugins/load-plugins.js');
  const { catalogueOf } = await import('../../runtime/pipeline/loading/catalogue.js');
  return jsonSchemaText(catalogueOf(loadPlugins(use, process.cwd())));
}
