import type { Components } from '../catalogue/components.js';
import type { Path } from '../file/yaml-document.js';

/**
 * Says of a path in a pipeline file whose component it leads to, where that is one of a plug-in; the innermost, where
 * one stands inside another, as a transport in a source.
 */
export function aboutPlugin(path: Path, { plugins, transports }: Components): string | undefined {
  const known = transports.items.some(({ name }) => path.includes(name));
  if (namesTransport(path) && !known) return ofPlugins;
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

/** Where a transport is named. */
function namesTransport([section, format, key]: Path): boolean {
  return section === 'sink' ? format === 'to' : key === 'from' && section === 'source';
}

const ofPlugins =
  'transports other than nats come with plug-ins: name the package or file under use, as in use: [./queue.mjs]';
