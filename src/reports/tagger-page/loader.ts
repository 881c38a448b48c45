import { fromDenseText } from './dense-text.js';

// The first script of an exported page: it unpacks the tagger and the model that the page holds, and starts the one
// with the other. The page's policy names both scripts by their hashes.

/** The bytes of a data block, unpacked. */
async function unpacked(id: string): Promise<Uint8Array<ArrayBuffer>> {
  const block = document.getElementById(id)!;
  const packed = fromDenseText(block.textContent!, Number(block.dataset.bytes));
  block.remove();
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function start(): Promise<void> {
  const [program, model] = await Promise.all([unpacked('program'), unpacked('model')]);
  const script = document.createElement('script');
  script.textContent = new TextDecoder().decode(program);
  document.body.append(script);
  const { tagstream } = globalThis as unknown as { tagstream: { start(model: Uint8Array): void } };
  tagstream.start(model);
}

start().catch((error: Error) => {
  document.getElementById('state')!.textContent =
    `This page could not start: ${error.message}. It needs a browser of 2023 or later.`;
});
