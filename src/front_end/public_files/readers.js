// Galley's own reader script, which replaces Ghost's Portal, search and announcement bar: links open plain pages of the site,
// and forms are sent without leaving the page. The attributes and classes are those that Ghost's themes use.
(() => {
const script = document.currentScript;
const site = script.dataset.site;
const isStatic = "static" in script.dataset;
const hasSearch = "search" in script.dataset;

// The texts in the language of the site, by the English texts.
const texts = JSON.parse(script.dataset.texts || "{}");
const translated = (english) => texts[english] || english;

const each = (selector, visit) => document.querySelectorAll(selector).forEach(visit);

// Returns the URL of the page for a Portal destination.
const pageOf = (destination) => {
  const first = destination.replace(/^\/+/, "").split("/")[0];
  const name = first === "signin" || first === "account" ? first : "signup";
  return `${site}members/${name}/?r=${encodeURIComponent(location.href.split("#")[0])}`;
};

// Returns the URL of the page for the fragment of a link; undefined for other links.
const pageOfFragment = (fragment) => {
  const portal = /^#\/portal(\/.*)?$/.exec(fragment);
  // The admin app previews settings of Portal at this fragment.
  if (portal && (portal[1] || "").startsWith("/preview")) return undefined;
  if (portal) return pageOf(portal[1] || "");
  return hasSearch && /^#\/search\/?$/.test(fragment) ? `${site}search/` : undefined;
};

const openOnClick = (element, url) => {
  if (element.tagName === "A") element.href = url;
  else element.addEventListener("click", () => location.assign(url));
};

const linkPages = () => {
  each("[data-portal]", (element) => openOnClick(element, pageOf(element.dataset.portal)));
  each("[data-members-plan]", (element) => openOnClick(element, pageOf("signup")));
  each("a[href*='#/']", (link) => {
    const own = link.href.startsWith(site) || link.getAttribute("href").startsWith("#");
    const url = own && pageOfFragment(link.hash);
    if (url) link.href = url;
  });
  if (!hasSearch) return;
  each("[data-ghost-search]", (element) => openOnClick(element, `${site}search/`));
  document.addEventListener("keydown", (event) => {
    if (event.key === "k" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      location.assign(`${site}search/`);
    }
  });
};

const api = async (path, options) => {
  const response = await fetch(`${site}members/api/${path}`, options);
  if (response.ok) return response;
  const failure = await response.json().catch(() => undefined);
  const error = failure && failure.errors && failure.errors[0];
  throw new Error((error && (error.message || error.context)) || translated("Something went wrong. Please try again."));
};

const valuesOf = (form, selector) => Array.from(form.querySelectorAll(selector), (field) => field.value);

const requestLink = async (form) => {
  const field = (name) => form.querySelector(`input[data-members-${name}]`);
  const fields = {
    email: field("email") ? field("email").value.trim() : "",
    name: field("name") ? field("name").value.trim() : undefined,
    emailType: form.dataset.membersForm || undefined,
    labels: valuesOf(form, "input[data-members-label]"),
    autoRedirect: form.dataset.membersAutoredirect !== "false",
    integrityToken: await (await api("integrity-token/")).text(),
  };
  const newsletters = "data-members-newsletter";
  const chosen = valuesOf(form, `input[type=hidden][${newsletters}], input[${newsletters}]:checked`);
  if (form.querySelector(`input[${newsletters}]`)) fields.newsletters = chosen.map((name) => ({ name }));
  await api("send-magic-link/", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(fields),
  });
};

const sendForms = () => each("form[data-members-form]", (form) => {
  const message = form.querySelector("[data-members-error]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (form.classList.contains("loading")) return;
    if (message) message.textContent = "";
    form.classList.remove("success", "invalid", "error");
    form.classList.add("loading");
    try {
      await requestLink(form);
      form.classList.add("success");
      form.querySelectorAll("input[data-members-email], input[data-members-name]").forEach((input) => { input.value = ""; });
    } catch (error) {
      form.classList.add("error");
      if (message) message.textContent = error.message;
      else notify(error.message);
    }
    form.classList.remove("loading");
  });
});

const signOut = () => each("[data-members-signout]", (element) => element.addEventListener("click", async (event) => {
  event.preventDefault();
  element.classList.remove("error");
  element.classList.add("loading");
  try {
    await api("session", { method: "DELETE" });
    location.replace(location.href.split("#")[0]);
  } catch {
    element.classList.add("error");
  }
  element.classList.remove("loading");
}));

const box = (style, content) => {
  const element = document.createElement("div");
  element.style.cssText = `font:16px/1.5 system-ui,sans-serif;box-sizing:border-box;${style}`;
  element.append(content);
  return element;
};

const closeButton = (color, close) => {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "×";
  button.setAttribute("aria-label", translated("Close"));
  button.style.cssText = `all:unset;cursor:pointer;padding:0 .5em;font-size:1.25em;color:${color}`;
  button.addEventListener("click", close);
  return button;
};

const notify = (text) => {
  const style = "position:fixed;inset:auto 1rem 1rem auto;z-index:9999;max-width:calc(100vw - 2rem);display:flex;gap:.5rem;" +
    "padding:.75rem 1rem;border-radius:.5rem;background:#15171a;color:#fff;box-shadow:0 4px 24px #0004";
  const notice = box(style, text);
  notice.setAttribute("role", "status");
  notice.append(closeButton("#fff", () => notice.remove()));
  document.body.append(notice);
  return notice;
};

// The notices after a link in a mail was opened, by the action in the query: success, and failure.
const NOTICES = {
  signup: ["You are a member now.", "You could not be signed up: the link is invalid or was used before."],
  signin: ["You are signed in.", "You could not be signed in: the link is invalid or was used before."],
  subscribe: ["You are subscribed.", "You could not be subscribed: the link is invalid or was used before."],
  updateEmail: ["Your address is changed.", "Your address could not be changed: the link is invalid or was used before."],
};

const showResult = () => {
  const url = new URL(location.href);
  const results = NOTICES[url.searchParams.get("action")];
  const success = url.searchParams.get("success");
  if (!results || !success) return;
  notify(translated(results[success === "true" ? 0 : 1]));
  ["action", "success", "errorCode"].forEach((name) => url.searchParams.delete(name));
  history.replaceState(history.state, "", url);
};

const BACKGROUNDS = { light: ["#f0f0f0", "#15171a"], dark: ["#15171a", "#fff"] };

const announce = async () => {
  const { announcement: [current] } = await (await api("announcement/")).json();
  if (!current || !current.announcement || sessionStorage.getItem("galley-announcement") === current.announcement) return;
  showAnnouncement(current, () => sessionStorage.setItem("galley-announcement", current.announcement));
};

const showAnnouncement = (current, remember) => {
  const accent = getComputedStyle(document.documentElement).getPropertyValue("--ghost-accent-color").trim() || "#15171a";
  const [background, color] = BACKGROUNDS[current.announcement_background] || [accent, "#fff"];
  const text = document.createElement("div");
  text.style.flex = "1";
  // Staff wrote this HTML, so it is trusted.
  text.innerHTML = current.announcement;
  text.querySelectorAll("a").forEach((link) => { link.style.color = "inherit"; });
  const bar = box(`display:flex;align-items:center;padding:.5rem 1rem;text-align:center;background:${background};color:${color}`, text);
  bar.id = "announcement-bar";
  bar.append(closeButton(color, () => {
    remember();
    bar.remove();
  }));
  document.body.prepend(bar);
};

// Handles the fragment of the share button in newsletters.
const share = () => {
  const url = location.href.split("#")[0];
  const notice = notify(document.title);
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = translated(navigator.share ? "Share" : "Copy the link");
  button.style.cssText = "all:unset;cursor:pointer;text-decoration:underline";
  button.addEventListener("click", async () => {
    if (navigator.share) await navigator.share({ title: document.title, url }).catch(() => {});
    else await navigator.clipboard.writeText(url);
    notice.remove();
  });
  notice.lastChild.before(button);
  history.replaceState(history.state, "", url);
};

// The admin app opens this page with unsaved settings of Portal in the fragment. Readers get the plain page, so staff see it with
// the saved settings: a copy without scripts, because the page itself must not be framed. The app waits for the message.
const preview = async () => {
  each("#galley-preview", (before) => before.remove());
  const frame = document.createElement("iframe");
  frame.id = "galley-preview";
  frame.sandbox = "";
  frame.inert = true;
  frame.style.cssText = "position:fixed;inset:0;z-index:9999;width:100%;height:100%;border:0;background:Canvas";
  try {
    // Members do not get a sign-up form, and staff may be signed in as a member.
    const isAccount = /[?&]page=account/.test(location.hash);
    const [name, credentials] = isAccount ? ["account", "same-origin"] : ["signup", "omit"];
    frame.srcdoc = await (await fetch(pageOf(name), { credentials })).text();
    document.body.append(frame);
  } catch (error) {
    notify(error.message);
  }
  parent.postMessage({ type: "portal-preview-ready", payload: {} }, "*");
};

const openFragment = () => {
  if (location.hash === "#/share") return share();
  if (location.hash.startsWith("#/portal/preview")) return preview();
  const url = pageOfFragment(location.hash);
  if (url) location.replace(url);
};

// Forms, search and sign-up need a server.
const hideForms = () => each(
  "[data-portal], [data-members-plan], [data-members-signout], [data-ghost-search], form[data-members-form], a[href^='#/portal'], a[href^='#/search']",
  (element) => { element.hidden = true; element.style.display = "none"; },
);

if (isStatic) {
  hideForms();
} else {
  linkPages();
  sendForms();
  signOut();
  showResult();
  openFragment();
  window.addEventListener("hashchange", openFragment);
  if ("announcement" in script.dataset) announce().catch(() => {});
  // The admin app previews an unsaved announcement. Closing it does not hide it later.
  const { triedAnnouncement: announcement, triedBackground: announcement_background } = script.dataset;
  if (announcement) showAnnouncement({ announcement, announcement_background }, () => {});
}
})();
