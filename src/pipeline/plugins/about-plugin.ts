import type { Components } from '../catalogue/components.js';
import type { Path } from '../file/yaml-document.js';

/** Says of a path in a pipeline file whose component it leads to, where that is one of a plug-in. */
export function aboutPlugin(path: Path, { plugins }: Components): string | undefined {
  for (const { name: plugin, module, losses, optimizers, codecs } of plugins) {
    for (const [kind, components] of Object.entries({
      'a loss': losses,
      'an optimizer': optimizers,
      'a codec': codecs,
    })) {
      const found = (components as readonly { name: string }[]).find(({ name }) =>
        path.includes(name),
      );
      if (found === undefined) continue;
      const from = module === undefined ? '' : ` --use ${module.named}`;
      return `${found.name} is ${kind} of the plug-in ${plugin}: tagstream components ${found.name}${from} lists its options`;
    }
  }
  return undefined;
}
