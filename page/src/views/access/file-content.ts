/** What a file contains instead of rules. */

/** Whether a file starts like HTML or XML, as the linter decides it. */
export function isMarkup(text: string): boolean {
  const head = text.slice(0, 1024).trimStart();
  return /^<(!doctype|html|head|body|\?xml|script|meta|title)/i.test(head) || /^<[^]*<(!doctype html|html|head|body)/i.test(head);
}
