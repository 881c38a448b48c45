import type { Components } from '../catalogue/components.js';
import type { Path } from '../file/yaml-document.js';

/**
 * Says of a path in a pipeline file whose component it leads to, where that is one of a plug-in; the innermost, where
 * one stands inside another, as a transport in a source.
 */
export function aboutPlugin(path: Path, { plugins, transports }: Components): string | undefined {
  if (transports.items.length === 0 && namesTransport(path)) return withoutTransports;
  let depth = -1;
  let about: string | undefined;
  for (const { name: plugin, module, losses, optimizers, codecs, transports } of plugins) {
    for (const [kind, components] of Object.entries({
      'a loss': losses,
      'an optimizer': optimizers,
      'a codec': codecs,
      'a transport': transports,
    })) {
      for (const { name } of components as readonly { name: string }[]) {
        const found = path.lastIndexOf(name);
        if (found <= depth) continue;
        depth = found;
        const from = module === undefined ? '' : ` --use ${module.named}`;
        about = `${name} is ${kind} of the plug-in ${plugin}: tagstream components ${name}${from} lists its options`;
      }
    }
  }
  return about;
}

/** Where a transport would be named if there were one. */
function namesTransport([section, format, key]: Path): boolean {
  return section === 'sink' ? format === 'to' : key === 'from' && section === 'source';
}

const withoutTransports =
  'it names a transport, and transports come with plug-ins: name the package or file that has it under use, as in use: [./queue.mjs]';
