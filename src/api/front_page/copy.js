
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
    // Where a page is not trusted with the clipboard, what is selected can be copied still.
    done = document.execCommand("copy");
  }
  copied.textContent = done ? "Copied" : "Selected: copy it with the keyboard";
});
