/** Statements that are added to a draft: one line for every group, because a crawler reads only its own groups. */

export const RECIPES = {
  no_training: "Content-Signal: search=yes, ai-train=no",
  no_ai: "Content-Signal: search=yes, ai-input=no, ai-train=no",
  all: "Content-Signal: search=yes, ai-input=yes, ai-train=yes",
} as const;
export type Recipe = keyof typeof RECIPES;

const USER_AGENT = /^[ \t]*user-?agent[ \t]*:/i;

/** Return the draft with a line after the user-agent lines of every group, or with a group if there is none. */
export function withStatement(file: string, recipe: Recipe): string {
  const statement = RECIPES[recipe];
  const lines = file.split("\n");
  const result: string[] = [];
  let found = false;
  lines.forEach((line, index) => {
    result.push(line);
    if (!USER_AGENT.test(line) || USER_AGENT.test(lines[index + 1] ?? "")) return;
    result.push(statement);
    found = true;
  });
  if (found) return result.join("\n");
  const start = file === "" || file.endsWith("\n") ? file : `${file}\n`;
  return `${start}User-agent: *\n${statement}\n`;
}
