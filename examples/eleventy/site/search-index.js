// Reads the search index that `galley build --search` writes: the manifest, and the pieces that a search needs.

// Scripts without spaces: each character is a word.
const ALONE = String.raw`\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{323af}`;
const WORD = new RegExp(String.raw`[${ALONE}]|(?:(?![${ALONE}])[\p{Alphabetic}\p{N}])+`, "gu");

/** Returns a word in the form of the index: in lower case and, in Latin and Greek script, without accents. */
function folded(word) {
  const small = [...word.toLowerCase()].slice(0, 40).join("");
  const hasAccents = /[\u00c0-\u03ff\u1e00-\u1fff]/.test(small);
  return hasAccents ? small.normalize("NFD").replace(/[\u0300-\u036f]/g, "") : small;
}

/** Returns the length of the common prefix of two words. */
function shared(word, other) {
  let letters = 0;
  while (letters < word.length && word[letters] === other[letters]) letters++;
  return letters;
}

export class SearchIndex {
  #url;
  #files = new Map();

  /** `url` is that of the folder with the file `index.json`. */
  constructor(url) {
    this.#url = url;
  }

  #file(path) {
    if (!this.#files.has(path)) {
      const file = fetch(this.#url + path).then((response) => {
        if (!response.ok) throw new Error(`${path}: ${response.status}`);
        return response.json();
      });
      file.catch(() => this.#files.delete(path));
      this.#files.set(path, file);
    }
    return this.#files.get(path);
  }

  #piece(name) {
    return this.#file(`pieces/${name}.json`);
  }

  /** Returns the documents with all words of a text, best first. The last word may be a prefix. */
  async search(text, limit = 10) {
    const { documents, documents_per_piece: size, words, pieces } = await this.#file("index.json");
    const wanted = (text.match(WORD) ?? []).map(folded);
    const entries = await Promise.all(
      wanted.map((word, index) => this.#entries(words, word, index === wanted.length - 1 && /[\p{Alphabetic}\p{N}]$/u.test(text))),
    );
    const forms = new Set(entries.flat().flatMap(([[ofEntry]]) => ofEntry));
    // The number of words in the title, of documents whose title has as many words as the search.
    const titles = new Map();
    const scores = entries.map((ofWord) => {
      const best = new Map();
      const inTitle = new Set();
      for (const [[, numbers], weight] of ofWord) {
        const having = numbers.length / 2;
        const rarity = Math.log(1 + (documents - having + 0.5) / (having + 0.5));
        let number = 0;
        for (let index = 0; index < numbers.length; index += 2) {
          number += numbers[index];
          const score = numbers[index + 1] % 100;
          best.set(number, Math.max(best.get(number) ?? 0, weight * rarity * score));
          if (weight === 1 && Math.floor(numbers[index + 1] / 100) === wanted.length) inTitle.add(number);
        }
      }
      for (const number of inTitle) titles.set(number, (titles.get(number) ?? 0) + 1);
      return best;
    });
    const [first = new Map(), ...others] = scores;
    const found = [...first].filter(([number]) => others.every((other) => other.has(number)));
    const sums = found.map(([number, score]) => [number, others.reduce((sum, other) => sum + other.get(number), score)]);
    const isTitle = (number) => titles.get(number) === wanted.length;
    sums.sort(([number, score], [other, otherScore]) => isTitle(other) - isTitle(number) || otherScore - score || other - number);
    const shown = sums.slice(0, limit).map(async ([number]) => {
      const piece = await this.#piece(pieces[Math.floor(number / size)]);
      return piece[number % size];
    });
    return { total: sums.length, documents: await Promise.all(shown), forms };
  }

  /** Returns the entries of a word, of words with it as a prefix, or of similar words, each with its weight. */
  async #entries(words, word, mayBeBeginning) {
    const first = Math.max(0, words.findLastIndex(([from]) => from <= word));
    const isBeginning = mayBeBeginning && word.length > 1;
    const last = isBeginning ? words.findLastIndex(([from]) => from.startsWith(word)) : first;
    const pieces = words.slice(first, Math.max(first, last) + 1).slice(0, 4);
    const entries = (await Promise.all(pieces.map(([, name]) => this.#piece(name)))).flat();
    const weigh = (entry) => (entry[0].includes(word) ? 1 : isBeginning && entry[0].some((form) => form.startsWith(word)) ? 0.6 : 0);
    const found = entries.map((entry) => [entry, weigh(entry)]).filter(([, weight]) => weight > 0);
    if (found.length > 0) return found;
    const likeness = (entry) => Math.max(...entry[0].map((form) => shared(word, form)));
    const most = Math.max(3, word.length - 3, ...entries.map(likeness));
    return entries.filter((entry) => likeness(entry) === most).map((entry) => [entry, 0.4]);
  }

  /** Returns the part of a document's text with the first of these words, as strings: every second one is a matching word. */
  async highlight(document, forms) {
    // Only the beginning of a long text is fetched, to save bandwidth.
    for (const name of document.text.slice(0, 3)) {
      const text = await this.#piece(name);
      const words = [...text.matchAll(WORD)];
      const isFound = ({ 0: word }) => forms.has(folded(word));
      const first = words.findIndex(isFound);
      if (first < 0) continue;
      const start = Math.max(0, first - 5);
      const part = words.slice(start, first + 25);
      const end = ({ 0: word, index }) => index + word.length;
      const parts = [];
      // The text may begin and end with characters that are not part of words.
      let written = start === 0 ? 0 : part[0].index;
      for (const word of part.filter(isFound)) {
        parts.push(text.slice(written, word.index), word[0]);
        written = end(word);
      }
      return [...parts, text.slice(written, start + part.length === words.length ? undefined : end(part.at(-1)))];
    }
    return [document.excerpt];
  }
}
