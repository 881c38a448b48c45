import { fromDenseText } from './dense-text.js';

// The first script of an exported page: it decompresses the page's tagger and model, and starts the tagger. The page's
// policy identifies both scripts by their hashes.

/** Returns the decompressed bytes of a data block. */
async function unpacked(id: string): Promise<Uint8Array<ArrayBuffer>> {
  const block = document.getElementById(id)!;
  const packed = fromDenseText(block.textContent!, Number(block.dataset.bytes));
  block.remove();
  const { readable, writable } = new DecompressionStream('gzip');
  const bytes = new Response(readable).arrayBuffer();
  // A damaged block fails when it is read.
  const writer = writable.getWriter();
  void writer.write(packed).catch(() => undefined);
  void writer.close().catch(() => undefined);
  return new Uint8Array(await bytes);
}

async function start(): Promise<void> {
  const [unpackedProgram, model] = [unpacked('program'), unpacked('model')];
  const program = await unpackedProgram;
  const script = document.createElement('script');
  script.textContent = new TextDecoder().decode(program);
  document.body.append(script);
  const { tagstream } = globalThis as unknown as { tagstream: { start(model: Uint8Array): void } };
  tagstream.start(await model);
}

start().catch((error: Error) => {
  document.getElementById('state')!.textContent =
    `This page could not start: ${error.message}. It needs a browser of 2023 or later.`;
});
