/** A pasted response as curl prints it, read as `canfetch.web.answers.pages` reads it. */

export interface HeaderLine {
  /** In lower case. */
  readonly name: string;
  /** Offsets in the pasted text. */
  readonly start: number;
  readonly end: number;
}

export interface ResponseHead {
  /** The headers of the last response. */
  readonly lines: readonly HeaderLine[];
  /** Text follows the blank line after the headers. It is not read. */
  readonly hasBody: boolean;
}

const STATUS_LINE = /^HTTP\/\d/i;
/** A line of `curl -v`, where `<` marks what the server sent, except the body. */
const VERBOSE_LINE = /^< (HTTP\/\d|[\w-]+:)/i;
const VERBOSE_MARK = /^[*<>{}]( |$)/;

export function responseHead(text: string): ResponseHead {
  const written = text.split("\n");
  const isVerbose = written.some((line) => VERBOSE_LINE.test(line));
  let lines: HeaderLine[] = [];
  let isEnded = false;
  let hasBody = false;
  let start = 0;
  for (const whole of written) {
    const end = start + whole.length;
    const line = isVerbose ? whole.slice(1).trim() : whole;
    const isRead = !isVerbose || /^<( |$)/.test(whole);
    if (isRead && STATUS_LINE.test(line)) {
      lines = [];
      isEnded = hasBody = false;
    } else if (isRead && line.trim() === "") {
      isEnded ||= lines.length > 0;
    } else if (isRead && !isEnded) {
      lines.push({ name: line.slice(0, Math.max(0, line.indexOf(":"))).trim().toLowerCase(), start, end });
    } else if (isEnded && line.trim() !== "" && !(isVerbose && VERBOSE_MARK.test(whole))) {
      hasBody = true;
    }
    start = end + 1;
  }
  return { lines, hasBody };
}
