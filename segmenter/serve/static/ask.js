// Requests to the service, and the state of the page in its URL.
import { $, element } from "./dom.js";
import { embedded, state } from "./state.js";
import { language, say } from "./translations.js";
import { translated } from "./say_errors.js";

const WAIT = 250;              // milliseconds after the last key before a request
const LONGEST_TEXT = 20000;    // characters, of segmenter/serve/running.py
const LONGEST_ADDRESS = 2000;  // characters of a text that fits the address
export const SETTINGS = ["preset", "standard", "oov", "atoms", "mode"];

let requests = 0, timer = 0, handlePicture = () => {};

export function onPicture(handler) { handlePicture = handler; }

function fail(message) {
  $("message").hidden = !message;
  $("message").textContent = message;
  if (message) clear();
}

// Removes the answer, the drawing and the note of the previous text.
function clear() {
  $("main").hidden = $("answer").hidden = true;
  note("");
}

export function note(message) {
  $("note").hidden = !message;
  $("note").textContent = message;
}

export const settings = () => {
  const values = {};
  for (const name of SETTINGS) {
    const value = $(name)?.value;
    if (value && !(name === "mode" && value === "words")) values[name] = value;
  }
  return values;
};

const formValues = () => ({ text: $("text").value, words: $("words").value, settings: settings() });

// Answers instead of the service in a page that contains the library (js/page.js).
let localAnswer = null;
export function answerWith(answer) { localAnswer = answer; }

// Asks the service for JSON; throws an Error with a message in the page's language.
async function request(path, body) {
  if (localAnswer) return localAnswer(path, body);
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
  return request("v1/steps", { ...formValues(), text: state.picture.text, player });
}

// The fragment of the address; null for a long text.
function fragment(extra = {}) {
  const { text, words, settings: chosenSettings } = formValues();
  if ([...text].length > LONGEST_ADDRESS) return null;
  return `#${new URLSearchParams({ text, ...(words ? { words } : {}), ...chosenSettings, ...extra })}`;
}

// The part of a link that says how the text is shown.
const view = () => ({
  language: language(), pos: $("showPos").checked ? "yes" : "no",
  ...(state.selected && state.selected !== state.picture?.chosen ? { compare: state.selected } : {}),
});

// Sets the link to this view; hides it for a long text.
export function drawLink() {
  const hash = fragment(view());
  $("permalink").hidden = hash === null;
  $("permalink").href = hash ?? "#";
}

export async function ask() {
  clearTimeout(timer);
  const body = formValues();
  const length = [...body.text].length;
  requests++;  // answers under way are outdated
  if (!body.text.trim()) {
    fail("");
    clear();
    return note(say("empty"));
  }
  if (length > LONGEST_TEXT) return fail(say("tooLong", { length, most: LONGEST_TEXT }));
  history.replaceState(null, "", fragment() ?? location.pathname + location.search);
  await explain(body);
}

// Draws one sentence of a long text; the tokens of the text stay.
export const askSentence = (text) => explain({ ...formValues(), text }, true);

async function explain(body, isSentence = false) {
  const requestNumber = ++requests;
  try {
    const data = await request("v1/explain", body);
    if (requestNumber !== requests) return;  // an outdated answer
    if (!isSentence) fail("");
    handlePicture(data, isSentence);
  } catch (e) {
    if (requestNumber === requests) fail(e.message);
  }
}

export function soon() {
  clearTimeout(timer);
  timer = setTimeout(ask, WAIT);
}

// Fills the form from the fragment of the address; returns its parameters.
export function readAddress() {
  const values = new URLSearchParams(location.hash.slice(1));
  if (values.has("text")) {
    $("text").value = values.get("text");
    $("words").value = values.get("words") ?? "";
    for (const name of SETTINGS) {
      const select = $(name), value = values.get(name) ?? (name === "mode" ? "words" : "");
      if (select && [...select.options].some((o) => o.value === value)) select.value = value;
    }
  }
  return values;
}

export async function copyLink() {
  const hash = fragment(view());
  if (hash === null) return note(say("linkTooLong", { most: LONGEST_ADDRESS }));
  const address = location.href.replace(/#.*/, "") + hash;
  try {
    await navigator.clipboard.writeText(address);
  } catch {  // not allowed, or not a secure page
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
