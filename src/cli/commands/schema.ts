import type { CommandModule } from 'yargs';

interface SchemaArguments {
  readonly write?: string | undefined;
}

export const schemaCommand: CommandModule<object, SchemaArguments> = {
  command: 'schema',
  describe: 'print the JSON Schema of pipeline files',
  builder: yargs =>
    yargs.option('write', { type: 'string', requiresArg: true, describe: 'write it to a file' }),
  handler: async ({ write }) => {
    const { jsonSchemaText } = await import('../../pipeline/json-schema.js');
    const text = jsonSchemaText();
    if (write === undefined) {
      process.stdout.write(text);
      return;
    }
    const { atomicWrite } = await import('../../io/atomic-write.js');
    atomicWrite(write, text);
  },
};
