/** Encodes bytes as printable characters. */
export function encodePrintable(bytes: Uint8Array): string;
