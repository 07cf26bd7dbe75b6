// Differences between two lists of lines.

/** Returns the lines that are only in `expected` (`-`) or only in `got` (`+`), in order, outside of a longest common subsequence. */
export function difference(expected, got) {
  const lengths = Array.from({ length: expected.length + 1 }, () => new Uint32Array(got.length + 1));
  for (let i = expected.length - 1; i >= 0; i -= 1) {
    for (let j = got.length - 1; j >= 0; j -= 1) {
      lengths[i][j] =
        expected[i] === got[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const found = [];
  let i = 0;
  let j = 0;
  while (i < expected.length || j < got.length) {
    if (i < expected.length && j < got.length && expected[i] === got[j]) {
      i += 1;
      j += 1;
    } else if (j === got.length || (i < expected.length && lengths[i + 1][j] >= lengths[i][j + 1])) {
      found.push(`- ${expected[i]}`);
      i += 1;
    } else {
      found.push(`+ ${got[j]}`);
      j += 1;
    }
  }
  return found;
}
