// The second tab: a system file against gold.

import { ask } from "./api.js";
import { $, droppable, make, save } from "./dom.js";

const SHOWN = ["Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS",
  "LAS", "CLAS", "MLAS", "BLEX", "SentenceSpans", "BoundaryPoints", "StartsAll", "Starts"];
let page = null;

function table(report) {
  const rows = SHOWN.filter((name) => report[name]).map((name) => {
    const { precision, recall, f1 } = report[name];
    const cells = [precision, recall, f1].map((v) => make("td", {}, v.toFixed(2)));
    return make("tr", {}, make("th", { scope: "row" }, name), ...cells);
  });
  const head = ["measure", "precision", "recall", "F1"].map((name) => make("th", { scope: "col" }, name));
  return make("table", {}, make("caption", { className: "note" }, "Scores in per cent"),
    make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
}

export function setUp() {
  droppable($("gold"));
  droppable($("system"));
  $("evaluate-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    $("evaluate-error").hidden = true;
    $("scores").hidden = true;
    $("report").hidden = true;
    $("evaluate-status").textContent = "Evaluating …";
    try {
      const answer = await ask("evaluate", {
        gold: $("gold").value, system: $("system").value, format: $("format").value, html: true,
      });
      page = answer.html;
      const notes = answer.report.notes.map((note) => make("li", {}, note));
      $("scores").replaceChildren(table(answer.report), make("ul", { className: "note" }, ...notes));
      $("scores").hidden = false;
      $("evaluate-status").textContent = "Done.";
      $("report").hidden = false;
    } catch (error) {
      $("evaluate-status").textContent = "";
      $("evaluate-error").textContent = error.message;
      $("evaluate-error").hidden = false;
    }
  });
  $("report").addEventListener("click", () => save(new Blob([page], { type: "text/html" }), "report.html"));
}
