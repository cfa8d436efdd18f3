/** Files to start from. */
export const RECIPES = [
  { name: "closed", text: "User-agent: *\nDisallow: /\n" },
  {
    name: "no_training",
    text: [
      "User-agent: *",
      "Allow: /",
      "",
      "# Crawlers that collect text for language models.",
      "User-agent: GPTBot",
      "User-agent: ClaudeBot",
      "User-agent: CCBot",
      "User-agent: Google-Extended",
      "User-agent: Applebot-Extended",
      "User-agent: meta-externalagent",
      "Disallow: /",
      "",
    ].join("\n"),
  },
  { name: "parts", text: "User-agent: *\nDisallow: /admin/\nDisallow: /search\nAllow: /search/about\n" },
] as const;
