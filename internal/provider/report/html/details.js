// listEffects shows effects with everything that is known about them.
function listEffects(effects) {
  return effects.map((effect) => el("div", { class: "effect" },
    el("p", { class: "what" }, sign(effect.action), " ", el("strong", {}, effect.action.label), ". " + effect.action.meaning),
    effect.details.length === 0 ? null : el("dl", {}, effect.details.flatMap((d) => [el("dt", {}, d.label), el("dd", {}, d.text)])),
    effect.fields.length === 0 ? null : listFields(effect.fields)));
}

function listFields(fields) {
  const value = (text, absent) => el(absent ? "em" : "code", {}, text);
  return table(["Field", "On the cluster", "Written by", "To be placed"], fields.map((field) => [
    el("span", {}, el("code", {}, field.name), field.immutable ? " (immutable)" : ""),
    value(field.current, field.currentAbsent), field.setBy, value(field.desired, field.desiredAbsent),
  ]), "fields");
}

// createDetails returns a function that opens an object on a cluster, or on all clusters if the column is negative.
function createDetails(model) {
  const dialog = byID("details");
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return (row, column) => {
    const close = el("button", { type: "button", class: "close" }, "Close");
    close.addEventListener("click", () => dialog.close());
    const groups = groupByOutcome(model, row, (c) => column < 0 || c === column);
    const cluster = column < 0 ? null : row.preview.clusters.find((c) => c.name === model.columns[column]);
    dialog.replaceChildren(
      el("h2", { id: "details-title", tabindex: "-1" }, row.title),
      el("p", {}, "Placement " + row.preview.placement),
      ...groups.map((group) => el("section", {}, el("h3", {}, group.clusters.join(", ")), listEffects(group.effects))),
      groups.length === 0 ? el("p", {}, "The placement does not have the object on " + model.columns[column] + ".") : "",
      cluster ? el("p", {}, [cluster.name, cluster.why, cluster.what, cluster.checks].filter((text) => text).join(": ")) : "",
      close);
    dialog.showModal();
    byID("details-title").focus();
  };
}
