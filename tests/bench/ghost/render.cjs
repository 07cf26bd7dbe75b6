// Renders documents with Ghost's own packages: render.cjs DOCUMENTS RESULTS
//
// Both files contain one JSON value per line: a document as its JSON text, and its HTML, or null if the renderer fails. For each
// line of standard input, a number of seconds, the program renders the documents in turn for that time and prints the rate per
// second.

const fs = require('node:fs');
const readline = require('node:readline');
const {JSDOM} = require('jsdom');
const {DEFAULT_NODES} = require('@tryghost/kg-default-nodes');
const {LexicalHTMLRenderer} = require('@tryghost/kg-lexical-html-renderer');

const SITE = 'https://site.example/';
// The options of a new Ghost site.
const OPTIONS = {
  target: 'html',
  siteUrl: SITE,
  imageBaseUrl: `${SITE}content/images`,
  canTransformImage: (path) => !/\.(svg|svgz|ico)$/.test(path),
  canTransformImageToFormat: () => true,
  imageOptimization: {
    srcsets: true,
    defaultMaxWidth: 2000,
    contentImageSizes: {w600: {width: 600}, w1000: {width: 1000}, w1600: {width: 1600}, w2400: {width: 2400}}
  },
  feature: {},
  design: {}
};

const renderer = new LexicalHTMLRenderer({
  dom: new JSDOM(),
  nodes: DEFAULT_NODES,
  onError: (error) => {
    throw error;
  }
});

const render = (document) => renderer.render(document, {...OPTIONS});

async function speed(documents, seconds) {
  const start = performance.now();
  let rendered = 0;
  let passed = 0;
  while (passed < seconds) {
    await render(documents[rendered % documents.length]);
    rendered += 1;
    passed = (performance.now() - start) / 1000;
  }
  return rendered / passed;
}

async function main() {
  const [documentsFile, resultsFile] = process.argv.slice(2);
  const documents = fs.readFileSync(documentsFile, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
  const results = [];
  for (const document of documents) {
    results.push(await render(document).catch(() => null));
  }
  fs.writeFileSync(resultsFile, results.map((html) => `${JSON.stringify(html)}\n`).join(''));
  for await (const line of readline.createInterface({input: process.stdin})) {
    console.log(await speed(documents, Number(line)));
  }
}

main();
