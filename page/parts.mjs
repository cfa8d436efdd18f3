/** The packages whose code or fonts are in the page, with their licenses, which the page has to contain. */

import { readFile, readdir } from "node:fs/promises";
import path from "node:path";

const PACKAGE = /^(.*(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+))\//;
const LICENCE = /^(licen[cs]e|unlicense|copying|copyright)(?![a-z])/i;
const NOTICE = /^notice(?![a-z])/i;

/**
 * Return the packages of the inputs that esbuild wrote into its outputs, as tools/bundled_parts.py reads them. What is
 * omitted from all outputs is not in the page.
 */
export async function bundledPackages(folder, metafiles) {
  const packages = new Map();
  for (const { outputs } of metafiles) {
    for (const { inputs } of Object.values(outputs)) {
      for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
        const [, location, name] = PACKAGE.exec(file) ?? [];
        if (location !== undefined && bytesInOutput > 0) packages.set(name, path.resolve(folder, location));
      }
    }
  }
  const names = [...packages.keys()].sort();
  return Promise.all(names.map((name) => describePackage(name, packages.get(name))));
}

async function describePackage(name, folder) {
  const { version, license: licence } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const notices = {};
  for (const file of (await readdir(folder)).sort()) {
    if (LICENCE.test(file) || NOTICE.test(file)) notices[file] = await readFile(path.join(folder, file), "utf8");
  }
  const hasLicence = Object.entries(notices).some(([file, text]) => LICENCE.test(file) && text.trim() !== "");
  if (typeof licence !== "string" || !hasLicence) throw new Error(`${purl} has no license in ${folder}`);
  return { purl, name, version, licence, notices };
}

/** Return the licenses as one text: that of canfetch, and those of the parts. */
export function licenceText(own, parts) {
  const separator = `\n${"=".repeat(80)}\n\n`;
  const sections = parts.map(({ name, version, licence, notices }) => {
    const texts = Object.values(notices).map((text) => text.trim());
    return [`${name} ${version}`, `License: ${licence}`, ...texts].join("\n\n");
  });
  // The longest first: that of Rust repeats the license of canfetch, which only compresses well if it is near.
  sections.sort((one, other) => other.length - one.length);
  const contents = parts.map(({ name, version, licence }) => `  ${name} ${version}: ${licence}`).join("\n");
  const head = `This page is part of canfetch, whose license is Apache-2.0. It contains:\n\n${contents}\n\nTheir licenses follow that of canfetch.\n`;
  return [head, `${own.trim()}\n`, ...sections.map((section) => `${section}\n`)].join(separator);
}
