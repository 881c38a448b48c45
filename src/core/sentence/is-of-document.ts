import type { Document } from './document.js';

/** Whether a record says which document it is of, or that one begins with it. */
export function isOfDocument({ documentId, startsDocument }: Document): boolean {
  return documentId !== undefined || startsDocument === true;
}
