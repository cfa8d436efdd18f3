// Signs and verifies requests with the package web-bot-auth. It reads a list of questions as JSON, and writes the answers.
import { readFileSync } from "node:fs";
import { signatureHeaders, verify } from "web-bot-auth";
import { signerFromJWK, verifierFromJWK } from "web-bot-auth/crypto";

async function sign({ jwk, method, url, headers, components, created, expires }) {
  const message = { method, url, headers };
  const times = { created: new Date(created * 1000), expires: new Date(expires * 1000) };
  return signatureHeaders(message, await signerFromJWK(jwk), { ...times, components });
}

async function accepts({ jwk, method, url, headers }) {
  try {
    await verify({ method, url, headers }, await verifierFromJWK(jwk));
    return true;
  } catch (error) {
    return error.message;
  }
}

const answers = [];
for (const question of JSON.parse(readFileSync(0, "utf-8"))) {
  answers.push(question.expires === undefined ? await accepts(question) : await sign(question));
}
process.stdout.write(JSON.stringify(answers));
