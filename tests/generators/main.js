// Builds the site of each generator with the generator, and compares the pages with those that Galley serves from the same
// folder.
//
// usage: tests/generators/run [--verbose] [GENERATOR…]

import { readFile } from "node:fs/promises";

import { differences, faults } from "./compare.js";
import { Galley } from "./galley.js";
import { generators, pagesOf, siteOf } from "./generators.js";
import { difference } from "./lines.js";
import { Responded, Built } from "./texts.js";
import { installed } from "./tools.js";

const WAYS = ["served", "imported"];
const LINES_SHOWN = 12;

const verbose = process.argv.includes("--verbose");
const chosen = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const names = chosen.length > 0 ? chosen : Object.keys(generators);

/** Returns the known differences, each `{ site, way, text, aspect, reason }`; `way` is one of WAYS, or absent for both. */
async function knownDifferences() {
  const { parse } = await installed("smol-toml");
  const { difference: known = [] } = parse(await readFile(new URL("known.toml", import.meta.url), "utf8"));
  for (const each of known) {
    if (!each.reason || !each.site || !each.text || !each.aspect)
      throw new Error(`known.toml: an entry needs site, text, aspect and reason: ${JSON.stringify(each)}`);
  }
  return known.map((each) => ({ ...each, used: new Set() }));
}

async function served(name, built) {
  const galley = await Galley.withEmptyFolder();
  try {
    const records = await galley.replies(siteOf(name));
    const responded = new Responded(built, galley.url, records);
    const { hasNoIds, hasNoPaths } = generators[name];
    const found = await differences(built, responded, { idsMatter: !hasNoIds, pathsMatter: !hasNoPaths });
    return [...found, ...(await faults(responded))];
  } finally {
    await galley.end();
  }
}

async function imported(name, built) {
  const galley = await Galley.withEmptyFolder();
  try {
    await galley.import(siteOf(name));
    const before = await galley.replies();
    const responded = new Responded(built, galley.url, before);
    const pathsMatter = !generators[name].hasNoPaths;
    const found = [
      ...(await differences(built, responded, { idsMatter: false, pathsMatter })),
      ...(await faults(responded)),
    ];
    await galley.stop();
    await galley.import(siteOf(name));
    const after = await galley.replies();
    return [...found, ...changes(before, after)];
  } finally {
    await galley.end();
  }
}

/** Returns the changes that a second import has made, although it should not make any. */
function changes(before, after) {
  const fields = (record) =>
    Object.entries(record).map(([name, value]) =>
      `${name} ${JSON.stringify(value)}`.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, ""),
    );
  const old = new Map(before.map((each) => [each.id, each]));
  const lines = [];
  for (const each of after) {
    const was = old.get(each.id);
    old.delete(each.id);
    const found = was ? difference(fields(was), fields(each)).map((line) => line.slice(0, 160)) : ["+ the record is new"];
    lines.push(...found.map((line) => `${line.slice(0, 2)}${each.title}: ${line.slice(2)}`));
  }
  lines.push(...[...old.values()].map(({ title }) => `- ${title}: the record is missing`));
  return lines.length > 0 ? [{ text: "*", aspect: "second import", lines }] : [];
}

async function compare(name, known) {
  const began = performance.now();
  const built = new Built(name, await pagesOf(name));
  const buildSeconds = (performance.now() - began) / 1000;
  const results = {};
  for (const [way, make] of [
    ["served", served],
    ["imported", imported],
  ]) {
    try {
      results[way] = await make(name, built);
    } catch (error) {
      results[way] = [
        {
          text: "*",
          aspect: "failed",
          lines: String(error.stderr || error.stack || error)
            .split("\n")
            .slice(0, 20),
        },
      ];
    }
  }
  const output = [];
  let unknown = 0;
  for (const way of WAYS) {
    const texts = new Map();
    for (const each of results[way]) {
      const entry = known.find(
        (one) => one.site === name && one.text === each.text && one.aspect === each.aspect && (one.way ?? way) === way,
      );
      if (entry) {
        entry.used.add(way);
        continue;
      }
      unknown += 1;
      texts.set(each.text, [...(texts.get(each.text) ?? []), each]);
    }
    const counts = new Set(results[way].filter(({ aspect }) => aspect !== "extra").map(({ text }) => text));
    const same =
      counts.has("*") && results[way].length === 1 ? 0 : built.texts.filter(({ path }) => !counts.has(path)).length;
    output.push(`${name}, ${way}: ${same} of ${built.texts.length} texts are the same as in the generator's pages`);
    for (const [text, list] of [...texts].sort(([one], [other]) => one.localeCompare(other))) {
      for (const { aspect, lines } of list) {
        output.push(`  ${name} ${way} ${text}: ${aspect}`);
        const shown = verbose ? lines : lines.slice(0, LINES_SHOWN);
        output.push(...shown.map((line) => `      ${line}`));
        if (shown.length < lines.length) output.push(`      … ${lines.length - shown.length} more lines`);
      }
    }
  }
  output.push(
    `${name}: built in ${buildSeconds.toFixed(1)} s, compared after ${((performance.now() - began) / 1000).toFixed(1)} s`,
  );
  return { output, unknown };
}

const known = await knownDifferences();
let problems = 0;
const running = names.map((name) => {
  if (!generators[name])
    throw new Error(`there is no site for ${name}; the generators are ${Object.keys(generators).join(", ")}`);
  return compare(name, known).catch((error) => ({ output: [`${name}: ${error.message}`], unknown: 1 }));
});
for (const result of running) {
  const { output, unknown } = await result;
  console.log(output.join("\n"), "\n");
  problems += unknown;
}
for (const each of known.filter(({ site }) => names.includes(site))) {
  const stale = WAYS.filter((way) => (each.way ?? way) === way && !each.used.has(way));
  if (stale.length === 0) continue;
  problems += 1;
  console.log(
    `known.toml is stale: ${each.site} ${stale.join(" and ")} ${each.text}: ${each.aspect} does not differ any more`,
  );
}
console.log(problems === 0 ? "No differences." : `${problems} problems: differences that are not in known.toml, or stale entries.`);
process.exitCode = problems === 0 ? 0 : 1;
