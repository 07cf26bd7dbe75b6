
const line = document.getElementById("line");
const copy = document.getElementById("copy");
const copied = document.getElementById("copied");
copy.hidden = false;
copy.addEventListener("click", async () => {
  getSelection().selectAllChildren(line);
  let done = true;
  try {
    await navigator.clipboard.writeText(line.textContent);
  } catch {
    // Without access to the clipboard, the selection can still be copied.
    done = document.execCommand("copy");
  }
  copied.textContent = done ? "Copied" : "Selected: copy it with the keyboard";
});
