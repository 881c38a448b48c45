import type {
  CodecDefinition,
  LossDefinition,
  OptimizerDefinition,
  OptionsSchema,
  Plugin,
  PluginComponent,
  StageDefinition,
  StageItems,
  TokenFunctionDefinition,
  TransportDefinition,
  ZodSchema,
} from '../../engine/interfaces/definitions.js';

/**
 * Defines a plug-in, the default export of a package or file that `use` names. Returns its argument with
 * checked types; a plain object works too.
 *
 * @example
 * const vowels = defineTokenFunction({
 *   name: 'vowels',
 *   summary: 'the vowels of a token',
 *   create: () => token => token.replace(/[^aeiou]/g, ''),
 * });
 * definePlugin({ name: 'its-package', components: [vowels] }).components[0].kind // => 'token function'
 */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}

/** Defines a loss of a plug-in; returns its argument with checked types. */
export function defineLoss<Schema extends OptionsSchema>(
  definition: LossDefinition<Schema>,
): PluginComponent {
  return { kind: 'loss', ...definition } as unknown as PluginComponent;
}

/** Defines an online optimizer of a plug-in; returns its argument with checked types. */
export function defineOptimizer<Schema extends OptionsSchema>(
  definition: OptimizerDefinition<Schema>,
): PluginComponent {
  return { kind: 'optimizer', ...definition } as unknown as PluginComponent;
}

/** Defines a codec of a plug-in; returns its argument with checked types. */
export function defineCodec<Schema extends OptionsSchema>(
  definition: CodecDefinition<Schema>,
): PluginComponent {
  return { kind: 'codec', ...definition } as unknown as PluginComponent;
}

/** Defines a stage of a plug-in; returns its argument with checked types. */
export function defineStage<On extends keyof StageItems, Schema extends OptionsSchema>(
  definition: StageDefinition<On, Schema>,
): PluginComponent {
  return { kind: 'stage', ...definition } as unknown as PluginComponent;
}

/** Defines a transport of a plug-in; returns its argument with checked types. */
export function defineTransport<Schema extends OptionsSchema>(
  definition: TransportDefinition<Schema>,
): PluginComponent {
  return { kind: 'transport', ...definition } as unknown as PluginComponent;
}

/** Defines a token function of a plug-in; returns its argument with checked types. */
export function defineTokenFunction<Argument extends ZodSchema>(
  definition: TokenFunctionDefinition<Argument>,
): PluginComponent {
  return { kind: 'token function', ...definition } as unknown as PluginComponent;
}
