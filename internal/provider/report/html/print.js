// MAX_PRINTED is the number of objects that are printed.
const MAX_PRINTED = 2000;

// printOnDemand adds the list of objects for paper, where the matrix is not shown: those of the current view that do not remain unchanged, with their
// differences.
function printOnDemand(model, current) {
  const printed = byID("printed");
  let opened = [];
  const prepare = () => {
    if (printed.childElementCount > 0) return;
    const { view, filters } = current();
    const rows = view.rows.map((row) => ({ row, groups: groupByOutcome(model, row, (c) => isPrinted(view, row, c)) })).filter(({ groups }) => groups.length > 0);
    printed.append(el("h2", {}, "Objects that change, or that need attention"), view.isFiltered ? el("p", {}, "Filters: " + filters + ".") : "",
      ...rows.slice(0, MAX_PRINTED).map(({ row, groups }) => el("section", {}, el("h3", {}, row.title + " (placement " + row.preview.placement + ")"),
        groups.map((group) => el("div", {}, el("p", {}, "On " + group.clusters.join(", ")), listEffects(group.effects))))),
      rows.length > MAX_PRINTED ? el("p", {}, numbered(rows.length - MAX_PRINTED, "more object") + " not printed. Use the filters.") : "");
    opened = [...document.querySelectorAll("#placements details:not([open])")];
    for (const element of opened) element.open = true;
  };
  const restore = () => {
    printed.replaceChildren();
    for (const element of opened) element.open = false;
    opened = [];
  };
  const isPrinted = (view, row, c) => view.columns.includes(c) && view.isShown(row, c) && model.outcomes[row.cells[c]].some((effect) => effect.action.word !== "none" || effect.weighs);
  window.addEventListener("beforeprint", prepare);
  window.addEventListener("afterprint", restore);
}
