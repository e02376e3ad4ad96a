// Requests to the service, and the state of the page in its URL.
import { $, element } from "./dom.js";
import { embedded, state } from "./state.js";
import { language, say } from "./translations.js";
import { translated } from "./say_errors.js";

const WAIT = 250;              // milliseconds without a key before the service is asked
const LONGEST_TEXT = 20000;    // characters, of segmenter/serve/running.py
const LONGEST_ADDRESS = 2000;  // characters of a text that still goes into the address
export const SETTINGS = ["preset", "standard", "oov", "atoms", "mode"];

let asked = 0, timer = 0, taken = () => {};

export function onPicture(handler) { taken = handler; }

function fail(message) {
  $("message").hidden = !message;
  $("message").textContent = message;
  if (message) clear();
}

// Neither an answer nor a drawing nor a note of another text stays.
function clear() {
  $("main").hidden = $("answer").hidden = true;
  note("");
}

export function note(message) {
  $("note").hidden = !message;
  $("note").textContent = message;
}

export const settings = () => {
  const found = {};
  for (const name of SETTINGS) {
    const value = $(name)?.value;
    if (value && !(name === "mode" && value === "words")) found[name] = value;
  }
  return found;
};

const given = () => ({ text: $("text").value, words: $("words").value, settings: settings() });

// What answers instead of the service: a page that has the library in it (js/page.js).
let own = null;
export function answerWith(answer) { own = answer; }

// Asks the service for JSON; throws an Error with a message in the page's language.
async function request(path, body) {
  if (own) return own(path, body);
  let response, data;
  try {
    response = await fetch(path, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    data = await response.json();
  } catch (e) {
    throw new Error(say("noService") + e.message);
  }
  if (!response.ok) throw new Error(translated(data.error.message, language()));
  return data;
}

export async function fetchTrace(player) {
  if (embedded) return state.picture.steps?.[player] ?? null;
  return request("v1/steps", { ...given(), text: state.picture.text, player });
}

// The fragment of the address; of long texts there is none.
function fragment(more = {}) {
  const { text, words, settings: chosen } = given();
  if ([...text].length > LONGEST_ADDRESS) return null;
  return `#${new URLSearchParams({ text, ...(words ? { words } : {}), ...chosen, ...more })}`;
}

// What a link keeps beside the text, its words and the settings: how they are shown.
const view = () => ({
  language: language(), pos: $("showPos").checked ? "yes" : "no",
  ...(state.selected && state.selected !== state.picture?.chosen ? { compare: state.selected } : {}),
});

// The link to what is shown now; of a text that is too long for it, none.
export function drawLink() {
  const part = fragment(view());
  $("permalink").hidden = part === null;
  $("permalink").href = part ?? "#";
}

export async function ask() {
  clearTimeout(timer);
  const body = given();
  const length = [...body.text].length;
  asked++;  // an answer that is on its way is overtaken
  if (!body.text.trim()) {
    fail("");
    clear();
    return note(say("empty"));
  }
  if (length > LONGEST_TEXT) return fail(say("tooLong", { length, most: LONGEST_TEXT }));
  history.replaceState(null, "", fragment() ?? location.pathname + location.search);
  await explain(body);
}

// Draws one sentence of a long text, whose tokens stay.
export const askSentence = (text) => explain({ ...given(), text }, true);

async function explain(body, inside = false) {
  const mine = ++asked;
  try {
    const data = await request("v1/explain", body);
    if (mine !== asked) return;  // an answer that was overtaken
    if (!inside) fail("");
    taken(data, inside);
  } catch (e) {
    if (mine === asked) fail(e.message);
  }
}

export function soon() {
  clearTimeout(timer);
  timer = setTimeout(ask, WAIT);
}

// Fills the form with what the address says; whether it says anything.
export function readAddress() {
  const found = new URLSearchParams(location.hash.slice(1));
  if (found.has("text")) {
    $("text").value = found.get("text");
    $("words").value = found.get("words") ?? "";
    for (const name of SETTINGS) {
      const select = $(name), value = found.get(name) ?? (name === "mode" ? "words" : "");
      if (select && [...select.options].some((o) => o.value === value)) select.value = value;
    }
  }
  return found;
}

export async function copyLink() {
  const part = fragment(view());
  if (part === null) return note(say("linkTooLong", { most: LONGEST_ADDRESS }));
  const address = location.href.replace(/#.*/, "") + part;
  try {
    await navigator.clipboard.writeText(address);
  } catch {  // not allowed, or not a secure page: the old way
    const field = element("textarea", { readonly: "" });
    field.value = address;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  note(say("copied"));
  setTimeout(() => note(""), 2500);
}
