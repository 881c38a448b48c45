import type { CommandModule } from 'yargs';

interface SchemaArguments {
  readonly write?: string | undefined;
  readonly of: 'pipeline' | 'study';
}

export const schemaCommand: CommandModule<object, SchemaArguments> = {
  command: 'schema',
  describe: 'print the JSON Schema of pipeline files, or of study files',
  builder: yargs =>
    yargs
      .option('write', { type: 'string', requiresArg: true, describe: 'write it to a file' })
      .option('of', {
        choices: ['pipeline', 'study'] as const,
        default: 'pipeline' as const,
        describe: 'the files that it is for',
      }),
  handler: async ({ write, of }) => {
    const text = await schemaOf(of);
    if (write === undefined) {
      process.stdout.write(text);
      return;
    }
    const { atomicWrite } = await import('../../io/atomic-write.js');
    atomicWrite(write, text);
  },
};

async function schemaOf(files: SchemaArguments['of']): Promise<string> {
  if (files === 'study') {
    const { studyJsonSchemaText } = await import('../../pipeline/study/study-json-schema.js');
    return studyJsonSchemaText();
  }
  const { jsonSchemaText } = await import('../../pipeline/json-schema.js');
  return jsonSchemaText();
}
