/** What a file contains instead of rules. */

/** Whether a file is an image, an archive or a document, judged by its first characters. */
export function isBinary(text: string): boolean {
  const head = text.slice(0, 1024);
  if (head.startsWith("%PDF-")) return true;
  const control = head.match(/[\0-\x08\x0e-\x1a\x1c-\x1f]/g)?.length ?? 0;
  const isUtf16 = /^(?:[^\0]\0){4}|^(?:\0[^\0]){4}/.test(head);
  return !isUtf16 && control > 2 && control * 20 > head.length;
}

/** Whether a file starts like HTML or XML, as the linter decides it. */
export function isMarkup(text: string): boolean {
  const head = text.slice(0, 1024).trimStart();
  return /^<(!doctype|html|head|body|\?xml|script|meta|title)/i.test(head) || /^<[^]*<(!doctype html|html|head|body)/i.test(head);
}
