// showTotals shows the number of objects for each action and placement. The row "All" counts what applies do, and so no preview with assumptions.
function showTotals(model) {
  const actual = model.previews.filter((preview) => !preview.assumed);
  const assumed = model.previews.length - actual.length;
  const present = ACTIONS.filter((action) => model.previews.some((preview) => preview.totals.has(action.word)));
  const number = (n) => (n > 0 ? n.toLocaleString("en") : "");
  const line = (name, previews) => {
    const sum = (of) => previews.reduce((total, preview) => total + of(preview), 0);
    return [name, number(sum((p) => p.clusters.filter((c) => c.picked.startsWith("yes")).length)), number(sum((p) => p.clusters.filter((c) => c.state === "unchecked").length)),
      ...present.map((action) => number(sum((p) => p.totals.get(action.word) || 0)))];
  };
  const rows = model.previews.map((preview) => line(preview.placement + (preview.missing ? " (no preview)" : ""), [preview]));
  if (actual.length > 1) rows.push(line(assumed > 0 ? "All, without assumptions" : "All", actual));
  byID("totals").append(
    el("p", {}, [numbered(actual.length, "placement"), ...(assumed > 0 ? [numbered(assumed, "preview") + " with assumptions"] : []), numbered(model.rows.length, "object"), numbered(model.columns.length, "cluster")].join(", ") +
      ". An object counts once for each cluster."),
    table(["Placement", "Clusters picked", "Not checked", ...present.map((action) => el("span", {}, sign(action), " " + action.label))], rows, "totals"));
}

// showPlacements shows what the report says about each placement as a whole, and its clusters.
function showPlacements(model) {
  byID("placements").append(...model.previews.map((preview) => {
    if (preview.missing) return el("section", {}, el("h3", {}, "Placement " + preview.placement + ": no preview"), el("p", {}, preview.missing));
    return el("section", {}, el("h3", {}, preview.heading),
      (preview.introduction || []).map((text) => el("p", { class: "important" }, text)),
      el("p", {}, (preview.settings || []).flatMap((s, i) => [i > 0 ? ", " : "", el("code", {}, s.name), " is ", el("code", {}, s.value)])),
      preview.notes ? el("ul", {}, preview.notes.map((text) => el("li", {}, text))) : null,
      (preview.advice || []).map((text) => el("p", { class: "advice" }, text)),
      el("details", { open: preview.clusters.length <= 12 }, el("summary", {}, "Clusters (" + preview.clusters.length + ")"), listClusters(preview)));
  }));
}

// listClusters shows clusters with equal texts in one row.
function listClusters(preview) {
  const groups = new Map();
  for (const c of preview.clusters) {
    const texts = [c.picked, c.why || "", c.what || "", c.checks || ""];
    const key = JSON.stringify(texts);
    if (!groups.has(key)) groups.set(key, { names: [], texts });
    groups.get(key).names.push(c.name);
  }
  return table(["Cluster", "Picked", "Why", "What happens", "Checked with"], [...groups.values()].map((group) => [group.names.join(", "), ...group.texts]), "clusters");
}

function showLegend() {
  byID("legend").append(el("dl", { class: "legend" }, ACTIONS.flatMap((action) => [el("dt", {}, sign(action), " " + action.label), el("dd", {}, action.meaning)])));
}
